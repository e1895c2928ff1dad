// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/grad_op_maker.h"

#include <algorithm>
#include <utility>

namespace switchyard::phi {
namespace {

// "X" of "X@GRAD"; "" for a slot of another kind.
std::string_view ForwardSlot(std::string_view slot) {
  if (slot.size() <= kGradSuffix.size()) return {};
  const size_t size = slot.size() - kGradSuffix.size();
  return slot.substr(size) == kGradSuffix ? slot.substr(0, size)
                                          : std::string_view();
}

const std::vector<std::string>* Find(absl::Span<const SlotVariables> slots,
                                     std::string_view name) {
  for (const SlotVariables& slot : slots) {
    if (slot.slot == name) return &slot.names;
  }
  return nullptr;
}

std::vector<std::string> GradNames(const std::vector<std::string>& names,
                                   absl::Span<const std::string> no_grad) {
  std::vector<std::string> grads;
  for (const std::string& name : names) {
    const bool none = name.empty() || std::find(no_grad.begin(), no_grad.end(),
                                                name) != no_grad.end();
    grads.push_back(none ? std::string() : GradName(name));
  }
  return grads;
}

void AddInput(const LegacySlot& slot, const LegacyOpVariables& op,
              LegacyOpVariables* made) {
  const std::string_view output = ForwardSlot(slot.name);
  if (!output.empty()) {
    if (const auto* names = Find(op.outputs, output)) {
      made->inputs.push_back({slot.name, GradNames(*names, {})});
    }
    return;
  }
  for (const std::vector<SlotVariables>* slots : {&op.inputs, &op.outputs}) {
    if (const auto* names = Find(*slots, slot.name)) {
      made->inputs.push_back({slot.name, *names});
      return;
    }
  }
}

}  // namespace

std::string GradName(std::string_view name) {
  return std::string(name).append(kGradSuffix);
}

LegacyOpVariables MakeGradOp(const LegacyForm& form, const LegacyForm& grad,
                             const LegacyOpVariables& op, GradMaker maker,
                             absl::Span<const std::string> no_grad) {
  LegacyOpVariables made;
  made.type = form.grad_type;
  for (const LegacySlot& slot : grad.inputs) {
    const bool reads =
        slot.argument >= 0 || slot.supplies >= 0 || slot.gives >= 0;
    if (maker == GradMaker::kDefault || reads) AddInput(slot, op, &made);
  }
  for (const LegacySlot& slot : grad.outputs) {
    const auto* names = Find(op.inputs, ForwardSlot(slot.name));
    if (names == nullptr) continue;
    made.outputs.push_back({slot.name, GradNames(*names, no_grad)});
  }
  return made;
}

}  // namespace switchyard::phi
