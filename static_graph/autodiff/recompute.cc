// SPDX-License-Identifier: Apache-2.0
#include "static_graph/autodiff/recompute.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "static_graph/ir/block.h"
#include "static_graph/ir/captures.h"

namespace switchyard::static_graph {
absl::Status CheckRecomputable(const ir::Operation& op) {
  for (int i = 0; i < op.num_regions(); ++i) {
    for (const ir::Operation* inner : ir::AllOperations(op.block(i))) {
      if (inner->has<ir::PureTrait>() || inner->has<ir::TerminatorTrait>()) {
        continue;
      }
      return absl::UnimplementedError(
          absl::StrCat(std::string(op.name()),
                       ": gradients through a region with the side effect of ",
                       std::string(inner->name()), " are not supported"));
    }
  }
  return absl::OkStatus();
}

std::vector<ir::Value> RequiredCaptures(
    const ir::Operation& op, absl::Span<const ir::Block* const> blocks,
    const GradientSums& sums) {
  std::vector<ir::Value> captured = ir::CapturedValues(op, blocks);
  captured.erase(
      std::remove_if(captured.begin(), captured.end(),
                     [&](ir::Value value) { return !sums.required(value); }),
      captured.end());
  return captured;
}

std::vector<ir::Operation*> CloneOperations(const ir::Block& block,
                                            ir::Builder& builder,
                                            ir::ValueMap* map) {
  std::vector<ir::Operation*> copies;
  const ir::Operation* terminator = block.terminator();
  for (const ir::Operation* inner : block) {
    if (inner == terminator) break;
    ir::OperationPtr copy = ir::Clone(*inner, *map);
    copies.push_back(copy.get());
    builder.block()->push_back(copy.release());
  }
  return copies;
}

}  // namespace switchyard::static_graph
