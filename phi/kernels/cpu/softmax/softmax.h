// SPDX-License-Identifier: Apache-2.0
// The vector work of softmax, log_softmax and their gradients on the CPU. A
// line is one thread's, and summed in an order that its extent alone decides.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SOFTMAX_SOFTMAX_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SOFTMAX_SOFTMAX_H_

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/memory/buffer.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/simd/axis_slices.h"

namespace switchyard::phi::kernels::cpu {

// Whether results are those of softmax or their logarithms.
enum class SoftmaxScale { kLinear, kLogarithmic };

// out = exp(x) / sum(exp(x)) along each line, about the line's largest element,
// or its scale, by `scale`. `out` may be `x`.
void SoftmaxForward(const AxisSlices& lines, SoftmaxScale scale, const float* x,
                    float* out);
void SoftmaxForward(const AxisSlices& lines, SoftmaxScale scale,
                    const double* x, double* out);

// x_grad = out (out_grad - sum(out out_grad)); of log_softmax: out_grad -
// exp(out) sum(out_grad). `x_grad` may be `out_grad`.
void SoftmaxBackward(const AxisSlices& lines, SoftmaxScale scale,
                     const float* out, const float* out_grad, float* x_grad);
void SoftmaxBackward(const AxisSlices& lines, SoftmaxScale scale,
                     const double* out, const double* out_grad, double* x_grad);

// Compute float16 and bfloat16 as float. ResourceExhausted if there is no
// memory for that.
absl::Status SoftmaxForward(Allocator& allocator, const AxisSlices& lines,
                            SoftmaxScale scale, const float16* x, float16* out);
absl::Status SoftmaxForward(Allocator& allocator, const AxisSlices& lines,
                            SoftmaxScale scale, const bfloat16* x,
                            bfloat16* out);
absl::Status SoftmaxBackward(Allocator& allocator, const AxisSlices& lines,
                             SoftmaxScale scale, const float16* out,
                             const float16* out_grad, float16* x_grad);
absl::Status SoftmaxBackward(Allocator& allocator, const AxisSlices& lines,
                             SoftmaxScale scale, const bfloat16* out,
                             const bfloat16* out_grad, bfloat16* x_grad);

// float and double need no memory.
template <typename T>
absl::Status SoftmaxForward(Allocator&, const AxisSlices& lines,
                            SoftmaxScale scale, const T* x, T* out) {
  SoftmaxForward(lines, scale, x, out);
  return absl::OkStatus();
}
template <typename T>
absl::Status SoftmaxBackward(Allocator&, const AxisSlices& lines,
                             SoftmaxScale scale, const T* out,
                             const T* out_grad, T* x_grad) {
  SoftmaxBackward(lines, scale, out, out_grad, x_grad);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSoftmaxSpec = KernelSpec<S>();
template <typename T>
absl::Status SoftmaxKernel(const CpuContext& context, const DenseTensor& x,
                           int axis, DenseTensor* out) {
  return SoftmaxForward(context.allocator(), AxisSlices::Along(x.shape(), axis),
                        SoftmaxScale::kLinear, x.data<T>(),
                        out->mutable_data<T>());
}

template <typename S>
inline constexpr auto kLogSoftmaxSpec = KernelSpec<S>();
template <typename T>
absl::Status LogSoftmaxKernel(const CpuContext& context, const DenseTensor& x,
                              int axis, DenseTensor* out) {
  return SoftmaxForward(context.allocator(), AxisSlices::Along(x.shape(), axis),
                        SoftmaxScale::kLogarithmic, x.data<T>(),
                        out->mutable_data<T>());
}

template <typename S>
inline constexpr auto kSoftmaxGradSpec = KernelSpec<S>();
template <typename T>
absl::Status SoftmaxGradKernel(const CpuContext& context,
                               const DenseTensor& out,
                               const DenseTensor& out_grad, int axis,
                               DenseTensor* x_grad) {
  return SoftmaxBackward(context.allocator(),
                         AxisSlices::Along(out.shape(), axis),
                         SoftmaxScale::kLinear, out.data<T>(),
                         out_grad.data<T>(), x_grad->mutable_data<T>());
}

template <typename S>
inline constexpr auto kLogSoftmaxGradSpec = KernelSpec<S>();
template <typename T>
absl::Status LogSoftmaxGradKernel(const CpuContext& context,
                                  const DenseTensor& out,
                                  const DenseTensor& out_grad, int axis,
                                  DenseTensor* x_grad) {
  return SoftmaxBackward(context.allocator(),
                         AxisSlices::Along(out.shape(), axis),
                         SoftmaxScale::kLogarithmic, out.data<T>(),
                         out_grad.data<T>(), x_grad->mutable_data<T>());
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SOFTMAX_SOFTMAX_H_
