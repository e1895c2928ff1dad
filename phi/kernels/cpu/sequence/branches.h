// SPDX-License-Identifier: Apache-2.0
// Parts that split_lod_tensor and merge_lod_tensor share: the items of a tensor
// at a level of its sequences, or its rows where it has none, and which of the
// two branches a mask sends each to.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_BRANCHES_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_BRANCHES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// The items of a tensor.
struct RowItems {
  // Where each begins, in rows.
  Offsets rows;
  // The lengths of the sequences of the levels from the items' own on; none of
  // a tensor without sequences.
  std::vector<Offsets> levels;

  int64_t count() const { return SequenceCount(rows); }
};

// Returns the items of x at `level`; `name` is the argument's in errors.
// ArgumentError where it has sequences, but fewer levels.
inline absl::StatusOr<RowItems> ReadItems(std::string_view name,
                                          const DenseTensor& x, int level) {
  RowItems items;
  if (x.lod() == nullptr || x.lod()->offsets.empty()) {
    items.rows.reserve(x.extent(0) + 1);
    for (int64_t i = 0; i <= x.extent(0); ++i) items.rows.push_back(i);
    return items;
  }
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences(name, x));
  if (level < 0 || level >= static_cast<int>(lod->offsets.size())) {
    return ArgumentError(
        name, "of sequences of more than " + std::to_string(level) + " levels",
        std::to_string(lod->offsets.size()));
  }
  items.levels.assign(lod->offsets.begin() + level, lod->offsets.end());
  items.rows = items.levels[0];
  for (size_t below = 1; below < items.levels.size(); ++below) {
    for (int64_t& row : items.rows) row = items.levels[below][row];
  }
  return items;
}

// Appends item `i` of `from` to `levels`, which has as many.
inline void AppendItem(const RowItems& from, int64_t i,
                       std::vector<Offsets>* levels) {
  int64_t begin = i, end = i + 1;
  for (size_t level = 0; level < levels->size(); ++level) {
    const Offsets& own = from.levels[level];
    for (int64_t k = begin; k < end; ++k) {
      AppendSequence(own[k + 1] - own[k], &(*levels)[level]);
    }
    begin = own[begin];
    end = own[end];
  }
}

// Returns which of `count` items are of the branch "true". ArgumentError unless
// mask has an element for each.
inline absl::StatusOr<std::vector<bool>> ReadMask(const DenseTensor& mask,
                                                  int64_t count) {
  if (mask.numel() != count) {
    return ArgumentError("mask",
                         "of " + std::to_string(count) + " rows, one an item",
                         ToString(mask.shape()));
  }
  return std::vector<bool>(mask.data<bool>(), mask.data<bool>() + count);
}

// Items, and which of them are of the branch "true".
struct MaskedItems {
  RowItems items;
  std::vector<bool> mask;
};

// The rows of the items of one branch.
inline RowSources BranchRows(const MaskedItems& split, bool branch) {
  const RowItems& items = split.items;
  RowSources sources;
  for (int64_t i = 0; i < items.count(); ++i) {
    if (split.mask[i] != branch) continue;
    for (int64_t row = items.rows[i]; row < items.rows[i + 1]; ++row) {
      sources.push_back(row);
    }
  }
  return sources;
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_BRANCHES_H_
