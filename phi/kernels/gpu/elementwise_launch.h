// SPDX-License-Identifier: Apache-2.0
// What a .cc of the backend `gpu` hands to the launcher of an elementwise
// kernel in a .cu: plain numbers, so that the .cu includes little. The device
// side is elementwise.cuh.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_LAUNCH_H_
#define SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_LAUNCH_H_

#include <cstdint>

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

struct CUstream_st;

namespace switchyard::phi::kernels::gpu {

inline constexpr int kGpuMaxRank = 9;
inline constexpr int kGpuMaxInputs = 3;

// out[i] = f(inputs[0][..], inputs[1][..], ...) over `count` elements in
// row-major order; strides count elements and are 0 along broadcast axes. The
// inputs are of `dtype`; the output too, or bool where f makes a mask.
struct ElementwiseLaunch {
  int64_t count;
  int rank;
  DataType dtype;
  int64_t extents[kGpuMaxRank];
  int64_t strides[kGpuMaxInputs][kGpuMaxRank];
  const void* inputs[kGpuMaxInputs];
  void* output;
};

// Enqueues the kernel of a functor that is made of these attributes. Returns
// CUDA's code; cudaErrorInvalidValue for a dtype that the functor is not
// compiled for.
using ElementwiseLauncher = int (*)(const ElementwiseLaunch& launch,
                                    const Scalar* attrs, CUstream_st* stream);

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_LAUNCH_H_
