// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/block_frame.h"

#include <cstring>
#include <utility>

#include "absl/base/optimization.h"
#include "framework/device/stream.h"
#include "framework/device/transfer.h"
#include "phi/core/anomaly/anomaly.h"
#include "static_graph/executor/chains/chain_run.h"
#include "static_graph/executor/run_profile.h"
#include "static_graph/executor/tensor_copy.h"

namespace switchyard::static_graph {
namespace {

using Storage = TensorSlot::Storage;

// A piece of the frame's memory, which stays referenced as long as the piece.
// Work that touches a piece counts as touching all of the memory.
RefPtr<Buffer> Piece(const RefPtr<Buffer>& memory, int64_t offset,
                     int64_t bytes) {
  RefPtr<Buffer> piece = Buffer::Wrap(
      static_cast<char*>(memory->data()) + offset, static_cast<size_t>(bytes),
      memory->place(), [](void* kept) { static_cast<Buffer*>(kept)->Unref(); },
      memory.get());
  memory->Ref();  // The piece's, once there is one.
  piece->set_use(memory->use());
  return piece;
}

// An error of `step` with the operator's name and its place in the source.
absl::Status Located(const absl::Status& status, const Step& step) {
  const absl::Status named = Annotate(status, NameOf(step.kernel, *step.call));
  if (!step.call->location) return named;
  return phi::PlaceAnomaly(ir::AtLocation(named, step.call->location), "");
}

}  // namespace

absl::StatusOr<std::unique_ptr<BlockFrame>> BlockFrame::Make(
    const ShapeSpecialization& specialization,
    absl::Span<const DenseTensor> constants, FrameContexts* contexts) {
  std::unique_ptr<BlockFrame> frame(new BlockFrame(specialization));
  SY_RETURN_IF_ERROR(frame->MakeTensors(constants));
  frame->MakeLaunches(contexts);
  SY_RETURN_IF_ERROR(frame->MakeSteps(constants, contexts));
  return frame;
}

absl::Status BlockFrame::MakeTensors(absl::Span<const DenseTensor> constants) {
  const std::vector<TensorSlot>& slots = specialization_.tensors;
  tensors_.reserve(slots.size());
  followers_.resize(slots.size());
  for (size_t i = 0; i < slots.size(); ++i) {
    const TensorSlot& slot = slots[i];
    const TensorId id = static_cast<TensorId>(i);
    if (slot.storage == Storage::kConstant) {
      tensors_.push_back(constants[slot.index]);
      continue;
    }
    const bool dense = slot.meta.kind == TensorKind::kDense;
    const bool argument = slot.storage == Storage::kBound &&
                          slot.source == PlanValue::Source::kArgument;
    if (!dense) {
      tensors_.emplace_back();
      others_.resize(slots.size());
      others_[i] = NewTensor(slot.meta.kind);
      foreign_.push_back(id);
      if (argument) SetArgument(slot.index, id);
      continue;
    }
    if (slot.storage == Storage::kOwn) {
      tensors_.emplace_back();
      foreign_.push_back(id);
      continue;
    }
    tensors_.emplace_back(slot.meta, nullptr);
    if (slot.storage == Storage::kPlanned || slot.storage == Storage::kPacked ||
        slot.storage == Storage::kBlock) {
      continue;
    }
    foreign_.push_back(id);
    if (slot.storage == Storage::kView) continue;
    if (slot.root != id) {
      followers_[slot.root].push_back(id);
    } else if (argument) {
      SetArgument(slot.index, id);
    }
  }
  return PlaceTensors();
}

void BlockFrame::SetArgument(int number, TensorId id) {
  if (arguments_.size() <= static_cast<size_t>(number)) {
    arguments_.resize(number + 1, kNoTensor);
  }
  arguments_[number] = id;
}

// There is a block for each place of a planned tensor.
const RefPtr<Buffer>& BlockFrame::GetMemory(Place place) const {
  size_t block = 0;
  while (specialization_.memory[block].place != place) ++block;
  return memory_[block];
}

absl::Status BlockFrame::PlaceTensors() {
  memory_.resize(specialization_.memory.size());
  for (size_t i = 0; i < memory_.size(); ++i) {
    const auto bytes = static_cast<size_t>(specialization_.memory[i].bytes);
    if (memory_[i] && bytes <= memory_[i]->size()) continue;
    SY_ASSIGN_OR_RETURN(
        memory_[i],
        GetAllocator(specialization_.memory[i].place).Allocate(bytes));
  }
  const std::vector<TensorSlot>& slots = specialization_.tensors;
  std::vector<RefPtr<Buffer>> pieces(slots.size());
  for (size_t i = 0; i < slots.size(); ++i) {
    const TensorSlot& slot = slots[i];
    if (slot.storage != Storage::kPlanned ||
        slot.meta.kind != TensorKind::kDense) {
      continue;
    }
    RefPtr<Buffer>& piece = pieces[slot.root];
    if (!piece) {
      piece = Piece(GetMemory(slot.meta.place), slot.offset, slot.bytes);
    }
    tensors_[i].SetBuffer(piece);
  }
  return absl::OkStatus();
}

absl::Status BlockFrame::Resize(absl::Span<const TensorId> changed,
                                bool moved) {
  if (moved) SY_RETURN_IF_ERROR(PlaceTensors());
  for (const TensorId id : changed) {
    const TensorSlot& slot = specialization_.tensors[id];
    if (slot.meta.kind != TensorKind::kDense || slot.storage == Storage::kOwn ||
        slot.storage == Storage::kConstant) {
      continue;
    }
    tensors_[id] = DenseTensor(slot.meta, tensors_[id].buffer());
  }
  return absl::OkStatus();
}

TensorBase* BlockFrame::GetBase(TensorId id) {
  if (id == kNoTensor) return nullptr;
  const bool other = !others_.empty() && others_[id] != nullptr;
  return other ? others_[id].get() : static_cast<TensorBase*>(&tensors_[id]);
}

void BlockFrame::MakeLaunches(FrameContexts* contexts) {
  size_t inputs = 0;
  size_t outputs = 0;
  for (const Step& step : specialization_.steps) {
    inputs += step.inputs.size();
    outputs += step.outputs.size();
  }
  // Contexts point into these: they must not grow afterwards.
  inputs_.reserve(inputs);
  outputs_.reserve(outputs);
  launches_.reserve(specialization_.steps.size());
  for (const Step& step : specialization_.steps) {
    if (step.kernel == nullptr || step.chain != nullptr) continue;
    const size_t first_input = inputs_.size();
    const size_t first_output = outputs_.size();
    for (TensorId input : step.inputs) {
      inputs_.push_back(GetBase(input));
    }
    for (TensorId output : step.outputs) outputs_.push_back(GetBase(output));
    const phi::TensorArgs args = {
        {absl::MakeConstSpan(inputs_).subspan(first_input),
         step.input_segments},
        step.attrs,
        {absl::MakeConstSpan(outputs_).subspan(first_output),
         step.output_segments}};
    launches_.emplace_back(
        contexts->Get(step.kernel->key.backend->contexts, step.place), args,
        step.kernel);
  }
}

absl::Status BlockFrame::MakeSteps(absl::Span<const DenseTensor> constants,
                                   FrameContexts* contexts) {
  size_t launch = 0;
  for (const Step& step : specialization_.steps) {
    asynchronous_ |= IsAsynchronous(step.place);
    if (step.chain != nullptr) {
      steps_.push_back(
          {nullptr, nullptr, &Chain, &step, static_cast<int>(chains_.size())});
      chains_.push_back(
          std::make_shared<ChainRun>(*step.chain, specialization_));
      continue;
    }
    if (step.kernel != nullptr) {
      const bool receipt = step.fallback;
      steps_.push_back({receipt ? nullptr : step.kernel->thunk,
                        &launches_[launch++], receipt ? &FallBack : nullptr,
                        &step, 0});
      continue;
    }
    const bool is_if = step.instruction->kind == Instruction::Kind::kIf;
    steps_.push_back({nullptr, nullptr, is_if ? &If : &While, &step,
                      static_cast<int>(children_.size())});
    for (const auto& block : step.blocks) {
      SY_ASSIGN_OR_RETURN(std::unique_ptr<BlockFrame> child,
                          Make(*block, constants, contexts));
      children_.push_back(std::move(child));
    }
  }
  return absl::OkStatus();
}

void BlockFrame::SetMemory(TensorId root, RefPtr<Buffer> memory) {
  for (TensorId follower : followers_[root]) {
    tensors_[follower].SetBuffer(memory);
  }
  tensors_[root].SetBuffer(std::move(memory));
}

void BlockFrame::Bind(TensorId root, const DenseTensor& value) {
  DenseTensor& tensor = tensors_[root];
  // The geometry is mostly there already, and to copy it would take longer than
  // the rest.
  if (tensor.offset() != value.offset() || tensor.lod() != value.lod() ||
      tensor.strides() != value.strides()) {
    tensor = value;
  }
  SetMemory(root, value.buffer());
}

absl::Status BlockFrame::BindFresh(TensorId root) {
  const TensorSlot& slot = specialization_.tensors[root];
  SY_ASSIGN_OR_RETURN(
      RefPtr<Buffer> memory,
      GetAllocator(slot.meta.place).Allocate(static_cast<size_t>(slot.bytes)));
  DenseTensor& tensor = tensors_[root];
  if (tensor.lod() != nullptr) tensor.SetLod(nullptr);
  SetMemory(root, std::move(memory));
  return absl::OkStatus();
}

void BlockFrame::BindOther(TensorId id, const TensorBase& value) {
  AssignTensor(value, others_[id].get());
}

absl::Status BlockFrame::Run(const RunOptions& options) {
  options_ = &options;
  if (ABSL_PREDICT_FALSE(options.watches_steps())) return RunWatched();
  for (FrameStep& step : steps_) {
    const absl::Status status = step.thunk != nullptr
                                    ? step.thunk(*step.launch)
                                    : step.function(*this, step);
    if (ABSL_PREDICT_FALSE(!status.ok())) {
      return Located(status, FailedOf(*step.step));
    }
  }
  return absl::OkStatus();
}

// Run() with a profile or with a check of each step: apart, so that other runs
// don't ask at each step.
absl::Status BlockFrame::RunWatched() {
  RunProfile* const profile = options_->profile;
  for (FrameStep& step : steps_) {
    if (step.step->chain != nullptr) {
      const absl::Status status = RunChainWatched(step);
      if (!status.ok()) return Located(status, FailedOf(*step.step));
      continue;
    }
    size_t number = 0;
    if (profile != nullptr) {
      number = profile->Begin(*step.step, specialization_, /*kept=*/false);
    }
    const bool launch = step.launch != nullptr;
    const absl::Status status =
        launch && options_->detect_anomaly ? RunDetecting(step) : RunStep(step);
    if (profile != nullptr) profile->End(number);
    if (!status.ok()) return Located(status, *step.step);
  }
  return absl::OkStatus();
}

void BlockFrame::Release() {
  for (TensorId id : foreign_) {
    const TensorSlot& slot = specialization_.tensors[id];
    if (!others_.empty() && others_[id] != nullptr) {
      ResetTensor(others_[id].get());
    } else if (slot.storage == Storage::kOwn) {
      tensors_[id] = DenseTensor();  // What its kernel expects.
    } else {
      tensors_[id].SetBuffer(nullptr);
    }
  }
}

absl::Status BlockFrame::RunChild(const FrameStep& step, int number,
                                  absl::Span<const TensorId> own) {
  BlockFrame& child = *children_[step.first_child + number];
  const std::vector<TensorId>& captures = step.step->captures[number];
  for (size_t i = 0; i < child.arguments_.size(); ++i) {
    const TensorId argument = child.arguments_[i];
    if (argument == kNoTensor) continue;
    const TensorId from = i < own.size() ? own[i] : captures[i - own.size()];
    if (const TensorBase* value = other(from)) {
      child.BindOther(argument, *value);
    } else {
      child.Bind(argument, tensors_[from]);
    }
  }
  // Those of the iteration before are over other memory.
  if (child.asynchronous_) child.ForgetViews();
  return child.Run(*options_);
}

void BlockFrame::ForgetViews() {
  for (TensorId id : foreign_) {
    if (specialization_.tensors[id].storage == Storage::kView) {
      tensors_[id].SetBuffer(nullptr);
    }
  }
}

// Copies what a block yields into this frame's tensors. A yielded value may be
// in the memory of one that is written here (a loop that swaps two values):
// all are read before any is written.
absl::Status BlockFrame::TakeResults(const FrameStep& step,
                                     const BlockFrame& child) {
  const std::vector<TensorId>& results = child.specialization_.results;
  const std::vector<TensorId>& outputs = step.step->outputs;
  std::vector<DenseTensor> staged(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const TensorSlot& slot = child.specialization_.tensors[results[i]];
    const TensorSlot& root = child.specialization_.tensors[slot.root];
    if (root.storage != Storage::kBound || child.other(results[i]) != nullptr) {
      continue;
    }
    SY_ASSIGN_OR_RETURN(staged[i], ContiguousCopy(child.tensor(results[i])));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    // The child's own: shared with nothing here but its elements.
    if (const TensorBase* value = child.other(results[i])) {
      BindOther(outputs[i], *value);
      continue;
    }
    const DenseTensor& from =
        staged[i].allocated() ? staged[i] : child.tensor(results[i]);
    SY_RETURN_IF_ERROR(CopyElements(from, &tensors_[outputs[i]]));
  }
  return absl::OkStatus();
}

absl::Status BlockFrame::If(BlockFrame& frame, FrameStep& step) {
  SY_ASSIGN_OR_RETURN(const bool holds,
                      ReadCondition(frame.tensors_[step.step->inputs[0]]));
  const int number = holds ? 0 : 1;
  BlockFrame& child = *frame.children_[step.first_child + number];
  SY_RETURN_IF_ERROR(frame.RunChild(step, number, {}));
  SY_RETURN_IF_ERROR(frame.TakeResults(step, child));
  child.Release();
  return absl::OkStatus();
}

absl::Status BlockFrame::While(BlockFrame& frame, FrameStep& step) {
  // The results are the loop's values from the beginning.
  const std::vector<TensorId>& values = step.step->outputs;
  for (size_t i = 0; i < values.size(); ++i) {
    const TensorId first = step.step->inputs[i];
    if (const TensorBase* value = frame.other(first)) {
      frame.BindOther(values[i], *value);
    } else {
      SY_RETURN_IF_ERROR(
          CopyElements(frame.tensors_[first], &frame.tensors_[values[i]]));
    }
  }
  BlockFrame& condition = *frame.children_[step.first_child];
  BlockFrame& body = *frame.children_[step.first_child + 1];
  const RunOptions& options = *frame.options_;
  for (;;) {
    if (options.check) SY_RETURN_IF_ERROR(options.check());
    SY_RETURN_IF_ERROR(frame.RunChild(step, 0, values));
    SY_ASSIGN_OR_RETURN(
        const bool holds,
        ReadCondition(condition.tensor(condition.specialization_.results[0])));
    if (!holds) break;
    SY_RETURN_IF_ERROR(frame.RunChild(step, 1, values));
    SY_RETURN_IF_ERROR(frame.TakeResults(step, body));
  }
  condition.Release();
  body.Release();
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
