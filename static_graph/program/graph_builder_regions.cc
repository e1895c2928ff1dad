// SPDX-License-Identifier: Apache-2.0
// GraphBuilder, continued: regions of control flow, and the random numbers that
// are drawn in them. Where a region draws as often as its surroundings can't
// know, the state of the random numbers is one more of its values.
#include <utility>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/program/graph_builder.h"

namespace switchyard::static_graph {

GraphBuilder::RegionFunction GraphBuilder::Drawing(
    const RegionFunction& function) {
  return [this, &function](absl::Span<const ir::Value> given)
             -> absl::StatusOr<std::vector<ir::Value>> {
    SY_ASSIGN_OR_RETURN(std::vector<ir::Value> values, function(given));
    SY_ASSIGN_OR_RETURN(values.emplace_back(),
                        Advanced(draws_, &program_, builder_));
    return values;
  };
}

absl::StatusOr<std::vector<ir::Value>> GraphBuilder::BuildBranches(
    ir::Value condition, const RegionFunction& then_branch,
    const RegionFunction& else_branch, RandomDraws* ends) {
  // One branch runs: both draw from the same stream on, as in eager code.
  const RandomDraws before = draws_;
  const auto branch = [&](ir::Builder& inner, const RegionFunction& function,
                          RandomDraws* end) {
    draws_ = before;
    absl::StatusOr<std::vector<ir::Value>> values =
        InRegion(inner, {}, function);
    *end = std::exchange(draws_, before);
    return values;
  };
  return BuildIf(
      builder_, condition,
      [&](ir::Builder& inner) { return branch(inner, then_branch, &ends[0]); },
      [&](ir::Builder& inner) { return branch(inner, else_branch, &ends[1]); });
}

absl::StatusOr<std::vector<ir::Value>> GraphBuilder::If(
    ir::Value condition, const RegionFunction& then_branch,
    const RegionFunction& else_branch) {
  SY_RETURN_IF_ERROR(CheckOpen("cond"));
  SY_ASSIGN_OR_RETURN(condition,
                      written_.Resolve("cond: condition", condition));
  RandomDraws ends[2];
  absl::StatusOr<std::vector<ir::Value>> results =
      BuildBranches(condition, then_branch, else_branch, ends);
  if (!results.ok()) return results;
  if (ends[0] == ends[1] && ends[0].rng == draws_.rng) {
    draws_ = ends[0];
    return results;
  }
  // They draw another number of times: once more, with the state as a result.
  builder_.previous()->Erase();
  results = BuildBranches(condition, Drawing(then_branch), Drawing(else_branch),
                          ends);
  if (!results.ok()) return results;
  draws_ = {results->back(), 0};
  results->pop_back();
  return results;
}

absl::StatusOr<std::vector<ir::Value>> GraphBuilder::While(
    absl::Span<const ir::Value> init, const RegionFunction& condition,
    const RegionFunction& body) {
  SY_RETURN_IF_ERROR(CheckOpen("while_loop"));
  std::vector<ir::Value> first(init.begin(), init.end());
  SY_RETURN_IF_ERROR(written_.ResolveAll("while_loop: value", &first));
  const RandomDraws before = draws_;
  absl::StatusOr<std::vector<ir::Value>> results =
      BuildLoop(first, condition, body, false);
  const bool drew = !(draws_ == before);
  draws_ = before;
  if (!results.ok() || !drew) return results;
  // Each iteration draws further numbers: once more, with the state as a value.
  builder_.previous()->Erase();
  SY_ASSIGN_OR_RETURN(first.emplace_back(),
                      Advanced(draws_, &program_, builder_));
  results = BuildLoop(first, condition, body, true);
  draws_ = before;
  if (!results.ok()) return results;
  draws_ = {results->back(), 0};
  results->pop_back();
  return results;
}

absl::StatusOr<std::vector<ir::Value>> GraphBuilder::BuildLoop(
    absl::Span<const ir::Value> first, const RegionFunction& condition,
    const RegionFunction& body, bool draws) {
  const size_t own = draws ? 1 : 0;  // Values that are not the caller's.
  const RandomDraws before = draws_;
  return BuildWhile(
      builder_, first,
      [&](ir::Builder& inner,
          absl::Span<const ir::Value> values) -> absl::StatusOr<ir::Value> {
        ++conditions_;
        const absl::StatusOr<std::vector<ir::Value>> yielded =
            InRegion(inner, values.first(values.size() - own), condition);
        --conditions_;
        if (!yielded.ok()) return yielded.status();
        if (yielded->size() == 1) return yielded->front();
        return ArgumentError("condition", "one value",
                             std::to_string(yielded->size()));
      },
      [&](ir::Builder& inner, absl::Span<const ir::Value> values) {
        // A second call of the body begins as the first did.
        draws_ = draws ? RandomDraws{values.back(), 0} : before;
        if (!draws) return InRegion(inner, values, body);
        return InRegion(inner, values.first(values.size() - 1), Drawing(body));
      });
}

}  // namespace switchyard::static_graph
