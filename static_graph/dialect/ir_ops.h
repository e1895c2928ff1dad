// SPDX-License-Identifier: Apache-2.0
// What the templates of phi/composite are instantiated with for the static
// graph: the base class of generated operator sets (Value = ir::Value), and
// CompositeCall, the arguments of a composite by position. Eager has its own
// pair over Tensor (eager/composite_ops.h).
//
// Generated code (static_graph/dialect/<op>.gen.cc), for `multiply_grad`:
//   class MultiplyGradOps : public IrOpsBase {
//    public:
//     using IrOpsBase::IrOpsBase;
//     ir::Value multiply(ir::Value x, ir::Value y) {
//       return Call(dialect_multiply, {x, y}, {});
//     }
//     ...
//   };
//   absl::Status MultiplyGradComposite(CompositeCall& call) {
//     MultiplyGradOps ops(call);
//     phi::composite::MultiplyGrad(ops, call.input(0), call.input(1),
//                                  call.input(2), call.output(0),
//                                  call.output(1));
//     return ops.status();
//   }
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_IR_OPS_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_IR_OPS_H_

#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/place.h"
#include "phi/core/op_info.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph {

// Borrows all that it is given. Operations go to the builder's place.
class CompositeCall {
 public:
  // Inputs and outputs by slot. An absent input is null; `wanted` tells which
  // outputs are to be filled in.
  CompositeCall(ir::Builder* builder, absl::Span<const ir::Value> inputs,
                phi::Slots input_slots, absl::Span<const AttrRef> attrs,
                absl::Span<const bool> wanted, absl::Span<ir::Value> outputs,
                phi::Slots output_slots)
      : builder_(builder),
        inputs_(inputs),
        attrs_(attrs),
        wanted_(wanted),
        outputs_(outputs),
        input_slots_(input_slots),
        output_slots_(output_slots) {}

  ir::Builder& builder() const { return *builder_; }
  ir::Value input(int i) const { return inputs_[input_slots_.begin(i)]; }
  // Null if it is absent.
  ir::Value optional_input(int i) const { return input(i); }
  absl::Span<const ir::Value> input_list(int i) const {
    return inputs_.subspan(input_slots_.begin(i),
                           input_slots_.end(i) - input_slots_.begin(i));
  }
  template <typename T>
  T attr(int i) const {
    return attrs_[i].Get<T>();
  }
  // Null if it is not wanted.
  ir::Value* output(int i) const {
    const int slot = output_slots_.begin(i);
    return wanted_[slot] ? &outputs_[slot] : nullptr;
  }
  // One entry each; empty if none of them is wanted.
  absl::Span<ir::Value> output_list(int i) const;

 private:
  ir::Builder* builder_;
  absl::Span<const ir::Value> inputs_;
  absl::Span<const AttrRef> attrs_;
  absl::Span<const bool> wanted_;
  absl::Span<ir::Value> outputs_;
  phi::Slots input_slots_;
  phi::Slots output_slots_;
};

// Errors are sticky: after the first one every operator yields an invalid
// (null) Value and creates nothing, so that composites read as mathematics. The
// caller asks status() at the end.
class IrOpsBase {
 public:
  using Value = ir::Value;
  using List = absl::Span<const ir::Value>;

  explicit IrOpsBase(CompositeCall& call) : builder_(&call.builder()) {}
  // For code that writes a program down, tests and importers.
  explicit IrOpsBase(ir::Builder* builder) : builder_(builder) {}

  ir::Builder& builder() const { return *builder_; }
  const absl::Status& status() const { return status_; }
  // The first error stays.
  void Fail(absl::Status status) { status_.Update(std::move(status)); }

  // False for an absent optional argument and after an error.
  bool defined(ir::Value value) const { return static_cast<bool>(value); }
  // Of an invalid value: rank 0, kUndefined. Dims may be unknown.
  Shape shape(ir::Value value) const;
  DataType dtype(ir::Value value) const;
  // A value has no place before it is lowered.
  Place place(ir::Value) const { return Place::Cpu(); }

  // An operator without lists and with one output.
  ir::Value Call(const DialectOp& op, absl::Span<const ir::Value> inputs,
                 absl::Span<const AttrRef> attrs);
  // Any operator: its outputs, flat; `count` null ones after an error.
  std::vector<ir::Value> CallAll(const DialectOp& op,
                                 absl::Span<const ir::Value> inputs,
                                 phi::Slots slots,
                                 absl::Span<const AttrRef> attrs, size_t count);

 private:
  ir::Builder* builder_;
  absl::Status status_;
};

// Writes a call out at the builder's place by the operator's composite. Inputs,
// attributes (all of them) and results as for BuildOp; a wanted output that the
// composite leaves null is Internal. Errors carry the operator's name; what was
// created before the error stays, unused.
absl::Status BuildComposite(ir::Builder& builder, const DialectOp& op,
                            absl::Span<const ir::Value> inputs,
                            phi::Slots input_slots,
                            absl::Span<const AttrRef> attrs,
                            absl::Span<const bool> wanted,
                            phi::Slots output_slots,
                            std::vector<ir::Value>* results);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_IR_OPS_H_
