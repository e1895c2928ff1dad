// SPDX-License-Identifier: Apache-2.0
#include "eager/call/composite_meta.h"

#include <string>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "framework/types/spec_text.h"
#include "phi/core/infer_meta_context.h"
#include "phi/dispatch/environment.h"

namespace switchyard::eager {
namespace {

constexpr int kInlineInputs = 8;
using Metas = absl::InlinedVector<const TensorSpec*, kInlineInputs>;

}  // namespace

absl::Status CompositeMeta::CheckAbsent(int argument) const {
  const phi::InputInfo& input = info_.inputs[argument];
  if (input.optional) return absl::OkStatus();
  return ArgumentError(input.name, "given", "none");
}

absl::Status CompositeMeta::Infer(const InputTensors& inputs,
                                  absl::Span<const AttrRef> attrs) {
  Metas metas;
  for (const auto [argument, slot, input] : inputs) {
    if (ABSL_PREDICT_FALSE(input == nullptr || !input->defined())) {
      SY_RETURN_IF_ERROR(CheckAbsent(argument));
      metas.push_back(nullptr);
      continue;
    }
    metas.push_back(&input->base().meta());
  }
  if (!info_.has_infer_meta()) return absl::OkStatus();
  outputs_ = few_;
  if (ABSL_PREDICT_FALSE(results_.size() > kFewOutputs)) {
    many_.resize(results_.size());
    outputs_ = many_.data();
  }
  absl::InlinedVector<TensorSpec*, kFewOutputs> pointers;
  for (size_t slot = 0; slot < results_.size(); ++slot) {
    pointers.push_back(results_[slot] == nullptr ? nullptr : &outputs_[slot]);
  }
  return info_.InferMeta(
      {{metas, inputs.segments()}, attrs, {pointers, results_.segments()}});
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
  bool first = true;
  for (const auto [argument, slot, input] : inputs) {
    if (input == nullptr || !input->defined()) continue;
    if (info.has(phi::Trait::kRandom) && info.inputs[argument].skip_transform) {
      continue;
    }
    if (first || place == Place::Cpu()) place = input->place();
    first = false;
  }
  return place;
}

}  // namespace switchyard::eager
