// SPDX-License-Identifier: Apache-2.0
#include "framework/device/transfer.h"

#include <string>
#include <utility>

#include "framework/device/cpu/cpu_device.h"
#include "framework/device/device_info.h"

namespace switchyard {
namespace {

std::string LinkedDevices() {
  std::string names;
  for (const DeviceInfo* device : RegisteredDevices()) {
    names.append(names.empty() ? "" : ", ").append(device->name);
  }
  return names;
}

// The host is always there, whether or not a kernel table registered it; null
// if no other device of the kind is in the process.
const DeviceInfo* RecordOf(Place place) {
  return place.type == DeviceType::kCpu ? &device_cpu : FindDevice(place.type);
}

}  // namespace

absl::Status CheckPlace(Place place) {
  const DeviceInfo* const device = RecordOf(place);
  if (device == nullptr) {
    return absl::FailedPreconditionError(
        "place must be of a device that this build has (" + LinkedDevices() +
        "), got " + ToString(place));
  }
  return device->check(place.index);
}

Allocator& AllocatorOf(Place place) {
  return RecordOf(place)->allocator(place.index);
}

absl::Status CopyBytes(Place from_place, const void* from, Place to_place,
                       void* to, size_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  const DeviceInfo& source = *RecordOf(from_place);
  const DeviceInfo& target = *RecordOf(to_place);
  if (from_place == to_place) {
    return source.copy(from_place.index, CopyDirection::kWithin, from, to,
                       bytes);
  }
  if (source.host_memory) {
    return target.copy(to_place.index, CopyDirection::kFromHost, from, to,
                       bytes);
  }
  if (target.host_memory) {
    return source.copy(from_place.index, CopyDirection::kToHost, from, to,
                       bytes);
  }
  SY_ASSIGN_OR_RETURN(const RefPtr<Buffer> host,
                      AllocatorOf(Place::Cpu()).Allocate(bytes));
  SY_RETURN_IF_ERROR(source.copy(from_place.index, CopyDirection::kToHost, from,
                                 host->data(), bytes));
  return target.copy(to_place.index, CopyDirection::kFromHost, host->data(), to,
                     bytes);
}

absl::StatusOr<DenseTensor> Transferred(const DenseTensor& x, Place place) {
  SY_RETURN_IF_ERROR(CheckPlace(x.place()));
  SY_RETURN_IF_ERROR(CheckPlace(place));
  TensorMeta meta = x.meta();
  meta.place = place;
  const void* from = x.buffer()->data();
  size_t bytes = x.buffer()->size();
  if (x.contiguous()) {
    meta.offset = 0;
    from = x.raw_data();
    bytes = static_cast<size_t>(x.numel()) * SizeOf(x.dtype());
  }
  SY_ASSIGN_OR_RETURN(RefPtr<Buffer> buffer,
                      AllocatorOf(place).Allocate(bytes));
  SY_RETURN_IF_ERROR(CopyBytes(x.place(), from, place, buffer->data(), bytes));
  DenseTensor copy(std::move(meta), std::move(buffer));
  copy.SetLod(x.lod());
  return copy;
}

}  // namespace switchyard
