// SPDX-License-Identifier: Apache-2.0
// What a .cc of the backend `gpu` hands to the launcher of an elementwise
// kernel in a .cu: plain numbers, so that the .cu includes little. The device
// side is elementwise.cuh.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_LAUNCH_H_
#define SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_LAUNCH_H_

#include <cstdint>

struct CUstream_st;

namespace switchyard::phi::kernels::gpu {

inline constexpr int kGpuMaxRank = 9;

// out[i] = f(inputs[0][..], inputs[1][..]) over `count` elements in row-major
// order; strides count elements and are 0 along broadcast axes.
struct ElementwiseLaunch {
  int64_t count;
  int rank;
  int64_t extents[kGpuMaxRank];
  int64_t strides[2][kGpuMaxRank];
  const void* inputs[2];
  void* output;
};

// Each enqueues its kernel for float elements and returns CUDA's code.
int LaunchReluFloat(const ElementwiseLaunch& launch, CUstream_st* stream);
int LaunchAddFloat(const ElementwiseLaunch& launch, CUstream_st* stream);

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_LAUNCH_H_
