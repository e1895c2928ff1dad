// SPDX-License-Identifier: Apache-2.0
// LoD: the levels of detail of a legacy sequence tensor.
#ifndef SWITCHYARD_FRAMEWORK_TENSOR_LOD_H_
#define SWITCHYARD_FRAMEWORK_TENSOR_LOD_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"

namespace switchyard {

// Says where the sequences of a legacy sequence tensor begin ("level of
// detail"), as offsets by level. {{0, 2, 3, 6}} are three sequences of lengths
// 2, 1 and 3 in the rows 0 to 5. Python and goldens use lengths instead.
struct LoD {
  std::vector<std::vector<int64_t>> offsets;
};

// Returns ArgumentError("lod", ...) unless each level starts at 0, never
// decreases, and ends at the number of sequences of the next level (the last
// one: at `rows`).
absl::Status Validate(const LoD& lod, int64_t rows);

// Returns offsets for lengths, which pass the check of Validate().
absl::StatusOr<LoD> LodFromLengths(
    absl::Span<const std::vector<int64_t>> lengths, int64_t rows);
std::vector<std::vector<int64_t>> SequenceLengths(const LoD& lod);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TENSOR_LOD_H_
