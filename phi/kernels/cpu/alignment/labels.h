// SPDX-License-Identifier: Apache-2.0
// Sequences of labels, as the kernels that compare or align them read them:
// rows of a LoD, or items of a batch with lengths beside it.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_LABELS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_LABELS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "framework/types/data_type.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// A sequence as elements [begin, begin + length) of a tensor.
struct LabelRange {
  int64_t begin;
  int64_t length;
};

// The element of an int32 or int64 tensor.
inline int64_t LabelAt(const DenseTensor& x, int64_t i) {
  return x.dtype() == DataType::kInt32 ? x.data<int32_t>()[i]
                                       : x.data<int64_t>()[i];
}

// `lengths`, the argument `name`, says how long each of `count` sequences is,
// at most `most`. RangeError, ArgumentError.
inline absl::StatusOr<std::vector<int64_t>> ReadLengths(
    std::string_view name, const DenseTensor& lengths, int64_t count,
    int64_t most) {
  if (lengths.numel() != count) {
    return ArgumentError(name, "of " + std::to_string(count) + " elements",
                         ToString(lengths.shape()));
  }
  std::vector<int64_t> read;
  for (int64_t i = 0; i < count; ++i) {
    read.push_back(LabelAt(lengths, i));
    if (read.back() < 0 || read.back() > most) {
      return RangeError(name, "in [0, " + std::to_string(most) + "]",
                        std::to_string(read.back()));
    }
  }
  return read;
}

// The sequences of x: with `lengths` those of a batch [batch, steps, ...], else
// those of its LoD, whose rows are single elements. The names are the
// arguments' in errors.
inline absl::StatusOr<std::vector<LabelRange>> ReadRanges(
    std::string_view name, const DenseTensor& x, std::string_view lengths_name,
    const DenseTensor* lengths) {
  std::vector<LabelRange> ranges;
  if (lengths != nullptr) {
    const int64_t steps = x.extent(1);
    SY_ASSIGN_OR_RETURN(
        const std::vector<int64_t> read,
        ReadLengths(lengths_name, *lengths, x.extent(0), steps));
    for (size_t i = 0; i < read.size(); ++i) {
      ranges.push_back({static_cast<int64_t>(i) * steps, read[i]});
    }
    return ranges;
  }
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences(name, x));
  const Offsets& offsets = lod->offsets.back();
  for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
    ranges.push_back({offsets[i], offsets[i + 1] - offsets[i]});
  }
  return ranges;
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_LABELS_H_
