// SPDX-License-Identifier: Apache-2.0
// Constant folding: runs pure operations on constants and puts their results in
// their place. Leaves alone what draws random numbers, control flow, results
// over kMaxFoldedBytes, and operations that fail: the run will say why. The
// operators are run by the function that it is given, so the bits are those of
// the executor.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSFORMS_CONSTANT_FOLDING_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSFORMS_CONSTANT_FOLDING_H_

#include <utility>

#include "static_graph/pass/pass_info.h"

namespace switchyard::static_graph {

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

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSFORMS_CONSTANT_FOLDING_H_
