// SPDX-License-Identifier: Apache-2.0
// BackendInfo: a library of kernels for one kind of device. Each backend is one
// constant, and its address is what the backend is: KernelDefs (phi/core/
// kernel_def.h) point to it, so a backend appears in a binary by being linked,
// from this workspace or another. Files, messages and selection policies hold
// its name. Ours stand beside their contexts:
// framework/device/cpu/cpu_context.h has `backend_cpu` and `backend_reference`.
//
//   namespace switchyard::phi {
//   extern const BackendInfo backend_fast;
//   constexpr BackendInfo backend_fast = {
//       "fast", &device_cpu, 300, true, &CpuContext::kContexts};
//   }
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_BACKEND_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_BACKEND_H_

#include <cstdint>

#include "framework/device/device_info.h"

namespace switchyard {

struct ContextProvider;  // framework/device/device_context.h

// Constant, and never destroyed while something points to it. The context that
// `contexts` hands out is of the type that the backend's kernels take.
struct BackendInfo {
  // A C identifier that no other linked backend has.
  const char* name;
  // Its kernels serve calls at places of this device, which a kernel table
  // registers. Never null.
  const DeviceInfo* device;
  // Kernels of a higher rank are considered first: reference 0, cpu 100,
  // onednn 200, gpu 300, gpudnn 400.
  int16_t rank;
  // Admitted by policies that name no backends.
  bool by_default;
  const ContextProvider* contexts;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_BACKEND_H_
