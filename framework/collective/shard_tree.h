// SPDX-License-Identifier: Apache-2.0
// ShardTree: the balanced binary tree by which the results of logical shards
// are summed, and who holds which part of it. The tree depends on the number of
// shards alone, so a sum has the same bits for any number of ranks.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_SHARD_TREE_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_SHARD_TREE_H_

#include <vector>

namespace switchyard::collective {

// The shards [begin, end), which are summed before anything else is added: a
// node of the tree.
struct ShardRange {
  int begin;
  int end;

  int size() const { return end - begin; }
  bool operator==(const ShardRange& other) const {
    return begin == other.begin && end == other.end;
  }
};

// Returns where the node `range` of two shards or more is cut into its two
// children: the left one has the greatest power of two that is less than all.
// A node of a power of two is halved.
int CutOf(ShardRange range);

// Gives each rank a run of shards, whose lengths differ by one at most, and
// cuts the run into the fewest nodes of the tree: its pieces. A rank holds at
// most 2 log2(shards) of them; one where both numbers are powers of two.
class ShardTree {
 public:
  // 1 <= ranks <= shards.
  ShardTree(int shards, int ranks);

  int shards() const { return shards_; }
  int ranks() const { return static_cast<int>(pieces_.size()); }
  ShardRange all() const { return {0, shards_}; }
  // Returns the shards of a rank.
  ShardRange RangeOf(int rank) const;
  // Returns the pieces of a rank in the order of their shards.
  const std::vector<ShardRange>& pieces(int rank) const {
    return pieces_[rank];
  }

 private:
  int shards_;
  std::vector<std::vector<ShardRange>> pieces_;  // By rank.
};

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_SHARD_TREE_H_
