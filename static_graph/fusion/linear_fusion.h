// SPDX-License-Identifier: Apache-2.0
// LinearFusion: fuses a product with a matrix and the operations that follow
// it.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_LINEAR_FUSION_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_LINEAR_FUSION_H_

#include <utility>

#include "static_graph/pass/pass_info.h"

namespace switchyard::static_graph {

// Fuses matmul and mul of float32 or float64 by a matrix, and convolutions of 1
// x 1 of images of one pixel, with a bias of each column, an addend of the same
// shape and an activation function that follow.
class LinearFusion : public Pass {
 public:
  // `may_replace` as PassEnvironment has it.
  explicit LinearFusion(ReplaceRule may_replace = nullptr)
      : may_replace_(std::move(may_replace)) {}
  std::string_view name() const override { return "linear_fusion"; }
  Exactness exactness() const override { return Exactness::kRelaxed; }
  absl::StatusOr<bool> Run(ir::Program& program) override;

 private:
  ReplaceRule may_replace_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_LINEAR_FUSION_H_
