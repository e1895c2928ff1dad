// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/specialize.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "static_graph/executor/specialize_block.h"

namespace switchyard::static_graph {
namespace {

TensorMeta ContiguousMeta(DataType dtype, const Shape& shape, Place place) {
  TensorMeta meta;
  meta.dtype = dtype;
  meta.place = place;
  meta.shape = shape;
  meta.strides = ContiguousStrides(shape);
  return meta;
}

}  // namespace

absl::StatusOr<std::unique_ptr<const ShapeSpecialization>> Specialize(
    const ProgramPlan& program, absl::Span<const Shape> feeds,
    SpecializationCounts* counts, std::vector<std::string>* transcript) {
  std::vector<SegmentInput> inputs;
  for (size_t i = 0; i < program.body.values.size(); ++i) {
    const PlanValue& value = program.body.values[i];
    if (value.source == PlanValue::Source::kComputed) continue;
    const Shape& shape = value.source == PlanValue::Source::kFeed
                             ? feeds[value.index]
                             : value.meta.shape;
    SY_RETURN_IF_ERROR(CheckedByteSize(value.meta.dtype, shape).status());
    SegmentInput input;
    input.value = static_cast<ValueId>(i);
    input.meta = ContiguousMeta(value.meta.dtype, shape, value.place);
    inputs.push_back(std::move(input));
  }
  return BlockSpecializer(program, program.body, counts, transcript)
      .Run(std::move(inputs), program.fetches.size());
}

}  // namespace switchyard::static_graph
