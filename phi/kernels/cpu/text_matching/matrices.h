// SPDX-License-Identifier: Apache-2.0
// Sequences whose elements are matrices of extents of their own, as the kernels
// of text matching read them: sequence i is [layers, height, width], where
// sequences i of two other inputs are that high and wide.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_TEXT_MATCHING_MATRICES_H_
#define SWITCHYARD_PHI_KERNELS_CPU_TEXT_MATCHING_MATRICES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/checked_math.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// The extents of one matrix.
struct MatrixExtents {
  int64_t height;
  int64_t width;
};

// Returns the lengths of the sequences of the last level of two inputs, whose
// names are the arguments' in errors. ArgumentError unless these have the same
// number of sequences.
inline absl::StatusOr<std::vector<MatrixExtents>> ReadExtents(
    std::string_view heights_name, const DenseTensor& heights,
    std::string_view widths_name, const DenseTensor& widths) {
  SY_ASSIGN_OR_RETURN(const LoD* high, ReadSequences(heights_name, heights));
  SY_ASSIGN_OR_RETURN(const LoD* wide, ReadSequences(widths_name, widths));
  const Offsets &rows = high->offsets.back(), &columns = wide->offsets.back();
  if (rows.size() != columns.size()) {
    return ArgumentError(widths_name,
                         "of " + std::to_string(SequenceCount(rows)) +
                             " sequences, as " + std::string(heights_name),
                         std::to_string(SequenceCount(columns)));
  }
  std::vector<MatrixExtents> extents;
  for (int64_t i = 0; i < SequenceCount(rows); ++i) {
    extents.push_back({rows[i + 1] - rows[i], columns[i + 1] - columns[i]});
  }
  return extents;
}

// Returns where sequences of `layers` matrices of these extents begin.
// SizeError where their elements leave int64.
inline absl::StatusOr<Offsets> MatrixOffsets(
    const std::vector<MatrixExtents>& extents, int64_t layers) {
  Offsets offsets = {0};
  for (const MatrixExtents& one : extents) {
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

// ArgumentError unless the sequences of x of the last level, of one element a
// row, begin at these offsets. `name` is the argument's in errors.
inline absl::Status CheckMatrices(std::string_view name, const DenseTensor& x,
                                  const Offsets& offsets) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences(name, x));
  if (lod->offsets.back() == offsets) return absl::OkStatus();
  return ArgumentError(name,
                       "of sequences of channels * row * column elements, " +
                           std::to_string(offsets.back()) + " in all",
                       std::to_string(lod->offsets.back().back()) +
                           " in sequences of other lengths");
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_TEXT_MATCHING_MATRICES_H_
