// SPDX-License-Identifier: Apache-2.0
// Constant folding.
#ifndef SWITCHYARD_STATIC_GRAPH_PASSES_CONSTANT_FOLDING_H_
#define SWITCHYARD_STATIC_GRAPH_PASSES_CONSTANT_FOLDING_H_

#include <utility>

#include "static_graph/pass/pass_info.h"

namespace switchyard::static_graph {

// Runs pure operations on constants and puts their results in their place.
// Leaves alone operations that draw random numbers, control flow, results over
// kMaxFoldedBytes, and operations that fail: the run will say why. The function
// that it is given runs the operators, so the bits are those of the executor.
class ConstantFolding : public Pass {
 public:
  explicit ConstantFolding(FoldFunction fold) : fold_(std::move(fold)) {}
  std::string_view name() const override { return "constant_folding"; }
  Exactness exactness() const override { return Exactness::kExact; }
  absl::StatusOr<bool> Run(ir::Program& program) override;

 private:
  FoldFunction fold_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PASSES_CONSTANT_FOLDING_H_
