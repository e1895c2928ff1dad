// SPDX-License-Identifier: Apache-2.0
// The alias analysis: which values of a program lie in the same memory. The
// passes to_value_form and inplace, lowering and the executor's planner all use
// this one, which follows the operations' AliasInterface.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_ALIAS_ANALYSIS_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_ALIAS_ANALYSIS_H_

#include <vector>

#include "framework/base/hash_map.h"
#include "static_graph/ir/block.h"

namespace switchyard::static_graph {

// Says in whose memory a result lies.
struct MemorySource {
  int operand = -1;   // Its position; -1 if the result has memory of its own.
  bool view = false;  // Maybe strided; otherwise written over the operand.
};

// Returns whose memory a result takes: that of the operand that it is a view
// of, or that it is written over. A kernel call writes over the operands that
// its attribute `inplace` names, an in-place variant over those that its
// operator names. Positions that `op` does not have count as none.
MemorySource SourceOf(const ir::Operation& op, int result);

// Returns true for a view of another value, which may be strided.
bool IsView(ir::Value value);

// Returns true if a kernel call of `block` allocated the memory of this result:
// it may be overwritten once it is dead.
bool OwnsMemory(ir::Value value, const ir::Block& block);

// Returns `value` and the views of it, views of views included.
std::vector<ir::Value> WithViews(ir::Value value);

// Knows which values of a block lie in the same memory, and how long that
// memory is needed. Borrows the block, whose operations must not be erased
// meanwhile.
class MemoryRoots {
 public:
  // Reads the sources of all results of the block's operations.
  explicit MemoryRoots(const ir::Block& block);

  // Returns the value whose buffer `value` aliases, following views and
  // in-place results transitively; `value` itself if there is none.
  ir::Value FindRoot(ir::Value value) const;

  // Returns the position in the block of the last operation that uses (itself
  // or inside of it) a value in the memory of `root`; -1 if there is none.
  int LastUse(ir::Value root) const;
  int GetPosition(const ir::Operation* op) const { return positions_.at(op); }

  // Records that `result` lies in the memory of `operand` from now on.
  void Join(ir::Value result, ir::Value operand);

 private:
  void AddUses(ir::Value value, const ir::Block& block);

  PooledMap<const ir::Operation*, int> positions_;
  PooledMap<ir::Value, ir::Value> roots_;  // Only values that are no root.
  PooledMap<ir::Value, int> last_uses_;    // By root.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_ALIAS_ANALYSIS_H_
