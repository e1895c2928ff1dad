// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/frame/frame_tensors.h"

#include <utility>

#include "framework/device/transfer.h"

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

}  // namespace

absl::Status FrameTensors::Make(absl::Span<const DenseTensor> constants) {
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
        slot.storage == Storage::kBlock || IsFreshPart(slot)) {
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

void FrameTensors::SetArgument(int number, TensorId id) {
  if (arguments_.size() <= static_cast<size_t>(number)) {
    arguments_.resize(number + 1, kNoTensor);
  }
  arguments_[number] = id;
}

// There is a block for each place of a planned tensor.
const RefPtr<Buffer>& FrameTensors::GetMemory(Place place) const {
  size_t block = 0;
  while (specialization_.memory[block].place != place) ++block;
  return memory_[block];
}

bool FrameTensors::IsFreshPart(const TensorSlot& slot) const {
  return slot.storage == Storage::kFresh &&
         specialization_.tensors[slot.root].whole != kNoTensor;
}

absl::Status FrameTensors::PlaceTensors() {
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
  fresh_parts_.clear();
  for (size_t i = 0; i < slots.size(); ++i) {
    const TensorSlot& slot = slots[i];
    if (IsFreshPart(slot)) fresh_parts_.push_back(static_cast<TensorId>(i));
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

absl::Status FrameTensors::Resize(absl::Span<const TensorId> changed,
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

TensorBase* FrameTensors::Base(TensorId id) {
  if (id == kNoTensor) return nullptr;
  const bool other = !others_.empty() && others_[id] != nullptr;
  return other ? others_[id].get() : static_cast<TensorBase*>(&tensors_[id]);
}

void FrameTensors::SetMemory(TensorId root, RefPtr<Buffer> memory) {
  for (TensorId follower : followers_[root]) {
    tensors_[follower].SetBuffer(memory);
  }
  tensors_[root].SetBuffer(std::move(memory));
}

void FrameTensors::Bind(TensorId root, const DenseTensor& value) {
  DenseTensor& tensor = tensors_[root];
  // The geometry is mostly there already, and to copy it would take longer than
  // the rest.
  if (tensor.offset() != value.offset() || tensor.lod() != value.lod() ||
      tensor.strides() != value.strides()) {
    tensor = value;
  }
  SetMemory(root, value.buffer());
}

absl::Status FrameTensors::BindFresh(TensorId root) {
  const TensorSlot& slot = specialization_.tensors[root];
  SY_ASSIGN_OR_RETURN(
      RefPtr<Buffer> memory,
      GetAllocator(slot.meta.place).Allocate(static_cast<size_t>(slot.bytes)));
  DenseTensor& tensor = tensors_[root];
  if (tensor.lod() != nullptr) tensor.SetLod(nullptr);
  const std::vector<TensorSlot>& slots = specialization_.tensors;
  for (TensorId part : fresh_parts_) {
    const TensorSlot& own = slots[slots[part].root];
    if (OutermostOf(slots, own.root) == root) {
      tensors_[part].SetBuffer(Piece(memory, own.offset, own.bytes));
    }
  }
  SetMemory(root, std::move(memory));
  return absl::OkStatus();
}

void FrameTensors::BindOther(TensorId id, const TensorBase& value) {
  AssignTensor(value, others_[id].get());
}

void FrameTensors::Release() {
  for (TensorId part : fresh_parts_) tensors_[part].SetBuffer(nullptr);
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

void FrameTensors::ForgetViews() {
  for (TensorId id : foreign_) {
    if (specialization_.tensors[id].storage == Storage::kView) {
      tensors_[id].SetBuffer(nullptr);
    }
  }
}

}  // namespace switchyard::static_graph
