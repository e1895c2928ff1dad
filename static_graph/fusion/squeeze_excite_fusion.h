// SPDX-License-Identifier: Apache-2.0
// SqueezeExciteFusion: makes one operation of a squeeze-and-excite block.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_SQUEEZE_EXCITE_FUSION_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_SQUEEZE_EXCITE_FUSION_H_

#include <utility>

#include "static_graph/pass/pass_info.h"

namespace switchyard::static_graph {

// Fuses images whose channels come first, each channel times a gate that two
// convolutions of 1 x 1 make of the means of all channels, and a shift of it.
class SqueezeExciteFusion : public Pass {
 public:
  // `may_replace` as PassEnvironment has it.
  explicit SqueezeExciteFusion(ReplaceRule may_replace = nullptr)
      : may_replace_(std::move(may_replace)) {}
  std::string_view name() const override { return "squeeze_excite_fusion"; }
  Exactness exactness() const override { return Exactness::kRelaxed; }
  absl::StatusOr<bool> Run(ir::Program& program) override;

 private:
  ReplaceRule may_replace_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_SQUEEZE_EXCITE_FUSION_H_
