// SPDX-License-Identifier: Apache-2.0
#include "framework/device/gpu/gpu_context.h"

#include <array>
#include <memory>

#include "cublas_v2.h"
#include "cuda_runtime.h"
#include "framework/device/stream.h"

namespace switchyard {
namespace {

constexpr int kMaxGpus = 16;

DeviceContext& Current(Place place) {
  thread_local std::array<std::unique_ptr<GpuContext>, kMaxGpus> contexts;
  const size_t index = static_cast<size_t>(place.index) % kMaxGpus;
  if (contexts[index] == nullptr) {
    contexts[index] = std::make_unique<GpuContext>(place);
  }
  return *contexts[index];
}

std::unique_ptr<DeviceContext> Make(Place place) {
  return std::make_unique<GpuContext>(place);
}

}  // namespace

const ContextProvider GpuContext::kContexts = {&Current, &Make};

const BackendInfo backend_gpu = {"gpu", &device_gpu, 300, true,
                                 &GpuContext::kContexts};

GpuContext::GpuContext(Place place)
    : DeviceContext(place, &device_gpu.allocator(place.index)),
      status_(device_gpu.check(place.index)) {
  if (status_.ok()) {
    status_ = CudaStatus(cudaSetDevice(place.index), "cudaSetDevice");
  }
}

GpuContext::~GpuContext() {
  if (cublas_ != nullptr) cublasDestroy(cublas_);
}

CUstream_st* GpuContext::stream() const {
  const absl::StatusOr<Stream*> stream = Stream::Current(place());
  return stream.ok() ? static_cast<CUstream_st*>((*stream)->handle())
                     : cudaStreamPerThread;
}

absl::StatusOr<cublasContext*> GpuContext::cublas() const {
  SY_RETURN_IF_ERROR(status_);
  if (cublas_ != nullptr) {
    // The current stream may be another than at the last call.
    if (cublasSetStream(cublas_, stream()) != CUBLAS_STATUS_SUCCESS) {
      return absl::InternalError("cuBLAS refused its stream");
    }
    return cublas_;
  }
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
    return absl::InternalError("cublasCreate failed");
  }
  if (cublasSetStream(handle, stream()) != CUBLAS_STATUS_SUCCESS ||
      cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH) !=
          CUBLAS_STATUS_SUCCESS) {
    cublasDestroy(handle);
    return absl::InternalError("cuBLAS refused its stream or its mode");
  }
  cublas_ = handle;
  return cublas_;
}

}  // namespace switchyard
