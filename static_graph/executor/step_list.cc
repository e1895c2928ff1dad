// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/step_list.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "phi/selection/transcript.h"

namespace switchyard::static_graph {
namespace {

std::string LineOf(const ListedCall& call) {
  const ListedQuery query(call);
  if (!call.refusal.ok()) {
    return absl::StrCat(phi::selection::CallText(query.get()),
                        " -> none: ", call.refusal.message());
  }
  if (call.open.empty()) {
    return phi::selection::TranscriptLine(query.get(), call.selection);
  }
  std::vector<std::string> kernels;
  for (const phi::KernelDef* kernel : call.selection.residual) {
    kernels.push_back(phi::selection::KernelText(*kernel));
  }
  if (call.selection.kernel != nullptr) {
    kernels.push_back(phi::selection::KernelText(*call.selection.kernel));
  }
  return absl::StrCat(phi::selection::CallText(query.get()), " -> ",
                      absl::StrJoin(kernels, " or "), " open: depends on ",
                      absl::StrJoin(call.open, ", "));
}

void AddLines(const StepList& list, std::vector<std::string>* lines) {
  for (const ListedCall& call : list.calls) {
    if (call.instruction->kind == Instruction::Kind::kLaunch) {
      lines->push_back(LineOf(call));
    }
    for (const StepList& block : call.blocks) AddLines(block, lines);
  }
}

}  // namespace

void StepList::Append(StepList next) {
  const auto settle = [](std::vector<Elsewhere>* open,
                         std::vector<ListedCall>* calls) {
    std::vector<Elsewhere> left;
    for (Elsewhere& one : *open) {
      const auto call = std::find_if(calls->rbegin(), calls->rend(),
                                     [&one](const ListedCall& call) {
                                       return call.instruction == one.call;
                                     });
      if (call == calls->rend()) {
        left.push_back(std::move(one));
        continue;
      }
      call->transforms.push_back(std::move(one.transform));
      if (call->open.empty()) SetTransforms(&*call);
    }
    *open = std::move(left);
  };
  settle(&elsewhere, &next.calls);
  settle(&next.elsewhere, &calls);
  std::move(next.calls.begin(), next.calls.end(), std::back_inserter(calls));
  std::move(next.elsewhere.begin(), next.elsewhere.end(),
            std::back_inserter(elsewhere));
}

bool StepList::final() const {
  return std::all_of(calls.begin(), calls.end(), [](const ListedCall& call) {
    const bool control = call.instruction->kind != Instruction::Kind::kLaunch;
    return call.open.empty() && (control || call.kept.has_value()) &&
           std::all_of(call.blocks.begin(), call.blocks.end(),
                       [](const StepList& block) { return block.final(); });
  });
}

ListedQuery::ListedQuery(const ListedCall& call) {
  std::vector<const TensorMeta*> inputs;
  for (const std::optional<TensorMeta>& input : call.inputs) {
    inputs.push_back(input.has_value() ? &*input : nullptr);
  }
  query_ = std::make_unique<const InstructionQuery>(
      *call.instruction, call.instruction->home, std::move(inputs), call.attrs,
      call.outputs);
}

void SetAttributes(absl::Span<const AttrRef> attrs, ListedCall* call) {
  call->attributes.reserve(attrs.size());
  for (const AttrRef& attr : attrs) {
    call->attributes.emplace_back(attr.supplied() ? AttrRef() : attr);
  }
  // References only once the owners stay where they are.
  for (size_t i = 0; i < attrs.size(); ++i) {
    call->attrs.push_back(attrs[i].supplied() ? attrs[i]
                                              : call->attributes[i].ref());
  }
}

void SetTransforms(ListedCall* call) {
  std::stable_sort(call->transforms.begin(), call->transforms.end(),
                   [](const ListedTransform& a, const ListedTransform& b) {
                     return a.role != b.role
                                ? a.role < b.role
                                : a.transform.slot < b.transform.slot;
                   });
  call->selection.transforms.clear();
  call->selection.output_transforms.clear();
  for (const ListedTransform& listed : call->transforms) {
    if (listed.role == StepRole::kInput) {
      call->selection.transforms.push_back(listed.transform);
    } else if (listed.role == StepRole::kOutput &&
               listed.transform.kind ==
                   phi::selection::Transform::Kind::kReorder) {
      call->selection.output_transforms.push_back(listed.transform);
    }
  }
}

std::string ArgumentOf(const Instruction& call, StepRole role, int slot) {
  if (role == StepRole::kCall || call.kind != Instruction::Kind::kLaunch) {
    return "";
  }
  if (role != StepRole::kOutput) {
    return phi::selection::SlotName(*call.op, call.inputs.segments(), slot);
  }
  const phi::ArgSegments& segments = call.outputs.segments();
  const int output = segments.argument_of(slot);
  std::string name = call.op->outputs[output].name;
  if (call.op->outputs[output].list) {
    absl::StrAppend(&name, "[", slot - segments.begin(output), "]");
  }
  return name;
}

std::vector<std::string> TranscriptOf(const StepList& list) {
  std::vector<std::string> lines;
  AddLines(list, &lines);
  return lines;
}

}  // namespace switchyard::static_graph
