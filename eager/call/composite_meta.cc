// SPDX-License-Identifier: Apache-2.0
#include "eager/call/composite_meta.h"

#include <string>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "eager/call/unset_array.h"
#include "framework/types/spec_text.h"
#include "phi/core/infer_meta_context.h"
#include "phi/dispatch/environment.h"

namespace switchyard::eager {
namespace {

constexpr size_t kInlineInputs = 8;

}  // namespace

absl::Status CompositeMeta::CheckAbsent(int argument) const {
  const phi::InputInfo& input = info_.inputs[argument];
  if (input.optional) return absl::OkStatus();
  return ArgumentError(input.name, "given", "none");
}

absl::Status CompositeMeta::Infer(const InputTensors& inputs,
                                  absl::Span<const AttrRef> attrs) {
  UnsetArray<const TensorSpec*, kInlineInputs> metas(inputs.size());
  for (size_t slot = 0; slot < inputs.size(); ++slot) {
    const Tensor* const input = inputs[slot];
    const bool absent = input == nullptr || !input->defined();
    if (ABSL_PREDICT_FALSE(absent)) {
      const int argument =
          inputs.segments().argument_of(static_cast<int>(slot));
      SY_RETURN_IF_ERROR(CheckAbsent(argument));
    }
    metas[slot] = absent ? nullptr : &input->base().meta();
  }
  if (!info_.has_infer_meta()) return absl::OkStatus();
  outputs_ = few_;
  if (ABSL_PREDICT_FALSE(results_.size() > kFewOutputs)) {
    many_.resize(results_.size());
    outputs_ = many_.data();
  }
  UnsetArray<TensorSpec*, kFewOutputs> outputs(results_.size());
  for (size_t slot = 0; slot < results_.size(); ++slot) {
    outputs[slot] = results_[slot] == nullptr ? nullptr : &outputs_[slot];
  }
  return info_.InferMeta(
      {{{metas.data(), metas.size()}, inputs.segments()},
       attrs,
       {{outputs.data(), outputs.size()}, results_.segments()}});
}

absl::Status CompositeMeta::Check() const {
  if (outputs_ == nullptr) return absl::OkStatus();
  for (size_t slot = 0; slot < results_.size(); ++slot) {
    if (results_[slot] == nullptr) continue;
    const Tensor& result = *results_[slot];
    const TensorSpec& meta = outputs_[slot];
    const bool same = result.defined() && result.dtype() == meta.dtype &&
                      result.base().shape() == meta.shape;
    if (ABSL_PREDICT_FALSE(!same)) SY_RETURN_IF_ERROR(Mismatch(slot, result));
  }
  return absl::OkStatus();
}

absl::Status CompositeMeta::Mismatch(size_t slot, const Tensor& result) const {
  const int argument = results_.segments().argument_of(static_cast<int>(slot));
  const phi::OutputInfo& output = info_.outputs[argument];
  if (!result.defined() && output.optional) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("its composite: ", output.name, " must be ",
                   SpecText(outputs_[slot]), " as InferMeta says, got ",
                   result.defined() ? SpecText(result.base().meta()) : "none"));
}

Place ComposedPlace(const phi::OpInfo& info, const InputTensors& inputs) {
  Place place = phi::dispatch::Environment::Current().default_place;
  const bool random = info.has(phi::Trait::kRandom);
  const absl::Span<const Tensor* const> tensors = inputs.elements();
  for (size_t slot = 0; slot < tensors.size(); ++slot) {
    const Tensor* const input = tensors[slot];
    if (input == nullptr || !input->defined()) continue;
    if (random &&
        info.inputs[inputs.segments().argument_of(static_cast<int>(slot))]
            .skip_transform) {
      continue;
    }
    place = input->place();
    if (place != Place::Cpu()) break;
  }
  return place;
}

}  // namespace switchyard::eager
