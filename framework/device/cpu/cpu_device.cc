// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_device.h"

#include <unistd.h>

#include <cstring>
#include <string>

#include "framework/memory/cpu_allocator.h"

namespace switchyard {
namespace {

int Count() { return 1; }

absl::Status Check(int index) {
  if (index == 0) return absl::OkStatus();
  return absl::FailedPreconditionError("place must be cpu, got cpu:" +
                                       std::to_string(index));
}

Allocator& GetAllocator(int) { return CpuAllocator(); }

absl::Status Copy(int, void*, CopyDirection, const void* from, void* to,
                  size_t bytes) {
  std::memmove(to, from, bytes);
  return absl::OkStatus();
}

absl::StatusOr<DeviceProperties> Properties(int) {
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  const int64_t page = sysconf(_SC_PAGE_SIZE);
  return DeviceProperties{"cpu", pages > 0 && page > 0 ? pages * page : 0};
}

}  // namespace

const DeviceInfo device_cpu = {"cpu",       /*host_memory=*/true, &Count,
                               &Check,      &GetAllocator,        &Copy,
                               &Properties, /*streams=*/nullptr};

}  // namespace switchyard
