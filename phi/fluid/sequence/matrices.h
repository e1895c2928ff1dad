// SPDX-License-Identifier: Apache-2.0
// Sequences whose elements are matrices of extents of their own, as the legacy
// kernels of text matching read them: sequence i is [layers, height, width],
// where sequences i of two other inputs are that high and wide.
#ifndef SWITCHYARD_PHI_FLUID_SEQUENCE_MATRICES_H_
#define SWITCHYARD_PHI_FLUID_SEQUENCE_MATRICES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/checked_math.h"
#include "phi/fluid/execution_context.h"
#include "phi/fluid/sequence/offsets.h"

namespace switchyard::phi::fluid {

// The extents of one matrix.
struct Extents {
  int64_t height;
  int64_t width;
};

// Returns the lengths of the sequences of the last level of two inputs.
// ArgumentError unless these have the same number of sequences.
inline absl::StatusOr<std::vector<Extents>> ReadExtents(
    const ExecutionContext& context, std::string_view heights,
    std::string_view widths) {
  SY_ASSIGN_OR_RETURN(const LoD* high, context.Sequences(heights));
  SY_ASSIGN_OR_RETURN(const LoD* wide, context.Sequences(widths));
  const Offsets &rows = high->offsets.back(), &columns = wide->offsets.back();
  if (rows.size() != columns.size()) {
    return ArgumentError(context.ArgumentName(widths),
                         "of " + std::to_string(SequenceCount(rows)) +
                             " sequences, as " +
                             std::string(context.ArgumentName(heights)),
                         std::to_string(SequenceCount(columns)));
  }
  std::vector<Extents> extents;
  for (int64_t i = 0; i < SequenceCount(rows); ++i) {
    extents.push_back({rows[i + 1] - rows[i], columns[i + 1] - columns[i]});
  }
  return extents;
}

// Returns where sequences of `layers` matrices of these extents begin.
// SizeError where their elements leave int64.
inline absl::StatusOr<Offsets> MatrixOffsets(
    const std::vector<Extents>& extents, int64_t layers) {
  Offsets offsets = {0};
  for (const Extents& one : extents) {
    const auto area = CheckedMultiply(one.height, one.width);
    const auto all = area ? CheckedMultiply(*area, layers) : area;
    const auto end = all ? CheckedAdd(offsets.back(), *all) : all;
    if (!end) {
      return SizeError("x", "of fewer than 2^63 elements",
                       std::to_string(layers) + " matrices of " +
                           std::to_string(one.height) + " x " +
                           std::to_string(one.width));
    }
    offsets.push_back(*end);
  }
  return offsets;
}

// ArgumentError unless the input's sequences of the last level, of one element
// a row, begin at these offsets.
inline absl::Status CheckMatrices(const ExecutionContext& context,
                                  std::string_view slot,
                                  const Offsets& offsets) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences(slot));
  if (lod->offsets.back() == offsets) return absl::OkStatus();
  return ArgumentError(context.ArgumentName(slot),
                       "of sequences of channels * row * column elements, " +
                           std::to_string(offsets.back()) + " in all",
                       std::to_string(lod->offsets.back().back()) +
                           " in sequences of other lengths");
}

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_FLUID_SEQUENCE_MATRICES_H_
