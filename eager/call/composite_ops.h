// SPDX-License-Identifier: Apache-2.0
// EagerOpsBase: the templates of phi/composite are instantiated with its
// subclasses for eager (Value = Tensor). The static graph has its own over
// ir::Value.
#ifndef SWITCHYARD_EAGER_CALL_COMPOSITE_OPS_H_
#define SWITCHYARD_EAGER_CALL_COMPOSITE_OPS_H_

#include <vector>

#include "absl/types/span.h"
#include "eager/call/eager_op.h"
#include "eager/call/run.h"
#include "eager/tensor/tensor.h"
#include "phi/composite/ops_base.h"

namespace switchyard::eager {

// A Tensor[] argument of a composite; the entries are defined.
using TensorList = phi::InputList<Tensor>;

// The base class of generated operator sets. The first error ends the composite
// (OpsBase). Used by one thread.
//
// Generated code (eager/ops/<op>.gen.cc), for `multiply_grad`:
//   absl::Status MultiplyGradComposite(const CompositeArgs& args) {
//     using Ops = phi::MultiplyCall<
//         eager_multiply, phi::ReduceAsCall<eager_reduce_as, EagerOpsBase>>;
//     Ops ops;
//     return ops.Run([&] {
//       phi::composite::MultiplyGrad(ops, args.inputs.one(0),
//                                    args.inputs.one(1), args.inputs.one(2),
//                                    args.outputs.optional(0),
//                                    args.outputs.optional(1));
//     });
//   }
class EagerOpsBase : public phi::composite::OpsBase {
 public:
  using Value = Tensor;
  using List = TensorList;
  using Parameter = const Tensor&;
  using ListParameter = const TensorList&;
  using Input = const Tensor*;  // Of a call.
  using OutputList = phi::OutputList<Tensor>;

  // Returns false for an absent optional argument.
  bool defined(const Tensor& value) const { return value.defined(); }
  // These return rank 0, kUndefined and the CPU for an absent argument.
  Shape shape(const Tensor& value) const;
  DataType dtype(const Tensor& value) const;
  // Requires that the argument is given.
  TensorKind kind(const Tensor& value) const { return value.base().kind(); }
  Place place(const Tensor& value) const;

 protected:
  ~EagerOpsBase() = default;

  static Input AsInput(const Tensor& value) { return &value; }
  // Calls an operator without lists and with one output.
  Tensor Call(const EagerOp& op, absl::Span<const Tensor* const> inputs,
              absl::Span<const AttrRef> attrs);
  // Calls any operator. Returns its `count` outputs, flat.
  std::vector<Tensor> CallAll(const EagerOp& op, const InputTensors& inputs,
                              absl::Span<const AttrRef> attrs, size_t count);
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_COMPOSITE_OPS_H_
