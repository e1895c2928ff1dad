// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/scale_fusion.h"

#include "static_graph/fusion/rewriter.h"

namespace switchyard::static_graph {

absl::StatusOr<bool> ScaleFusion::Run(ir::Program& program) {
  return ApplyRewrites(program, name(), exactness(), nullptr);
}

}  // namespace switchyard::static_graph
