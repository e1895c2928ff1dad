// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/activation_fusion.h"

#include "static_graph/fusion/rewriter.h"

namespace switchyard::static_graph {

absl::StatusOr<bool> ActivationFusion::Run(ir::Program& program) {
  return ApplyRewrites(program, name(), exactness(), may_replace_);
}

}  // namespace switchyard::static_graph
