// SPDX-License-Identifier: Apache-2.0
// MemoryRoots: which values of a block of the kernel dialect lie in the same
// memory, and how long that memory is needed. For the in-place pass; the
// executor plans memory on its own, from the same attributes.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSFORMS_MEMORY_ROOTS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSFORMS_MEMORY_ROOTS_H_

#include "framework/base/hash_map.h"
#include "static_graph/ir/block.h"

namespace switchyard::static_graph {

class MemoryRoots {
 public:
  // Reads the views and the `inplace` attributes of the block's operations.
  explicit MemoryRoots(const ir::Block& block);

  // The value whose memory `value` lies in: itself, or what it is, directly or
  // over others, a view of or was put into.
  ir::Value RootOf(ir::Value value) const;

  // The position in the block of the last operation that uses (itself or inside
  // of it) a value in the memory of `root`; -1 if there is none.
  int LastUse(ir::Value root) const;
  int PositionOf(const ir::Operation* op) const { return positions_.at(op); }

  // From now on `result` lies in the memory of `operand`.
  void Join(ir::Value result, ir::Value operand);

 private:
  void AddUses(ir::Value value, const ir::Block& block);

  HashMap<const ir::Operation*, int> positions_;
  HashMap<ir::Value, ir::Value> roots_;  // Only what is no root.
  HashMap<ir::Value, int> last_uses_;    // By root.
};

// The memory of this result belongs to a kernel call, which made it anew: it
// may be overwritten once it is dead.
bool OwnsMemory(ir::Value value, const ir::Block& block);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSFORMS_MEMORY_ROOTS_H_
