// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/specializer.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "static_graph/executor/block_specializer.h"

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

absl::StatusOr<std::unique_ptr<const Specialization>> Specialize(
    const ProgramPlan& program, absl::Span<const Shape> feeds,
    SpecializationCounts* counts, std::vector<std::string>* transcript) {
  std::vector<TensorMeta> inputs;
  for (const PlanValue& value : program.body.values) {
    if (value.source == PlanValue::Source::kComputed) continue;
    const Shape& shape = value.source == PlanValue::Source::kFeed
                             ? feeds[value.index]
                             : value.meta.shape;
    SY_RETURN_IF_ERROR(CheckedByteSize(value.meta.dtype, shape).status());
    inputs.push_back(ContiguousMeta(value.meta.dtype, shape, value.place));
  }
  return BlockSpecializer(program, program.body, counts, transcript)
      .Run(inputs, program.fetches.size());
}

}  // namespace switchyard::static_graph
