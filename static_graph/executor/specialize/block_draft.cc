// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/specialize/block_draft.h"

#include <utility>

namespace switchyard::static_graph {

BlockDraft::BlockDraft(const ProgramPlan& program, const Plan& plan,
                       SpecializationCounts* counts, StepList* list)
    : program(program),
      plan(plan),
      counts(counts),
      list(list),
      made(std::make_unique<ShapeSpecialization>()),
      tensor_of(plan.values.size(), kNoTensor),
      yielded(plan.values.size(), kNoTensor),
      elided(plan.values.size(), false) {}

TensorId BlockDraft::AddTensor(TensorSlot slot) {
  const TensorId id = static_cast<TensorId>(made->tensors.size());
  if (slot.root == kNoTensor) slot.root = id;
  made->tensors.push_back(std::move(slot));
  origins.push_back(kNoTensor);
  known.emplace_back();
  as_strided.emplace_back();
  return id;
}

std::vector<const TensorMeta*> BlockDraft::GetMetas(
    absl::Span<const TensorId> inputs) const {
  std::vector<const TensorMeta*> metas;
  for (TensorId input : inputs) {
    if (input == kNoTensor) {
      metas.push_back(nullptr);
    } else {
      const YieldedTensor* const yielded = as_strided[input].get();
      metas.push_back(yielded != nullptr ? &yielded->strided : &GetMeta(input));
    }
  }
  return metas;
}

bool BlockDraft::IsLate(ValueId value) const {
  const TensorId tensor = GetTensor(value);
  return tensor != kNoTensor &&
         made->tensors[tensor].storage == TensorSlot::Storage::kOwn &&
         made->tensors[tensor].meta.kind == TensorKind::kDense;
}

}  // namespace switchyard::static_graph
