// SPDX-License-Identifier: Apache-2.0
// CpuContext and ReferenceContext: what the kernels of the backends `cpu` and
// `reference` compute with. They hold memory only; the team of threads belongs
// to the calling thread (framework/device/cpu/parallel.h). The context of the
// oneDNN kernels, which run here too, is phi/kernels/onednn's.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_CPU_CPU_CONTEXT_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_CPU_CPU_CONTEXT_H_

#include "framework/device/backend.h"
#include "framework/device/cpu/cpu_device.h"
#include "framework/device/device_context.h"
#include "framework/memory/cpu_allocator.h"

namespace switchyard {

// The context of the CPU kernels. Used by one thread at a time.
class CpuContext final : public DeviceContext {
 public:
  // Ignores its argument `place`: there is one CPU.
  static const ContextProvider kContexts;

  explicit CpuContext(Allocator* allocator = &CpuAllocator())
      : DeviceContext(Place::Cpu(), allocator) {}
};

// The context of the reference kernels, the oracle of the others: simple,
// serial, exact.
class ReferenceContext final : public DeviceContext {
 public:
  static const ContextProvider kContexts;  // As CpuContext's.

  explicit ReferenceContext(Allocator* allocator = &CpuAllocator())
      : DeviceContext(Place::Cpu(), allocator) {}
};

// Our own kernels for the CPU, and the oracle of all kernels, which no policy
// admits unless it is named.
extern const BackendInfo backend_cpu;
extern const BackendInfo backend_reference;

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_CPU_CPU_CONTEXT_H_
