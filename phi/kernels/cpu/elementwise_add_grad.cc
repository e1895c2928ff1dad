// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/elementwise_add_grad.gen.h"
#include "phi/kernels/cpu/reduce.h"

namespace switchyard::phi {
namespace kernels {
namespace {

// grad = out_grad summed over the axes along which an operand of the shape of
// `grad`, standing at `axis` (-1: at the last ones), was broadcast.
template <typename T>
void SumTo(const DenseTensor& out_grad, int axis, DenseTensor* grad) {
  if (grad == nullptr) return;
  const int missing = out_grad.rank() - grad->rank();
  const int lead = axis == -1 || missing == 0 ? missing : axis;
  const auto plan = ReducePlan::ToShape(out_grad.shape(), grad->shape(), lead);
  Reduce<SumReduction<T>>(plan, out_grad.data<T>(), grad->mutable_data<T>());
}

template <typename T, typename Context>
absl::Status ElementwiseAddGradKernel(const Context&, const DenseTensor&,
                                      const DenseTensor&,
                                      const DenseTensor& out_grad, int axis,
                                      DenseTensor* x_grad,
                                      DenseTensor* y_grad) {
  SumTo<T>(out_grad, axis, x_grad);
  SumTo<T>(out_grad, axis, y_grad);
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
