// SPDX-License-Identifier: Apache-2.0
#include "framework/device/gpu/gpu_device.h"

#include <array>
#include <string>

#include "cuda_runtime.h"
#include "framework/memory/buffer.h"

namespace switchyard {
namespace {

constexpr int kMaxGpus = 16;

int Count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;
  cudaGetLastError();  // Reports the failure here, not at the next launch.
  return count < kMaxGpus ? count : kMaxGpus;
}

absl::Status Check(int index) {
  const int count = Count();
  if (index >= 0 && index < count) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "place must be a GPU that this process sees (there are " +
      std::to_string(count) + "), got gpu:" + std::to_string(index));
}

absl::Status Use(int index) {
  SY_RETURN_IF_ERROR(Check(index));
  return CudaStatus(cudaSetDevice(index), "cudaSetDevice");
}

class CudaAllocator final : public Allocator {
 public:
  void set_index(int8_t index) { index_ = index; }
  Place place() const override { return Place::Gpu(index_); }

  absl::StatusOr<RefPtr<Buffer>> Allocate(size_t bytes) override {
    SY_RETURN_IF_ERROR(Use(index_));
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

Allocator& AllocatorOf(int index) {
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

cudaMemcpyKind KindOf(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::kFromHost:
      return cudaMemcpyHostToDevice;
    case CopyDirection::kToHost:
      return cudaMemcpyDeviceToHost;
    case CopyDirection::kWithin:
      break;
  }
  return cudaMemcpyDeviceToDevice;
}

absl::Status Synchronize(int index) {
  SY_RETURN_IF_ERROR(Use(index));
  return CudaStatus(cudaStreamSynchronize(cudaStreamPerThread),
                    "cudaStreamSynchronize");
}

absl::Status Copy(int index, CopyDirection direction, const void* from,
                  void* to, size_t bytes) {
  SY_RETURN_IF_ERROR(Use(index));
  SY_RETURN_IF_ERROR(CudaStatus(
      cudaMemcpyAsync(to, from, bytes, KindOf(direction), cudaStreamPerThread),
      "cudaMemcpyAsync"));
  return CudaStatus(cudaStreamSynchronize(cudaStreamPerThread),
                    "cudaStreamSynchronize");
}

absl::StatusOr<DeviceProperties> Properties(int index) {
  SY_RETURN_IF_ERROR(Check(index));
  cudaDeviceProp properties;
  SY_RETURN_IF_ERROR(CudaStatus(cudaGetDeviceProperties(&properties, index),
                                "cudaGetDeviceProperties"));
  return DeviceProperties{properties.name,
                          static_cast<int64_t>(properties.totalGlobalMem)};
}

}  // namespace

const DeviceInfo device_gpu = {
    "gpu", /*host_memory=*/false, &Count,     &Check, &AllocatorOf,
    &Copy, &Synchronize,          &Properties};

absl::Status CudaStatus(int code, const char* what) {
  if (code == cudaSuccess) return absl::OkStatus();
  const auto error = static_cast<cudaError_t>(code);
  return absl::InternalError(std::string(what) + ": " +
                             cudaGetErrorString(error));
}

}  // namespace switchyard
