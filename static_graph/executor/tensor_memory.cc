// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/tensor_memory.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "static_graph/executor/memory_planner.h"

namespace switchyard::static_graph {
namespace {

// Returns by root from which step, which writes it, to which it lives: the last
// that reads it or what shares its memory. Nullopt where no step does, and for
// tensors that are no roots.
std::vector<std::optional<MemoryRequest>> FindLifetimes(
    const ShapeSpecialization& made) {
  std::vector<std::optional<MemoryRequest>> lives(made.tensors.size());
  const auto touch = [&](TensorId tensor, int step) {
    if (tensor == kNoTensor) return;
    std::optional<MemoryRequest>& life = lives[made.tensors[tensor].root];
    if (!life.has_value()) life = MemoryRequest{0, step, step};
    life->last = step;
  };
  const int end = static_cast<int>(made.steps.size());
  for (int i = 0; i < end; ++i) {
    const Step& step = made.steps[i];
    for (TensorId input : step.inputs) touch(input, i);
    for (TensorId output : step.outputs) touch(output, i);
    for (const auto& captures : step.captures) {
      for (TensorId capture : captures) touch(capture, i);
    }
  }
  for (TensorId result : made.results) touch(result, end);
  return lives;
}

// The tensors of one place that need memory.
struct Planned {
  Place place;
  std::vector<MemoryRequest> requests;
  std::vector<TensorId> tensors;
};

std::vector<Planned> FindPlanned(const ShapeSpecialization& made) {
  const std::vector<TensorSlot>& tensors = made.tensors;
  const std::vector<std::optional<MemoryRequest>> lives = FindLifetimes(made);
  std::vector<Planned> places;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].storage != TensorSlot::Storage::kPlanned) continue;
    const Place place = tensors[i].meta.place;
    auto planned = std::find_if(
        places.begin(), places.end(),
        [place](const Planned& entry) { return entry.place == place; });
    if (planned == places.end()) {
      planned = places.insert(places.end(), Planned{place, {}, {}});
    }
    if (!lives[i].has_value()) continue;
    planned->requests.push_back(
        {tensors[i].bytes, lives[i]->first, lives[i]->last});
    planned->tensors.push_back(static_cast<TensorId>(i));
  }
  return places;
}

}  // namespace

absl::Status PlanTensorMemory(ShapeSpecialization* made) {
  std::vector<TensorSlot>& tensors = made->tensors;
  made->memory.clear();
  for (const Planned& planned : FindPlanned(*made)) {
    SY_ASSIGN_OR_RETURN(const MemoryLayout layout,
                        PlanMemory(planned.requests));
    for (size_t i = 0; i < planned.tensors.size(); ++i) {
      tensors[planned.tensors[i]].offset = layout.offsets[i];
    }
    made->memory.push_back({planned.place, layout.bytes});
  }
  for (TensorSlot& tensor : tensors) {
    const TensorSlot& root = tensors[tensor.root];
    if (tensor.storage == TensorSlot::Storage::kView) continue;
    tensor.storage = root.storage;
    tensor.offset = root.offset;
    tensor.bytes = root.bytes;
    tensor.source = root.source;
    tensor.index = root.index;
    tensor.value = root.value;
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
