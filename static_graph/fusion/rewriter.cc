// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/rewriter.h"

#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/fusion/factors.h"
#include "static_graph/fusion/replacement.h"
#include "static_graph/ir/builder.h"

namespace switchyard::static_graph {
namespace {

using Kind = RewriteTerm::Kind;

// Makes the protected members of operators' classes public.
struct AnyView : OpView {
  using OpView::BuildCall;
  using OpView::MatchAs;
};

// The values and numbers that a pattern has taken down.
struct Found {
  std::array<ir::Value, kRewriteNames> values;
  std::array<double, kRewriteNames> numbers = {};
  std::vector<ir::Operation*> own;  // Operations that the pattern uses up.
};

bool IsNumber(double number, double expected, bool about) {
  return about ? std::abs(number - expected) <= 1e-6 * std::abs(expected)
               : number == expected;
}

std::optional<double> ReadAttribute(const AttrRef& attr) {
  switch (attr.type()) {
    case AttrType::kBool:
      return attr.Get<bool>() ? 1 : 0;
    case AttrType::kInt:
      return attr.Get<int>();
    case AttrType::kFloat:
      return attr.Get<float>();
    case AttrType::kDouble:
      return attr.Get<double>();
    case AttrType::kScalar:
      return attr.Get<Scalar>().ToDouble();
    default:
      return std::nullopt;
  }
}

// Whether the call has the attributes that the term says.
bool MatchAttributes(const RewriteTerm& term, const OpCall& call,
                     Found* found) {
  for (int i = 0; i < term.num_attrs; ++i) {
    const RewriteAttr& attr = term.attrs[i];
    const int position = call.op->info->attr_index(attr.name);
    if (position < 0) return false;
    const std::optional<double> number = ReadAttribute(call.attrs[position]);
    if (!number.has_value()) return false;
    if (attr.variable >= 0) {
      found->numbers[attr.variable] = *number;
    } else if (!IsNumber(*number, attr.number, attr.about)) {
      return false;
    }
  }
  return true;
}

// Recursion is as deep as the pattern.
bool MatchTerm(const RewriteTerm& term, ir::Value value, Found* found);

// Matches the operands, of an operation with `result`, in one of their orders.
bool MatchOperands(const RewriteTerm& term, std::vector<ir::Value> operands,
                   ir::Value result, Found* found) {
  if (static_cast<int>(operands.size()) != term.count) return false;
  for (int order = 0; order < (term.any_order ? 2 : 1); ++order) {
    if (order == 1) std::swap(operands[0], operands[1]);
    Found taken = *found;
    bool matches = true;
    for (int i = 0; matches && i < term.count; ++i) {
      // A number is beside an operand of the result's type.
      matches = MatchTerm(term.operands[i], operands[i], &taken) &&
                (term.operands[i].kind != Kind::kNumber || term.count != 2 ||
                 operands[1 - i].type() == result.type());
    }
    if (!matches) continue;
    *found = std::move(taken);
    return true;
  }
  return false;
}

std::optional<OpCall> ReadCallOf(const RewriteTerm& term, ir::Value value) {
  const ir::Operation* const maker = value ? value.defining_op() : nullptr;
  if (maker == nullptr) return std::nullopt;
  return AnyView::MatchAs(*maker, *term.op);
}

bool MatchCall(const RewriteTerm& term, ir::Value value, Found* found) {
  const std::optional<OpCall> call = ReadCallOf(term, value);
  if (!call.has_value() || (term.own && !value.has_one_use()) ||
      !MatchAttributes(term, *call, found) ||
      !MatchOperands(term, {call->inputs.begin(), call->inputs.end()}, value,
                     found)) {
    return false;
  }
  if (term.own) found->own.push_back(value.defining_op());
  return true;
}

// A product of two values, with factors around it and them.
bool MatchFactored(const RewriteTerm& term, ir::Value value, Found* found) {
  const RewriteTerm& product = term.operands[0];
  const Scaled whole = WithoutFactors(value);
  const std::optional<OpCall> call = ReadCallOf(product, whole.value);
  if (!call.has_value() || call->inputs.size() != 2) return false;
  const Scaled a = WithoutFactors(call->inputs[0]);
  const Scaled b = WithoutFactors(call->inputs[1]);
  return IsNumber(whole.factor * a.factor * b.factor, term.number,
                  term.about) &&
         MatchOperands(product, {a.value, b.value}, value, found);
}

bool MatchTerm(const RewriteTerm& term, ir::Value value, Found* found) {
  switch (term.kind) {
    case Kind::kValue: {
      ir::Value& known = found->values[term.value];
      if (!known) known = value;
      return known && known == value;
    }
    case Kind::kNumber: {
      const std::optional<double> number = ReadConstantNumber(value);
      return number.has_value() && IsNumber(*number, term.number, term.about);
    }
    case Kind::kEither:
      for (int i = 0; i < term.count; ++i) {
        Found taken = *found;
        if (!MatchTerm(term.operands[i], value, &taken)) continue;
        *found = std::move(taken);
        return true;
      }
      return false;
    case Kind::kFactored:
      return MatchFactored(term, value, found);
    case Kind::kCall:
      return MatchCall(term, value, found);
  }
  return false;
}

bool MeetsConditions(const Rewrite& rewrite, const Found& found,
                     ir::Value result) {
  if (rewrite.floating && !IsFloating(result.tensor_type().dtype())) {
    return false;
  }
  if (rewrite.like >= 0 && found.values[rewrite.like].type() != result.type()) {
    return false;
  }
  if (rewrite.spread < 0) return true;
  const ir::TensorType from = found.values[rewrite.spread].tensor_type();
  const ir::TensorType onto = found.values[rewrite.onto].tensor_type();
  return from && onto && from.dtype() == onto.dtype() &&
         from.shape().rank() == onto.shape().rank() && from != onto;
}

double NumberFor(const RewriteAttr& attr, const Found& found) {
  return attr.made == nullptr ? attr.number : attr.made(found.numbers.data());
}

// `number` as an attribute of `type`; refers to `scalar`, which it sets.
AttrRef MakeAttribute(AttrType type, double number, Scalar* scalar) {
  switch (type) {
    case AttrType::kBool:
      return AttrRef(number != 0);
    case AttrType::kInt:
      return AttrRef(static_cast<int>(number));
    case AttrType::kFloat:
      return AttrRef(static_cast<float>(number));
    case AttrType::kDouble:
      return AttrRef(number);
    default:
      *scalar = Scalar(number);
      return AttrRef(*scalar);
  }
}

absl::StatusOr<ir::Value> Build(ir::Builder& builder, const RewriteTerm& term,
                                const Found& found) {
  if (term.kind == Kind::kValue) return found.values[term.value];
  phi::ArgBuffer<ir::Value> inputs;
  for (int i = 0; i < term.count; ++i) {
    SY_ASSIGN_OR_RETURN(const ir::Value operand,
                        Build(builder, term.operands[i], found));
    inputs.AddOne(operand);
  }
  const DialectOp* const op = FindOperator(*builder.context(), term.op->name);
  if (op == nullptr) return absl::NotFoundError("");
  // Attributes after the last one that is named get their defaults.
  std::array<Scalar, kRewriteNames> scalars;
  std::vector<AttrRef> attrs;
  for (int i = 0; i < term.num_attrs; ++i) {
    const RewriteAttr& attr = term.attrs[i];
    const int position = op->info->attr_index(attr.name);
    if (position < 0) return absl::NotFoundError("");
    for (size_t k = attrs.size(); static_cast<int>(k) <= position; ++k) {
      attrs.push_back(op->info->attrs[k].default_value);
    }
    attrs[position] = MakeAttribute(op->info->attrs[position].type,
                                    NumberFor(attr, found), &scalars[i]);
  }
  SY_ASSIGN_OR_RETURN(const OpCall call,
                      AnyView::BuildCall(builder, *term.op, inputs, attrs));
  return call.outputs.one(0);
}

// Lets `op` be the call of its own operator that the rewrite makes; false if
// the operations that it replaces have different policies.
bool Change(const Rewrite& rewrite, const Found& found, ir::Context* context,
            ir::Operation* op) {
  for (const ir::Operation* part : found.own) {
    if (part->attribute(kPolicyAttr) != op->attribute(kPolicyAttr)) {
      return false;
    }
  }
  const RewriteTerm& made = rewrite.replacement;
  const phi::OpInfo& info = *FindDialectOp(*op)->info;
  for (int i = 0; i < made.num_attrs; ++i) {
    const RewriteAttr& attr = made.attrs[i];
    const AttrType type = info.attrs[info.attr_index(attr.name)].type;
    Scalar scalar;
    op->SetAttribute(context->GetString(attr.name),
                     context->GetAttribute(
                         MakeAttribute(type, NumberFor(attr, found), &scalar)));
  }
  for (int i = 0; i < made.count; ++i) {
    op->SetOperand(i, found.values[made.operands[i].value]);
  }
  for (size_t i = found.own.size(); i-- > 0;) found.own[i]->Erase();
  return true;
}

enum class Outcome : uint8_t { kNothing, kChanged, kGone };

// Applies one rewrite to `op`, which is erased where that replaces it.
absl::StatusOr<Outcome> Apply(const Rewrite& rewrite,
                              const ReplaceRule& may_replace,
                              ir::Context* context, ir::Operation* op) {
  Found found;
  ir::Value result = op->result(0);
  if (!MatchTerm(rewrite.pattern, result, &found) ||
      !MeetsConditions(rewrite, found, result)) {
    return Outcome::kNothing;
  }
  const RewriteTerm& made = rewrite.replacement;
  if (made.kind == Kind::kValue) {
    result.ReplaceAllUsesWith(found.values[made.value]);
    op->Erase();
    return Outcome::kGone;
  }
  if (made.op == rewrite.pattern.op) {
    return Change(rewrite, found, context, op) ? Outcome::kChanged
                                               : Outcome::kNothing;
  }
  const Replacement replacement(may_replace, op);
  ir::Builder builder(context);
  builder.SetInsertionPoint(op);
  SY_ASSIGN_OR_RETURN(const bool replaced,
                      replacement.Put(Build(builder, made, found)));
  return replaced ? Outcome::kGone : Outcome::kNothing;
}

}  // namespace

absl::StatusOr<bool> ApplyRewrites(ir::Program& program, std::string_view pass,
                                   Exactness exactness,
                                   const ReplaceRule& may_replace) {
  bool changed = false;
  for (ir::Operation* op : ir::AllOperations(program.entry())) {
    if (op->num_results() != 1) continue;
    for (const Rewrite& rewrite : AllRewrites()) {
      if (rewrite.pass != pass || (exactness == Exactness::kExact &&
                                   rewrite.exactness != Exactness::kExact)) {
        continue;
      }
      SY_ASSIGN_OR_RETURN(const Outcome outcome,
                          Apply(rewrite, may_replace, program.context(), op));
      changed |= outcome != Outcome::kNothing;
      if (outcome == Outcome::kGone) break;
    }
  }
  return changed;
}

}  // namespace switchyard::static_graph
