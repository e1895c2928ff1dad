// SPDX-License-Identifier: Apache-2.0
// The part of BlockSpecializer that finds the steps which a run need not
// repeat: what follows from states that the program does not update and from
// constants, as weights in the layouts of kernels do, or filters that a batch
// norm was multiplied into. Weights are states that few programs write.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "static_graph/executor/specialize_block.h"

namespace switchyard::static_graph {
namespace {

using Storage = TensorSlot::Storage;

// Whether a call gives the same result for the same operands in every run.
// Attributes that values supply are of a run.
bool IsRepeatable(const Instruction& call) {
  return !call.op->has(phi::Trait::kRandom) &&
         !call.op->has(phi::Trait::kInplaceOnly) && call.supplied().empty();
}

// Returns a step that does what `step`, which is a launch, does.
Step CopyOf(const Step& step) {
  Step copy;
  copy.kernel = step.kernel;
  copy.instruction = step.instruction;
  copy.call = step.call;
  copy.role = step.role;
  copy.slot = step.slot;
  copy.fallback = step.fallback;
  copy.place = step.place;
  copy.attrs = step.attrs;
  copy.input_segments = step.input_segments;
  copy.output_segments = step.output_segments;
  copy.inputs = step.inputs;
  copy.outputs = step.outputs;
  return copy;
}

}  // namespace

bool BlockSpecializer::IsFixed(TensorId tensor) const {
  const TensorSlot& slot = made_->tensors[tensor];
  if (slot.root != tensor || slot.meta.kind != TensorKind::kDense) return false;
  // Blocks of control flow see what they capture as arguments.
  if (slot.storage == Storage::kConstant) return &plan_ == &program_.body;
  return slot.storage == Storage::kBound &&
         slot.source == PlanValue::Source::kState &&
         std::none_of(program_.updates.begin(), program_.updates.end(),
                      [&slot](const ProgramPlan::Update& update) {
                        return update.state == slot.index;
                      });
}

// Whether a step computes from what is fixed, or computed so, alone. `shared`
// has the roots that other steps write.
bool BlockSpecializer::IsComputable(const Step& step,
                                    const std::vector<bool>& computed,
                                    const std::vector<bool>& shared) const {
  if (step.kernel == nullptr || step.place != Place::Cpu() ||
      (step.instruction != nullptr && !IsRepeatable(*step.instruction))) {
    return false;
  }
  bool any = false;
  for (TensorId input : step.inputs) {
    if (input == kNoTensor) continue;
    any = true;
    if (!computed[input] && !IsFixed(input)) return false;
  }
  for (TensorId output : step.outputs) {
    if (output == kNoTensor) continue;
    const TensorSlot& slot = made_->tensors[output];
    const bool planned = slot.storage == Storage::kPlanned &&
                         made_->tensors[slot.root].storage == Storage::kPlanned;
    if (slot.meta.kind != TensorKind::kDense || shared[slot.root] ||
        (!planned && slot.storage != Storage::kView)) {
      return false;
    }
  }
  return any;
}

// Indexed by step: whether it need not be repeated. What is written over in a
// run is computed in it.
std::vector<bool> BlockSpecializer::FindComputable() const {
  std::vector<bool> shared(made_->tensors.size(), false);
  std::vector<bool> computable(made_->steps.size(), false);
  for (bool settled = false; !settled;) {
    settled = true;
    std::vector<bool> computed(made_->tensors.size(), false);
    for (size_t i = 0; i < made_->steps.size(); ++i) {
      const Step& step = made_->steps[i];
      computable[i] = IsComputable(step, computed, shared);
      for (TensorId output : step.outputs) {
        if (output == kNoTensor) continue;
        computed[output] = computable[i];
        const TensorSlot& slot = made_->tensors[output];
        const bool writes =
            slot.root != output && slot.storage != Storage::kView;
        if (computable[i] || !writes || shared[slot.root]) continue;
        shared[slot.root] = true;
        settled = false;
      }
      // A block of control flow may write what it captures.
      for (const std::vector<TensorId>& captures : step.captures) {
        for (TensorId capture : captures) {
          const TensorId root = made_->tensors[capture].root;
          if (shared[root]) continue;
          shared[root] = true;
          settled = false;
        }
      }
    }
  }
  return computable;
}

// A text that is equal for what is computed equally, in all specializations.
// `producers` has, for each tensor, the prepared step that makes it.
std::string BlockSpecializer::KeyOf(TensorId tensor,
                                    const std::vector<int>& producers) const {
  std::string key;
  // Transforms of one another, then what the first was made from.
  for (;;) {
    const TensorSlot& slot = made_->tensors[tensor];
    if (IsFixed(tensor)) {
      return absl::StrCat(
          slot.storage == Storage::kConstant ? "constant " : "state ",
          slot.index, key);
    }
    const Step& step = made_->prepared[producers[tensor]];
    key = absl::StrCat(" ", slot.meta.layout.number(), key);
    if (step.instruction == nullptr) {
      tensor = step.inputs[0];
      continue;
    }
    const auto slot_number =
        std::find(step.outputs.begin(), step.outputs.end(), tensor) -
        step.outputs.begin();
    return absl::StrCat(step.instruction - plan_.instructions.data(), ".",
                        slot_number, key);
  }
}

// Adds the packing that gives `tensor`, which a prepared step makes.
void BlockSpecializer::AddPacking(TensorId tensor,
                                  const std::vector<int>& producers) {
  Packing packing;
  packing.packed = tensor;
  packing.key = KeyOf(tensor, producers);
  std::vector<TensorId> open = {tensor};
  while (!open.empty()) {
    const TensorId next = open.back();
    open.pop_back();
    if (IsFixed(next)) {
      packing.sources.push_back(next);
      continue;
    }
    const int step = producers[next];
    if (std::find(packing.steps.begin(), packing.steps.end(), step) !=
        packing.steps.end()) {
      continue;
    }
    packing.steps.push_back(step);
    for (TensorId input : made_->prepared[step].inputs) {
      if (input != kNoTensor) open.push_back(input);
    }
  }
  std::sort(packing.steps.begin(), packing.steps.end());
  std::sort(packing.sources.begin(), packing.sources.end());
  packing.sources.erase(
      std::unique(packing.sources.begin(), packing.sources.end()),
      packing.sources.end());
  made_->packings.push_back(std::move(packing));
}

// On a device the work of a run is ordered by the run's own stream: what is
// kept for others would have to wait for it. A view costs nothing, and stays
// where something else reads it.
void BlockSpecializer::SetPackingsApart() {
  if (program_.place != Place::Cpu()) return;
  const std::vector<bool> computable = FindComputable();
  if (std::none_of(computable.begin(), computable.end(),
                   [](bool holds) { return holds; })) {
    return;
  }
  std::vector<bool> kept(made_->steps.size(), true);
  std::vector<bool> used(made_->tensors.size(), false);
  for (TensorId result : made_->results) used[result] = true;
  for (size_t i = made_->steps.size(); i-- > 0;) {
    const Step& step = made_->steps[i];
    kept[i] = !computable[i];
    for (TensorId output : step.outputs) {
      if (output == kNoTensor || !used[output]) continue;
      kept[i] = kept[i] ||
                made_->tensors[output].storage == TensorSlot::Storage::kView;
    }
    if (!kept[i]) continue;
    for (TensorId input : step.inputs) {
      if (input != kNoTensor) used[input] = true;
    }
    for (const std::vector<TensorId>& captures : step.captures) {
      for (TensorId capture : captures) used[capture] = true;
    }
  }
  std::vector<Step> steps;
  std::vector<TensorId> packed;
  for (size_t i = 0; i < made_->steps.size(); ++i) {
    Step& step = made_->steps[i];
    if (computable[i]) made_->prepared.push_back(CopyOf(step));
    if (kept[i]) {
      steps.push_back(std::move(step));
      continue;
    }
    for (TensorId output : step.outputs) {
      if (output == kNoTensor) continue;
      TensorSlot& slot = made_->tensors[output];
      if (slot.storage == Storage::kView) continue;
      // It has memory of its own, whatever the program would write over.
      slot.storage = Storage::kPacked;
      slot.root = output;
      if (used[output]) packed.push_back(output);
    }
  }
  made_->steps = std::move(steps);
  std::vector<int> producers(made_->tensors.size(), -1);
  for (size_t i = 0; i < made_->prepared.size(); ++i) {
    for (TensorId output : made_->prepared[i].outputs) {
      if (output != kNoTensor) producers[output] = static_cast<int>(i);
    }
  }
  for (TensorId tensor : packed) AddPacking(tensor, producers);
}

}  // namespace switchyard::static_graph
