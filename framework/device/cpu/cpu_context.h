// SPDX-License-Identifier: Apache-2.0
// CpuContext and ReferenceContext: what the kernels of the backends `cpu` and
// `reference` compute with. They hold memory only; the team of threads belongs
// to the calling thread (framework/device/cpu/parallel.h). The context of the
// oneDNN kernels, which run here too, is phi/kernels/onednn's.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_CPU_CPU_CONTEXT_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_CPU_CPU_CONTEXT_H_

#include "framework/device/device_context.h"
#include "framework/memory/cpu_allocator.h"

namespace switchyard {

class CpuContext final : public DeviceContext {
 public:
  // What the KernelDefs of the backend point to. Ignores its argument `place`:
  // there is one CPU.
  static const ContextProvider kContexts;

  explicit CpuContext(Allocator* allocator = &CpuAllocator())
      : DeviceContext(Backend::kCpu, Place::Cpu(), allocator) {}
};

// Reference kernels are the oracle of the others: simple, serial, exact.
class ReferenceContext final : public DeviceContext {
 public:
  static const ContextProvider kContexts;  // As CpuContext's.

  explicit ReferenceContext(Allocator* allocator = &CpuAllocator())
      : DeviceContext(Backend::kReference, Place::Cpu(), allocator) {}
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_CPU_CPU_CONTEXT_H_
