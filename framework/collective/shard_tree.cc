// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/shard_tree.h"

#include <cstdint>

namespace switchyard::collective {
namespace {

// Adds the nodes below `node` that make up the part of `run` in it.
void AddPieces(ShardRange node, ShardRange run,
               std::vector<ShardRange>* pieces) {
  if (node.end <= run.begin || run.end <= node.begin) return;
  if (run.begin <= node.begin && node.end <= run.end) {
    pieces->push_back(node);
    return;
  }
  const int cut = CutOf(node);
  AddPieces({node.begin, cut}, run, pieces);
  AddPieces({cut, node.end}, run, pieces);
}

}  // namespace

int CutOf(ShardRange range) {
  int half = 1;
  while (half <= (range.size() - 1) / 2) half *= 2;
  return range.begin + half;
}

ShardTree::ShardTree(int shards, int ranks) : shards_(shards), pieces_(ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    AddPieces(all(), RangeOf(rank), &pieces_[rank]);
  }
}

ShardRange ShardTree::RangeOf(int rank) const {
  const auto begin = [this](int64_t number) {
    return static_cast<int>(number * shards_ / ranks());
  };
  return {begin(rank), begin(rank + 1)};
}

}  // namespace switchyard::collective
