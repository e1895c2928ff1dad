// SPDX-License-Identifier: Apache-2.0
// DeviceContext: what a kernel computes with. ContextProvider: how a backend
// hands contexts out.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_DEVICE_CONTEXT_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_DEVICE_CONTEXT_H_

#include <memory>

#include "framework/memory/buffer.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/place.h"

namespace switchyard {

// Holds what a kernel computes with: a place, memory, and (in the backends' own
// context types) thread teams, streams, cached primitives. Each backend has its
// own subclass, so no two kernels share a mangled name: ReferenceContext and
// CpuContext in framework/device/cpu, OnednnContext in phi/kernels/onednn,
// GpuContext and GpudnnContext in framework/device/gpu and phi/kernels/gpudnn.
// A context is used by one thread at a time; it borrows its allocator.
class DeviceContext {
 public:
  virtual ~DeviceContext() = default;
  DeviceContext(const DeviceContext&) = delete;
  DeviceContext& operator=(const DeviceContext&) = delete;

  Place place() const { return place_; }
  Allocator& allocator() const { return *allocator_; }

  // Gives `tensor` (dtype and shape set) a buffer, unless it has one that it
  // may write (planned memory, in-place, inferred by dispatch).
  // ResourceExhausted if there is no memory.
  absl::Status Allocate(DenseTensor* tensor) const;

 protected:
  DeviceContext(Place place, Allocator* allocator)
      : place_(place), allocator_(allocator) {}

 private:
  Place place_;
  Allocator* allocator_;
};

// How a backend hands out contexts: a constant that its BackendInfo
// (framework/device/backend.h) points to. Backends whose kernels take the same
// type of context may share it. `current` is the calling thread's own context
// for `place`.
struct ContextProvider {
  DeviceContext& (*current)(Place place);
  // Makes a new one, for an executor's frame that keeps its own.
  std::unique_ptr<DeviceContext> (*make)(Place place);
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_DEVICE_CONTEXT_H_
