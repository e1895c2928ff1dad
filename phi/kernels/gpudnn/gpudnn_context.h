// SPDX-License-Identifier: Apache-2.0
// GpudnnContext: what the kernels of the backend `gpudnn` compute with. It
// includes no CUDA header (framework/device/gpu/gpu_context.h says why).
#ifndef SWITCHYARD_PHI_KERNELS_GPUDNN_GPUDNN_CONTEXT_H_
#define SWITCHYARD_PHI_KERNELS_GPUDNN_GPUDNN_CONTEXT_H_

#include "framework/device/backend.h"
#include "framework/device/gpu/gpu_context.h"

// cuDNN's own name for what cudnnHandle_t is.
struct cudnnContext;

namespace switchyard {

// A GpuContext's device and stream, and a cuDNN handle on them. Used by one
// thread at a time.
class GpudnnContext final : public DeviceContext {
 public:
  explicit GpudnnContext(Place place);
  ~GpudnnContext() override;

  static const ContextProvider kContexts;
  static constexpr bool kUsesStreams = true;

  // Made at the first call. FailedPrecondition where there is no such GPU.
  absl::StatusOr<cudnnContext*> cudnn() const;

 private:
  GpuContext gpu_;
  mutable cudnnContext* cudnn_ = nullptr;
};

// OK for CUDNN_STATUS_SUCCESS; else Internal with cuDNN's words.
absl::Status CudnnStatus(int code, const char* what);

// The kernels that call cuDNN.
extern const BackendInfo backend_gpudnn;

}  // namespace switchyard

#endif  // SWITCHYARD_PHI_KERNELS_GPUDNN_GPUDNN_CONTEXT_H_
