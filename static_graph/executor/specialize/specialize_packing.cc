// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/specialize/specialize_packing.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

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

// Facts of the tensors of a specialization, indexed by tensor.
struct Tensors {
  std::vector<bool> fixed;     // States that no run changes, and constants.
  std::vector<int> producers;  // The prepared step that makes it, or -1.
};

// Indexed by tensor of the program's body: whether it is a constant, or a state
// that no run changes. Programs may have and update very many states.
std::vector<bool> FindFixed(const ProgramPlan& program,
                            const ShapeSpecialization& made) {
  std::vector<bool> updated(program.states.size(), false);
  for (const ProgramPlan::Update& update : program.updates) {
    updated[update.state] = true;
  }
  std::vector<bool> fixed(made.tensors.size(), false);
  for (size_t i = 0; i < fixed.size(); ++i) {
    const TensorSlot& slot = made.tensors[i];
    if (slot.root != static_cast<TensorId>(i) ||
        slot.meta.kind != TensorKind::kDense) {
      continue;
    }
    fixed[i] =
        slot.storage == Storage::kConstant ||
        (slot.storage == Storage::kBound &&
         slot.source == PlanValue::Source::kState && !updated[slot.index]);
  }
  return fixed;
}

// Whether a step reads fixed values alone, or others that were computed from
// such. `shared` has the roots that other steps write.
bool IsComputable(const ShapeSpecialization& made,
                  const std::vector<bool>& fixed, const Step& step,
                  const std::vector<bool>& computed,
                  const std::vector<bool>& shared) {
  if (step.kernel == nullptr || step.place != Place::Cpu() ||
      (step.instruction != nullptr && !IsRepeatable(*step.instruction))) {
    return false;
  }
  bool any = false;
  for (TensorId input : step.inputs) {
    if (input == kNoTensor) continue;
    any = true;
    if (!computed[input] && !fixed[input]) return false;
  }
  for (TensorId output : step.outputs) {
    if (output == kNoTensor) continue;
    const TensorSlot& slot = made.tensors[output];
    const bool planned = slot.storage == Storage::kPlanned &&
                         made.tensors[slot.root].storage == Storage::kPlanned;
    if (slot.meta.kind != TensorKind::kDense || shared[slot.root] ||
        (!planned && slot.storage != Storage::kView)) {
      return false;
    }
  }
  return any;
}

// Indexed by step: whether it need not be repeated. A value that a run writes
// over is computed in it.
std::vector<bool> FindComputable(const ShapeSpecialization& made,
                                 const std::vector<bool>& fixed) {
  std::vector<bool> shared(made.tensors.size(), false);
  std::vector<bool> computable(made.steps.size(), false);
  for (bool settled = false; !settled;) {
    settled = true;
    std::vector<bool> computed(made.tensors.size(), false);
    for (size_t i = 0; i < made.steps.size(); ++i) {
      const Step& step = made.steps[i];
      computable[i] = IsComputable(made, fixed, step, computed, shared);
      for (TensorId output : step.outputs) {
        if (output == kNoTensor) continue;
        computed[output] = computable[i];
        const TensorSlot& slot = made.tensors[output];
        const bool writes =
            slot.root != output && slot.storage != Storage::kView;
        if (computable[i] || !writes || shared[slot.root]) continue;
        shared[slot.root] = true;
        settled = false;
      }
      // A block of control flow may write what it captures.
      for (const std::vector<TensorId>& captures : step.captures) {
        for (TensorId capture : captures) {
          const TensorId root = made.tensors[capture].root;
          if (shared[root]) continue;
          shared[root] = true;
          settled = false;
        }
      }
    }
  }
  return computable;
}

// A text that is equal for equal computations, in all specializations.
std::string KeyOf(const ShapeSpecialization& made, const Plan& plan,
                  const Tensors& tensors, TensorId tensor) {
  std::string key;
  // Transforms of one another, then the value that the first one read.
  for (;;) {
    const TensorSlot& slot = made.tensors[tensor];
    if (tensors.fixed[tensor]) {
      return absl::StrCat(
          slot.storage == Storage::kConstant ? "constant " : "state ",
          slot.index, key);
    }
    const Step& step = made.prepared[tensors.producers[tensor]];
    key = absl::StrCat(" ", slot.meta.layout.number(), key);
    if (step.instruction == nullptr) {
      tensor = step.inputs[0];
      continue;
    }
    const auto slot_number =
        std::find(step.outputs.begin(), step.outputs.end(), tensor) -
        step.outputs.begin();
    return absl::StrCat(step.instruction - plan.instructions.data(), ".",
                        slot_number, key);
  }
}

// Adds the packing that gives `tensor`, which a prepared step makes.
void AddPacking(const Plan& plan, const Tensors& tensors, TensorId tensor,
                ShapeSpecialization* made) {
  Packing packing;
  packing.packed = tensor;
  packing.key = KeyOf(*made, plan, tensors, tensor);
  std::vector<TensorId> open = {tensor};
  while (!open.empty()) {
    const TensorId next = open.back();
    open.pop_back();
    if (tensors.fixed[next]) {
      packing.sources.push_back(next);
      continue;
    }
    const int step = tensors.producers[next];
    if (std::find(packing.steps.begin(), packing.steps.end(), step) !=
        packing.steps.end()) {
      continue;
    }
    packing.steps.push_back(step);
    for (TensorId input : made->prepared[step].inputs) {
      if (input != kNoTensor) open.push_back(input);
    }
  }
  std::sort(packing.steps.begin(), packing.steps.end());
  std::sort(packing.sources.begin(), packing.sources.end());
  packing.sources.erase(
      std::unique(packing.sources.begin(), packing.sources.end()),
      packing.sources.end());
  made->packings.push_back(std::move(packing));
}

}  // namespace

// On a device the work of a run is ordered by the run's own stream: others
// would have to wait for a value that it keeps. Blocks of control flow see what
// they capture as arguments: nothing in them is fixed. A view costs nothing,
// and stays where something else reads it.
void SetPackingsApart(const ProgramPlan& program, const Plan& plan,
                      ShapeSpecialization* made) {
  if (program.place != Place::Cpu() || &plan != &program.body) return;
  Tensors tensors;
  tensors.fixed = FindFixed(program, *made);
  const std::vector<bool> computable = FindComputable(*made, tensors.fixed);
  if (std::none_of(computable.begin(), computable.end(),
                   [](bool holds) { return holds; })) {
    return;
  }
  std::vector<bool> kept(made->steps.size(), true);
  std::vector<bool> used(made->tensors.size(), false);
  for (TensorId result : made->results) used[result] = true;
  for (size_t i = made->steps.size(); i-- > 0;) {
    const Step& step = made->steps[i];
    kept[i] = !computable[i];
    for (TensorId output : step.outputs) {
      if (output == kNoTensor || !used[output]) continue;
      kept[i] = kept[i] ||
                made->tensors[output].storage == TensorSlot::Storage::kView;
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
  for (size_t i = 0; i < made->steps.size(); ++i) {
    Step& step = made->steps[i];
    if (computable[i]) made->prepared.push_back(CopyOf(step));
    if (kept[i]) {
      steps.push_back(std::move(step));
      continue;
    }
    for (TensorId output : step.outputs) {
      if (output == kNoTensor) continue;
      TensorSlot& slot = made->tensors[output];
      if (slot.storage == Storage::kView) continue;
      // It has memory of its own, whatever the program would write over.
      slot.storage = Storage::kPacked;
      slot.root = output;
      if (used[output]) packed.push_back(output);
    }
  }
  made->steps = std::move(steps);
  tensors.producers.assign(made->tensors.size(), -1);
  for (size_t i = 0; i < made->prepared.size(); ++i) {
    for (TensorId output : made->prepared[i].outputs) {
      if (output != kNoTensor) tensors.producers[output] = static_cast<int>(i);
    }
  }
  for (TensorId tensor : packed) AddPacking(plan, tensors, tensor, made);
}

}  // namespace switchyard::static_graph
