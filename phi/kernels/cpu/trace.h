// SPDX-License-Identifier: Apache-2.0
// The kernel of trace on the CPU, over inputs of any strides: floating numbers
// are summed in double, integers wrap around.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_TRACE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_TRACE_H_

#include <algorithm>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"

namespace switchyard::phi::kernels {

template <typename T, typename Context>
absl::Status TraceKernel(const Context&, const DenseTensor& x, int offset,
                         int axis1, int axis2, DenseTensor* out) {
  using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  SY_ASSIGN_OR_RETURN(axis1, NormalizeAxis("axis1", axis1, x.rank()));
  SY_ASSIGN_OR_RETURN(axis2, NormalizeAxis("axis2", axis2, x.rank()));
  // An offset moves the diagonal to the right, a negative one downwards.
  const int64_t row = std::max<int64_t>(0, -int64_t{offset});
  const int64_t column = std::max(0, offset);
  const int64_t length = std::max<int64_t>(
      0, std::min(x.extent(axis1) - row, x.extent(axis2) - column));
  const int64_t begin_at =
      length == 0 ? 0 : row * x.strides()[axis1] + column * x.strides()[axis2];
  const int64_t step = x.strides()[axis1] + x.strides()[axis2];
  const T* from = x.data<T>() + begin_at;
  T* to = out->mutable_data<T>();
  const int64_t grain =
      std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, length));
  ParallelFor(0, out->numel(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      int64_t rest = o, at = 0;
      for (int axis = x.rank() - 1; axis >= 0; --axis) {
        if (axis == axis1 || axis == axis2) continue;
        at += rest % x.extent(axis) * x.strides()[axis];
        rest /= x.extent(axis);
      }
      Sum sum = 0;
      for (int64_t i = 0; i < length; ++i) {
        sum += static_cast<Sum>(from[at + i * step]);
      }
      to[o] = static_cast<T>(sum);
    }
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_TRACE_H_
