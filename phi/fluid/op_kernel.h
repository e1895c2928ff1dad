// SPDX-License-Identifier: Apache-2.0
// OpKernel: the base of legacy class kernels: a class per operator and device,
// a template on the element type, without state, that reads an
// ExecutionContext. It is not a kernel of ours, which is a function
// (phi/core/register_kernel.h): register_fluid_kernel.h makes one of it.
//
// The two overrides of a legacy operator that concern kernels become data:
//   expected kernel type       the YAML entry's `data_type:` says which tensor
//                              gives the dtype; further demands are Conditions
//   kernel type of a variable  the ArgDef of that input
// both in the KernelSpec that a class kernel is registered with.
#ifndef SWITCHYARD_PHI_FLUID_OP_KERNEL_H_
#define SWITCHYARD_PHI_FLUID_OP_KERNEL_H_

#include "framework/base/status.h"
#include "phi/core/kernel_spec.h"
#include "phi/fluid/execution_context.h"

namespace switchyard::phi::fluid {

template <typename T>
class OpKernel {
 public:
  using ElementType = T;

  OpKernel() = default;
  OpKernel(const OpKernel&) = delete;
  OpKernel& operator=(const OpKernel&) = delete;
  virtual ~OpKernel() = default;

  // Computes all wanted outputs. InferMeta has checked shapes and attributes;
  // what depends on values is checked here, before anything is written. Errors
  // carry no operator name yet.
  virtual absl::Status Compute(const ExecutionContext& context) const = 0;
};

// What a legacy operator answers for one of its variables when asked for the
// kernel type it must have, as an ArgDef for KernelSpec::Input().

// The expected kernel type: the default.
constexpr ArgDef ExpectedKernelType() { return ArgDef(); }
// A dtype of its own, whatever the kernel's: indices, masks.
constexpr ArgDef KernelTypeOf(DataType dtype) { return Fixed(dtype); }
// Its own dtype and place: it is not transformed.
constexpr ArgDef OwnKernelType() { return OnHost(AnyDtype()); }

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_FLUID_OP_KERNEL_H_
