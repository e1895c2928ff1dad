// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/random_draws.h"

#include <string_view>

#include "static_graph/dialect/add.gen.h"
#include "static_graph/dialect/rng_state.h"

namespace switchyard::static_graph {

absl::StatusOr<ir::Value> StateOf(const RandomDraws& draws,
                                  ir::Program* program) {
  if (draws.rng) return draws.rng;
  const ir::Value rng =
      program->FindArgument(ir::ArgumentRole::kState, kRngState);
  if (rng) return rng;
  return program->AddState(kRngState, program->context()->GetTensorType(
                                          DataType::kInt64, Shape({2})));
}

absl::StatusOr<ir::Value> Advanced(const RandomDraws& draws,
                                   ir::Program* program, ir::Builder& builder) {
  SY_ASSIGN_OR_RETURN(const ir::Value rng, StateOf(draws, program));
  if (draws.count == 0) return rng;
  const int64_t advance[] = {0, draws.count};
  SY_ASSIGN_OR_RETURN(
      const ir::Attribute step,
      builder.context()->GetConstant(
          builder.context()->GetTensorType(DataType::kInt64, Shape({2})),
          std::string_view(reinterpret_cast<const char*>(advance),
                           sizeof(advance))));
  SY_ASSIGN_OR_RETURN(const AddOp sum,
                      AddOp::Build(builder, rng, builder.Constant(step)));
  return sum.out();
}

absl::Status Draw(const DialectOp& op, ir::Program* program, RandomDraws* draws,
                  ir::Value* rng, std::vector<AttrRef>* attrs) {
  const phi::OpInfo& info = *op.info;
  const auto stream = static_cast<size_t>(info.attr_index("stream"));
  for (size_t i = attrs->size(); i <= stream; ++i) {
    if (!info.attrs[i].has_default) {
      return Annotate(ArgumentError(info.attrs[i].name, "given", "no value"),
                      info.name);
    }
    attrs->push_back(info.attrs[i].default_value);
  }
  SY_ASSIGN_OR_RETURN(*rng, StateOf(*draws, program));
  (*attrs)[stream] = AttrRef(draws->count++);
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
