// SPDX-License-Identifier: Apache-2.0
// FunctionKernel: the legacy class kernel of a function of one element, and how
// the kernels on elements are registered.
#ifndef SWITCHYARD_PHI_FLUID_ELEMENTWISE_FUNCTION_KERNEL_H_
#define SWITCHYARD_PHI_FLUID_ELEMENTWISE_FUNCTION_KERNEL_H_

#include "framework/device/cpu/cpu_context.h"
#include "phi/fluid/elementwise/map.h"
#include "phi/fluid/register_fluid_kernel.h"

namespace switchyard::phi::fluid {

// Out = f(X).
template <typename T, typename Function, typename N = Number<T>>
class FunctionKernel : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    Map<T, N>(*context.Input("X"), Function(), context.Output("Out"));
    return absl::OkStatus();
  }
};

}  // namespace switchyard::phi::fluid

// Registers fluid::<Name>Kernel for the CPU and all floating dtypes.
#define SY_FLUID_ELEMENTWISE_KERNEL(op, Name, form)                           \
  constexpr auto k##Name##Spec = KernelSpec<Name##Signature>();               \
  SY_REGISTER_FLUID_KERNEL(op, cpu, fluid::Name##Kernel, form, k##Name##Spec, \
                           float16, bfloat16, float32, float64)

#endif  // SWITCHYARD_PHI_FLUID_ELEMENTWISE_FUNCTION_KERNEL_H_
