// SPDX-License-Identifier: Apache-2.0
// Activation functions as one operation.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_ACTIVATION_FUSION_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_ACTIVATION_FUSION_H_

#include <utility>

#include "static_graph/pass/pass_info.h"

namespace switchyard::static_graph {

// Makes one operation of the parts of hard-swish and SiLU, and x * (gate + 1)
// of x + x * gate, as rewrites.txt says. The parts stay where others use them,
// for dead code elimination to remove else. Relaxed: it rounds once.
class ActivationFusion : public Pass {
 public:
  // `may_replace` as PassEnvironment has it.
  explicit ActivationFusion(ReplaceRule may_replace = nullptr)
      : may_replace_(std::move(may_replace)) {}
  std::string_view name() const override { return "activation_fusion"; }
  Exactness exactness() const override { return Exactness::kRelaxed; }
  absl::StatusOr<bool> Run(ir::Program& program) override;

 private:
  ReplaceRule may_replace_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_ACTIVATION_FUSION_H_
