// SPDX-License-Identifier: Apache-2.0
// The parts of GraphBuilder that differentiate.
#include "absl/strings/str_cat.h"
#include "static_graph/autodiff/gradients.h"
#include "static_graph/dialect/custom_gradient.h"
#include "static_graph/program/graph_builder.h"

namespace switchyard::static_graph {

absl::StatusOr<std::vector<ir::Value>> GraphBuilder::Gradients(
    ir::Value loss, absl::Span<const ir::Value> wrt) {
  SY_RETURN_IF_ERROR(CheckOpen("gradients"));
  if (regions_.size() == 1) SY_RETURN_IF_ERROR(MakeValueForm());
  SY_ASSIGN_OR_RETURN(loss, Resolve("gradients: loss", loss));
  std::vector<ir::Value> targets(wrt.begin(), wrt.end());
  SY_RETURN_IF_ERROR(ResolveTargets(&targets));
  return BuildGradients(builder_, loss, targets);
}

absl::Status GraphBuilder::ResolveTargets(std::vector<ir::Value>* wrt) const {
  for (ir::Value& value : *wrt) {
    SY_ASSIGN_OR_RETURN(const ir::Value now, Resolve("gradients: wrt", value));
    if (!value.is_argument()) {
      value = now;
      continue;
    }
    // All that a state holds later leads back to what it was first.
    const bool kept =
        value.role() == ir::ArgumentRole::kState && !Contains(recorded_, value);
    if (now == value || kept) continue;
    return ArgumentError(
        "gradients: wrt",
        "values of the program, or feeds and states that it does not write "
        "in place",
        absl::StrCat(std::string(value.argument_name()), ", which it does"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ir::Value>> GraphBuilder::CustomGradient(
    absl::Span<const ir::Value> outputs, absl::Span<const ir::Value> inputs,
    const RegionFunction& rule) {
  SY_RETURN_IF_ERROR(CheckOpen("custom_gradient"));
  std::vector<ir::Value> results(outputs.begin(), outputs.end());
  std::vector<ir::Value> of(inputs.begin(), inputs.end());
  SY_RETURN_IF_ERROR(ResolveAll("custom_gradient: output", &results));
  SY_RETURN_IF_ERROR(ResolveAll("custom_gradient: input", &of));
  SY_RETURN_IF_ERROR(RegisterCustomGradient(context_));
  ++rules_;
  absl::StatusOr<std::vector<ir::Value>> made = BuildCustomGradient(
      builder_, results, of,
      [&](ir::Builder& inner, absl::Span<const ir::Value> arguments) {
        return InRegion(inner, arguments, rule);
      });
  --rules_;
  return made;
}

}  // namespace switchyard::static_graph
