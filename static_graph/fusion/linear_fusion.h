// SPDX-License-Identifier: Apache-2.0
// LinearFusion: makes one operation of a product with a matrix and what follows
// it.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_LINEAR_FUSION_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_LINEAR_FUSION_H_

#include <utility>

#include "static_graph/pass/pass_info.h"

namespace switchyard::static_graph {

// Fuses the patterns of static_graph/fusion/linear_patterns.h.
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
