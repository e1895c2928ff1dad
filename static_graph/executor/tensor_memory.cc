// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/tensor_memory.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "static_graph/executor/memory/concat_parts.h"
#include "static_graph/executor/memory_planner.h"

namespace switchyard::static_graph {
namespace {

// Returns the lifetime of each root tensor: from the step that writes it to the
// last step that reads it or an alias. Nullopt for roots that no step uses, and
// for tensors that are no roots.
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

std::vector<Planned> FindPlanned(
    const ShapeSpecialization& made,
    std::vector<std::optional<MemoryRequest>> lives) {
  const std::vector<TensorSlot>& tensors = made.tensors;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].whole == kNoTensor || !lives[i].has_value()) continue;
    MemoryRequest& whole =
        *lives[OutermostOf(tensors, static_cast<TensorId>(i))];
    whole.first = std::min(whole.first, lives[i]->first);
    whole.last = std::max(whole.last, lives[i]->last);
  }
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
    if (!lives[i].has_value() || tensors[i].whole != kNoTensor) continue;
    planned->requests.push_back(
        {tensors[i].bytes, lives[i]->first, lives[i]->last});
    planned->tensors.push_back(static_cast<TensorId>(i));
  }
  return places;
}

// A layout of the planned tensors, with the parts of concatenations that are
// marked.
struct Layouts {
  std::vector<Planned> places;
  std::vector<MemoryLayout> layouts;  // By place.
  int64_t bytes = 0;                  // Of all places.
};

absl::StatusOr<Layouts> LayOut(
    const ShapeSpecialization& made,
    const std::vector<std::optional<MemoryRequest>>& lives) {
  Layouts all;
  all.places = FindPlanned(made, lives);
  for (const Planned& planned : all.places) {
    SY_ASSIGN_OR_RETURN(MemoryLayout layout, PlanMemory(planned.requests));
    all.bytes += layout.bytes;
    all.layouts.push_back(std::move(layout));
  }
  return all;
}

// Marks the parts that lie in their wholes: all that may, unless more memory is
// needed than without; then halves of them, as many as so few tries find.
class PartChooser {
 public:
  PartChooser(ShapeSpecialization* made,
              const std::vector<std::optional<MemoryRequest>>& lives)
      : made_(*made), lives_(lives) {}

  absl::StatusOr<Layouts> Choose(Layouts without,
                                 absl::Span<const PartInPlace> parts) {
    best_ = std::move(without);
    SY_RETURN_IF_ERROR(Try(parts));
    return std::move(best_);
  }

 private:
  static constexpr int kMaxTries = 64;

  absl::Status Try(absl::Span<const PartInPlace> parts) {
    if (parts.empty() || ++tries_ > kMaxTries) return absl::OkStatus();
    for (const PartInPlace& part : parts) {
      made_.tensors[part.part].whole = part.whole;
    }
    SY_ASSIGN_OR_RETURN(Layouts layouts, LayOut(made_, lives_));
    if (layouts.bytes <= best_.bytes) {
      best_ = std::move(layouts);
      return absl::OkStatus();
    }
    for (const PartInPlace& part : parts) {
      made_.tensors[part.part].whole = kNoTensor;
    }
    if (parts.size() == 1) return absl::OkStatus();
    SY_RETURN_IF_ERROR(Try(parts.first(parts.size() / 2)));
    return Try(parts.subspan(parts.size() / 2));
  }

  ShapeSpecialization& made_;
  const std::vector<std::optional<MemoryRequest>>& lives_;
  Layouts best_;
  int tries_ = 0;
};

}  // namespace

absl::Status PlanTensorMemory(ShapeSpecialization* made) {
  std::vector<TensorSlot>& tensors = made->tensors;
  for (TensorSlot& tensor : tensors) {
    if (tensor.whole != kNoTensor) {
      tensor.storage = TensorSlot::Storage::kPlanned;
    }
    tensor.whole = kNoTensor;
  }
  const std::vector<std::optional<MemoryRequest>> lives = FindLifetimes(*made);
  SY_ASSIGN_OR_RETURN(Layouts all, LayOut(*made, lives));
  const std::vector<PartInPlace> parts = FindPartsInPlace(*made);
  if (!parts.empty()) {
    SY_ASSIGN_OR_RETURN(all,
                        PartChooser(made, lives).Choose(std::move(all), parts));
  }
  made->memory.clear();
  for (size_t place = 0; place < all.places.size(); ++place) {
    const Planned& planned = all.places[place];
    const MemoryLayout& layout = all.layouts[place];
    for (size_t i = 0; i < planned.tensors.size(); ++i) {
      tensors[planned.tensors[i]].offset = layout.offsets[i];
    }
    made->memory.push_back({planned.place, layout.bytes});
  }
  // A whole's own place is known before those of its parts: it is written
  // after them.
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (tensors[part->part].whole == kNoTensor) continue;
    tensors[part->part].offset = tensors[part->whole].offset + part->offset;
    tensors[part->part].storage = tensors[part->whole].storage;
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
