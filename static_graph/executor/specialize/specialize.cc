// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/specialize/specialize.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "static_graph/executor/run_value.h"
#include "static_graph/executor/specialize/specialize_block.h"

namespace switchyard::static_graph {
namespace {

// The parts of a tensor that is not dense are contiguous.
TensorMeta ContiguousMeta(const PlanValue& value, const Shape& shape) {
  TensorMeta meta;
  meta.dtype = value.meta.dtype;
  meta.kind = value.meta.kind;
  meta.place = value.place;
  meta.shape = ShapeFor(meta.kind, shape);
  if (meta.kind == TensorKind::kDense) meta.strides = ContiguousStrides(shape);
  return meta;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ShapeSpecialization>> Specialize(
    const ProgramPlan& program, absl::Span<const Shape> feeds,
    SpecializationCounts* counts, StepList* list) {
  std::vector<SegmentInput> inputs;
  for (size_t i = 0; i < program.body.values.size(); ++i) {
    const PlanValue& value = program.body.values[i];
    if (value.source == PlanValue::Source::kComputed) continue;
    const Shape& shape = value.source == PlanValue::Source::kFeed
                             ? feeds[value.index]
                             : value.meta.shape;
    if (value.meta.kind == TensorKind::kDense) {
      SY_RETURN_IF_ERROR(CheckedByteSize(value.meta.dtype, shape).status());
    }
    SegmentInput input;
    input.value = static_cast<ValueId>(i);
    input.meta = ContiguousMeta(value, shape);
    inputs.push_back(std::move(input));
  }
  return BlockSpecializer(program, program.body, counts, list)
      .Run(std::move(inputs), program.fetches.size());
}

bool Respecialize(const ProgramPlan& program, absl::Span<const Shape> feeds,
                  Resizer* resizer) {
  std::vector<SegmentInput> inputs;
  for (size_t i = 0; i < feeds.size(); ++i) {
    const ProgramPlan::Port& feed = program.feeds[i];
    if (feed.meta.shape.known()) continue;
    SegmentInput& input = inputs.emplace_back();
    input.value = feed.value;
    input.meta = ContiguousMeta(program.body.values[feed.value], feeds[i]);
  }
  return resizer->Resize(inputs);
}

}  // namespace switchyard::static_graph
