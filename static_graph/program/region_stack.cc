// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/region_stack.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph {

absl::Status RegionStack::CheckOpen(std::string_view caller) const {
  if (!finished_) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(std::string(caller), ": the graph is finished"));
}

absl::Status RegionStack::CheckOutermost(std::string_view caller) const {
  SY_RETURN_IF_ERROR(CheckOpen(caller));
  if (outermost()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      std::string(caller), ": the graph is inside a cond or a while_loop"));
}

absl::Status RegionStack::CheckVisible(std::string_view argument,
                                       int64_t region) const {
  const bool around =
      std::any_of(regions_.begin(), regions_.end(),
                  [&](const Region& of) { return of.number == region; });
  if (around) return absl::OkStatus();
  return ArgumentError(argument, "a value from here or around",
                       "one from inside a cond, a while_loop or a "
                       "backward");
}

absl::Status RegionStack::CheckDraws(std::string_view op) const {
  if (Inside(Role::kGradientRule)) {
    return absl::UnimplementedError(absl::StrCat(
        std::string(op),
        ": a random operator must be outside of the backward of a Function, "
        "got one inside; draw in its forward and save the result"));
  }
  if (Inside(Role::kCondition)) {
    return absl::UnimplementedError(
        absl::StrCat(std::string(op),
                     ": a random operator must be outside of the condition of "
                     "while_loop, got one inside; draw in its body"));
  }
  return absl::OkStatus();
}

bool RegionStack::Inside(Role role) const {
  return std::any_of(regions_.begin(), regions_.end(),
                     [&](const Region& of) { return of.role == role; });
}

}  // namespace switchyard::static_graph
