// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/elementwise_add_grad.gen.h"
#include "phi/kernels/cpu/reduce.h"

namespace switchyard::phi {
namespace kernels {
namespace {

// grad = out_grad summed over the axes along which an operand of the shape of
// `grad`, standing at axis `lead`, was broadcast.
template <typename T>
void SumTo(const DenseTensor& out_grad, int lead, DenseTensor* grad) {
  const auto plan = ReducePlan::ToShape(out_grad.shape(), grad->shape(), lead);
  Reduce<SumReduction<T>>(plan, out_grad.data<T>(), grad->mutable_data<T>());
}

template <typename T, typename Context>
absl::Status ElementwiseAddGradKernel(const Context&, const DenseTensor&,
                                      const DenseTensor& y,
                                      const DenseTensor& out_grad, int axis,
                                      DenseTensor* x_grad,
                                      DenseTensor* y_grad) {
  const int rank = out_grad.rank();
  if (x_grad != nullptr) SumTo<T>(out_grad, rank - x_grad->rank(), x_grad);
  if (y_grad != nullptr) {
    SumTo<T>(out_grad, axis == -1 ? rank - y.rank() : axis, y_grad);
  }
  return absl::OkStatus();
}

constexpr auto kSpec =
    KernelSpec<ElementwiseAddGradSignature>()
        .Input(ElementwiseAddGradSignature::kX, WithAnyStrides(AnyDtype()))
        .Input(ElementwiseAddGradSignature::kY, WithAnyStrides(AnyDtype()));

}  // namespace
}  // namespace kernels

SY_REGISTER_KERNEL(elementwise_add_grad, cpu, kernels::ElementwiseAddGradKernel,
                   CpuContext, kernels::kSpec, float32, float64);

}  // namespace switchyard::phi
