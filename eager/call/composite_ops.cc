// SPDX-License-Identifier: Apache-2.0
#include "eager/call/composite_ops.h"

#include <utility>
#include <vector>

#include "eager/call/run.h"
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
  void RunOp(const phi::OpInfo& info,
             const phi::ArgList<const Value* const>& inputs,
             absl::Span<const AttrRef> attrs, absl::Span<Tensor> outputs) {
    const EagerOp& op = FindUsed(uses_, info);
    SmallArray<const Tensor*, kInline> tensors(inputs.size());
    for (size_t slot = 0; slot < tensors.size(); ++slot) {
      tensors[slot] = inputs[slot]->handle<Tensor>();
    }
    absl::Status status =
        eager::Run(op, {{tensors.data(), tensors.size()}, inputs.segments()},
                   attrs, outputs);
    if (!status.ok()) Fail(std::move(status));
  }

  const absl::Span<const EagerOp* const> uses_;
};

// The inputs of a body, which the caller owns for longer.
class LentInputs {
 public:
  explicit LentInputs(const CompositeArgs& args) : values_(args.inputs.size()) {
    for (size_t slot = 0; slot < values_.size(); ++slot) {
      const Tensor& input = *args.inputs[slot];
      if (input.defined()) values_[slot] = Value::Lent(input);
    }
  }
  LentInputs(const LentInputs&) = delete;
  LentInputs& operator=(const LentInputs&) = delete;
  ~LentInputs() {
    for (Value& value : values_) value.Forget();
  }

  const Value& operator[](size_t slot) const { return values_[slot]; }

 private:
  SmallArray<Value, kInline> values_;
};

}  // namespace

absl::Status RunBody(phi::composite::Body body,
                     absl::Span<const EagerOp* const> uses,
                     const CompositeArgs& args) {
  const LentInputs values(args);
  SmallArray<const Value*, kInline> inputs(args.inputs.size());
  for (size_t slot = 0; slot < inputs.size(); ++slot) {
    inputs[slot] = &values[slot];
  }
  SmallArray<Value, kInline> results(args.outputs.size());
  SmallArray<Value*, kInline> outputs(results.size());
  for (size_t slot = 0; slot < outputs.size(); ++slot) {
    if (args.outputs[slot] != nullptr) outputs[slot] = &results[slot];
  }
  EagerOps ops(uses);
  SY_RETURN_IF_ERROR(ops.Run([&] {
    body(ops, {{{inputs.data(), inputs.size()}, args.inputs.segments()},
               args.attrs,
               {{outputs.data(), outputs.size()}, args.outputs.segments()}});
  }));
  for (size_t slot = 0; slot < results.size(); ++slot) {
    if (args.outputs[slot] == nullptr) continue;
    *args.outputs[slot] = results[slot].Release<Tensor>();
  }
  return absl::OkStatus();
}

}  // namespace switchyard::eager
