// SPDX-License-Identifier: Apache-2.0
#include "framework/device/gpu/gpu_context.h"

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "cublas_v2.h"
#include "cuda_runtime.h"

namespace switchyard {
namespace {

constexpr int kMaxGpus = 16;

absl::Status NoGpu(int index) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;
  cudaGetLastError();  // Reports the failure here, not at the next launch.
  if (index >= 0 && index < count && index < kMaxGpus) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "place must be a GPU that this process sees (there are " +
      std::to_string(count) + "), got gpu:" + std::to_string(index));
}

class CudaAllocator final : public Allocator {
 public:
  void set_index(int8_t index) { index_ = index; }
  Place place() const override { return Place::Gpu(index_); }

  absl::StatusOr<RefPtr<Buffer>> Allocate(size_t bytes) override {
    SY_RETURN_IF_ERROR(NoGpu(index_));
    SY_RETURN_IF_ERROR(CudaStatus(cudaSetDevice(index_), "cudaSetDevice"));
    void* data = nullptr;
    // An empty tensor has a buffer too.
    if (cudaMalloc(&data, bytes == 0 ? 1 : bytes) != cudaSuccess) {
      cudaGetLastError();
      return SizeError("tensor", "small enough for the GPU's memory",
                       std::to_string(bytes) + " bytes");
    }
    return RefPtr<Buffer>::Adopt(new Buffer(this, data, bytes, place()));
  }

 private:
  void Deallocate(Buffer* buffer) override {
    cudaFree(buffer->data());
    delete buffer;
  }

  int8_t index_ = 0;
};

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

const BackendInfo backend_gpu = {"gpu", DeviceType::kGpu, 300, true,
                                 &GpuContext::kContexts};

Allocator& GpuAllocator(int8_t index) {
  // Never destroyed: buffers may outlive every static.
  static auto* const allocators = [] {
    auto* all = new std::array<CudaAllocator, kMaxGpus>();
    for (int i = 0; i < kMaxGpus; ++i) {
      (*all)[i].set_index(static_cast<int8_t>(i));
    }
    return all;
  }();
  return (*allocators)[static_cast<size_t>(index) % kMaxGpus];
}

absl::Status CudaStatus(int code, const char* what) {
  if (code == cudaSuccess) return absl::OkStatus();
  const auto error = static_cast<cudaError_t>(code);
  return absl::InternalError(std::string(what) + ": " +
                             cudaGetErrorString(error));
}

GpuContext::GpuContext(Place place)
    : DeviceContext(place, &GpuAllocator(place.index)),
      status_(NoGpu(place.index)) {
  if (status_.ok()) {
    status_ = CudaStatus(cudaSetDevice(place.index), "cudaSetDevice");
  }
}

GpuContext::~GpuContext() {
  if (cublas_ != nullptr) cublasDestroy(cublas_);
}

CUstream_st* GpuContext::stream() const { return cudaStreamPerThread; }

absl::StatusOr<cublasContext*> GpuContext::cublas() const {
  SY_RETURN_IF_ERROR(status_);
  if (cublas_ != nullptr) return cublas_;
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

absl::Status GpuContext::CopyToDevice(const void* from, void* to,
                                      size_t bytes) const {
  SY_RETURN_IF_ERROR(status_);
  SY_RETURN_IF_ERROR(CudaStatus(
      cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream()),
      "cudaMemcpyAsync"));
  return CudaStatus(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
}

absl::Status GpuContext::CopyToHost(const void* from, void* to,
                                    size_t bytes) const {
  SY_RETURN_IF_ERROR(status_);
  SY_RETURN_IF_ERROR(CudaStatus(
      cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream()),
      "cudaMemcpyAsync"));
  return CudaStatus(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
}

}  // namespace switchyard
