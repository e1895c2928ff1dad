// SPDX-License-Identifier: Apache-2.0
// The arguments that a .cc of the backend `gpu` hands to the launcher of an
// elementwise kernel in a .cu: plain numbers, so that the .cu includes little.
// The device side is elementwise.cuh.
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
  // Whether every 4 elements of the output in a row, from a multiple of 4,
  // are made of elements of each input that lie in a row too, aligned as 4
  // elements, or are one and the same. They are then read and written at once.
  bool in_fours;
};

// Where index i of axes [begin, end), in row-major order, is: the first axis
// takes what the others leave, without a division.
template <typename Index>
constexpr int64_t OffsetOf(const int64_t* extents, const int64_t* strides,
                           int begin, int end, Index i) {
  int64_t offset = 0;
  for (int axis = end - 1; axis > begin; --axis) {
    const auto extent = static_cast<Index>(extents[axis]);
    offset += static_cast<int64_t>(i % extent) * strides[axis];
    i /= extent;
  }
  return end > begin ? offset + static_cast<int64_t>(i) * strides[begin]
                     : offset;
}

// Enqueues the kernel of a functor that is made of these attributes. Returns
// CUDA's code; cudaErrorInvalidValue for a dtype that the functor is not
// compiled for.
using ElementwiseLauncher = int (*)(const ElementwiseLaunch& launch,
                                    const Scalar* attrs, CUstream_st* stream);

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_LAUNCH_H_
