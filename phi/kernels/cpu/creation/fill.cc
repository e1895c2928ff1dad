// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/creation/fill.h"

#include <algorithm>
#include <complex>
#include <cstring>

#include "framework/device/cpu/parallel.h"

namespace switchyard::phi::kernels::cpu {
namespace {

constexpr int64_t kElementsAThread = 1 << 16;

template <typename T>
void Fill(const void* value, int64_t count, void* to) {
  T element;
  std::memcpy(&element, value, sizeof(T));
  T* elements = static_cast<T*>(to);
  ParallelFor(0, count, kElementsAThread, [=](int64_t begin, int64_t end) {
    std::fill(elements + begin, elements + end, element);
  });
}

}  // namespace

void FillElements(size_t element_size, const void* value, int64_t count,
                  void* to) {
  switch (element_size) {
    case 1:
      return Fill<uint8_t>(value, count, to);
    case 2:
      return Fill<uint16_t>(value, count, to);
    case 4:
      return Fill<uint32_t>(value, count, to);
    case 8:
      return Fill<uint64_t>(value, count, to);
    default:
      return Fill<std::complex<double>>(value, count, to);
  }
}

}  // namespace switchyard::phi::kernels::cpu
