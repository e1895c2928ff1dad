// SPDX-License-Identifier: Apache-2.0
// SqueezeExciteFusion: makes one operation of a squeeze-and-excite block.
#ifndef SWITCHYARD_STATIC_GRAPH_PASSES_SQUEEZE_EXCITE_FUSION_H_
#define SWITCHYARD_STATIC_GRAPH_PASSES_SQUEEZE_EXCITE_FUSION_H_

#include "static_graph/pass/pass.h"

namespace switchyard::static_graph {

// Fuses the pattern of static_graph/dialect/gate_patterns.h.
class SqueezeExciteFusion : public Pass {
 public:
  std::string_view name() const override { return "squeeze_excite_fusion"; }
  Exactness exactness() const override { return Exactness::kRelaxed; }
  absl::StatusOr<bool> Run(ir::Program& program) override;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PASSES_SQUEEZE_EXCITE_FUSION_H_
