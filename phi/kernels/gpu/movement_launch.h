// SPDX-License-Identifier: Apache-2.0
// The launchers of the kernels that move, fill and convert elements on a GPU,
// and of a step of SGD (movement.cu). Each enqueues and returns CUDA's code.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_MOVEMENT_LAUNCH_H_
#define SWITCHYARD_PHI_KERNELS_GPU_MOVEMENT_LAUNCH_H_

#include <cstdint>

#include "framework/types/data_type.h"
#include "phi/kernels/gpu/elementwise_launch.h"

namespace switchyard::phi::kernels::gpu {

// Input 0 into the contiguous output, element by element.
int LaunchCopy(const ElementwiseLaunch& launch, CUstream_st* stream);
// Converts them besides, from launch.dtype to `dtype` as C++ converts numbers,
// but saturating where a floating number leaves an integer type; NaN gives 0.
// Neither dtype is complex.
int LaunchCast(const ElementwiseLaunch& launch, DataType dtype,
               CUstream_st* stream);

// An element of up to 16 bytes.
struct FillElement {
  uint64_t bytes[2];
};
// `count` elements of `size` bytes each at `out`.
int LaunchFill(const FillElement& element, int64_t size, int64_t count,
               void* out, CUstream_st* stream);

// out[i] = param[i] - learning_rate[0] grad[i]. The rate is of the type that
// `dtype`, a floating one, is computed in.
struct SgdLaunch {
  int64_t count;
  DataType dtype;
  const void* param;
  const void* learning_rate;
  const void* grad;
  void* out;
};
int LaunchSgd(const SgdLaunch& launch, CUstream_st* stream);

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_MOVEMENT_LAUNCH_H_
