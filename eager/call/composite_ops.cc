// SPDX-License-Identifier: Apache-2.0
#include "eager/call/composite_ops.h"

#include <new>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "eager/call/repeats.h"
#include "eager/call/run.h"
#include "eager/call/unset_array.h"
#include "eager/tensor/tensor.h"
#include "framework/base/small_array.h"

namespace switchyard::eager {
namespace {

using phi::composite::BodyArgs;
using phi::composite::FindUsed;
using phi::composite::Ops;
using phi::composite::Value;

// The most tensors of a call that take no memory from the heap.
constexpr size_t kInline = 8;

class EagerOps final : public Ops {
 public:
  explicit EagerOps(absl::Span<const EagerOp* const> uses) : uses_(uses) {}

  Shape shape(const Value& value) const override {
    return value.defined() ? value.handle<Tensor>()->shape() : Shape();
  }
  DataType dtype(const Value& value) const override {
    return value.defined() ? value.handle<Tensor>()->dtype()
                           : DataType::kUndefined;
  }
  Place place(const Value& value) const override {
    return value.defined() ? value.handle<Tensor>()->place() : Place::Cpu();
  }
  TensorKind kind(const Value& value) const override {
    return value.handle<Tensor>()->kind();
  }

  Value Call(const phi::OpInfo& op, absl::Span<const Value* const> inputs,
             absl::Span<const AttrRef> attrs) override {
    Tensor out;
    RunOp(op, inputs, attrs, absl::MakeSpan(&out, 1));
    return Wrapped(std::move(out));
  }

  std::vector<Value> CallAll(const phi::OpInfo& op,
                             const phi::ArgList<const Value* const>& inputs,
                             absl::Span<const AttrRef> attrs,
                             size_t count) override {
    SmallArray<Tensor, kInline> outputs(count);
    RunOp(op, inputs, attrs, {outputs.data(), count});
    std::vector<Value> values(count);
    for (size_t slot = 0; slot < count; ++slot) {
      values[slot] = Wrapped(std::move(outputs[slot]));
    }
    return values;
  }

  static Value Wrapped(Tensor tensor) {
    return tensor.defined() ? Value::Of(std::move(tensor)) : Value();
  }

 private:
  ABSL_ATTRIBUTE_ALWAYS_INLINE void RunOp(
      const phi::OpInfo& info, const phi::ArgList<const Value* const>& inputs,
      absl::Span<const AttrRef> attrs, absl::Span<Tensor> outputs) {
    const EagerOp& op = FindUsed(uses_, info);
    UnsetArray<const Tensor*, kInline> tensors(inputs.size());
    const Value* const* const values = inputs.elements().data();
    for (size_t slot = 0; slot < tensors.size(); ++slot) {
      tensors[slot] = values[slot]->handle<Tensor>();
    }
    absl::Status status =
        RunReading(op, {{tensors.data(), tensors.size()}, inputs.segments()},
                   attrs, outputs);
    if (!status.ok()) Fail(std::move(status));
  }

  const absl::Span<const EagerOp* const> uses_;
};

// The inputs of a body, which the caller owns for longer. Their Values own
// nothing, so that they are not destroyed.
class LentInputs {
 public:
  explicit LentInputs(absl::Span<const Tensor* const> inputs)
      : values_(inputs.size()), pointers_(inputs.size()) {
    Room* room = values_.data();
    const Value** pointer = pointers_.data();
    for (const Tensor* input : inputs) {
      *pointer++ =
          new (room++) Value(input->defined() ? Value::Lent(*input) : Value());
    }
  }

  absl::Span<const Value* const> pointers() {
    return {pointers_.data(), pointers_.size()};
  }

 private:
  struct alignas(Value) Room {
    unsigned char bytes[sizeof(Value)];
  };

  UnsetArray<Room, kInline> values_;
  UnsetArray<const Value*, kInline> pointers_;
};

}  // namespace

absl::Status RunBody(phi::composite::Body body,
                     absl::Span<const EagerOp* const> uses,
                     const CompositeArgs& args) {
  LentInputs inputs(args.inputs.elements());
  SmallArray<Value, kInline> results(args.outputs.size());
  UnsetArray<Value*, kInline> outputs(results.size());
  Tensor* const* const wanted = args.outputs.elements().data();
  for (size_t slot = 0; slot < outputs.size(); ++slot) {
    outputs[slot] = wanted[slot] == nullptr ? nullptr : &results[slot];
  }
  EagerOps ops(uses);
  const RepeatsScope scope(SomeRepeats(args.inputs.elements()));
  SY_RETURN_IF_ERROR(ops.Run([&] {
    body(ops, {{inputs.pointers(), args.inputs.segments()},
               args.attrs,
               {{outputs.data(), outputs.size()}, args.outputs.segments()}});
  }));
  for (size_t slot = 0; slot < results.size(); ++slot) {
    if (wanted[slot] == nullptr) continue;
    *wanted[slot] = results[slot].Release<Tensor>();
    if (scope.MustSpread()) SY_RETURN_IF_ERROR(SpreadOut(wanted[slot]));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::eager
