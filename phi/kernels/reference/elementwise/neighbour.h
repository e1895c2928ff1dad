// SPDX-License-Identifier: Apache-2.0
// Reference kernels: the neighbours of numbers among those of their dtype.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_NEIGHBOUR_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_NEIGHBOUR_H_

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

// The neighbour of a in the direction of b: of numbers of one sign, the one
// that is next by magnitude has the next bits.
template <typename T>
T Neighbour(T a, T b) {
  if (a != a || b != b) return a + b;
  if (a == b) return b;
  std::conditional_t<sizeof(T) == sizeof(int32_t), int32_t, int64_t> bits;
  if (a == 0) {
    bits = 1;
    std::memcpy(&a, &bits, sizeof(T));
    return b < 0 ? -a : a;
  }
  std::memcpy(&bits, &a, sizeof(T));
  bits += (a < b) == (a > 0) ? 1 : -1;
  std::memcpy(&a, &bits, sizeof(T));
  return a;
}

template <typename S>
inline constexpr auto kNextafterSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status NextafterKernel(const ReferenceContext&, const DenseTensor& x,
                             const DenseTensor& y, DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const T a = BroadcastAt<T>(x, out->shape(), i);
    const T b = BroadcastAt<T>(y, out->shape(), i);
    out->mutable_data<T>()[i] = Neighbour<T>(a, b);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_NEIGHBOUR_H_
