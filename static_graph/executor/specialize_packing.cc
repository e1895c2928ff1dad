// SPDX-License-Identifier: Apache-2.0
// The part of BlockSpecializer that finds the reorders which a run need not
// repeat: kernels want weights in layouts of their own, and weights are states
// that few programs write.
#include <algorithm>
#include <string_view>
#include <utility>

#include "static_graph/executor/specialize_block.h"

namespace switchyard::static_graph {
namespace {

using Storage = TensorSlot::Storage;

// Indexed by root: whether something writes over the tensor after the step that
// makes it. A block of control flow may write what it captures.
std::vector<bool> FindWritten(const ShapeSpecialization& made) {
  std::vector<bool> written(made.tensors.size(), false);
  for (const Step& step : made.steps) {
    for (TensorId output : step.outputs) {
      if (output == kNoTensor) continue;
      const TensorSlot& slot = made.tensors[output];
      if (slot.root != output && slot.storage != Storage::kView) {
        written[slot.root] = true;
      }
    }
    for (const std::vector<TensorId>& captures : step.captures) {
      for (TensorId capture : captures) {
        written[made.tensors[capture].root] = true;
      }
    }
  }
  return written;
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

// On a device the work of a run is ordered by the run's own stream: what is
// kept for others would have to wait for it.
void BlockSpecializer::SetPackingsApart() {
  const phi::OpInfo* const reorder =
      program_
          .transforms[static_cast<int>(
              phi::selection::Transform::Kind::kReorder)]
          .op;
  if (program_.place != Place::Cpu() || reorder == nullptr) return;
  const std::vector<bool> written = FindWritten(*made_);
  const auto is_packing = [&](const Step& step) {
    if (step.kernel == nullptr || step.place != Place::Cpu() ||
        std::string_view(step.kernel->op) != reorder->name) {
      return false;
    }
    const TensorId packed = step.outputs[0];
    const TensorSlot& slot = made_->tensors[packed];
    return IsFixed(step.inputs[0]) && slot.root == packed &&
           slot.storage == Storage::kPlanned && !written[packed];
  };
  std::vector<Step> steps;
  for (Step& step : made_->steps) {
    if (!is_packing(step)) {
      steps.push_back(std::move(step));
      continue;
    }
    const TensorId source = step.inputs[0];
    const TensorId packed = step.outputs[0];
    made_->tensors[packed].storage = Storage::kPacked;
    made_->packings.push_back({std::move(step), source, packed});
  }
  made_->steps = std::move(steps);
}

}  // namespace switchyard::static_graph
