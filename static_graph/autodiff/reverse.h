// SPDX-License-Identifier: Apache-2.0
// Reverse: one differentiation. For gradients of a program call BuildGradients
// (gradients.h).
#ifndef SWITCHYARD_STATIC_GRAPH_AUTODIFF_REVERSE_H_
#define SWITCHYARD_STATIC_GRAPH_AUTODIFF_REVERSE_H_

#include "framework/base/status.h"
#include "static_graph/autodiff/checkpoint_copies.h"
#include "static_graph/autodiff/gradient_sums.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// Visits operations one by one, in the order that its user chooses, and adds
// their backward.
class Reverse {
 public:
  // Creates operations at the builder's insertion point.
  explicit Reverse(ir::Builder* builder) : sums_(builder) {}

  GradientSums& sums() { return sums_; }

  // Appends the backward of `op`, if its results have gradients; call it in
  // reverse program order, once what needs gradients is marked (mark.h). Of an
  // operation in a checkpoint it is that of a copy (checkpoint_copies.h).
  absl::Status Visit(const ir::Operation& op);

 private:
  absl::Status VisitReached(const ir::Operation& op);
  absl::Status VisitCall(const ir::Operation& op);
  absl::Status VisitComposite(const ir::Operation& op);

  GradientSums sums_;
  CheckpointCopies copies_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_AUTODIFF_REVERSE_H_
