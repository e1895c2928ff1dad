// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/segments.h"

#include <numeric>
#include <optional>
#include <string>

namespace switchyard::static_graph::ir {
namespace {

using Sizes = absl::Span<const int>;

std::optional<Sizes> SizesOf(const Operation& op, std::string_view name) {
  return op.attribute(name).As<Sizes>();
}

Segment Find(std::optional<Sizes> sizes, int argument) {
  if (!sizes.has_value()) return {argument, 1};
  const int begin =
      std::accumulate(sizes->begin(), sizes->begin() + argument, 0);
  return {begin, (*sizes)[argument]};
}

absl::Status VerifySizes(const Operation& op, const char* name, int total,
                         const char* what) {
  const Attribute attribute = op.attribute(name);
  if (!attribute) return absl::OkStatus();
  const std::optional<Sizes> sizes = attribute.As<Sizes>();
  if (!sizes.has_value()) {
    return ArgumentError(name, "an int32[] attribute", ToString(attribute));
  }
  int64_t sum = 0;
  for (int size : *sizes) {
    if (size < 0) {
      return ArgumentError(name, "without negative sizes",
                           std::to_string(size));
    }
    sum += size;
  }
  if (sum == total) return absl::OkStatus();
  return ArgumentError(
      name,
      "sizes with the sum " + std::to_string(total) + ", the number of " + what,
      std::to_string(sum));
}

}  // namespace

Segment OperandSegment(const Operation& op, int argument) {
  return Find(SizesOf(op, kOperandSegments), argument);
}

Segment ResultSegment(const Operation& op, int output) {
  return Find(SizesOf(op, kResultSegments), output);
}

int NumOperandSegments(const Operation& op) {
  return SegmentReader::OfOperands(op).count();
}

int NumResultSegments(const Operation& op) {
  return SegmentReader::OfResults(op).count();
}

SegmentReader::SegmentReader(const Operation& op, const char* name, int values)
    : sizes_(SizesOf(op, name)),
      count_(sizes_.has_value() ? static_cast<int>(sizes_->size()) : values) {}

SegmentReader SegmentReader::OfOperands(const Operation& op) {
  return SegmentReader(op, kOperandSegments, op.num_operands());
}

SegmentReader SegmentReader::OfResults(const Operation& op) {
  return SegmentReader(op, kResultSegments, op.num_results());
}

Segment SegmentReader::Next() {
  const Segment segment = {begin_, sizes_.has_value() ? (*sizes_)[next_] : 1};
  ++next_;
  begin_ += segment.size;
  return segment;
}

absl::Status VerifySegments(const Operation& op) {
  SY_RETURN_IF_ERROR(
      VerifySizes(op, kOperandSegments, op.num_operands(), "operands"));
  return VerifySizes(op, kResultSegments, op.num_results(), "results");
}

}  // namespace switchyard::static_graph::ir
