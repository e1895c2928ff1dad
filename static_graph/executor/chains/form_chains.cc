// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/chains/form_chains.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "framework/base/hash_map.h"
#include "framework/types/shape.h"
#include "static_graph/executor/chains/chain_member.h"
#include "static_graph/executor/chains/elementwise_chain.h"
#include "static_graph/executor/memory_planner.h"

namespace switchyard::static_graph {
namespace {

using Storage = TensorSlot::Storage;

// A chain's launches at most, and other steps that move before it.
constexpr size_t kMaxMembers = 64;
constexpr size_t kMaxPassed = 32;
// Blocks begin at multiples of it, in elements, where they can.
constexpr int64_t kRound = 64;

// The launches of a chain that is being collected, by their position.
struct Group {
  std::vector<size_t> members;
  std::vector<size_t> passed;     // Steps between them.
  std::vector<TensorId> touched;  // Read or written by a member.
  std::vector<TensorId> written;
  std::vector<TensorId> reduced;  // Those of `written` that are reductions'.
  int max_axis = kMaxRank;        // Of the axes that may be cut.

  bool open() const { return !members.empty(); }
};

class ChainFormer {
 public:
  ChainFormer(ShapeSpecialization* made, const ChainLimits& limits)
      : made_(*made), limits_(limits) {}

  // Finds the groups. False if there is none that pays.
  bool Find() {
    Group group;
    for (size_t i = 0; i < made_.steps.size(); ++i) {
      const Step& step = made_.steps[i];
      const bool candidate = IsCandidate(step);
      if (candidate && group.open() && Fits(step, group)) {
        Join(i, &group);
      } else if (candidate) {
        Close(&group);
        Join(i, &group);
      } else if (group.open() && Reduces(step, group)) {
        JoinReduction(i, &group);
      } else if (group.open()) {
        if (MayPass(step, group)) {
          group.passed.push_back(i);
        } else {
          Close(&group);
        }
      }
    }
    Close(&group);
    return !groups_.empty();
  }

  absl::Status Replace(StepList* list) {
    CountUses();
    std::vector<Step> steps;
    size_t next = 0;
    const auto move_to = [&](size_t end) {
      for (; next < end; ++next) steps.push_back(std::move(made_.steps[next]));
    };
    for (const Group& group : groups_) {
      move_to(group.members.front());
      for (const size_t passed : group.passed) {
        if (passed > group.members.back()) break;
        steps.push_back(std::move(made_.steps[passed]));
      }
      SY_ASSIGN_OR_RETURN(Step step, MakeStep(group));
      if (list != nullptr) Note(*step.chain, list);
      steps.push_back(std::move(step));
      next = group.members.back() + 1;
    }
    move_to(made_.steps.size());
    made_.steps = std::move(steps);
    return absl::OkStatus();
  }

 private:
  const TensorSlot& SlotOf(TensorId tensor) const {
    return made_.tensors[tensor];
  }
  const TensorMeta& MetaOf(TensorId tensor) const {
    return made_.tensors[tensor].meta;
  }
  const Shape& ShapeOf(const Group& group) const {
    return MetaOf(group.written.front()).shape;
  }

  // Whether a launch may be one of a chain that pays.
  bool IsCandidate(const Step& step) const {
    return MayBeInChain(made_, step) &&
           SlotOf(step.outputs[0]).bytes * kMostTensors >= limits_.min_bytes;
  }

  // Whether `tensor` has its element for each of `written`, which shares its
  // memory, at the same place.
  bool IsInPlaceOf(TensorId tensor, TensorId written) const {
    const TensorSlot& slot = SlotOf(tensor);
    const TensorMeta& other = MetaOf(written);
    return slot.storage != Storage::kView && slot.meta.contiguous &&
           slot.meta.shape == other.shape && slot.meta.offset == other.offset &&
           ElementSize(slot.meta.dtype) == ElementSize(other.dtype);
  }

  // Blocks of a group read what blocks before them wrote only where it is the
  // same block.
  bool Conflict(absl::Span<const TensorId> touched,
                absl::Span<const TensorId> written) const {
    for (TensorId target : written) {
      for (TensorId tensor : touched) {
        if (SlotOf(tensor).root == SlotOf(target).root &&
            !IsInPlaceOf(tensor, target)) {
          return true;
        }
      }
    }
    return false;
  }

  bool Fits(const Step& step, const Group& group) const {
    const TensorId out = step.outputs[0];
    if (group.members.size() == kMaxMembers ||
        MetaOf(out).shape != ShapeOf(group)) {
      return false;
    }
    absl::InlinedVector<TensorId, 8> own(step.inputs.begin(),
                                         step.inputs.end());
    own.push_back(out);
    // It gains where it reads a tensor that the group has in the cache.
    const bool shares =
        std::any_of(own.begin(), own.end(), [&](TensorId tensor) {
          if (MetaOf(tensor).shape.numel() == 1) return false;
          return std::any_of(group.touched.begin(), group.touched.end(),
                             [&](TensorId other) {
                               return SlotOf(tensor).root == SlotOf(other).root;
                             });
        });
    return shares && !Conflict(own, group.written) &&
           !Conflict(group.touched, {out}) && !Conflict(own, {out});
  }

  // Whether the launch reduces a result of the group, with all terms of an
  // element in a block. The group has an elementwise launch already.
  bool Reduces(const Step& step, const Group& group) const {
    if (group.members.size() == kMaxMembers) return false;
    const std::optional<int> first = FirstReducedAxis(made_, step);
    if (first.value_or(0) < 1) return false;
    const TensorId input = step.inputs[0], out = step.outputs[0];
    const Shape& shape = ShapeOf(group);
    if (MetaOf(input).shape != shape ||
        std::find(group.written.begin(), group.written.end(), input) ==
            group.written.end()) {
      return false;
    }
    int64_t terms = 1;
    for (int axis = *first; axis < shape.rank(); ++axis) {
      terms *= shape.extent(axis);
      if (terms > limits_.max_elements) return false;
    }
    return !Conflict({input}, group.written) && !Conflict(group.touched, {out});
  }

  // Whether a step may be done before the group: it is small, and neither
  // reads nor writes what the group writes, nor writes what it reads.
  bool MayPass(const Step& step, const Group& group) const {
    if (step.kernel == nullptr || group.passed.size() == kMaxPassed) {
      return false;
    }
    const auto among = [&](TensorId tensor, absl::Span<const TensorId> others) {
      return std::any_of(others.begin(), others.end(), [&](TensorId other) {
        return SlotOf(tensor).root == SlotOf(other).root;
      });
    };
    for (TensorId input : step.inputs) {
      if (input != kNoTensor && among(input, group.written)) return false;
    }
    const int64_t most = SlotOf(group.written.front()).bytes / kMostTensors;
    for (TensorId output : step.outputs) {
      if (output == kNoTensor) continue;
      const TensorSlot& slot = SlotOf(output);
      if (slot.storage == Storage::kView) continue;
      if (slot.bytes > most || among(output, group.touched)) return false;
    }
    return true;
  }

  void Join(size_t number, Group* group) const {
    const Step& step = made_.steps[number];
    group->members.push_back(number);
    group->touched.insert(group->touched.end(), step.inputs.begin(),
                          step.inputs.end());
    group->touched.push_back(step.outputs[0]);
    group->written.push_back(step.outputs[0]);
  }

  void JoinReduction(size_t number, Group* group) const {
    const Step& step = made_.steps[number];
    group->max_axis =
        std::min(group->max_axis, *FirstReducedAxis(made_, step) - 1);
    group->reduced.push_back(step.outputs[0]);
    Join(number, group);
  }

  // The bytes of an element of each tensor that is as large as the results.
  int64_t BytesOfElement(const Group& group) const {
    std::vector<TensorId> roots;
    int64_t bytes = 0;
    for (TensorId tensor : group.touched) {
      const TensorSlot& slot = SlotOf(tensor);
      if (slot.meta.shape != ShapeOf(group) ||
          std::find(roots.begin(), roots.end(), slot.root) != roots.end()) {
        continue;
      }
      roots.push_back(slot.root);
      bytes += static_cast<int64_t>(ElementSize(slot.meta.dtype));
    }
    return bytes;
  }

  // Keeps the group if it pays, and begins another one.
  void Close(Group* group) {
    if (group->members.size() > 1 &&
        BytesOfElement(*group) * ShapeOf(*group).numel() >= limits_.min_bytes) {
      groups_.push_back(std::move(*group));
    }
    *group = Group();
  }

  // How many steps read or write each root, and its results.
  void CountUses() {
    uses_.assign(made_.tensors.size(), 0);
    const auto use = [this](TensorId tensor) {
      if (tensor != kNoTensor) ++uses_[SlotOf(tensor).root];
    };
    for (const Step& step : made_.steps) {
      for (TensorId input : step.inputs) use(input);
      for (TensorId output : step.outputs) use(output);
      for (const auto& captures : step.captures) {
        for (TensorId capture : captures) use(capture);
      }
    }
    for (TensorId result : made_.results) use(result);
  }

  void Cut(const Group& group, ElementwiseChain* chain) const {
    const Shape& shape = chain->shape;
    const int64_t most = std::clamp<int64_t>(
        limits_.block_bytes / BytesOfElement(group), 1, limits_.max_elements);
    int64_t inner = 1;
    int axis = shape.rank() - 1;
    while (axis > 0 &&
           (inner * shape.extent(axis) <= most || axis > group.max_axis)) {
      inner *= shape.extent(axis--);
    }
    // Blocks of about one size.
    const int64_t extent = shape.extent(axis);
    const int64_t rows = std::max<int64_t>(1, most / inner);
    const int64_t blocks = (extent + rows - 1) / rows;
    chain->axis = axis;
    chain->rows = (extent + blocks - 1) / blocks;
    if (inner == 1 && chain->rows > kRound) {
      chain->rows = (chain->rows + kRound - 1) / kRound * kRound;
    }
  }

  // Gives the tensors that nothing else reads memory of a block.
  absl::Status PlanScratch(const Group& group, ElementwiseChain* chain) {
    HashMap<TensorId, int> used;  // By root, in the group.
    for (TensorId tensor : group.touched) ++used[SlotOf(tensor).root];
    const auto is_inner = [&](TensorId root) {
      return SlotOf(root).storage == Storage::kPlanned &&
             uses_[root] == used[root];
    };
    int64_t elements = chain->rows;
    for (int axis = chain->axis + 1; axis < chain->shape.rank(); ++axis) {
      elements *= chain->shape.extent(axis);
    }
    std::vector<MemoryRequest> requests;
    HashMap<TensorId, size_t> request_of;  // By root.
    std::vector<TensorId> tensors;
    for (size_t i = 0; i < chain->members.size(); ++i) {
      const int step = static_cast<int>(i);
      const auto touch = [&](TensorId tensor) {
        const TensorId root = SlotOf(tensor).root;
        if (!is_inner(root)) return;
        const auto [at, added] = request_of.emplace(root, requests.size());
        if (added) {
          const auto size =
              static_cast<int64_t>(ElementSize(MetaOf(tensor).dtype));
          requests.push_back({elements * size, step, step});
        }
        requests[at->second].last = step;
        tensors.push_back(tensor);
      };
      for (TensorId input : chain->members[i].inputs) touch(input);
      touch(chain->members[i].outputs[0]);
    }
    SY_ASSIGN_OR_RETURN(const MemoryLayout layout, PlanMemory(requests));
    chain->scratch_bytes = layout.bytes;
    std::sort(tensors.begin(), tensors.end());
    tensors.erase(std::unique(tensors.begin(), tensors.end()), tensors.end());
    for (TensorId tensor : tensors) {
      const size_t request = request_of.find(SlotOf(tensor).root)->second;
      chain->inner.push_back({tensor, layout.offsets[request]});
    }
    for (const ElementwiseChain::Inner& inner : chain->inner) {
      made_.tensors[inner.tensor].storage = Storage::kBlock;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Step> MakeStep(const Group& group) {
    auto chain = std::make_shared<ElementwiseChain>();
    chain->shape = ShapeOf(group);
    chain->reduced = group.reduced;
    Cut(group, chain.get());
    for (const size_t member : group.members) {
      chain->members.push_back(std::move(made_.steps[member]));
    }
    SY_RETURN_IF_ERROR(PlanScratch(group, chain.get()));
    Step step;
    const Step& last = chain->members.back();
    step.kernel = last.kernel;
    step.call = last.call;
    step.place = last.place;
    const auto add = [this](TensorId tensor, std::vector<TensorId>* to) {
      if (SlotOf(tensor).storage != Storage::kBlock &&
          std::find(to->begin(), to->end(), tensor) == to->end()) {
        to->push_back(tensor);
      }
    };
    for (const Step& member : chain->members) {
      for (TensorId input : member.inputs) {
        const bool made = std::find(step.outputs.begin(), step.outputs.end(),
                                    input) != step.outputs.end();
        if (!made) add(input, &step.inputs);
      }
      add(member.outputs[0], &step.outputs);
    }
    step.chain = std::move(chain);
    return step;
  }

  static void Note(const ElementwiseChain& chain, StepList* list) {
    for (ListedCall& call : list->calls) {
      for (const Step& member : chain.members) {
        if (member.role == StepRole::kCall && call.instruction == member.call) {
          call.chain = chain.members.front().call;
        }
      }
    }
  }

  // Most chains have fewer tensors than this at a time.
  static constexpr int64_t kMostTensors = 8;

  ShapeSpecialization& made_;
  const ChainLimits limits_;
  std::vector<Group> groups_;
  std::vector<int> uses_;
};

}  // namespace

absl::Status FormChains(ShapeSpecialization* made, StepList* list,
                        const ChainLimits& limits) {
  ChainFormer former(made, limits);
  if (!former.Find()) return absl::OkStatus();
  return former.Replace(list);
}

}  // namespace switchyard::static_graph
