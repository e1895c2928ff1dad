// SPDX-License-Identifier: Apache-2.0
// EagerOp: an operator as define-by-run programs call it.
#ifndef SWITCHYARD_EAGER_CALL_EAGER_OP_H_
#define SWITCHYARD_EAGER_CALL_EAGER_OP_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/core/arg_list.h"
#include "phi/core/grad_info.h"
#include "phi/core/kernel_table.h"
#include "phi/core/op_info.h"

namespace switchyard::eager {

class AutogradOps;  // eager/call/autograd_ops.h
class Tensor;       // eager/tensor/tensor.h
struct EagerOp;

// The tensors that a call takes. One that is absent is null or undefined.
using InputTensors = phi::ArgList<const Tensor* const>;

// The arguments of a composite. Inputs are not null: one that is absent is
// undefined. Outputs are null where not wanted.
using CompositeArgs = phi::OpArgs<const Tensor*, Tensor* const>;

// Runs an operator as other operators: its body of phi/composite, with the
// records that the YAML entry's `uses` names (eager/call/composite_ops.h).
using CompositeFunction = absl::Status (*)(const CompositeArgs& args);

// An operator as define-by-run programs call it, as constant data that
// eager/call/run.h reads to run and record any operator. One per operator is
// generated (eager/ops/<op>.gen.cc); tests write their own. Shapes, dtypes and
// arguments are OpInfo's (phi/core/op_info.h), kernels are the slot's, and
// which tensors the gradient needs is GradInfo's (phi/core/grad_info.h).
struct EagerOp {
  const phi::OpInfo* info;
  // The kernels; null if there is only the composite.
  phi::OpSlot* slot = nullptr;
  // The gradient: both null if there is none.
  const phi::GradInfo* grad = nullptr;
  const EagerOp* backward = nullptr;
  CompositeFunction composite = nullptr;
  // Needed where the operator has a gradient or promotes its inputs.
  const AutogradOps* autograd = nullptr;
  // The in-place variant of an operator whose `inplace:` allows it (`relu_`
  // beside `relu`, over the same OpInfo): outputs with `inplace_of` write the
  // input's buffer and are the input's tensor. Implied by the trait
  // kInplaceOnly.
  bool inplace = false;
  // For each output of a backward operator the input whose elements are read
  // for it alone, or -1; empty if there are none. A node of which that output
  // is not wanted saves no elements of the input.
  absl::Span<const int8_t> reads_alone = {};
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_EAGER_OP_H_
