// SPDX-License-Identifier: Apache-2.0
// GpuContext: what the kernels of the backend `gpu` compute with. cuDNN is
// phi/kernels/gpudnn/gpudnn_context.h. Only this folder and the GPU kernels
// include CUDA headers; this header does not, so that registrations compile
// fast.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_GPU_GPU_CONTEXT_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_GPU_GPU_CONTEXT_H_

#include "framework/base/status.h"
#include "framework/device/backend.h"
#include "framework/device/device_context.h"
#include "framework/device/gpu/gpu_device.h"

// CUDA's and cuBLAS's own names for what cudaStream_t and cublasHandle_t are.
struct CUstream_st;
struct cublasContext;

namespace switchyard {

// Holds what the kernels of the backend `gpu` compute with: a CUDA device, the
// thread's current stream of it, cuBLAS, and memory there. Used by one thread
// at a time.
//
// A machine without a GPU is no reason to crash: a context is always there, and
// status() says whether it can compute. Every launch checks it first.
class GpuContext final : public DeviceContext {
 public:
  explicit GpuContext(Place place);
  ~GpuContext() override;

  static const ContextProvider kContexts;
  // Kernels enqueue and return (phi/core/kernel_thunk.h).
  static constexpr bool kUsesStreams = true;

  // FailedPrecondition where the process sees no such GPU.
  const absl::Status& status() const { return status_; }
  // The calling thread's current stream; its default one if none can be made.
  CUstream_st* stream() const;
  // Made at the first call; its results are in float32, no narrower format.
  absl::StatusOr<cublasContext*> cublas() const;

 private:
  absl::Status status_;
  mutable cublasContext* cublas_ = nullptr;
};

// Our own kernels for CUDA devices.
extern const BackendInfo backend_gpu;

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_GPU_GPU_CONTEXT_H_
