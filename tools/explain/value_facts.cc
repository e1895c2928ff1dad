// SPDX-License-Identifier: Apache-2.0
#include "tools/explain/value_facts.h"

#include <algorithm>
#include <deque>

#include "framework/device/transfer.h"
#include "phi/core/infer_meta_context.h"
#include "phi/core/view_meta.h"

namespace switchyard::phi::selection {

namespace ir = static_graph::ir;
using static_graph::OpCall;

TensorMeta ContiguousMeta(const TensorSpec& meta, Place place) {
  TensorMeta contiguous;
  static_cast<TensorSpec&>(contiguous) = meta;
  contiguous.place = place;
  if (meta.shape.known()) contiguous.strides = ContiguousStrides(meta.shape);
  return contiguous;
}

absl::Status ValueFactsMap::NoteResults(const OpCall& call,
                                        const Explanation& explanation) {
  const Place place =
      PlaceAttribute(explanation.query.attrs).value_or(explanation.query.place);
  for (size_t slot = 0; slot < call.outputs.size(); ++slot) {
    if (!call.outputs[slot]) continue;
    const int output =
        call.outputs.segments().argument_of(static_cast<int>(slot));
    ValueFacts& facts = facts_[call.outputs[slot]];
    facts.meta = ContiguousMeta(call.outputs[slot].tensor_type().spec(), place);
    // A fallback copies its results back, so none is a view.
    if (call.op->info->outputs[output].view_of < 0 ||
        (explanation.answer.ok() && explanation.answer->fallback)) {
      continue;
    }
    SY_RETURN_IF_ERROR(NoteView(call, explanation, slot, &facts));
  }
  return absl::OkStatus();
}

absl::Status ValueFactsMap::NoteView(const OpCall& call,
                                     const Explanation& explanation,
                                     size_t slot, ValueFacts* facts) {
  const bool known =
      std::all_of(call.inputs.begin(), call.inputs.end(), [&](ir::Value input) {
        return !input || facts_[input].meta.shape.known();
      });
  // Few elements lie in a row whatever the strides, many reach past all bounds
  // that attributes may have.
  constexpr int64_t kExtents[] = {1, 2, 3, int64_t{1} << 20};
  int contiguous = 0, tried = 0;
  for (const int64_t extent : kExtents) {
    SY_ASSIGN_OR_RETURN(const std::vector<TensorMeta> views,
                        GetViews(call, explanation, extent));
    facts->strides_known = !views.empty();
    if (views.empty()) break;
    ++tried;
    contiguous += views[slot].contiguous ? 1 : 0;
    if (known) {
      facts->meta = views[slot];
      return absl::OkStatus();
    }
  }
  facts->strides_known = facts->strides_known && contiguous == tried;
  facts->meta.contiguous = facts->strides_known;
  facts->maybe_contiguous =
      !facts->strides_known && (tried == 0 || contiguous > 0);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<TensorMeta>> ValueFactsMap::GetViews(
    const OpCall& call, const Explanation& explanation, int64_t extent) {
  const std::vector<TensorMeta> nothing;
  // The kernel's device need not be there.
  if (!explanation.answer.ok() || explanation.answer->kernel == nullptr ||
      !CheckPlace(explanation.query.place).ok()) {
    return nothing;
  }
  std::deque<TensorMeta> inputs;
  std::vector<const TensorMeta*> pointers;
  std::vector<const TensorSpec*> specs;
  for (ir::Value input : call.inputs) {
    pointers.push_back(nullptr);
    specs.push_back(nullptr);
    if (!input) continue;
    const ValueFacts& facts = facts_[input];
    if (!facts.strides_known) return nothing;
    inputs.push_back(facts.meta);
    TensorMeta& meta = inputs.back();
    if (!meta.shape.known()) {
      for (int axis = 0; axis < meta.shape.rank(); ++axis) {
        if (!meta.shape[axis].known()) meta.shape[axis] = extent;
      }
      meta.strides = ContiguousStrides(meta.shape);
    }
    pointers.back() = &meta;
    specs.back() = &meta;
  }
  // Each transform leaves its tensor contiguous.
  for (const Transform& transform : explanation.answer->transforms) {
    const TensorMeta& meta = *pointers[transform.slot];
    inputs.push_back(ContiguousMeta(meta, meta.place));
    pointers[transform.slot] = &inputs.back();
  }
  for (const AttrRef& attr : call.attrs) {
    if (attr.supplied()) return nothing;
  }
  std::vector<TensorSpec> outputs(call.outputs.size());
  std::vector<TensorSpec*> inferred;
  std::vector<const TensorSpec*> wanted;
  for (size_t slot = 0; slot < outputs.size(); ++slot) {
    inferred.push_back(call.outputs[slot] ? &outputs[slot] : nullptr);
    wanted.push_back(inferred.back());
  }
  const ArgSegments segments = call.outputs.segments();
  const absl::Status status = call.op->info->InferMeta(
      {{specs, call.inputs.segments()}, call.attrs, {inferred, segments}});
  if (!status.ok()) return nothing;  // It is not called with such extents.
  for (const TensorSpec* output : wanted) {
    if (output != nullptr && !output->shape.known()) return nothing;
  }
  ViewCall view_call;
  view_call.kernel = explanation.answer->kernel;
  view_call.place = explanation.query.place;
  view_call.inputs = {pointers, call.inputs.segments()};
  view_call.attrs = call.attrs;
  view_call.outputs = {wanted, segments};
  return ViewMetas(view_call);
}

}  // namespace switchyard::phi::selection
