// SPDX-License-Identifier: Apache-2.0
#include "eager/legacy/tracer.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "eager/autograd/grad_mode.h"
#include "phi/legacy/every_operator.h"

namespace switchyard::eager {
namespace {

using phi::GradName;
using phi::LegacyForm;
using phi::SlotVariables;

// The number in "7" or "7@GRAD".
int NumberIn(const std::string& name) { return std::atoi(name.c_str()); }

bool IsGradient(const std::string& name) {
  return name.size() > phi::kGradSuffix.size() &&
         name.compare(name.size() - phi::kGradSuffix.size(), std::string::npos,
                      phi::kGradSuffix) == 0;
}

// The only tensor that an operator of one output yields.
absl::StatusOr<Tensor> RunOne(std::string_view type,
                              const std::vector<Tensor>& x,
                              absl::Span<const LegacyAttribute> attrs = {}) {
  SY_ASSIGN_OR_RETURN(const std::vector<SlotTensors> outputs,
                      RunLegacyOp(type, {{"X", x}}, attrs));
  return outputs[0].tensors[0];
}

const SlotTensors* Find(absl::Span<const SlotTensors> slots,
                        std::string_view name) {
  for (const SlotTensors& slot : slots) {
    if (slot.slot == name) return &slot;
  }
  return nullptr;
}

// An error if the call did not yield what is named.
absl::Status CheckOutputs(std::string_view type,
                          absl::Span<const SlotVariables> named,
                          absl::Span<const SlotTensors> yielded) {
  for (const SlotVariables& slot : named) {
    const SlotTensors* const found = Find(yielded, slot.slot);
    const size_t count = found == nullptr ? 0 : found->tensors.size();
    if (count == slot.names.size()) continue;
    return Annotate(
        ArgumentError(slot.slot,
                      absl::StrCat("the names of ", count, " tensors"),
                      absl::StrCat(slot.names.size())),
        type);
  }
  return absl::OkStatus();
}

}  // namespace

int Tracer::NumberOf(const std::string& name, const Tensor& tensor) {
  const auto [found, added] =
      numbers_.emplace(name, static_cast<int>(values_.size()));
  if (added) values_.push_back(tensor);
  return found->second;
}

absl::StatusOr<SlotTensors> Tracer::Read(const SlotVariables& slot,
                                         SlotVariables* numbered) {
  SlotTensors read = {slot.slot, {}};
  numbered->slot = slot.slot;
  for (const std::string& name : slot.names) {
    const Tensor* const variable = scope_.FindVar(name);
    if (variable == nullptr || !variable->defined()) {
      return absl::NotFoundError(absl::StrCat(
          "variable '", name, "' must be written before it is read"));
    }
    read.tensors.push_back(*variable);
    numbered->names.push_back(absl::StrCat(NumberOf(name, *variable)));
  }
  return read;
}

absl::Status Tracer::Trace(std::string_view type,
                           absl::Span<const SlotVariables> inputs,
                           absl::Span<const SlotVariables> outputs,
                           absl::Span<const LegacyAttribute> attrs) {
  const NoGradGuard no_grad;
  Call call;
  call.variables.type = std::string(type);
  std::vector<SlotTensors> read;
  for (const SlotVariables& slot : inputs) {
    auto tensors = Read(slot, &call.variables.inputs.emplace_back());
    if (!tensors.ok()) return Annotate(tensors.status(), type);
    read.push_back(*std::move(tensors));
  }
  SY_ASSIGN_OR_RETURN(const std::vector<SlotTensors> yielded,
                      RunLegacyOp(type, read, attrs));
  SY_RETURN_IF_ERROR(CheckOutputs(type, outputs, yielded));
  for (const SlotVariables& slot : outputs) {
    SlotVariables& numbered = call.variables.outputs.emplace_back();
    numbered.slot = slot.slot;
    const std::vector<Tensor>& tensors = Find(yielded, slot.slot)->tensors;
    for (size_t i = 0; i < tensors.size(); ++i) {
      scope_.Var(slot.names[i]) = tensors[i];
      numbers_[slot.names[i]] = static_cast<int>(values_.size());
      numbered.names.push_back(absl::StrCat(values_.size()));
      values_.push_back(tensors[i]);
    }
  }
  if (IsDifferentiableLegacyType(type)) {
    call.attrs.assign(attrs.begin(), attrs.end());
    calls_.push_back(std::move(call));
  }
  return absl::OkStatus();
}

// The inputs of a gradient operator. A gradient that nothing contributed to is
// absent if it may be, and zeros otherwise.
absl::StatusOr<std::vector<SlotTensors>> Tracer::GradientInputs(
    const phi::LegacyOpVariables& gradient, const LegacyForm& form,
    const Gradients& gradients) const {
  std::vector<SlotTensors> inputs;
  for (const SlotVariables& slot : gradient.inputs) {
    SlotTensors tensors = {slot.slot, {}};
    size_t known = 0;
    for (const std::string& name : slot.names) {
      const int number = NumberIn(name);
      const auto found = gradients.find(number);
      if (!IsGradient(name)) {
        ++known;
        tensors.tensors.push_back(values_[number]);
      } else if (found != gradients.end()) {
        ++known;
        tensors.tensors.push_back(found->second);
      } else {
        SY_ASSIGN_OR_RETURN(tensors.tensors.emplace_back(),
                            RunOne("fill_zeros_like", {values_[number]}));
      }
    }
    const phi::LegacySlot* const described = form.input(slot.slot);
    if (known == 0 && described != nullptr && described->dispensable) continue;
    inputs.push_back(std::move(tensors));
  }
  return inputs;
}

absl::Status Tracer::Differentiate(const Call& call,
                                   absl::Span<const std::string> no_grad,
                                   Gradients* gradients) const {
  bool reached = false;
  for (const SlotVariables& slot : call.variables.outputs) {
    for (const std::string& name : slot.names) {
      reached |= gradients->count(NumberIn(name)) > 0;
    }
  }
  if (!reached) return absl::OkStatus();
  const LegacyForm& form = *phi::FindLegacyForm(call.variables.type);
  const LegacyForm* const grad = phi::FindLegacyForm(form.grad_type);
  if (grad == nullptr && *form.grad_type == '\0') {
    return absl::UnimplementedError(
        absl::StrCat(form.type,
                     ": its gradient has no legacy type, so nothing "
                     "that it computes can be traced back"));
  }
  if (grad == nullptr) {
    return absl::NotFoundError(
        absl::StrCat(form.grad_type,
                     ": no operator has a legacy form of this "
                     "type"));
  }
  const phi::LegacyOpVariables gradient =
      phi::MakeGradOp(form, *grad, call.variables, maker_, no_grad);
  SY_ASSIGN_OR_RETURN(const std::vector<SlotTensors> inputs,
                      GradientInputs(gradient, *grad, *gradients));
  SY_ASSIGN_OR_RETURN(const std::vector<SlotTensors> yielded,
                      RunLegacyOp(gradient.type, inputs, call.attrs));
  for (const SlotVariables& slot : gradient.outputs) {
    const SlotTensors* const found = Find(yielded, slot.slot);
    if (found == nullptr) continue;  // Its input has no gradient.
    SY_RETURN_IF_ERROR(CheckOutputs(gradient.type, {slot}, yielded));
    for (size_t i = 0; i < slot.names.size(); ++i) {
      if (slot.names[i].empty()) continue;
      Tensor& sum = (*gradients)[NumberIn(slot.names[i])];
      if (sum.defined()) {
        SY_ASSIGN_OR_RETURN(sum, RunOne("sum", {sum, found->tensors[i]}));
      } else {
        sum = found->tensors[i];
      }
    }
  }
  return absl::OkStatus();
}

absl::Status Tracer::Backward(std::string_view loss,
                              absl::Span<const std::string> no_grad) {
  const auto number = numbers_.find(loss);
  if (number == numbers_.end()) {
    return absl::NotFoundError(absl::StrCat("variable '", std::string(loss),
                                            "' must be one that was traced"));
  }
  const NoGradGuard guard;
  std::vector<std::string> ignored;
  for (const std::string& name : no_grad) {
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) ignored.push_back(absl::StrCat(found->second));
  }
  Gradients gradients;
  const LegacyAttribute ones[] = {{"value", Attribute(AttrRef(1.0f))}};
  SY_ASSIGN_OR_RETURN(gradients[number->second],
                      RunOne("fill_any_like", {values_[number->second]}, ones));
  for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
    SY_RETURN_IF_ERROR(Differentiate(*call, ignored, &gradients));
  }
  for (const auto& [name, last] : numbers_) {
    const auto found = gradients.find(last);
    if (found != gradients.end()) scope_.Var(GradName(name)) = found->second;
  }
  calls_.clear();
  values_.clear();
  numbers_.clear();
  return absl::OkStatus();
}

}  // namespace switchyard::eager
