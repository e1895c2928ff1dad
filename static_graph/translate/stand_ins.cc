// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/stand_ins.h"

#include <string_view>

#include "static_graph/ir/type.h"

namespace switchyard::static_graph {
namespace {

using translate::OpDesc;

// The number, between these two in float32 and in float64.
constexpr double kAbove = 1.7711e27;
constexpr double kBelow = 1.7712e27;

bool IsTheNumber(double number) { return number > kAbove && number < kBelow; }

bool MakesOne(const OpDesc& op) {
  if (op.type() != "assign_value" && op.type() != "fill_constant") return false;
  for (const OpDesc::Attr& attr : op.attrs()) {
    if (IsTheNumber(attr.f()) ||
        (attr.floats_size() == 1 && IsTheNumber(attr.floats(0))) ||
        (attr.float64s_size() == 1 && IsTheNumber(attr.float64s(0))) ||
        (attr.scalars_size() == 1 && IsTheNumber(attr.scalars(0).r()))) {
      return true;
    }
  }
  return false;
}

}  // namespace

void StandIns::Note(const OpDesc& op, const VariableScope& scope) {
  const bool makes = MakesOne(op);
  if (!makes && (op.type() != "assign" || values_.empty())) return;
  if (op.outputs_size() != 1 || op.outputs(0).arguments_size() != 1) return;
  const ir::Value to = scope.Get(op.outputs(0).arguments(0));
  if (!to) return;
  if (makes) {
    values_.insert(to);
  } else if (op.inputs_size() == 1 && op.inputs(0).arguments_size() == 1) {
    HandOn(scope.Get(op.inputs(0).arguments(0)), to);
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
