// SPDX-License-Identifier: Apache-2.0
// Sequences of labels, as the legacy kernels that compare or align them read
// them: rows of a LoD, or items of a batch with lengths beside it.
#ifndef SWITCHYARD_PHI_FLUID_ALIGNMENT_LABELS_H_
#define SWITCHYARD_PHI_FLUID_ALIGNMENT_LABELS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "phi/fluid/execution_context.h"
#include "phi/fluid/sequence/offsets.h"

namespace switchyard::phi::fluid {

// A sequence as elements [begin, begin + length) of a tensor.
struct Range {
  int64_t begin;
  int64_t length;
};

// The element of an int32 or int64 tensor.
inline int64_t IntegerAt(const DenseTensor& x, int64_t i) {
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
    read.push_back(IntegerAt(lengths, i));
    if (read.back() < 0 || read.back() > most) {
      return RangeError(name, "in [0, " + std::to_string(most) + "]",
                        std::to_string(read.back()));
    }
  }
  return read;
}

// The sequences of the tensor in `slot`: with the lengths in `length_slot`
// those of a batch [batch, steps, ...], else those of its LoD, whose rows are
// single elements.
inline absl::StatusOr<std::vector<Range>> ReadRanges(
    const ExecutionContext& context, std::string_view slot,
    std::string_view length_slot) {
  const DenseTensor& x = *context.Input(slot);
  std::vector<Range> ranges;
  if (const DenseTensor* lengths = context.Input(length_slot)) {
    const int64_t steps = x.extent(1);
    SY_ASSIGN_OR_RETURN(const std::vector<int64_t> read,
                        ReadLengths(context.ArgumentName(length_slot), *lengths,
                                    x.extent(0), steps));
    for (size_t i = 0; i < read.size(); ++i) {
      ranges.push_back({static_cast<int64_t>(i) * steps, read[i]});
    }
    return ranges;
  }
  SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences(slot));
  const Offsets& offsets = lod->offsets.back();
  for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
    ranges.push_back({offsets[i], offsets[i + 1] - offsets[i]});
  }
  return ranges;
}

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_FLUID_ALIGNMENT_LABELS_H_
