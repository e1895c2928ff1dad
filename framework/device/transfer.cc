// SPDX-License-Identifier: Apache-2.0
#include "framework/device/transfer.h"

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "framework/device/buffer_use.h"
#include "framework/device/cpu/cpu_device.h"
#include "framework/device/device_info.h"
#include "framework/device/stream_work.h"

namespace switchyard {
namespace {

std::string LinkedDevices() {
  std::string names = device_cpu.name;
  for (const DeviceInfo* device : RegisteredDevices()) {
    if (device != &device_cpu) names.append(", ").append(device->name);
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

Allocator& GetAllocator(Place place) {
  return RecordOf(place)->allocator(place.index);
}

namespace {

Place PlaceOf(const BytesAt& bytes) {
  return bytes.buffer == nullptr ? Place::Cpu() : bytes.buffer->place();
}

bool IsHost(Place place) { return RecordOf(place)->host_memory; }

// Copies by the calling thread's stream for transfers, and waits.
absl::Status CopyWithHost(Place place, CopyDirection direction,
                          const void* from, void* to, size_t bytes) {
  const DeviceInfo& device = *RecordOf(place);
  if (device.streams == nullptr) {
    return device.copy(place.index, nullptr, direction, from, to, bytes);
  }
  SY_ASSIGN_OR_RETURN(Stream* const stream, Stream::OfTransfers(place));
  SY_RETURN_IF_ERROR(
      device.copy(place.index, stream->handle(), direction, from, to, bytes));
  SY_ASSIGN_OR_RETURN(const RefPtr<Event> event, stream->Record());
  return event->Wait();
}

absl::Status CopyFromHost(const void* from, const BytesAt& to, size_t bytes) {
  BufferUse* const use = to.buffer->use();
  const bool whole = bytes == to.buffer->size();
  if (use != nullptr) {
    const std::shared_ptr<StreamFailure> failure = use->Join();
    // Bytes that are all written have a value again.
    if (!whole) SY_RETURN_IF_ERROR(Report(failure));
  }
  SY_RETURN_IF_ERROR(CopyWithHost(PlaceOf(to), CopyDirection::kFromHost, from,
                                  const_cast<void*>(to.data), bytes));
  if (use != nullptr) use->Clear();
  return absl::OkStatus();
}

// Both on one device.
absl::Status CopyWithin(const BytesAt& from, const BytesAt& to, size_t bytes) {
  const Place place = PlaceOf(from);
  const DeviceInfo& device = *RecordOf(place);
  void* const target = const_cast<void*>(to.data);
  if (device.streams == nullptr) {
    return device.copy(place.index, nullptr, CopyDirection::kWithin, from.data,
                       target, bytes);
  }
  SY_ASSIGN_OR_RETURN(Stream* const stream, Stream::Current(place));
  StreamWork work(stream);
  work.Reads(from.buffer);
  work.Writes(to.buffer);
  // The other bytes stay.
  if (bytes != to.buffer->size()) work.Reads(to.buffer);
  SY_RETURN_IF_ERROR(work.Begin());
  SY_RETURN_IF_ERROR(device.copy(place.index, stream->handle(),
                                 CopyDirection::kWithin, from.data, target,
                                 bytes));
  return work.End().status();
}

}  // namespace

absl::Status CopyToHost(const BytesAt& from, void* to, size_t bytes) {
  const Place place = PlaceOf(from);
  if (IsHost(place)) {
    std::memmove(to, from.data, bytes);
    return absl::OkStatus();
  }
  if (from.buffer->use() != nullptr) {
    SY_RETURN_IF_ERROR(Report(from.buffer->use()->JoinWriter()));
  }
  return CopyWithHost(place, CopyDirection::kToHost, from.data, to, bytes);
}

absl::Status CopyBytes(const BytesAt& from, const BytesAt& to, size_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  if (IsHost(PlaceOf(to))) {
    return CopyToHost(from, const_cast<void*>(to.data), bytes);
  }
  if (IsHost(PlaceOf(from))) return CopyFromHost(from.data, to, bytes);
  if (PlaceOf(from) == PlaceOf(to)) return CopyWithin(from, to, bytes);
  SY_ASSIGN_OR_RETURN(const RefPtr<Buffer> host,
                      GetAllocator(Place::Cpu()).Allocate(bytes));
  SY_RETURN_IF_ERROR(CopyToHost(from, host->data(), bytes));
  return CopyFromHost(host->data(), to, bytes);
}

BytesAt BytesOf(const DenseTensor& tensor) {
  return {tensor.buffer().get(), tensor.raw_data()};
}

absl::StatusOr<DenseTensor> Transferred(const DenseTensor& x, Place place) {
  SY_RETURN_IF_ERROR(CheckPlace(x.place()));
  SY_RETURN_IF_ERROR(CheckPlace(place));
  TensorMeta meta = x.meta();
  meta.place = place;
  const void* from = x.buffer()->data();
  size_t bytes = x.buffer()->size();
  if (x.contiguous() && x.layout().strided()) {
    meta.offset = 0;
    from = x.raw_data();
    bytes = x.byte_size();
  }
  SY_ASSIGN_OR_RETURN(RefPtr<Buffer> buffer,
                      GetAllocator(place).Allocate(bytes));
  SY_RETURN_IF_ERROR(CopyBytes({x.buffer().get(), from},
                               {buffer.get(), buffer->data()}, bytes));
  DenseTensor copy(std::move(meta), std::move(buffer));
  copy.SetLod(x.lod());
  return copy;
}

}  // namespace switchyard
