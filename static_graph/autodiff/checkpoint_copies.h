// SPDX-License-Identifier: Apache-2.0
// Checkpoints (static_graph/ir/checkpoint_attributes.h): operations whose
// values the backward computes again. Before the first of them is reversed, all
// up to it are copied to where the backward is, and each is reversed as its
// copy, so that nothing after reads what the first ones made. Sums of gradients
// are those of the first values, in their order. A checkpoint inside of another
// is copied from the copy of that.
#ifndef SWITCHYARD_STATIC_GRAPH_AUTODIFF_CHECKPOINT_COPIES_H_
#define SWITCHYARD_STATIC_GRAPH_AUTODIFF_CHECKPOINT_COPIES_H_

#include <cstddef>
#include <cstdint>

#include "framework/base/hash_map.h"
#include "static_graph/autodiff/gradient_sums.h"
#include "static_graph/ir/clone.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// The copies that one differentiation has made.
class CheckpointCopies {
 public:
  // Returns the copy of `op` that its backward is of; `op` itself if it is in
  // no checkpoint. Copies what has not been copied yet, at the insertion point
  // of the builder of `sums`, which learns what the copies are of.
  const ir::Operation& Recomputed(const ir::Operation& op, GradientSums* sums);

 private:
  // Returns the copy for the first `depth` checkpoints that `op` is in.
  const ir::Operation* CopyOf(const ir::Operation& op, size_t depth) const;
  // Copies the operations up to `last` of its checkpoint number `depth`, unless
  // that has been done.
  void CopyParts(const ir::Operation& last, size_t depth, GradientSums* sums);

  HashMap<int64_t, ir::ValueMap> copies_;  // By checkpoint.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_AUTODIFF_CHECKPOINT_COPIES_H_
