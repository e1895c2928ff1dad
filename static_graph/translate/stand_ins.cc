// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/stand_ins.h"

#include <string_view>

#include "static_graph/ir/type.h"

namespace switchyard::static_graph {
namespace {

// The number, between these two in float32 and in float64.
constexpr double kAbove = 1.7711e27;
constexpr double kBelow = 1.7712e27;

bool IsTheNumber(double number) { return number > kAbove && number < kBelow; }

// Returns the number of an attribute that has one, or a list of one; 0 for
// others.
double OnlyNumber(const ForeignAttr& attr) {
  const auto only = [](const auto& list) {
    return list.size() == 1 ? list[0] : 0;
  };
  switch (attr.kind) {
    case ForeignKind::kFloats:
      return only(attr.list<float>());
    case ForeignKind::kDoubles:
      return only(attr.list<double>());
    case ForeignKind::kScalars: {
      const absl::Span<const Scalar> list = attr.list<Scalar>();
      return list.size() == 1 ? list[0].ToDouble() : 0;
    }
    default:
      return attr.number();
  }
}

bool MakesOne(const ForeignOperator& op) {
  if (op.type != "assign_value" && op.type != "fill_constant") return false;
  for (const ForeignAttr& attr : op.attrs) {
    if (IsTheNumber(OnlyNumber(attr))) return true;
  }
  return false;
}

}  // namespace

void StandIns::Note(const ForeignOperator& op, const VariableScope& scope) {
  const bool makes = MakesOne(op);
  if (!makes && (op.type != "assign" || values_.empty())) return;
  if (op.outputs.size() != 1 || op.outputs[0].count() != 1) return;
  const ir::Value to = scope.Get(op.outputs[0].variables[0]);
  if (!to) return;
  if (makes) {
    values_.insert(to);
  } else if (op.inputs.size() == 1 && op.inputs[0].count() == 1) {
    HandOn(scope.Get(op.inputs[0].variables[0]), to);
  }
}

void StandIns::HandOn(ir::Value from, ir::Value to) {
  if (from && Contains(values_, from)) values_.insert(to);
}

bool StandIns::Differs(ir::Value value, ir::Type like) const {
  if (!value || !Contains(values_, value)) return false;
  const auto from = value.type().As<ir::TensorType>();
  const auto to = like.As<ir::TensorType>();
  return from && to && to.kind() == TensorKind::kDense &&
         (from.dtype() != to.dtype() ||
          from.shape().rank() != to.shape().rank());
}

}  // namespace switchyard::static_graph
