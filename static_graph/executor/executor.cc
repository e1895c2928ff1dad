// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/executor.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "framework/device/cpu/float_control.h"
#include "framework/tensor/owned_tensor.h"
#include "framework/types/spec_text.h"
#include "static_graph/executor/executor_frame.h"
#include "static_graph/executor/run_chain.h"
#include "static_graph/executor/tensor_copy.h"

namespace switchyard::static_graph {
namespace {

// Frames for sizes that come once: this many runs at a time need no more.
constexpr size_t kMaxSingles = 4;

// Returns the error for a tensor that is known not to match `port`.
absl::Status Misfit(const char* what, const ProgramPlan::Port& port,
                    Place place, const TensorBase& tensor) {
  const std::string name = absl::StrCat(what, " ", port.name);
  const std::string expected = SpecText(port.meta);
  if (!tensor.allocated()) {
    return ArgumentError(name, expected, "a tensor without memory");
  }
  if (tensor.dtype() != port.meta.dtype || tensor.kind() != port.meta.kind) {
    return TypeError(name, expected, SpecText(tensor.meta()));
  }
  if (!MayEqual(tensor.shape(), port.meta.shape)) {
    return ArgumentError(name, expected, SpecText(tensor.meta()));
  }
  return ArgumentError(name, absl::StrCat("on ", ToString(place)),
                       absl::StrCat("a tensor on ", ToString(tensor.place())));
}

absl::Status CheckTensor(const char* what, const ProgramPlan::Port& port,
                         Place place, const TensorBase& tensor) {
  const bool fits = tensor.allocated() && tensor.dtype() == port.meta.dtype &&
                    tensor.kind() == port.meta.kind &&
                    MayEqual(tensor.shape(), port.meta.shape) &&
                    tensor.place() == place;
  if (ABSL_PREDICT_TRUE(fits)) return absl::OkStatus();
  return Misfit(what, port, place, tensor);
}

bool IsSymbolic(const Shape& shape) {
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis].symbolic()) return true;
  }
  return false;
}

// Extents that symbols stand for in one run, as they are met.
class SymbolTable {
 public:
  absl::Status Check(const ProgramPlan::Port& port, const Shape& shape) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const Dim dim = port.meta.shape[axis];
      // Elements of an array may differ in an extent.
      if (!dim.symbolic() || !shape[axis].known()) continue;
      const int64_t extent = shape.extent(axis);
      const auto found = std::find_if(
          seen_.begin(), seen_.end(),
          [&](const auto& entry) { return entry.first == dim.symbol(); });
      if (found == seen_.end()) {
        seen_.emplace_back(dim.symbol(), extent);
      } else if (found->second != extent) {
        return ArgumentError(
            absl::StrCat("feed ", port.name),
            absl::StrCat("of extent ", found->second, " on axis ", axis,
                         ", as ", ToString(dim), " elsewhere"),
            absl::StrCat(extent));
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::InlinedVector<std::pair<uint32_t, int64_t>, 4> seen_;
};

}  // namespace

Executor::Executor(ProgramPlan plan)
    : plan_(std::move(plan)),
      late_(std::make_unique<LateRunner>(&plan_, &packed_)) {
  singles_.reserve(kMaxSingles);
  for (size_t i = 0; i < plan_.feeds.size(); ++i) {
    if (plan_.feeds[i].meta.shape.known()) continue;
    dynamic_feeds_.push_back(static_cast<int>(i));
    symbolic_feeds_ |= IsSymbolic(plan_.feeds[i].meta.shape);
  }
}

Executor::~Executor() { delete last_.load(); }

absl::Status Executor::CheckFeeds(absl::Span<const RunValue> feeds) const {
  if (feeds.size() != plan_.feeds.size()) {
    return ArgumentError("feeds", absl::StrCat(plan_.feeds.size(), " tensors"),
                         absl::StrCat(feeds.size()));
  }
  SymbolTable symbols;
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (feeds[i].other != nullptr &&
        feeds[i].other->kind() == TensorKind::kDense) {
      return ArgumentError(absl::StrCat("feed ", plan_.feeds[i].name),
                           "RunValue::dense for a dense tensor",
                           "RunValue::other");
    }
    SY_RETURN_IF_ERROR(
        CheckTensor("feed", plan_.feeds[i], plan_.place, feeds[i].base()));
    if (!symbolic_feeds_) continue;
    SY_RETURN_IF_ERROR(symbols.Check(plan_.feeds[i], feeds[i].base().shape()));
  }
  return absl::OkStatus();
}

absl::Status Executor::BindStates(const State* state, Frame* frame) const {
  if (plan_.states.empty()) return absl::OkStatus();
  if (state == nullptr) {
    return ArgumentError(
        "state",
        absl::StrCat("given: the program has the state ", plan_.states[0].name),
        "none");
  }
  if (frame->state_layout != state->layout()) {
    frame->state_layout = 0;
    frame->state_positions.clear();
    for (const ProgramPlan::Port& port : plan_.states) {
      const int position = state->FindIndex(port.name);
      if (position < 0) {
        return ArgumentError(absl::StrCat("state ", port.name),
                             SpecText(port.meta), "none");
      }
      frame->state_positions.push_back(position);
    }
    frame->state_layout = state->layout();
  }
  frame->states.clear();
  for (size_t i = 0; i < plan_.states.size(); ++i) {
    frame->states.push_back(state->entries()[frame->state_positions[i]].tensor);
    SY_RETURN_IF_ERROR(CheckTensor("state", plan_.states[i], plan_.place,
                                   frame->states.back()));
  }
  return frame->updated.Bind(plan_, frame->states);
}

// Binds a feed that is not dense, or a copy of one that is strided or that the
// run writes over.
absl::Status Executor::BindOther(TensorId id, const TensorBase& feed,
                                 Frame* frame) const {
  if (feed.contiguous() && !frame->updated.OverlapsPart(feed)) {
    frame->block->BindOther(id, feed);
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(const auto copy, CopyOfParts(feed));
  frame->block->BindOther(id, *copy);
  return absl::OkStatus();
}

// Binds and allocates all that the run needs.
absl::Status Executor::Prepare(absl::Span<const RunValue> feeds,
                               const RunOptions& options, Frame* frame) const {
  const ShapeSpecialization& made = frame->block->specialization();
  for (const TensorId id : frame->block->foreign()) {
    const TensorSlot& slot = made.tensors[id];
    if (slot.root != id) continue;
    if (slot.storage == TensorSlot::Storage::kFresh) {
      SY_RETURN_IF_ERROR(frame->block->BindFresh(id));
    } else if (slot.source == PlanValue::Source::kState) {
      frame->block->Bind(id, frame->states[slot.index]);
    } else if (slot.source == PlanValue::Source::kFeed) {
      if (const auto& other = feeds[slot.index].other) {
        SY_RETURN_IF_ERROR(BindOther(id, *other, frame));
        continue;
      }
      const DenseTensor& feed = feeds[slot.index].dense;
      if (feed.contiguous() && !frame->updated.Overlaps(feed)) {
        frame->block->Bind(id, feed);
        continue;
      }
      SY_ASSIGN_OR_RETURN(const DenseTensor copy, ContiguousCopy(feed));
      frame->block->Bind(id, copy);
    }
  }
  if (!made.packings.empty()) {
    SY_RETURN_IF_ERROR(packed_.Bind(frame->states, plan_.constants,
                                    options.profile, frame->block.get(),
                                    &frame->packings));
  }
  frame->copies.clear();
  for (size_t i = 0; i < made.results.size(); ++i) {
    const TensorSlot& result = made.tensors[made.results[i]];
    const TensorSlot& root = made.tensors[result.root];
    if (result.meta.kind != TensorKind::kDense) continue;  // Handed over.
    if (i < plan_.fetches.size()) {
      // Memory that others see or write is not handed out.
      if (root.storage == TensorSlot::Storage::kFresh &&
          !made.shares_memory[i]) {
        continue;
      }
    } else if (root.source != PlanValue::Source::kState ||
               plan_.updates[i - plan_.fetches.size()].in_place) {
      continue;
    }
    frame->copies.resize(made.results.size());
    SY_ASSIGN_OR_RETURN(frame->copies[i], AllocateLike(result.meta));
  }
  return absl::OkStatus();
}

// On the host nothing here fails except for want of memory for fetches that are
// not dense; all other memory is there, the list's too.
absl::Status Executor::Commit(Frame* frame,
                              std::vector<RunValue>* fetches) const {
  const ShapeSpecialization& made = frame->block->specialization();
  for (size_t i = 0; i < plan_.updates.size(); ++i) {
    const auto result = made.results[plan_.fetches.size() + i];
    SY_RETURN_IF_ERROR(CheckUpdate(plan_.updates[i], *frame,
                                   frame->block->tensor(result).shape()));
  }
  // New states may be old values of others: all are read, then written.
  for (size_t i = 0; i < frame->copies.size(); ++i) {
    DenseTensor& copy = frame->copies[i];
    if (!copy.allocated()) continue;
    const DenseTensor& from = frame->block->tensor(made.results[i]);
    SY_RETURN_IF_ERROR(CopyElements(from, &copy));
    copy.SetLod(from.lod());
  }
  const auto value = [&](size_t i) -> const DenseTensor& {
    const bool copied = !frame->copies.empty() && frame->copies[i].allocated();
    return copied ? frame->copies[i] : frame->block->tensor(made.results[i]);
  };
  for (size_t i = 0; i < plan_.fetches.size(); ++i) {
    const TensorBase* const other = frame->block->other(made.results[i]);
    if (ABSL_PREDICT_TRUE(other == nullptr)) {
      fetches->emplace_back(value(i));
    } else {
      fetches->emplace_back(
          std::shared_ptr<const TensorBase>(CopyTensor(*other)));
    }
  }
  for (size_t i = 0; i < plan_.updates.size(); ++i) {
    const ProgramPlan::Update& update = plan_.updates[i];
    if (!update.in_place) {
      SY_RETURN_IF_ERROR(CopyElements(value(plan_.fetches.size() + i),
                                      &frame->states[update.state]));
    }
    // A value that autograd saved before the update is stale now.
    frame->states[update.state].buffer()->BumpVersion();
  }
  return absl::OkStatus();
}

absl::Status Executor::Run(absl::Span<const RunValue> feeds, State* state,
                           std::vector<RunValue>* fetches,
                           const RunOptions& options) const {
  SY_RETURN_IF_ERROR(CheckFeeds(feeds));
  const DenormalsFlushed flushed(plan_.relaxed.denormals == Denormals::kFlush);
  std::unique_ptr<Frame> frame = TakeLast(feeds);
  if (frame == nullptr) {
    SY_ASSIGN_OR_RETURN(std::shared_ptr<Cached> cached, Find(feeds, &frame));
    if (!cached->specialization->complete) {
      return RunLate(feeds, state, fetches, options);
    }
    if (frame == nullptr) {
      SY_ASSIGN_OR_RETURN(frame, MakeFrame(*cached));
    }
    frame->cached = std::move(cached);
  }
  SY_RETURN_IF_ERROR(BindStates(state, frame.get()));
  SY_RETURN_IF_ERROR(Prepare(feeds, options, frame.get()));
  fetches->clear();
  fetches->reserve(plan_.fetches.size());
  RunChain chain;
  if (ABSL_PREDICT_FALSE(plan_.place != Place::Cpu())) {
    SY_RETURN_IF_ERROR(chain.Open(plan_.place));
  }
  absl::Status status = frame->block->Run(options);
  if (chain.is_open() && status.ok() && !options.asynchronous) {
    status = chain.Wait();
  }
  if (ABSL_PREDICT_FALSE(!status.ok())) {
    if (!options.asynchronous) chain.Keep(frame->states);
    for (const ProgramPlan::Update& update : plan_.updates) {
      if (options.asynchronous) chain.Lose(frame->states[update.state]);
    }
    return status;
  }
  SY_RETURN_IF_ERROR(Commit(frame.get(), fetches));
  frame->block->Release();
  frame->states.clear();
  frame->copies.clear();
  Keep(std::move(frame));
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
