// SPDX-License-Identifier: Apache-2.0
#include "framework/device/device_info.h"

#include <iterator>
#include <mutex>

namespace switchyard {
namespace internal {

// Constant-initialised, each by its constructor from a pointer: tables that are
// made before main register devices.
std::atomic<const DeviceInfo*> devices[] = {
    nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
    nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
static_assert(std::size(devices) == kMaxDevices);

}  // namespace internal

namespace {

using internal::devices;

// Names by number.
constexpr std::string_view kReserved[] = {"cpu", "gpu"};
constexpr int kNumReserved = static_cast<int>(std::size(kReserved));

std::mutex register_mutex;

int ReservedNumber(std::string_view name) {
  for (int i = 0; i < kNumReserved; ++i) {
    if (kReserved[i] == name) return i;
  }
  return -1;
}

}  // namespace

absl::StatusOr<DeviceType> RegisterDevice(const DeviceInfo& device) {
  const std::lock_guard<std::mutex> lock(register_mutex);
  int number = ReservedNumber(device.name);
  // The first free number, or that of its name.
  for (int i = kNumReserved; number < 0 && i < kMaxDevices; ++i) {
    const DeviceInfo* const other = devices[i].load(std::memory_order_relaxed);
    if (other == nullptr || std::string_view(other->name) == device.name) {
      number = i;
    }
  }
  if (number < 0) {
    return absl::ResourceExhaustedError(
        "a process must have at most " + std::to_string(kMaxDevices) +
        " kinds of devices, got one more with " + device.name);
  }
  const DeviceInfo* const before =
      devices[number].load(std::memory_order_relaxed);
  if (before != nullptr && before != &device) {
    return absl::AlreadyExistsError(
        "devices must have names of their own, got two that are named " +
        std::string(device.name));
  }
  devices[number].store(&device, std::memory_order_release);
  return static_cast<DeviceType>(number);
}

std::vector<const DeviceInfo*> RegisteredDevices() {
  std::vector<const DeviceInfo*> registered;
  for (int i = 0; i < kMaxDevices; ++i) {
    const DeviceInfo* const device = FindDevice(static_cast<DeviceType>(i));
    if (device != nullptr) registered.push_back(device);
  }
  return registered;
}

int DeviceNumber(std::string_view name) {
  for (int i = kNumReserved; i < kMaxDevices; ++i) {
    const DeviceInfo* const device = FindDevice(static_cast<DeviceType>(i));
    if (device != nullptr && device->name == name) return i;
  }
  return ReservedNumber(name);
}

}  // namespace switchyard
