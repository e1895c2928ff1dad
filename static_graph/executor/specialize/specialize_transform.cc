// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/specialize/specialize_transform.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph {

using phi::selection::Query;
using TransformKind = phi::selection::Transform::Kind;

absl::Status AddTransform(const phi::selection::Transform& transform,
                          const Instruction& call, StepRole role,
                          TensorId* tensor, BlockDraft* draft) {
  draft->resizable = false;
  TensorMeta meta = draft->GetMeta(*tensor);
  const bool dense = meta.kind == TensorKind::kDense;
  const bool copied_rows = meta.kind == TensorKind::kSelectedRows &&
                           transform.kind == TransformKind::kCopy;
  if (!dense && !copied_rows) {
    return TypeError(
        absl::StrCat(phi::selection::OperatorName(transform.kind), ": x"),
        "dense", Name(meta.kind));
  }
  const TransformOperator& transformer =
      draft->program.transforms[static_cast<int>(transform.kind)];
  if (transformer.op_kernels == nullptr) {
    return absl::UnimplementedError(
        "the binary has no kernel for a transform of an input");
  }
  Step step;
  if (const auto attribute = TransformAttribute(transform)) {
    draft->made->owned_attrs.push_back(
        std::make_unique<const AttrRef>(*attribute));
    step.attrs = absl::MakeConstSpan(draft->made->owned_attrs.back().get(), 1);
  }
  const TensorMeta* const metas[] = {&meta};
  Query query;
  query.op = transformer.op;
  query.inputs = absl::MakeConstSpan(metas);
  query.attrs = step.attrs;
  query.dtype = meta.dtype;
  SY_ASSIGN_OR_RETURN(query.place,
                      phi::selection::CallPlace(*query.op, query.inputs,
                                                query.attrs, meta.place));
  SY_ASSIGN_OR_RETURN(
      const phi::selection::Selection selection,
      phi::selection::Select(*transformer.op_kernels, query,
                             draft->program.policy.WithoutTransforms()));
  TensorSlot slot;
  slot.meta = meta;
  slot.meta.strides = ContiguousStrides(meta.shape);
  slot.meta.contiguous = true;
  slot.meta.offset = 0;
  slot.meta.place = phi::selection::ResultPlace(query.attrs, query.place);
  slot.meta.layout = transform.kind == TransformKind::kReorder
                         ? transform.layout
                         : LayoutDescriptor();
  if (transform.kind == TransformKind::kCast) slot.meta.dtype = transform.dtype;
  if (dense) {
    SY_ASSIGN_OR_RETURN(
        slot.bytes,
        CheckedByteSize(slot.meta.dtype, slot.meta.shape, slot.meta.layout));
  } else {
    slot.storage = TensorSlot::Storage::kOwn;  // By its kernel.
  }
  const TensorId output = draft->AddTensor(std::move(slot));
  draft->origins[output] = *tensor;
  step.call = &call;
  step.role = role;
  step.slot = transform.slot;
  step.kernel = selection.kernel;
  step.place = query.place;
  step.input_segments = phi::ArgSegments(1);
  step.output_segments = phi::ArgSegments(1);
  step.inputs = {*tensor};
  step.outputs = {output};
  draft->made->steps.push_back(std::move(step));
  *tensor = output;
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
