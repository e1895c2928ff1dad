// SPDX-License-Identifier: Apache-2.0
// The arithmetic of reductions: two operands element by element, and the tree
// over any number of them (framework/collective/shard_tree.h).
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_REDUCE_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_REDUCE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/collective/shard_tree.h"
#include "framework/types/data_type.h"

namespace switchyard::collective {

// kMean is the sum divided once by the number of shards. kMin and kMax return
// NaN if an operand is NaN, and know -0 to be less than +0.
enum class Reduction : uint8_t { kSum, kMean, kMin, kMax };

const char* Name(Reduction reduction);

// Returns an error if the dtype has no such reduction: bool and complex have
// none, integers no mean. Integer sums wrap around.
absl::Status CheckReduction(Reduction reduction, DataType dtype);

// Writes the reduction of each two elements, rounded once, to `out`, which may
// be one of the operands. kMean adds. Checked by CheckReduction().
void Combine(Reduction reduction, DataType dtype, const void* left,
             const void* right, void* out, size_t count);

// The values of the shards of a node, one for each element.
struct ShardValues {
  ShardRange range;
  const void* values;
};

// Writes the reduction over all shards to `out`, which may be one of the
// operands. `pieces` are nodes of the tree over `shards` that cover it, in
// order. A NaN becomes the quiet NaN with no payload: which of two NaNs a sum
// keeps depends on the order of its operands in the machine's instruction.
void ReduceTree(Reduction reduction, DataType dtype, int shards,
                const std::vector<ShardValues>& pieces, void* out,
                size_t count);

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_REDUCE_H_
