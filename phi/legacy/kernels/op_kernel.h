// SPDX-License-Identifier: Apache-2.0
// OpKernel: the base of legacy class kernels. It is not a kernel of ours, which
// is a function (phi/core/register_kernel.h): register_legacy_kernel.h makes
// one of it.
//
// What the operator says of its kernels beside them is operator_with_kernel.h.
#ifndef SWITCHYARD_PHI_LEGACY_KERNELS_OP_KERNEL_H_
#define SWITCHYARD_PHI_LEGACY_KERNELS_OP_KERNEL_H_

#include "framework/base/status.h"
#include "phi/core/kernel_spec.h"
#include "phi/legacy/kernels/execution_context.h"

namespace switchyard::phi::fluid {

// The base of legacy class kernels: a class per operator and device, a template
// on the element type, without state, that reads an ExecutionContext.
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

// Returns what a legacy operator answers for a variable with a dtype of its
// own, such as indices, when asked for its kernel type; for
// KernelSpec::Input().
constexpr ArgDef KernelTypeOf(DataType dtype) { return Fixed(dtype); }

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_LEGACY_KERNELS_OP_KERNEL_H_
