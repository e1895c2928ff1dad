// SPDX-License-Identifier: Apache-2.0
// device_gpu: GPUs by CUDA. What its kernels compute with is gpu_context.h.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_GPU_GPU_DEVICE_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_GPU_GPU_DEVICE_H_

#include "framework/base/status.h"
#include "framework/device/device_info.h"

namespace switchyard {

// The GPUs that the process sees, with memory of the driver's pool. Its streams
// and events are CUDA's. A machine without a GPU is no reason to crash: `count`
// is 0 then, and `check` says so.
extern const DeviceInfo device_gpu;

// OK for a return code of 0 (cudaSuccess); else Internal with CUDA's words.
absl::Status CudaStatus(int code, const char* what);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_GPU_GPU_DEVICE_H_
