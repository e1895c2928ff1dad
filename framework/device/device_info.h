// SPDX-License-Identifier: Apache-2.0
// DeviceInfo: a kind of device: its name, its memory, the copies between it and
// the host. Each kind is one constant, to which the BackendInfos
// (framework/device/backend.h) of the kernels that run there point, so a device
// appears in an image by a kernel of it being linked, from this workspace or
// another. Code outside a device's own folder asks the record and never
// compares with a certain device; the host alone has a name, Place::Cpu().
//
//   framework/device/cpu/cpu_device.h      device_cpu, the host
//   framework/device/gpu/gpu_device.h      device_gpu, by CUDA
//
// What a kernel computes with is a DeviceContext
// (framework/device/device_context.h); tensors are moved by
// framework/device/transfer.h.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_DEVICE_INFO_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_DEVICE_INFO_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/device_type.h"

namespace switchyard {

class Allocator;  // framework/memory/buffer.h

// Says between which memories bytes are copied.
enum class CopyDirection : uint8_t { kFromHost, kToHost, kWithin };

// Describes one device to people and to conditions of kernels.
struct DeviceProperties {
  std::string model;         // "NVIDIA H100", or the name of the kind.
  int64_t memory_bytes = 0;  // 0 if it is not known.
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
  // Copies bytes between the device and the host, or within its memory, after
  // all work that this thread has given to the device. The bytes are there when
  // it returns.
  absl::Status (*copy)(int index, CopyDirection direction, const void* from,
                       void* to, size_t bytes);
  // Waits for all work that this thread has given to the device. Returns the
  // first error of that work.
  absl::Status (*synchronize)(int index);
  absl::StatusOr<DeviceProperties> (*properties)(int index);
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
