// SPDX-License-Identifier: Apache-2.0
// Launching a kernel over a number of threads. A kernel is a class whose
// operator, `void operator()(int64_t i) const` marked SY_DEVICE, does the work
// number i: nvcc compiles it for the device; any other compiler for the host,
// where tests run it (on_host_test.cc).
#ifndef SWITCHYARD_PHI_KERNELS_GPU_LAUNCH_CUH_
#define SWITCHYARD_PHI_KERNELS_GPU_LAUNCH_CUH_

#include <cstdint>

#include "cuda_runtime.h"

#ifdef __CUDACC__
#define SY_DEVICE __device__ __forceinline__
#else
#include "framework/device/gpu/testing/fake_cuda.h"
#define SY_DEVICE inline
#endif

namespace switchyard::phi::kernels::gpu {

#ifdef __CUDACC__

template <class Kernel>
__global__ void RunThreads(int64_t count, Kernel kernel) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += step) {
    kernel(i);
  }
}

// Enqueues kernel(i) for i in [0, count), count above 0; returns CUDA's code.
template <class Kernel>
int LaunchThreads(int64_t count, const Kernel& kernel, CUstream_st* stream) {
  constexpr int kThreads = 256;
  constexpr int64_t kMaxBlocks = 1 << 16;
  const int64_t blocks = (count + kThreads - 1) / kThreads;
  const auto grid =
      static_cast<unsigned>(blocks < kMaxBlocks ? blocks : kMaxBlocks);
  RunThreads<<<grid, kThreads, 0, stream>>>(count, kernel);
  return cudaGetLastError();
}

#else

template <class Kernel>
int LaunchThreads(int64_t count, const Kernel& kernel, CUstream_st* stream) {
  return FakeCuda::Launch(stream, [count, kernel] {
    for (int64_t i = 0; i < count; ++i) kernel(i);
  });
}

#endif

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_LAUNCH_CUH_
