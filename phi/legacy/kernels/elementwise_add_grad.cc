// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of elementwise_add_grad on the CPU. Its twin is
// phi/kernels/cpu's; how the two compare: docs/parity.md.
#include <algorithm>
#include <complex>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/elementwise_add_grad.gen.h"
#include "phi/legacy/forms/elementwise_add_grad.gen.h"
#include "phi/legacy/kernels/axis_alignment.h"
#include "phi/legacy/kernels/elementwise_operator.h"
#include "phi/legacy/kernels/register_legacy_kernel.h"

namespace switchyard::phi {
namespace fluid {

// X@GRAD and Y@GRAD: Out@GRAD summed over the axes that the operand lacks or
// has with extent 1. X and Y give their shapes only. The gradient of a real
// operand to which a complex one was added is the real part.
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
    if constexpr (kIsComplex<T>) {
      if (!IsComplex(grad->dtype())) {
        return SumRealParts(out_grad, axis, grad);
      }
    }
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

  static void SumRealParts(const DenseTensor& out_grad, int axis,
                           DenseTensor* grad) {
    using Real = typename RealTypeOf<T>::type;
    const T* from = out_grad.data<T>();
    Real* to = grad->template mutable_data<Real>();
    std::fill_n(to, grad->numel(), Real{0});
    const AxisAlignment in_grad = Align(out_grad.shape(), grad->shape(), axis);
    AlignedIndex at(in_grad);
    for (int64_t i = 0; i < out_grad.numel(); ++i) {
      to[at.offset()] += std::real(from[i]);
      at.Next();
    }
  }
};

}  // namespace fluid

constexpr fluid::OperatorSpec<
    fluid::ElementwiseGradOperator<ElementwiseAddGradSignature>>
    kSpec{KernelSpec<ElementwiseAddGradSignature>()};
SY_REGISTER_LEGACY_KERNEL(elementwise_add_grad, cpu,
                          fluid::ElementwiseAddGradCpuKernel,
                          legacy_elementwise_add_grad, kSpec, float32, float64,
                          complex64, complex128);

}  // namespace switchyard::phi
