// SPDX-License-Identifier: Apache-2.0
#include "framework/tensor/lod.h"

#include <algorithm>
#include <optional>
#include <string>

#include "framework/base/checked_math.h"

namespace switchyard {
namespace {

std::string LevelName(size_t level) {
  return "level " + std::to_string(level) + " ";
}

}  // namespace

absl::Status Validate(const LoD& lod, int64_t rows) {
  for (size_t level = 0; level < lod.offsets.size(); ++level) {
    const std::vector<int64_t>& offsets = lod.offsets[level];
    if (offsets.empty() || offsets.front() != 0) {
      return ArgumentError(
          "lod", "a list of offsets from 0 in each level",
          LevelName(level) + (offsets.empty()
                                  ? "empty"
                                  : "from " + std::to_string(offsets.front())));
    }
    const auto drop = std::is_sorted_until(offsets.begin(), offsets.end());
    if (drop != offsets.end()) {
      return ArgumentError("lod", "of offsets that never decrease",
                           LevelName(level) + "with " + std::to_string(*drop) +
                               " after " + std::to_string(*(drop - 1)));
    }
    const bool last = level + 1 == lod.offsets.size();
    const int64_t end =
        last ? rows : static_cast<int64_t>(lod.offsets[level + 1].size()) - 1;
    if (offsets.back() != end) {
      return ArgumentError(
          "lod",
          "of offsets that end at " + std::to_string(end) +
              (last ? " (rows)" : " (sequences of the next level)"),
          LevelName(level) + "that ends at " + std::to_string(offsets.back()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<LoD> LodFromLengths(
    absl::Span<const std::vector<int64_t>> lengths, int64_t rows) {
  LoD lod;
  for (const std::vector<int64_t>& level : lengths) {
    std::vector<int64_t>& offsets = lod.offsets.emplace_back();
    offsets.reserve(level.size() + 1);
    offsets.push_back(0);
    for (int64_t length : level) {
      const std::optional<int64_t> end = CheckedAdd(offsets.back(), length);
      if (!end.has_value()) {
        return ArgumentError("lod", "of lengths whose sum is below 2^63",
                             std::to_string(length));
      }
      offsets.push_back(*end);
    }
  }
  SY_RETURN_IF_ERROR(Validate(lod, rows));
  return lod;
}

std::vector<std::vector<int64_t>> SequenceLengths(const LoD& lod) {
  std::vector<std::vector<int64_t>> lengths;
  for (const std::vector<int64_t>& offsets : lod.offsets) {
    std::vector<int64_t>& level = lengths.emplace_back();
    for (size_t i = 1; i < offsets.size(); ++i) {
      level.push_back(offsets[i] - offsets[i - 1]);
    }
  }
  return lengths;
}

}  // namespace switchyard
