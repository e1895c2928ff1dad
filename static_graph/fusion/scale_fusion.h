// SPDX-License-Identifier: Apache-2.0
// Scale fusion.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_SCALE_FUSION_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_SCALE_FUSION_H_

#include "static_graph/pass/pass.h"

namespace switchyard::static_graph {

// Turns scale(scale(x)) into one scale, where the inner one has no other use;
// removes a scale by one that adds nothing. For floating tensors only, as each
// operator converts its numbers to the tensor's dtype, and for the form scale *
// x + bias. Relaxed: it rounds once where two operators rounded twice.
class ScaleFusion : public Pass {
 public:
  std::string_view name() const override { return "scale_fusion"; }
  Exactness exactness() const override { return Exactness::kRelaxed; }
  absl::StatusOr<bool> Run(ir::Program& program) override;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_SCALE_FUSION_H_
