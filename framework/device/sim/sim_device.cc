// SPDX-License-Identifier: Apache-2.0
#include "framework/device/sim/sim_device.h"

#include <array>
#include <bitset>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "framework/device/sim/sim_memory.h"
#include "framework/memory/buffer.h"

namespace switchyard {
namespace {

int Count() { return kSimDevices; }

absl::Status Check(int index) {
  if (index >= 0 && index < kSimDevices) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "place must be a simulated device of this process (there are " +
      std::to_string(kSimDevices) + "), got sim:" + std::to_string(index));
}

class SimAllocator final : public Allocator {
 public:
  explicit SimAllocator(int index) : index_(index) {}
  Place place() const override { return SimPlace(index_); }

  absl::StatusOr<RefPtr<Buffer>> Allocate(size_t bytes) override {
    SY_RETURN_IF_ERROR(Check(index_));
    SY_ASSIGN_OR_RETURN(void* const block, SimArena::Get().Allocate(bytes));
    return RefPtr<Buffer>::Adopt(new Buffer(this, block, bytes, place()));
  }

 private:
  void Deallocate(Buffer* buffer) override {
    ForgetSimBlock(buffer->data());
    SimArena::Get().Free(buffer->data());
    delete buffer;
  }

  int index_;
};

Allocator& AllocatorOf(int index) {
  // Never destroyed: buffers may outlive every static. An index beyond the last
  // has an allocator that refuses.
  static auto* const allocators = new std::array<SimAllocator, kSimDevices + 1>{
      SimAllocator(0), SimAllocator(1), SimAllocator(kSimDevices)};
  const bool there = index >= 0 && index < kSimDevices;
  return (*allocators)[there ? index : kSimDevices];
}

// Numbers of streams that are not in use.
class StreamNumbers {
 public:
  int Take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    int number = 1;
    while (number < kMaxSimAgents - 1 && taken_[number]) ++number;
    taken_[number] = true;
    return number;
  }
  void GiveBack(int number) {
    const std::lock_guard<std::mutex> lock(mutex_);
    taken_[number] = false;
  }

 private:
  std::mutex mutex_;
  std::bitset<kMaxSimAgents> taken_;
};

StreamNumbers& Numbers() {
  static auto* const numbers = new StreamNumbers();
  return *numbers;
}

SimStream& CurrentStream(int index) {
  return static_cast<SimContext&>(
             SimContext::kContexts.current(SimPlace(index)))
      .stream();
}

absl::Status Copy(int index, CopyDirection direction, const void* from,
                  void* to, size_t bytes) {
  SimArena& arena = SimArena::Get();
  SimTask task;
  task.op = "a copy";
  if (direction != CopyDirection::kFromHost) {
    task.reads.push_back(arena.BlockOf(from));
    from = arena.Alias(from);
  }
  if (direction != CopyDirection::kToHost) {
    task.writes.push_back(arena.BlockOf(to));
    to = arena.Alias(to);
  }
  task.run = [from, to, bytes] {
    std::memmove(to, from, bytes);
    return absl::OkStatus();
  };
  SimStream& stream = CurrentStream(index);
  SY_RETURN_IF_ERROR(stream.Enqueue(std::move(task)));
  return stream.Synchronize();
}

absl::Status Synchronize(int index) {
  return CurrentStream(index).Synchronize();
}

absl::StatusOr<DeviceProperties> Properties(int) {
  return DeviceProperties{"sim", static_cast<int64_t>(SimArena::kBytes)};
}

DeviceContext& Current(Place place) {
  thread_local std::array<std::unique_ptr<SimContext>, kSimDevices> contexts;
  std::unique_ptr<SimContext>& context =
      contexts[static_cast<size_t>(place.index) % kSimDevices];
  if (context == nullptr) context = std::make_unique<SimContext>(place);
  return *context;
}

std::unique_ptr<DeviceContext> Make(Place place) {
  return std::make_unique<SimContext>(place);
}

}  // namespace

const DeviceInfo device_sim = {
    "sim", /*host_memory=*/false, &Count,     &Check, &AllocatorOf,
    &Copy, &Synchronize,          &Properties};

const ContextProvider SimContext::kContexts = {&Current, &Make};

Place SimPlace(int index) {
  // Its name is its own: no other device is named sim.
  static const DeviceType type = *RegisterDevice(device_sim);
  return {type, static_cast<int8_t>(index)};
}

SimContext::SimContext(Place place)
    : DeviceContext(place, &AllocatorOf(place.index)),
      stream_(std::make_unique<SimStream>(Numbers().Take())) {}

SimContext::~SimContext() {
  const int number = stream_->number();
  stream_ = nullptr;  // Waits for its work.
  Numbers().GiveBack(number);
}

}  // namespace switchyard
