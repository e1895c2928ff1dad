// SPDX-License-Identifier: Apache-2.0
#include "framework/device/sim/sim_device.h"

#include <array>
#include <bitset>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "framework/device/buffer_use.h"
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
    frees_.Reclaim(/*wait=*/false, &Free);
    absl::StatusOr<void*> block = SimArena::Get().Allocate(bytes);
    if (!block.ok()) {
      frees_.Reclaim(/*wait=*/true, &Free);
      block = SimArena::Get().Allocate(bytes);
    }
    SY_RETURN_IF_ERROR(block.status());
    auto buffer =
        RefPtr<Buffer>::Adopt(new Buffer(this, *block, bytes, place()));
    buffer->set_use(new BufferUse());
    return buffer;
  }

 private:
  void Deallocate(Buffer* buffer) override {
    if (!frees_.Keep(buffer)) Free(buffer);
  }

  static void Free(Buffer* buffer) {
    ForgetSimBlock(buffer->data());
    SimArena::Get().Free(buffer->data());
    delete buffer->use();
    delete buffer;
  }

  int index_;
  DeferredFrees frees_;
};

Allocator& GetAllocator(int index) {
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

absl::Status Copy(int, void* stream, CopyDirection direction, const void* from,
                  void* to, size_t bytes) {
  SimArena& arena = SimArena::Get();
  SimTask task;
  task.op = "a copy";
  if (direction != CopyDirection::kFromHost) {
    task.reads.push_back(arena.FindBlock(from));
    from = arena.Alias(from);
  }
  if (direction != CopyDirection::kToHost) {
    task.writes.push_back(arena.FindBlock(to));
    to = arena.Alias(to);
  }
  task.run = [from, to, bytes] {
    std::memmove(to, from, bytes);
    return absl::OkStatus();
  };
  return static_cast<SimStream*>(stream)->Enqueue(std::move(task));
}

absl::StatusOr<void*> CreateStream(int) {
  return new SimStream(Numbers().Take());
}

void DestroyStream(int, void* stream) {
  const int number = static_cast<SimStream*>(stream)->number();
  delete static_cast<SimStream*>(stream);  // Waits for its work.
  Numbers().GiveBack(number);
}

absl::StatusOr<void*> Record(int, void* stream) {
  return new SimEvent(static_cast<SimStream*>(stream)->Record());
}

void DestroyEvent(int, void* event) { delete static_cast<SimEvent*>(event); }

absl::Status Wait(int, void* stream, void* event) {
  static_cast<SimStream*>(stream)->Wait(*static_cast<SimEvent*>(event));
  return absl::OkStatus();
}

void Require(int, void* stream, void* event) {
  if (event == nullptr) {
    static_cast<SimStream*>(stream)->RequireNothing();
  } else {
    static_cast<SimStream*>(stream)->Require(*static_cast<SimEvent*>(event));
  }
}

bool Reached(int, void* event) {
  return static_cast<SimEvent*>(event)->reached();
}

std::shared_ptr<StreamFailure> Join(int, void* event) {
  return static_cast<SimEvent*>(event)->Join();
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

constexpr StreamInfo kStreams = {&CreateStream, &DestroyStream, &Record,
                                 &DestroyEvent, &Wait,          &Require,
                                 &Reached,      &Join};

}  // namespace

const DeviceInfo device_sim = {
    "sim", /*host_memory=*/false, &Count,   &Check, &GetAllocator,
    &Copy, &Properties,           &kStreams};

const ContextProvider SimContext::kContexts = {&Current, &Make};

Place SimPlace(int index) {
  // Its name is its own: no other device is named sim.
  static const DeviceType type = *RegisterDevice(device_sim);
  return {type, static_cast<int8_t>(index)};
}

SimContext::SimContext(Place place)
    : DeviceContext(place, &GetAllocator(place.index)) {}

SimStream& SimStreamOf(const Stream& stream) {
  return *static_cast<SimStream*>(stream.handle());
}

}  // namespace switchyard
