// SPDX-License-Identifier: Apache-2.0
// AttentionFusion: makes one operation of attention.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_ATTENTION_FUSION_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_ATTENTION_FUSION_H_

#include <utility>

#include "static_graph/pass/pass_info.h"

namespace switchyard::static_graph {

// Makes one operation of softmax(scale q k^T + mask) v, with the scale at
// either factor, on their product or spread over all three, with a mask or
// without, if the intermediate values have no other users.
class AttentionFusion : public Pass {
 public:
  // `may_replace` as PassEnvironment has it.
  explicit AttentionFusion(ReplaceRule may_replace = nullptr)
      : may_replace_(std::move(may_replace)) {}
  std::string_view name() const override { return "attention_fusion"; }
  Exactness exactness() const override { return Exactness::kRelaxed; }
  absl::StatusOr<bool> Run(ir::Program& program) override;

 private:
  ReplaceRule may_replace_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_ATTENTION_FUSION_H_
