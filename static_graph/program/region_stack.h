// SPDX-License-Identifier: Apache-2.0
// RegionStack: where in a program that is being built operations go.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_REGION_STACK_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_REGION_STACK_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/base/status.h"

namespace switchyard::static_graph {

// The regions around the place that operations go to, the program's outermost.
// Each region has a number of its own, which no later one gets; the program's
// is 0. Its checks say what may be done at this place.
class RegionStack {
 public:
  enum class Role { kProgram, kBranchOrBody, kCondition, kGradientRule };

  void Enter(Role role) { regions_.push_back({++last_number_, role}); }
  // Leaves the region that was entered last.
  void Leave() { regions_.pop_back(); }
  // Makes the checks for open programs fail from now on.
  void Finish() { finished_ = true; }

  int64_t current() const { return regions_.back().number; }
  bool outermost() const { return regions_.size() == 1; }

  // FailedPrecondition, as of `caller`, if the program is finished; of
  // CheckOutermost also inside of a region.
  absl::Status CheckOpen(std::string_view caller) const;
  absl::Status CheckOutermost(std::string_view caller) const;
  // ArgumentError, as of `argument`, if a value that was made in this region
  // can't be used now.
  absl::Status CheckVisible(std::string_view argument, int64_t region) const;
  // Unimplemented where the random operator `op` may not be.
  absl::Status CheckDraws(std::string_view op) const;

 private:
  struct Region {
    int64_t number;
    Role role;
  };

  bool Inside(Role role) const;

  std::vector<Region> regions_ = {{0, Role::kProgram}};  // Outermost first.
  int64_t last_number_ = 0;
  bool finished_ = false;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_REGION_STACK_H_
