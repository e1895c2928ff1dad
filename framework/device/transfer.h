// SPDX-License-Identifier: Apache-2.0
// Transferred: a tensor's bytes in the memory of another place, by the records
// of the devices (framework/device/device_info.h) and without a kernel: what
// NumPy arrays, feeds and fetches need. The operator `copy` is the same with a
// gradient and a transcript.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_TRANSFER_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_TRANSFER_H_

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/place.h"

namespace switchyard {

// OK if the process has the device that `place` names. FailedPrecondition with
// "place must be ..." otherwise: its kind is not linked, or there are fewer.
absl::Status CheckPlace(Place place);

// Returns the allocator of a place that CheckPlace() accepts.
Allocator& GetAllocator(Place place);

// Where bytes to copy lie: in a buffer, at `data`. Memory of the host may be
// without one.
struct BytesAt {
  const Buffer* buffer;
  const void* data;
};

// Copies `bytes` bytes between places that CheckPlace() accepts; those of two
// devices go through memory of the host. It comes after the work of streams
// that writes `from` or touches `to`, and waits for no other work: within a
// device it is given to the current stream, otherwise the bytes are there when
// it returns. Errors: what the device reports, and the failure of work that was
// to write `from`, or a part of what `to` still holds.
absl::Status CopyBytes(const BytesAt& from, const BytesAt& to, size_t bytes);

// Does the same to memory of the host that has no buffer.
absl::Status CopyToHost(const BytesAt& from, void* to, size_t bytes);

// Returns where a tensor's first element lies.
BytesAt BytesOf(const DenseTensor& tensor);

// Returns a tensor of the same elements, shape, strides and sequences with
// memory of its own on `place`. A tensor that is not contiguous, or has a
// layout, brings its whole buffer along. Errors: those of CheckPlace() for
// either place, ResourceExhausted, what the device reports. Requires
// x.allocated().
absl::StatusOr<DenseTensor> Transferred(const DenseTensor& x, Place place);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_TRANSFER_H_
