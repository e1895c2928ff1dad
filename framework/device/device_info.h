// SPDX-License-Identifier: Apache-2.0
// DeviceInfo: a kind of device: its name, its memory, its streams, the copies
// between it and the host. Each kind is one constant, to which the BackendInfos
// (framework/device/backend.h) of the kernels that run there point, so a device
// appears in a binary by a kernel of it being linked, from this workspace or
// another. Code outside a device's own folder reads the record and never
// compares with a certain device; the host alone has a name, Place::Cpu().
//
//   framework/device/cpu/cpu_device.h      device_cpu, the host
//   framework/device/gpu/gpu_device.h      device_gpu, by CUDA
//
// What a kernel computes with is a DeviceContext
// (framework/device/device_context.h); tensors are moved by
// framework/device/transfer.h; code that gives work to streams uses the classes
// of framework/device/stream.h.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_DEVICE_INFO_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_DEVICE_INFO_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/device_type.h"

namespace switchyard {

class Allocator;  // framework/memory/buffer.h

// Says between which memories bytes are copied.
enum class CopyDirection : uint8_t { kFromHost, kToHost, kWithin };

// Describes one device to people.
struct DeviceProperties {
  std::string model;         // "NVIDIA H100", or the name of the kind.
  int64_t memory_bytes = 0;  // 0 if it is not known.
};

// The error of a stream's work. Work that would have read what the failed work
// writes fails with the same one.
struct StreamFailure {
  explicit StreamFailure(absl::Status failed) : status(std::move(failed)) {}

  const absl::Status status;  // Begins with the operator's name if it is known.
  std::atomic<bool> reported{false};  // Somebody has got it.
};

// The streams and events of a kind of device: a stream is a queue of work that
// runs in order, an event the end of what a stream had been given by then.
// Handles are the device's own; a stream is used by one thread at a time. An
// `index` is one that DeviceInfo::check accepts.
struct StreamInfo {
  absl::StatusOr<void*> (*create)(int index);
  // Takes back a stream; what it was given still runs.
  void (*destroy)(int index, void* stream);
  // Returns a new event after the work that `stream` has by now. The work
  // since the event before is what it reports the failure of.
  absl::StatusOr<void*> (*record)(int index, void* stream);
  void (*destroy_event)(int index, void* event);
  // Lets later work of `stream` wait for an event of this kind of device.
  absl::Status (*wait)(int index, void* stream, void* event);
  // Lets the next work of `stream`, which waits for `event`, fail as the work
  // in front of the event did; a null event cancels that. Null where no
  // work runs after a failure.
  void (*require)(int index, void* stream, void* event);
  // Returns true if all work in front of the event is done.
  bool (*reached)(int index, void* event);
  // Waits for the work in front of the event. Returns its failure, or null.
  std::shared_ptr<StreamFailure> (*join)(int index, void* event);
};

// The record of a kind of device: constant data, never destroyed while a
// backend points to it. All functions are thread-safe. An `index` counts the
// devices of the kind from 0; functions other than `count` and `check` are
// called only with an index that `check` accepts, except `allocator`, whose
// Allocate() then returns the error of `check`.
struct DeviceInfo {
  // A C identifier that no other device has. "cpu" and "gpu" have the numbers
  // that DeviceType reserves.
  const char* name;
  // True if code of the host may read and write the device's memory.
  bool host_memory;
  // Returns the number of devices of the kind that the process sees.
  int (*count)();
  // OK if the process sees device `index`; FailedPrecondition otherwise, with a
  // sentence that says why.
  absl::Status (*check)(int index);
  // Returns the allocator of a device, which lives as long as the process.
  Allocator& (*allocator)(int index);
  // Copies bytes between the device and the host, or within its memory. Where
  // there are streams it is work of `stream`, and memory of the host must stay
  // until it is done; otherwise `stream` is null and the bytes are there when
  // it returns.
  absl::Status (*copy)(int index, void* stream, CopyDirection direction,
                       const void* from, void* to, size_t bytes);
  absl::StatusOr<DeviceProperties> (*properties)(int index);
  // Null if a kernel has done its work when it returns.
  const StreamInfo* streams;
  // The names of what devices of the kind say of themselves in numbers, for
  // conditions of kernels (phi/core/condition.h): "compute_capability".
  absl::Span<const char* const> property_names = {};
  // Returns the number with that position among the names, which a device never
  // changes. Null where there are none.
  int64_t (*property)(int index, int position) = nullptr;
};

// The numbers that a DeviceType can have.
inline constexpr int kMaxDevices = 16;

// Gives a device a number, unless it has one. AlreadyExists if another device
// has its name, ResourceExhausted beyond kMaxDevices. Kernel tables register
// the devices of their backends (phi/core/kernel_tables.h). Thread-safe;
// numbers are never given back.
absl::StatusOr<DeviceType> RegisterDevice(const DeviceInfo& device);

// Returns the devices that have been registered, by number.
std::vector<const DeviceInfo*> RegisteredDevices();

// Returns the number that belongs to the name of a device: a reserved or a
// registered one, or -1.
int DeviceNumber(std::string_view name);

namespace internal {
// Append-only, by number. Constant-initialised.
extern std::atomic<const DeviceInfo*> devices[kMaxDevices];
}  // namespace internal

// Returns the record of a kind of device; null if no such device is in the
// process.
inline const DeviceInfo* FindDevice(DeviceType type) {
  const auto number = static_cast<size_t>(type);
  if (number >= kMaxDevices) return nullptr;
  return internal::devices[number].load(std::memory_order_acquire);
}

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_DEVICE_INFO_H_
