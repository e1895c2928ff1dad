// SPDX-License-Identifier: Apache-2.0
// The gradients of sum and mean on the CPU: each element of x gets its
// share of the gradient of the result element that it went into.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_GRAD_H_
#define SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_GRAD_H_

#include <algorithm>
#include <type_traits>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/shapes/reduce_plan.h"

namespace switchyard::phi::kernels::cpu {

// Calls fn(x offset, out offset, count, out step) for spans of adjacent
// elements of x that cover it: result elements are out, out + step, ...
template <typename Fn>
void ForEachSpan(const ReducePlan& plan, int64_t begin, int64_t end, Fn fn) {
  const ReducePlan::Axis& last = plan.axes[plan.rank - 1];
  for (int64_t row = begin; row < end; ++row) {
    int64_t rest = row, out = 0;
    for (int axis = plan.rank - 2; axis >= 0; --axis) {
      out += rest % plan.axes[axis].extent * plan.axes[axis].out_stride;
      rest /= plan.axes[axis].extent;
    }
    fn(row * last.extent, out, last.extent, last.out_stride);
  }
}

// Calls ForEachSpan over all of x, in chunks.
template <typename Fn>
void ForAllSpans(const ReducePlan& plan, Fn fn) {
  const int64_t count = plan.kept * plan.reduced;
  if (count == 0) return;
  const int64_t extent = plan.axes[plan.rank - 1].extent;
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / extent);
  ParallelFor(0, count / extent, grain, [&](int64_t begin, int64_t end) {
    ForEachSpan(plan, begin, end, fn);
  });
}

// x_grad = out_grad / divisor, spread; of float16 and bfloat16 in float.
template <typename T>
void SpreadGrad(const ReducePlan& plan, const DenseTensor& out_grad,
                double divisor, DenseTensor* x_grad) {
  using C = std::conditional_t<sizeof(T) == 2, float, T>;
  const T* from = out_grad.data<T>();
  T* to = x_grad->mutable_data<T>();
  const auto by = static_cast<RealType<C>>(divisor);
  ForAllSpans(plan, [=](int64_t x, int64_t out, int64_t count, int64_t step) {
    for (int64_t i = 0; i < count; ++i) {
      to[x + i] = static_cast<T>(static_cast<C>(from[out + i * step]) / by);
    }
  });
}

template <typename S>
inline constexpr auto kSumGradSpec =
    KernelSpec<S>().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status SumGradKernel(const CpuContext&, const DenseTensor& x,
                           const DenseTensor& out_grad,
                           absl::Span<const int64_t> axis, bool,
                           DenseTensor* x_grad) {
  SpreadGrad<T>(ReducePlan::OfAxes(x.shape(), axis), out_grad, 1, x_grad);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMeanGradSpec =
    KernelSpec<S>().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status MeanGradKernel(const CpuContext&, const DenseTensor& x,
                            const DenseTensor& out_grad,
                            absl::Span<const int64_t> axis, bool,
                            DenseTensor* x_grad) {
  const ReducePlan plan = ReducePlan::OfAxes(x.shape(), axis);
  SpreadGrad<T>(plan, out_grad, static_cast<double>(plan.reduced), x_grad);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_GRAD_H_
