// SPDX-License-Identifier: Apache-2.0
// Parts of a tensor whose rows are sequences on several levels (LoD): some
// sequences of one level with all that is below them, and tensors that such
// parts are put together to.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RANKED_SUB_SEQUENCES_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RANKED_SUB_SEQUENCES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"

namespace switchyard::phi::kernels::cpu {

// The rows [begin, end) of a tensor, and the lengths of the sequences that they
// are in, by level.
struct SubSequences {
  int64_t begin = 0;
  int64_t end = 0;
  std::vector<std::vector<int64_t>> lengths;

  int64_t rows() const { return end - begin; }
};

// Returns the sequences [begin, end) of a level, which there are; of the level
// below the last one, rows. A tensor without sequences has that level alone.
inline SubSequences SubSequencesOf(const LoD* lod, size_t level, int64_t begin,
                                   int64_t end) {
  SubSequences part;
  const size_t levels = lod == nullptr ? 0 : lod->offsets.size();
  for (size_t l = level; l < levels; ++l) {
    const std::vector<int64_t>& offsets = lod->offsets[l];
    std::vector<int64_t>& lengths = part.lengths.emplace_back();
    for (int64_t i = begin; i < end; ++i) {
      lengths.push_back(offsets[i + 1] - offsets[i]);
    }
    begin = offsets[begin];
    end = offsets[end];
  }
  part.begin = begin;
  part.end = end;
  return part;
}

// How many sequences a tensor has at a level; rows below the last one.
inline int64_t CountAt(const DenseTensor& x, size_t level) {
  const LoD* lod = x.lod().get();
  const bool rows = lod == nullptr || level >= lod->offsets.size();
  return rows ? x.extent(0)
              : static_cast<int64_t>(lod->offsets[level].size()) - 1;
}

// The sequences of parts that stand one after another.
class SequenceJoiner {
 public:
  explicit SequenceJoiner(size_t levels)
      : offsets_(levels, std::vector<int64_t>{0}) {}

  // Appends a part with at least as many levels.
  void Append(const SubSequences& part) {
    for (size_t l = 0; l < offsets_.size(); ++l) {
      for (const int64_t length : part.lengths[l]) {
        offsets_[l].push_back(offsets_[l].back() + length);
      }
    }
    rows_ += part.rows();
  }

  int64_t rows() const { return rows_; }
  std::vector<std::vector<int64_t>> TakeOffsets() {
    return std::move(offsets_);
  }

 private:
  std::vector<std::vector<int64_t>> offsets_;
  int64_t rows_ = 0;
};

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RANKED_SUB_SEQUENCES_H_
