// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/data_movement/strided_rows.h"

#include <algorithm>

#include "framework/device/cpu/parallel.h"

namespace switchyard::phi::kernels::cpu {
namespace {

constexpr int64_t kGrain = 1 << 15;  // Elements of a chunk.

}  // namespace

void ForEachRow(
    const DenseTensor& x,
    absl::FunctionRef<void(const void*, int64_t, void*, int64_t)> row,
    DenseTensor* out) {
  const int64_t count = x.numel();
  if (count == 0) return;
  const int64_t from_size = static_cast<int64_t>(ElementSize(x.dtype()));
  const int64_t to_size = static_cast<int64_t>(ElementSize(out->dtype()));
  const char* from = static_cast<const char*>(x.raw_data());
  char* to = out->mutable_data<char>();
  if (x.contiguous() || x.rank() == 0) {
    ParallelFor(0, count, kGrain, [=](int64_t begin, int64_t end) {
      row(from + begin * from_size, 1, to + begin * to_size, end - begin);
    });
    return;
  }
  const int last = x.rank() - 1;
  const int64_t extent = x.extent(last);
  const int64_t grain = std::max<int64_t>(1, kGrain / extent);
  ParallelFor(0, count / extent, grain, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      int64_t offset = 0;
      int64_t rest = r;
      for (int axis = last - 1; axis >= 0; --axis) {
        offset += rest % x.extent(axis) * x.strides()[axis];
        rest /= x.extent(axis);
      }
      row(from + offset * from_size, x.strides()[last],
          to + r * extent * to_size, extent);
    }
  });
}

}  // namespace switchyard::phi::kernels::cpu
