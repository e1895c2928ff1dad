// SPDX-License-Identifier: Apache-2.0
// The part of BlockSpecializer that writes down what it decides (step_list.h).
// Transforms are taken from the steps that were made: a reorder that nothing
// turned out to need is in neither.
#include <algorithm>
#include <string_view>
#include <utility>

#include "framework/base/hash_map.h"
#include "static_graph/executor/specialize_block.h"

namespace switchyard::static_graph {
namespace {

using TransformKind = phi::selection::Transform::Kind;

TransformKind KindOf(const phi::KernelDef& kernel) {
  for (int kind = 0; kind < phi::selection::kNumTransformKinds; ++kind) {
    if (std::string_view(kernel.op) ==
        phi::selection::kTransformOperators[kind]) {
      return static_cast<TransformKind>(kind);
    }
  }
  return TransformKind::kReorder;
}

}  // namespace

void BlockSpecializer::Record(const Launch& launch) {
  ListedCall& call = list_->calls.emplace_back();
  call.instruction = launch.instruction;
  for (TensorId input : launch.inputs) {
    std::optional<TensorMeta>& meta = call.inputs.emplace_back();
    if (input == kNoTensor) continue;
    while (origins_[input] != kNoTensor) input = origins_[input];
    meta = *GetMetas({input})[0];
    if (meta->layout.strided()) continue;
    // Kernels are chosen as for strided tensors.
    meta->layout = LayoutDescriptor();
    meta->contiguous = true;
  }
  call.outputs = launch.outputs;
  SetAttributes(launch.attrs, &call);
  call.selection.kernel = launch.selection.kernel;
  call.selection.fallback =
      launch.selection.fallback || launch.instruction->fallback;
}

ListedTransform BlockSpecializer::ListedOf(const Step& step) const {
  const TensorMeta& from = GetMeta(step.inputs[0]);
  const TensorMeta& to = GetMeta(step.outputs[0]);
  ListedTransform listed;
  listed.role = step.role;
  listed.transform.kind = KindOf(*step.kernel);
  listed.transform.slot = step.slot;
  listed.transform.dtype = to.dtype;
  listed.transform.place = to.place;
  listed.transform.layout =
      step.role == StepRole::kOutput ? from.layout : to.layout;
  listed.kernel = step.kernel;
  listed.place = step.place;
  listed.bytes = BytesOf(*made_, step);
  return listed;
}

void BlockSpecializer::FinishList(bool runs) {
  HashMap<const Instruction*, ListedCall*> calls;
  for (ListedCall& call : list_->calls) {
    calls[call.instruction] = &call;
    if (runs) call.kept = false;
  }
  const auto add = [&](const Step& step, bool kept) {
    const auto call = calls.find(step.call);
    if (step.role == StepRole::kCall) {
      if (kept) call->second->kept = true;
      return;
    }
    ListedTransform listed = ListedOf(step);
    if (runs) listed.kept = kept;
    if (call == calls.end()) {
      list_->elsewhere.push_back({step.call, std::move(listed)});
    } else {
      call->second->transforms.push_back(std::move(listed));
    }
  };
  std::vector<bool> repeated(made_->tensors.size(), false);
  for (const Step& step : made_->steps) {
    for (TensorId output : step.outputs) {
      if (output != kNoTensor) repeated[output] = true;
    }
  }
  for (const Step& step : made_->prepared) {
    const bool again = std::any_of(
        step.outputs.begin(), step.outputs.end(), [&](TensorId output) {
          return output != kNoTensor && repeated[output];
        });
    if (!again) add(step, /*kept=*/true);
  }
  for (const Step& step : made_->steps) add(step, /*kept=*/false);
  for (const Step& step : idle_) {
    const auto call = calls.find(step.call);
    if (call == calls.end()) continue;  // Of another segment.
    if (step.role == StepRole::kCall) {
      call->second->launched = false;
    } else {
      call->second->transforms.push_back(ListedOf(step));
      call->second->transforms.back().launched = false;
    }
  }
  for (ListedCall& call : list_->calls) SetTransforms(&call);
}

void BlockSpecializer::MarkUnsettled() {
  for (size_t value = 0; value < yielded_.size(); ++value) {
    const TensorId tensor = yielded_[value];
    if (tensor == kNoTensor || tensor_of_[value] != tensor) continue;
    for (ListedCall& call : list_->calls) {
      if (call.instruction != as_strided_[tensor]->call) continue;
      call.open = {"who reads its result"};
    }
  }
}

}  // namespace switchyard::static_graph
