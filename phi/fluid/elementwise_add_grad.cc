// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of elementwise_add_grad on the CPU. Its twin is
// phi/kernels/cpu's; how the two compare: docs/parity.md.
#include <algorithm>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/elementwise_add_grad.gen.h"
#include "phi/fluid/axis_alignment.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/elementwise_add_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// X@GRAD and Y@GRAD: Out@GRAD summed over the axes that the operand lacks or
// has with extent 1. X and Y give their shapes only.
template <typename T>
class ElementwiseAddGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    SY_ASSIGN_OR_RETURN(const int axis, context.Attr<int>("axis"));
    SumInto(out_grad, axis, context.Output("X@GRAD"));
    SumInto(out_grad, axis, context.Output("Y@GRAD"));
    return absl::OkStatus();
  }

 private:
  static void SumInto(const DenseTensor& out_grad, int axis,
                      DenseTensor* grad) {
    if (grad == nullptr) return;
    const T* from = out_grad.data<T>();
    T* to = grad->template mutable_data<T>();
    const AxisAlignment in_grad = Align(out_grad.shape(), grad->shape(), axis);
    if (IsWhole(in_grad)) {
      if (from != to) std::copy_n(from, out_grad.numel(), to);
      return;
    }
    std::fill_n(to, grad->numel(), T{0});
    AlignedIndex at(in_grad);
    for (int64_t i = 0; i < out_grad.numel(); ++i) {
      to[at.offset()] += from[i];
      at.Next();
    }
  }
};

}  // namespace fluid

constexpr auto kSpec = KernelSpec<ElementwiseAddGradSignature>();
SY_REGISTER_FLUID_KERNEL(elementwise_add_grad, cpu,
                         fluid::ElementwiseAddGradCpuKernel,
                         legacy_elementwise_add_grad, kSpec, float32, float64);

}  // namespace switchyard::phi
