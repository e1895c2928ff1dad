// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/composite_ops.h"

#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/infer_types.h"
#include "static_graph/dialect/op_call.h"

namespace switchyard::static_graph {
namespace {

using phi::composite::Value;

// The values that supply the composite that runs on this thread. Its attributes
// know their elements alone, so their values are found by those: an AttrRef
// that is passed on refers to the elements of the composite's own.
class SuppliedScope {
 public:
  SuppliedScope(absl::Span<const AttrRef> attrs,
                absl::Span<const SuppliedAttr> supplied)
      : attrs_(attrs), supplied_(supplied), outer_(current) {
    current = this;
  }
  ~SuppliedScope() { current = outer_; }
  SuppliedScope(const SuppliedScope&) = delete;
  SuppliedScope& operator=(const SuppliedScope&) = delete;

  // Returns the values that supply an attribute; null if there are none.
  static const SuppliedAttr* Find(AttrRef attr) {
    for (const SuppliedScope* scope = current; scope != nullptr;
         scope = scope->outer_) {
      for (const SuppliedAttr& supplied : scope->supplied_) {
        if (Elements(scope->attrs_[supplied.attr]) == Elements(attr)) {
          return &supplied;
        }
      }
    }
    return nullptr;
  }

 private:
  static const AttrValue* Elements(AttrRef attr) {
    return attr.Get<absl::Span<const AttrValue>>().data();
  }

  static thread_local const SuppliedScope* current;

  const absl::Span<const AttrRef> attrs_;
  const absl::Span<const SuppliedAttr> supplied_;
  const SuppliedScope* const outer_;
};

thread_local const SuppliedScope* SuppliedScope::current = nullptr;

Value Wrapped(ir::Value value) { return value ? Value::Of(value) : Value(); }

ir::Value ValueOf(const Value& value) {
  return value.defined() ? *value.handle<ir::Value>() : ir::Value();
}

}  // namespace

Shape IrOps::shape(const Value& value) const {
  return value.defined() ? ValueOf(value).tensor_type().shape() : Shape();
}

DataType IrOps::dtype(const Value& value) const {
  return value.defined() ? ValueOf(value).tensor_type().dtype()
                         : DataType::kUndefined;
}

TensorKind IrOps::kind(const Value& value) const {
  return ValueOf(value).tensor_type().spec().kind;
}

IrOps::Value IrOps::Call(const phi::OpInfo& op,
                         absl::Span<const Value* const> inputs,
                         absl::Span<const AttrRef> attrs) {
  return std::move(CallAll(op, inputs, attrs, 1)[0]);
}

std::vector<IrOps::Value> IrOps::CallAll(
    const phi::OpInfo& op, const phi::ArgList<const Value* const>& inputs,
    absl::Span<const AttrRef> attrs, size_t count) {
  absl::InlinedVector<ir::Value, 8> values;
  for (const Value* input : inputs.elements()) {
    values.push_back(ValueOf(*input));
  }
  std::vector<Value> results;
  results.reserve(count);
  for (const ir::Value result :
       Build(phi::composite::FindUsed(uses_, op), {values, inputs.segments()},
             attrs, count)) {
    results.push_back(Wrapped(result));
  }
  return results;
}

ir::Value IrOps::Call(const DialectOp& op, const InputValues& inputs,
                      absl::Span<const AttrRef> attrs) {
  return Build(op, inputs, attrs, 1)[0];
}

std::vector<ir::Value> IrOps::Build(const DialectOp& op,
                                    const InputValues& inputs,
                                    absl::Span<const AttrRef> attrs,
                                    size_t count) {
  std::vector<SuppliedAttr> passed_on;
  for (size_t i = 0; i < attrs.size(); ++i) {
    if (!attrs[i].supplied()) continue;
    const SuppliedAttr* const supplied = SuppliedScope::Find(attrs[i]);
    if (supplied == nullptr) {
      Fail(absl::InternalError(absl::StrCat(
          op.info->name, ": ", op.info->attrs[i].name, " has no values")));
    }
    passed_on.push_back({static_cast<int>(i), supplied->values});
  }
  BuildOpOptions options;
  options.supplied = passed_on;
  std::vector<ir::Value> results;
  results.reserve(count);
  const absl::Status status =
      BuildOp(*builder_, op, inputs, attrs, &results, options);
  if (!status.ok()) Fail(status);
  return results;
}

absl::Status RunBody(phi::composite::Body body,
                     absl::Span<const DialectOp* const> uses,
                     ir::Builder& builder, const CompositeArgs& args) {
  absl::InlinedVector<Value, 8> values;
  values.reserve(args.inputs.size());
  absl::InlinedVector<const Value*, 8> inputs;
  for (const ir::Value input : args.inputs.elements()) {
    values.push_back(Wrapped(input));
    inputs.push_back(&values.back());
  }
  absl::InlinedVector<Value, 8> results(args.outputs.size());
  absl::InlinedVector<Value*, 8> outputs(results.size());
  for (size_t slot = 0; slot < outputs.size(); ++slot) {
    if (args.outputs[slot] != nullptr) outputs[slot] = &results[slot];
  }
  IrOps ops(&builder, uses);
  SY_RETURN_IF_ERROR(ops.Run([&] {
    body(ops, {{inputs, args.inputs.segments()},
               args.attrs,
               {absl::MakeSpan(outputs), args.outputs.segments()}});
  }));
  for (size_t slot = 0; slot < results.size(); ++slot) {
    if (args.outputs[slot] == nullptr) continue;
    *args.outputs[slot] = ValueOf(results[slot]);
  }
  return absl::OkStatus();
}

absl::Status RunComposite(ir::Builder& builder, const DialectOp& op,
                          const InputValues& inputs,
                          absl::Span<const AttrRef> attrs,
                          absl::Span<const SuppliedAttr> supplied,
                          const phi::ArgList<const bool>& wanted,
                          std::vector<ir::Value>* results) {
  const SuppliedScope scope(attrs, supplied);
  results->assign(wanted.size(), ir::Value());
  absl::InlinedVector<ir::Value*, 8> outputs(wanted.size());
  for (size_t slot = 0; slot < outputs.size(); ++slot) {
    if (wanted[slot]) outputs[slot] = &(*results)[slot];
  }
  return op.composite(builder, {inputs, attrs, {outputs, wanted.segments()}});
}

namespace {

// Returns the metas that InferMeta gives for the call; empty for an operator
// that calls others, which check their own arguments.
absl::StatusOr<std::vector<TensorSpec>> InferResults(
    const DialectOp& op, const InputValues& inputs,
    absl::Span<const AttrRef> attrs, const phi::ArgList<const bool>& wanted) {
  if (IsAnothersCall(op)) return std::vector<TensorSpec>();
  std::vector<ir::TensorType> types;
  for (ir::Value input : inputs.elements()) {
    types.push_back(input ? input.tensor_type() : ir::TensorType());
  }
  return InferMeta(*op.info, {{types, inputs.segments()}, attrs, wanted});
}

}  // namespace

absl::Status BuildComposite(ir::Builder& builder, const DialectOp& op,
                            const InputValues& inputs,
                            absl::Span<const AttrRef> attrs,
                            absl::Span<const SuppliedAttr> supplied,
                            const phi::ArgList<const bool>& wanted,
                            std::vector<ir::Value>* results) {
  const char* name = op.info->name;
  const absl::StatusOr<std::vector<TensorSpec>> inferred =
      InferResults(op, inputs, attrs, wanted);
  if (!inferred.ok()) return Annotate(inferred.status(), name);
  SY_RETURN_IF_ERROR(Annotate(
      RunComposite(builder, op, inputs, attrs, supplied, wanted, results),
      name));
  for (size_t slot = 0; slot < results->size(); ++slot) {
    if (!wanted[slot]) continue;
    const int output = wanted.segments().argument_of(static_cast<int>(slot));
    if (!(*results)[slot]) {
      // The gradient of an input that is not there has no dtype.
      if (op.info->outputs[output].optional && !inferred->empty() &&
          (*inferred)[slot].dtype == DataType::kUndefined) {
        continue;
      }
      return absl::InternalError(
          absl::StrCat(name, ": its composite yields no output ", slot));
    }
    if (inferred->empty()) continue;
    const absl::Status status =
        CheckInferred(op.info->outputs[output].name, (*inferred)[slot],
                      (*results)[slot].tensor_type());
    if (!status.ok()) {
      return absl::InternalError(
          absl::StrCat(name, ": its composite: ", status.message()));
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
