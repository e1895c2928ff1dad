// SPDX-License-Identifier: Apache-2.0
// Walks over the steps of sequences, the longest first.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RANKED_RANK_TABLE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RANKED_RANK_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/kernels/cpu/ranked/sub_sequences.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// A rank table as kernels read it (ops_gen/ops/rank_table.yaml): the sequences
// of a tensor, the longest first.
struct RankTable {
  struct Item {
    int64_t index;   // Of the sequence, before it was ranked.
    int64_t length;  // At most that of the item before.
  };
  std::vector<Item> items;
  const LoD* above = nullptr;  // The levels above; null: none.

  // The level of the sequences.
  size_t level() const { return above == nullptr ? 0 : above->offsets.size(); }
  int64_t size() const { return static_cast<int64_t>(items.size()); }
  int64_t steps() const { return items.empty() ? 0 : items[0].length; }
  // How many sequences are longer than `step`.
  int64_t SequencesAt(int64_t step) const {
    int64_t count = 0;
    while (count < size() && items[count].length > step) ++count;
    return count;
  }
};

// Reads the argument rank_table. ArgumentError for one that is none:
// its indices are those of its rows, each once, and lengths never grow.
inline absl::StatusOr<RankTable> ReadRankTable(const DenseTensor& tensor) {
  RankTable table;
  if (tensor.lod() != nullptr) {
    SY_ASSIGN_OR_RETURN(table.above, ReadSequences("rank_table", tensor));
  }
  const int64_t count = tensor.extent(0);
  std::vector<bool> seen(static_cast<size_t>(count), false);
  const int64_t* numbers = tensor.data<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    const RankTable::Item item = {numbers[2 * i], numbers[2 * i + 1]};
    if (item.index < 0 || item.index >= count || seen[item.index]) {
      return ArgumentError("rank_table", "of each index once",
                           std::to_string(item.index));
    }
    if (item.length < 0 || (i > 0 && item.length > table.items[i - 1].length)) {
      return ArgumentError("rank_table", "of lengths that never grow",
                           std::to_string(item.length));
    }
    seen[item.index] = true;
    table.items.push_back(item);
  }
  return table;
}

// Checks that the sequences of x at the table's level are the table's. Returns
// where they begin at the level below.
inline absl::StatusOr<const std::vector<int64_t>*> RankedOffsets(
    const DenseTensor& x, const RankTable& table) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", x));
  if (lod->offsets.size() <= table.level()) {
    return ArgumentError("x",
                         "of more than " + std::to_string(table.level()) +
                             " levels of sequences",
                         std::to_string(lod->offsets.size()));
  }
  const std::vector<int64_t>& offsets = lod->offsets[table.level()];
  bool fits = static_cast<int64_t>(offsets.size()) == table.size() + 1;
  for (int64_t i = 0; fits && i < table.size(); ++i) {
    const RankTable::Item& item = table.items[i];
    fits = offsets[item.index + 1] - offsets[item.index] == item.length;
  }
  if (fits) return &offsets;
  return ArgumentError("x", "of the sequences of rank_table", "others");
}

// Calls visit(step, part of x) for each step of each sequence, step by step, in
// the order of the table: the parts of a step are the rows of its element, one
// after another.
template <typename Visit>
void ForEachStepRanked(const DenseTensor& x, const RankTable& table,
                       const std::vector<int64_t>& offsets,
                       const Visit& visit) {
  const size_t below = table.level() + 1;
  for (int64_t step = 0; step < table.steps(); ++step) {
    for (const RankTable::Item& item : table.items) {
      if (item.length <= step) break;
      const int64_t at = offsets[item.index] + step;
      visit(step, SubSequencesOf(x.lod().get(), below, at, at + 1));
    }
  }
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RANKED_RANK_TABLE_H_
