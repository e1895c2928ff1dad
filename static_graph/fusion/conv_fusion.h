// SPDX-License-Identifier: Apache-2.0
// Fuses convolutions with the operations that follow them.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_CONV_FUSION_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_CONV_FUSION_H_

#include <utility>

#include "static_graph/pass/pass_info.h"

namespace switchyard::static_graph {

// Makes one operation of a convolution, the steps after it that scale or shift
// whole channels by values that no run changes (batch norms by running
// statistics, biases, products), a sum with a tensor of the same extents, an
// activation function, and one affine map of all elements. Scales go into the
// filter and shifts into the bias, by operations on states that the executor
// computes once (static_graph/executor/packed_values.h). Each result between
// has one use.
//
// Also lets users of a running statistic that a batch norm returns as it was
// take the operand; a state that is written back unchanged is not written.
// Relaxed: sums are rounded otherwise. Which operators these are is said by
// static_graph/fusion/conv_{patterns,weights}.h.
class ConvFusion : public Pass {
 public:
  // `may_replace` as PassEnvironment has it.
  explicit ConvFusion(ReplaceRule may_replace = nullptr)
      : may_replace_(std::move(may_replace)) {}
  std::string_view name() const override { return "conv_fusion"; }
  Exactness exactness() const override { return Exactness::kRelaxed; }
  absl::StatusOr<bool> Run(ir::Program& program) override;

 private:
  ReplaceRule may_replace_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_CONV_FUSION_H_
