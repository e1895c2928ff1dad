// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of elementwise_add on the CPU. The twin of those of
// real dtypes is phi/kernels/cpu's; how the two compare: docs/parity.md.
#include <complex>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "phi/core/signatures/elementwise_add.gen.h"
#include "phi/legacy/forms/elementwise_add.gen.h"
#include "phi/legacy/kernels/axis_alignment.h"
#include "phi/legacy/kernels/elementwise_operator.h"
#include "phi/legacy/kernels/register_legacy_kernel.h"

namespace switchyard::phi {
namespace fluid {

// Elements that are worth a thread.
constexpr int64_t kGrain = 65536;

// Out = X + Y, where the axes of the smaller one stand at `axis` and after it
// in the other.
template <typename T>
class ElementwiseAddCpuKernel : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    const DenseTensor& y = *context.Input("Y");
    DenseTensor* out = context.Output("Out");
    SY_ASSIGN_OR_RETURN(const int axis, context.Attr<int>("axis"));
    const AxisAlignment in_x = Align(out->shape(), x.shape(), axis);
    const AxisAlignment in_y = Align(out->shape(), y.shape(), axis);
    const T* a = x.data<T>();
    const T* b = y.data<T>();
    T* sum = out->template mutable_data<T>();
    if (IsWhole(in_x) && IsWhole(in_y)) {
      ParallelFor(0, out->numel(), kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) sum[i] = a[i] + b[i];
      });
      return absl::OkStatus();
    }
    AlignedIndex at_x(in_x);
    AlignedIndex at_y(in_y);
    for (int64_t i = 0; i < out->numel(); ++i) {
      sum[i] = a[at_x.offset()] + b[at_y.offset()];
      at_x.Next();
      at_y.Next();
    }
    return absl::OkStatus();
  }
};

// Computes in complex numbers for a key of real ones: X was cast by the time
// that it is launched.
template <typename T>
class ElementwiseAddPromotedCpuKernel final
    : public ElementwiseAddCpuKernel<std::complex<T>> {};

}  // namespace fluid

constexpr fluid::OperatorSpec<
    fluid::ElementwiseOperator<ElementwiseAddSignature>>
    kSpec{KernelSpec<ElementwiseAddSignature>()};
SY_REGISTER_LEGACY_KERNEL(elementwise_add, cpu, fluid::ElementwiseAddCpuKernel,
                          legacy_elementwise_add, kSpec, float32, float64,
                          complex64, complex128);
constexpr fluid::OperatorSpec<
    fluid::PromotedElementwiseOperator<ElementwiseAddPromotedSignature>>
    kPromotedSpec{KernelSpec<ElementwiseAddPromotedSignature>()};
SY_REGISTER_LEGACY_KERNEL(elementwise_add_promoted, cpu,
                          fluid::ElementwiseAddPromotedCpuKernel,
                          legacy_elementwise_add, kPromotedSpec, float32,
                          float64);

}  // namespace switchyard::phi
