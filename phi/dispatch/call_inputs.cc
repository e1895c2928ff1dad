// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/call_inputs.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "phi/dispatch/transforms.h"

namespace switchyard::phi::dispatch {
namespace {

bool SameGeometry(const DenseTensor& a, const DenseTensor& b) {
  if (a.offset() != b.offset() || a.shape() != b.shape()) return false;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.extent(i) > 1 && a.strides()[i] != b.strides()[i]) return false;
  }
  return true;
}

// Whether writing `output` (contiguous) may change what is read from `input`
// other than element by element.
bool Overlaps(const DenseTensor& output, const DenseTensor& input) {
  if (output.buffer() != input.buffer() || SameGeometry(output, input)) {
    return false;
  }
  const bool apart = input.contiguous() &&
                     (input.offset() + input.numel() <= output.offset() ||
                      output.offset() + output.numel() <= input.offset());
  return !apart;
}

// Owns `tensor` for the length of the call and puts it into `slot`.
void ReplaceInput(CallState& call, int slot, DenseTensor tensor) {
  tensor.SetLod(Dense(call.inputs[slot]).lod());  // Rows stay rows.
  CallState::Replacements& replacements = MutableReplacements(call);
  replacements.tensors.push_back(std::move(tensor));
  replacements.inputs[slot] = &replacements.tensors.back();
}

absl::Status TransformInput(CallState& call,
                            const selection::Transform& transform) {
  const TensorBase* const tensor = call.inputs[transform.slot];
  if (tensor->kind() == TensorKind::kSelectedRows) {
    SY_ASSIGN_OR_RETURN(DenseTensor values,
                        Transformed(Rows(tensor).values(), transform));
    CallState::Replacements& replacements = MutableReplacements(call);
    replacements.rows.push_back(WithValues(Rows(tensor), std::move(values)));
    replacements.inputs[transform.slot] = &replacements.rows.back();
    return absl::OkStatus();
  }
  if (tensor->kind() != TensorKind::kDense) {
    return absl::UnimplementedError(absl::StrCat(
        call.info.name, ": ",
        selection::SlotName(call.info, call.inputs.segments(), transform.slot),
        " must be dense or SelectedRows for a transform, got ",
        std::string(Name(tensor->kind()))));
  }
  SY_ASSIGN_OR_RETURN(DenseTensor transformed,
                      Transformed(Dense(tensor), transform));
  ReplaceInput(call, transform.slot, std::move(transformed));
  return absl::OkStatus();
}

// An input that shares the buffer of an output, but not its geometry, would
// change while it is read (x += x.T): it is read from a copy instead.
absl::Status SeparateOverlaps(CallState& call) {
  for (const CallState::Output& result : call.results) {
    if (result.own == nullptr || !result.own->allocated()) continue;
    for (size_t slot = 0; slot < call.inputs.size(); ++slot) {
      const TensorBase* input = call.inputs[slot];
      if (input == nullptr || input->kind() != TensorKind::kDense ||
          !Overlaps(*result.own, Dense(input))) {
        continue;
      }
      SY_ASSIGN_OR_RETURN(DenseTensor copy,
                          Copied(Dense(input), Dense(input).place()));
      ReplaceInput(call, slot, std::move(copy));
    }
  }
  return absl::OkStatus();
}

}  // namespace

CallState::Replacements& MutableReplacements(CallState& call) {
  if (call.replacements == nullptr) {
    call.replacements = std::make_unique<CallState::Replacements>();
    const absl::Span<const TensorBase* const> given = call.inputs.elements();
    call.replacements->inputs.assign(given.begin(), given.end());
    call.inputs = {call.replacements->inputs, call.inputs.segments()};
  }
  return *call.replacements;
}

TensorMeta& MutableInputMeta(CallState& call, int slot) {
  std::deque<TensorMeta>& metas = MutableReplacements(call).metas;
  metas.push_back(*call.query_inputs[slot]);
  call.query_inputs[slot] = &metas.back();
  call.input_metas[slot] = &metas.back();
  return metas.back();
}

absl::Status TransformInputs(CallState& call) {
  if (call.promoted != DataType::kUndefined) {
    for (size_t slot = 0; slot < call.inputs.size(); ++slot) {
      if (call.inputs[slot] == nullptr ||
          call.inputs[slot]->kind() != TensorKind::kDense ||
          Dense(call.inputs[slot]).dtype() == call.input_metas[slot]->dtype) {
        continue;
      }
      SY_ASSIGN_OR_RETURN(DenseTensor cast,
                          Promoted(Dense(call.inputs[slot]), call.promoted));
      ReplaceInput(call, slot, std::move(cast));
    }
  }
  for (const selection::Transform& transform : call.selection.transforms) {
    SY_RETURN_IF_ERROR(TransformInput(call, transform));
  }
  return call.in_place ? SeparateOverlaps(call) : absl::OkStatus();
}

}  // namespace switchyard::phi::dispatch
