// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpudnn/gpudnn_context.h"

#include <map>
#include <memory>
#include <string>

#include "cudnn.h"

namespace switchyard {
namespace {

DeviceContext& Current(Place place) {
  thread_local std::map<int, std::unique_ptr<GpudnnContext>> contexts;
  auto& context = contexts[place.index];
  if (context == nullptr) context = std::make_unique<GpudnnContext>(place);
  return *context;
}

std::unique_ptr<DeviceContext> Make(Place place) {
  return std::make_unique<GpudnnContext>(place);
}

}  // namespace

const ContextProvider GpudnnContext::kContexts = {&Current, &Make};

const BackendInfo backend_gpudnn = {"gpudnn", &device_gpu, 400, true,
                                    &GpudnnContext::kContexts};

GpudnnContext::GpudnnContext(Place place)
    : DeviceContext(place, &device_gpu.allocator(place.index)), gpu_(place) {}

GpudnnContext::~GpudnnContext() {
  if (cudnn_ != nullptr) cudnnDestroy(cudnn_);
}

absl::StatusOr<cudnnContext*> GpudnnContext::cudnn() const {
  SY_RETURN_IF_ERROR(gpu_.status());
  if (cudnn_ != nullptr) {
    // The current stream may be another than at the last call.
    SY_RETURN_IF_ERROR(
        CudnnStatus(cudnnSetStream(cudnn_, gpu_.stream()), "cudnnSetStream"));
    return cudnn_;
  }
  cudnnHandle_t handle = nullptr;
  SY_RETURN_IF_ERROR(CudnnStatus(cudnnCreate(&handle), "cudnnCreate"));
  const absl::Status status =
      CudnnStatus(cudnnSetStream(handle, gpu_.stream()), "cudnnSetStream");
  if (!status.ok()) {
    cudnnDestroy(handle);
    return status;
  }
  cudnn_ = handle;
  return cudnn_;
}

absl::Status CudnnStatus(int code, const char* what) {
  if (code == CUDNN_STATUS_SUCCESS) return absl::OkStatus();
  return absl::InternalError(
      std::string(what) + ": " +
      cudnnGetErrorString(static_cast<cudnnStatus_t>(code)));
}

}  // namespace switchyard
