// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/specialize/specialize_list.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "framework/base/hash_map.h"

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

ListedTransform ListedOf(const BlockDraft& draft, const Step& step) {
  const TensorMeta& from = draft.GetMeta(step.inputs[0]);
  const TensorMeta& to = draft.GetMeta(step.outputs[0]);
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
  listed.bytes = BytesOf(*draft.made, step);
  return listed;
}

void MarkUnsettled(BlockDraft* draft) {
  for (size_t value = 0; value < draft->yielded.size(); ++value) {
    const TensorId tensor = draft->yielded[value];
    if (tensor == kNoTensor || draft->tensor_of[value] != tensor) continue;
    for (ListedCall& call : draft->list->calls) {
      if (call.instruction != draft->as_strided[tensor]->call) continue;
      call.open = {"who reads its result"};
    }
  }
}

}  // namespace

void NoteLaunch(const DraftLaunch& launch, BlockDraft* draft) {
  ListedCall& call = draft->list->calls.emplace_back();
  call.instruction = launch.instruction;
  for (TensorId input : launch.inputs) {
    std::optional<TensorMeta>& meta = call.inputs.emplace_back();
    if (input == kNoTensor) continue;
    while (draft->origins[input] != kNoTensor) input = draft->origins[input];
    meta = *draft->GetMetas({input})[0];
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

void NoteControl(const Instruction& control, std::vector<StepList> lists,
                 BlockDraft* draft) {
  ListedCall& call = draft->list->calls.emplace_back();
  call.instruction = &control;
  call.blocks = std::move(lists);
}

void FinishList(bool runs, BlockDraft* draft) {
  HashMap<const Instruction*, ListedCall*> calls;
  for (ListedCall& call : draft->list->calls) {
    calls[call.instruction] = &call;
    if (runs) call.kept = false;
  }
  const auto add = [&](const Step& step, bool kept) {
    const auto call = calls.find(step.call);
    if (step.role == StepRole::kCall) {
      if (kept) call->second->kept = true;
      return;
    }
    ListedTransform listed = ListedOf(*draft, step);
    if (runs) listed.kept = kept;
    if (call == calls.end()) {
      draft->list->elsewhere.push_back({step.call, std::move(listed)});
    } else {
      call->second->transforms.push_back(std::move(listed));
    }
  };
  std::vector<bool> repeated(draft->made->tensors.size(), false);
  for (const Step& step : draft->made->steps) {
    for (TensorId output : step.outputs) {
      if (output != kNoTensor) repeated[output] = true;
    }
  }
  for (const Step& step : draft->made->prepared) {
    const bool again = std::any_of(
        step.outputs.begin(), step.outputs.end(), [&](TensorId output) {
          return output != kNoTensor && repeated[output];
        });
    if (!again) add(step, /*kept=*/true);
  }
  for (const Step& step : draft->made->steps) add(step, /*kept=*/false);
  for (const Step& step : draft->idle) {
    const auto call = calls.find(step.call);
    if (call == calls.end()) continue;  // Of another segment.
    if (step.role == StepRole::kCall) {
      call->second->launched = false;
    } else {
      call->second->transforms.push_back(ListedOf(*draft, step));
      call->second->transforms.back().launched = false;
    }
  }
  for (ListedCall& call : draft->list->calls) SetTransforms(&call);
  if (!runs) MarkUnsettled(draft);
}

}  // namespace switchyard::static_graph
