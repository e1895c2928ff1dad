// SPDX-License-Identifier: Apache-2.0
#include "phi/capi/plugin_device.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/device/buffer_use.h"
#include "framework/memory/buffer.h"
#include "phi/capi/host_call.h"

namespace switchyard::phi::capi {
namespace {

// The functions of a plugin's device, and its texts.
struct Slot {
  SyDevice device = {};
  std::string name, model;
  std::vector<std::string> property_names;
  std::vector<const char*> property_texts;  // The names.
  std::vector<int64_t> properties;
};

// Constant-initialised pointers: a slot is made when it is filled, and never
// destroyed.
Slot* slots[kMaxPluginDevices];

absl::Status ErrorOf(const Slot& slot, const char* what, SyCode code) {
  if (code == SY_OK) return absl::OkStatus();
  return StatusOf(code,
                  absl::StrCat("device ", slot.name, ": ", what, " failed"));
}

// Calls a function of the plugin, which may throw.
template <typename Function>
absl::Status Try(const Slot& slot, const char* what, const Function& function) {
  return CatchAll([&] { return ErrorOf(slot, what, function()); });
}

absl::Status CheckIndex(const Slot& slot, int index) {
  if (index == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("place must be a device of this process, ", slot.name,
                   ":0, got ", slot.name, ":", index));
}

class PluginAllocator final : public Allocator {
 public:
  PluginAllocator(const Slot& slot, int index) : slot_(slot), index_(index) {}

  Place place() const override {
    return {static_cast<DeviceType>(DeviceNumber(slot_.name)),
            static_cast<int8_t>(index_)};
  }

  absl::StatusOr<RefPtr<Buffer>> Allocate(size_t bytes) override {
    SY_RETURN_IF_ERROR(CheckIndex(slot_, index_));
    const auto free = [this](Buffer* buffer) { Free(buffer); };
    frees_.Reclaim(/*wait=*/false, free);
    void* memory = nullptr;
    const auto allocate = [&] {
      // A device has no blocks of no bytes.
      return Try(slot_, "allocating", [&] {
        return slot_.device.allocate(bytes == 0 ? 1 : bytes, &memory);
      });
    };
    absl::Status status = allocate();
    if (absl::IsResourceExhausted(status)) {
      frees_.Reclaim(/*wait=*/true, free);
      status = allocate();
    }
    SY_RETURN_IF_ERROR(status);
    auto buffer =
        RefPtr<Buffer>::Adopt(new Buffer(this, memory, bytes, place()));
    buffer->set_use(new BufferUse());
    return buffer;
  }

 private:
  void Deallocate(Buffer* buffer) override {
    if (!frees_.Keep(buffer)) Free(buffer);
  }

  void Free(Buffer* buffer) {
    slot_.device.deallocate(buffer->data());
    delete buffer->use();
    delete buffer;
  }

  const Slot& slot_;
  const int index_;
  DeferredFrees frees_;
};

// The context of a plugin's kernels: the device's memory.
class PluginContext final : public DeviceContext {
 public:
  PluginContext(Place place, Allocator* allocator)
      : DeviceContext(place, allocator) {}
};

// The functions of slot number kSlot, as DeviceInfo has them.
template <int kSlot>
struct Functions {
  static const Slot& Own() { return *slots[kSlot]; }

  static int Count() { return 1; }
  static absl::Status Check(int index) { return CheckIndex(Own(), index); }

  static Allocator& GetAllocator(int index) {
    // Never destroyed: buffers may outlive every static. An index beyond the
    // first has an allocator that refuses.
    static auto* const first = new PluginAllocator(Own(), 0);
    static auto* const none = new PluginAllocator(Own(), 1);
    return index == 0 ? *first : *none;
  }

  static absl::Status Copy(int, void* stream, CopyDirection direction,
                           const void* from, void* to, size_t bytes) {
    const int32_t number = direction == CopyDirection::kFromHost ? SY_FROM_HOST
                           : direction == CopyDirection::kToHost ? SY_TO_HOST
                                                                 : SY_WITHIN;
    return Try(Own(), "a copy", [&] {
      return Own().device.copy(stream, number, from, to, bytes);
    });
  }

  static absl::StatusOr<DeviceProperties> Properties(int) {
    return DeviceProperties{Own().model, Own().device.memory_bytes};
  }

  static int64_t Property(int, int position) {
    return Own().properties[position];
  }

  static absl::StatusOr<void*> CreateStream(int) {
    void* stream = nullptr;
    SY_RETURN_IF_ERROR(Try(Own(), "making a stream", [&] {
      return Own().device.create_stream(&stream);
    }));
    return stream;
  }
  static void DestroyStream(int, void* stream) {
    Own().device.destroy_stream(stream);
  }
  static absl::StatusOr<void*> Record(int, void* stream) {
    void* event = nullptr;
    SY_RETURN_IF_ERROR(Try(Own(), "recording an event", [&] {
      return Own().device.record(stream, &event);
    }));
    return event;
  }
  static void DestroyEvent(int, void* event) {
    Own().device.destroy_event(event);
  }
  static absl::Status Wait(int, void* stream, void* event) {
    return Try(Own(), "waiting",
               [&] { return Own().device.wait(stream, event); });
  }
  static bool Reached(int, void* event) {
    return Own().device.reached(event) != 0;
  }
  static std::shared_ptr<StreamFailure> Join(int, void* event) {
    absl::Status status =
        Try(Own(), "its work", [&] { return Own().device.join(event); });
    if (status.ok()) return nullptr;
    return std::make_shared<StreamFailure>(std::move(status));
  }

  static DeviceContext& Current(Place place) {
    thread_local std::unique_ptr<PluginContext> context;
    if (context == nullptr) {
      context =
          std::make_unique<PluginContext>(place, &GetAllocator(place.index));
    }
    return *context;
  }
  static std::unique_ptr<DeviceContext> Make(Place place) {
    return std::make_unique<PluginContext>(place, &GetAllocator(place.index));
  }

  static constexpr StreamInfo kStreams = {
      &CreateStream, &DestroyStream, &Record,  &DestroyEvent,
      &Wait,         nullptr,        &Reached, &Join};
  static constexpr ContextProvider kContexts = {&Current, &Make};
  // The name is the plugin's.
  static DeviceInfo info;
};

template <int kSlot>
DeviceInfo Functions<kSlot>::info = {
    "",    /*host_memory=*/false, &Count,   &Check, &GetAllocator,
    &Copy, &Properties,           &kStreams};

template <int kSlot>
PluginDevice Fill(int slot, const SyDevice& device,
                  absl::Span<const SyProperty> properties) {
  if (kSlot != slot) {
    if constexpr (kSlot + 1 < kMaxPluginDevices) {
      return Fill<kSlot + 1>(slot, device, properties);
    }
  }
  if (slots[kSlot] == nullptr) slots[kSlot] = new Slot();
  Slot& own = *slots[kSlot];
  own.device = device;
  own.name = device.name;
  own.model = device.model == nullptr ? device.name : device.model;
  own.device.name = own.name.c_str();
  own.device.model = own.model.c_str();
  own.device.properties = nullptr;  // They are kept below.
  own.property_names.clear();
  own.property_texts.clear();
  own.properties.clear();
  for (const SyProperty& property : properties) {
    own.property_names.emplace_back(property.name);
    own.properties.push_back(property.value);
  }
  for (const std::string& name : own.property_names) {
    own.property_texts.push_back(name.c_str());
  }
  DeviceInfo& info = Functions<kSlot>::info;
  info.name = own.name.c_str();
  info.property_names = own.property_texts;
  info.property = &Functions<kSlot>::Property;
  return {&Functions<kSlot>::info, &Functions<kSlot>::kContexts};
}

}  // namespace

PluginDevice FillDeviceSlot(int slot, const SyDevice& device,
                            absl::Span<const SyProperty> properties) {
  return Fill<0>(slot, device, properties);
}

}  // namespace switchyard::phi::capi
