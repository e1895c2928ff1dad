// SPDX-License-Identifier: Apache-2.0
// The vector work of softmax, log_softmax and their gradients on the CPU. A
// line is one thread's, and summed in an order that its extent alone decides.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SOFTMAX_LINES_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SOFTMAX_LINES_H_

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/kernels/cpu/lines.h"

namespace switchyard::phi::kernels {

// out = exp(x) / sum(exp(x)) along each line, about the line's largest element;
// its logarithm where `logarithm`. `out` may be `x`.
void SoftmaxForward(const LineShape& lines, bool logarithm, const float* x,
                    float* out);
void SoftmaxForward(const LineShape& lines, bool logarithm, const double* x,
                    double* out);

// x_grad = out (out_grad - sum(out out_grad)); of log_softmax: out_grad -
// exp(out) sum(out_grad). `x_grad` may be `out_grad`.
void SoftmaxBackward(const LineShape& lines, bool logarithm, const float* out,
                     const float* out_grad, float* x_grad);
void SoftmaxBackward(const LineShape& lines, bool logarithm, const double* out,
                     const double* out_grad, double* x_grad);

template <typename T, typename Context>
absl::Status SoftmaxKernel(const Context&, const DenseTensor& x, int axis,
                           DenseTensor* out) {
  SoftmaxForward(LineShape::Along(x.shape(), axis), /*logarithm=*/false,
                 x.data<T>(), out->mutable_data<T>());
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status LogSoftmaxKernel(const Context&, const DenseTensor& x, int axis,
                              DenseTensor* out) {
  SoftmaxForward(LineShape::Along(x.shape(), axis), /*logarithm=*/true,
                 x.data<T>(), out->mutable_data<T>());
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status SoftmaxGradKernel(const Context&, const DenseTensor& out,
                               const DenseTensor& out_grad, int axis,
                               DenseTensor* x_grad) {
  SoftmaxBackward(LineShape::Along(out.shape(), axis), /*logarithm=*/false,
                  out.data<T>(), out_grad.data<T>(), x_grad->mutable_data<T>());
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status LogSoftmaxGradKernel(const Context&, const DenseTensor& out,
                                  const DenseTensor& out_grad, int axis,
                                  DenseTensor* x_grad) {
  SoftmaxBackward(LineShape::Along(out.shape(), axis), /*logarithm=*/true,
                  out.data<T>(), out_grad.data<T>(), x_grad->mutable_data<T>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SOFTMAX_LINES_H_
