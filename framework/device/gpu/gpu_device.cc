// SPDX-License-Identifier: Apache-2.0
#include "framework/device/gpu/gpu_device.h"

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>

#include "cuda_runtime.h"
#include "framework/device/buffer_use.h"
#include "framework/memory/buffer.h"

namespace switchyard {
namespace {

constexpr int kMaxGpus = 16;

// The GPUs, and CUDA's words if it can't say.
struct Counted {
  int count = 0;
  std::string why;
};

Counted CountGpus() {
  Counted gpus;
  const cudaError_t code = cudaGetDeviceCount(&gpus.count);
  if (code != cudaSuccess) {
    gpus = {0, std::string(": ") + cudaGetErrorString(code)};
  }
  cudaGetLastError();  // Reports the failure here, not at the next launch.
  if (gpus.count > kMaxGpus) gpus.count = kMaxGpus;
  return gpus;
}

int Count() { return CountGpus().count; }

absl::Status Check(int index) {
  const Counted gpus = CountGpus();
  if (index >= 0 && index < gpus.count) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "place must be a GPU that this process sees (there are " +
      std::to_string(gpus.count) + gpus.why +
      "), got gpu:" + std::to_string(index));
}

absl::Status Use(int index) {
  SY_RETURN_IF_ERROR(Check(index));
  return CudaStatus(cudaSetDevice(index), "cudaSetDevice");
}

// Memory of the driver's pool, which keeps what is freed for the next request:
// neither cudaMalloc nor cudaFree, which waits for all work of the GPU, is
// called. The pool orders memory by streams. It is asked on a stream that has
// no other work, and is given back what no work touches any more, so that
// memory is anyone's as soon as Allocate() returns.
class CudaAllocator final : public Allocator {
 public:
  void set_index(int8_t index) { index_ = index; }
  Place place() const override { return Place::Gpu(index_); }

  absl::StatusOr<RefPtr<Buffer>> Allocate(size_t bytes) override {
    SY_RETURN_IF_ERROR(Use(index_));
    SY_RETURN_IF_ERROR(Open());
    const auto free = [this](Buffer* buffer) { Free(buffer); };
    frees_.Reclaim(/*wait=*/false, free);
    void* data = nullptr;
    cudaError_t code = Take(bytes, &data);
    if (code == cudaErrorMemoryAllocation) {
      frees_.Reclaim(/*wait=*/true, free);
      code = Take(bytes, &data);
    }
    if (code == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      return SizeError("tensor", "small enough for the GPU's memory",
                       std::to_string(bytes) + " bytes");
    }
    SY_RETURN_IF_ERROR(CudaStatus(code, "cudaMallocAsync"));
    auto buffer = RefPtr<Buffer>::Adopt(new Buffer(this, data, bytes, place()));
    buffer->set_use(new BufferUse());
    return buffer;
  }

 private:
  // Makes the stream, and lets the pool keep all that is freed.
  absl::Status Open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stream_ != nullptr) return absl::OkStatus();
    cudaMemPool_t pool = nullptr;
    SY_RETURN_IF_ERROR(
        CudaStatus(cudaDeviceGetDefaultMemPool(&pool, index_), "memory pool"));
    uint64_t bytes = std::numeric_limits<uint64_t>::max();
    SY_RETURN_IF_ERROR(CudaStatus(
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes),
        "memory pool"));
    return CudaStatus(
        cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
        "cudaStreamCreateWithFlags");
  }

  cudaError_t Take(size_t bytes, void** data) {
    // An empty tensor has a buffer too.
    const size_t size = bytes == 0 ? 1 : bytes;
    const cudaError_t code = cudaMallocAsync(data, size, stream_);
    return code == cudaSuccess ? cudaStreamSynchronize(stream_) : code;
  }

  void Deallocate(Buffer* buffer) override {
    if (!frees_.Keep(buffer)) Free(buffer);
  }

  void Free(Buffer* buffer) {
    cudaFreeAsync(buffer->data(), stream_);
    delete buffer->use();
    delete buffer;
  }

  int8_t index_ = 0;
  std::mutex mutex_;
  cudaStream_t stream_ = nullptr;  // Made once; never destroyed.
  DeferredFrees frees_;
};

Allocator& GetAllocator(int index) {
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

absl::Status Copy(int index, void* stream, CopyDirection direction,
                  const void* from, void* to, size_t bytes) {
  SY_RETURN_IF_ERROR(Use(index));
  return CudaStatus(cudaMemcpyAsync(to, from, bytes, KindOf(direction),
                                    static_cast<cudaStream_t>(stream)),
                    "cudaMemcpyAsync");
}

absl::StatusOr<void*> CreateStream(int index) {
  SY_RETURN_IF_ERROR(Use(index));
  cudaStream_t stream = nullptr;
  SY_RETURN_IF_ERROR(
      CudaStatus(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                 "cudaStreamCreateWithFlags"));
  return stream;
}

void DestroyStream(int, void* stream) {
  cudaStreamDestroy(static_cast<cudaStream_t>(stream));
}

absl::StatusOr<void*> Record(int index, void* stream) {
  SY_RETURN_IF_ERROR(Use(index));
  cudaEvent_t event = nullptr;
  SY_RETURN_IF_ERROR(
      CudaStatus(cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
                 "cudaEventCreateWithFlags"));
  const absl::Status status =
      CudaStatus(cudaEventRecord(event, static_cast<cudaStream_t>(stream)),
                 "cudaEventRecord");
  if (!status.ok()) {
    cudaEventDestroy(event);
    return status;
  }
  return event;
}

void DestroyEvent(int, void* event) {
  cudaEventDestroy(static_cast<cudaEvent_t>(event));
}

absl::Status Wait(int index, void* stream, void* event) {
  SY_RETURN_IF_ERROR(Use(index));
  return CudaStatus(cudaStreamWaitEvent(static_cast<cudaStream_t>(stream),
                                        static_cast<cudaEvent_t>(event), 0),
                    "cudaStreamWaitEvent");
}

// An error ends the wait too.
bool Reached(int, void* event) {
  return cudaEventQuery(static_cast<cudaEvent_t>(event)) != cudaErrorNotReady;
}

// After an error CUDA refuses all further work of the process, with the same
// error.
std::shared_ptr<StreamFailure> Join(int, void* event) {
  const absl::Status status =
      CudaStatus(cudaEventSynchronize(static_cast<cudaEvent_t>(event)),
                 "cudaEventSynchronize");
  return status.ok() ? nullptr : std::make_shared<StreamFailure>(status);
}

absl::StatusOr<DeviceProperties> Properties(int index) {
  SY_RETURN_IF_ERROR(Check(index));
  cudaDeviceProp properties;
  SY_RETURN_IF_ERROR(CudaStatus(cudaGetDeviceProperties(&properties, index),
                                "cudaGetDeviceProperties"));
  return DeviceProperties{properties.name,
                          static_cast<int64_t>(properties.totalGlobalMem)};
}

constexpr StreamInfo kStreams = {
    &CreateStream, &DestroyStream,      &Record,  &DestroyEvent,
    &Wait,         /*require=*/nullptr, &Reached, &Join};

}  // namespace

const DeviceInfo device_gpu = {
    "gpu", /*host_memory=*/false, &Count,   &Check, &GetAllocator,
    &Copy, &Properties,           &kStreams};

absl::Status CudaStatus(int code, const char* what) {
  if (code == cudaSuccess) return absl::OkStatus();
  const auto error = static_cast<cudaError_t>(code);
  return absl::InternalError(std::string(what) + ": " +
                             cudaGetErrorString(error));
}

}  // namespace switchyard
