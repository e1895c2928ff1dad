// SPDX-License-Identifier: Apache-2.0
// The kernel of arange on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ARANGE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ARANGE_H_

#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::kernels {

// Element i is start + i * step, computed anew for each i: in uint64 for
// integers (their last one fits, sums on the way may wrap), in float for
// float16 and bfloat16.
template <typename T, typename Context>
absl::Status ArangeKernel(const Context&, const Scalar& start, const Scalar&,
                          const Scalar& step, DataType, DenseTensor* out) {
  using C =
      std::conditional_t<std::is_integral_v<T>, uint64_t,
                         std::conditional_t<sizeof(T) == 8, double, float>>;
  const C first = static_cast<C>(start.to<T>());
  const C by = static_cast<C>(step.to<T>());
  T* to = out->mutable_data<T>();
  ParallelFor(0, out->numel(), 1 << 15, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      to[i] = static_cast<T>(first + static_cast<C>(i) * by);
    }
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ARANGE_H_
