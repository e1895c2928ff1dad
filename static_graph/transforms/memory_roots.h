// SPDX-License-Identifier: Apache-2.0
// MemoryRoots: the aliases among the values of a block. For the in-place pass;
// the executor plans memory on its own, from the same attributes.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSFORMS_MEMORY_ROOTS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSFORMS_MEMORY_ROOTS_H_

#include "framework/base/hash_map.h"
#include "static_graph/ir/block.h"

namespace switchyard::static_graph {

// Knows which values of a block of the kernel dialect lie in the same memory,
// and how long that memory is needed. Borrows the block, whose operations must
// not be erased meanwhile.
class MemoryRoots {
 public:
  // Reads the views and the `inplace` attributes of the block's operations.
  explicit MemoryRoots(const ir::Block& block);

  // Returns the value whose buffer `value` aliases, following views and
  // in-place results transitively; `value` itself if there is none.
  ir::Value RootOf(ir::Value value) const;

  // The position in the block of the last operation that uses (itself or inside
  // of it) a value in the memory of `root`; -1 if there is none.
  int LastUse(ir::Value root) const;
  int PositionOf(const ir::Operation* op) const { return positions_.at(op); }

  // Records that `result` lies in the memory of `operand` from now on.
  void Join(ir::Value result, ir::Value operand);

 private:
  void AddUses(ir::Value value, const ir::Block& block);

  HashMap<const ir::Operation*, int> positions_;
  HashMap<ir::Value, ir::Value> roots_;  // Only values that are no root.
  HashMap<ir::Value, int> last_uses_;    // By root.
};

// Returns true if a kernel call allocated the memory of this result: it may be
// overwritten once it is dead.
bool OwnsMemory(ir::Value value, const ir::Block& block);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSFORMS_MEMORY_ROOTS_H_
