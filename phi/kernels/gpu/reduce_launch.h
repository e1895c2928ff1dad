// SPDX-License-Identifier: Apache-2.0
// The launcher of reductions on a GPU (reduce.cu).
#ifndef SWITCHYARD_PHI_KERNELS_GPU_REDUCE_LAUNCH_H_
#define SWITCHYARD_PHI_KERNELS_GPU_REDUCE_LAUNCH_H_

#include <cstdint>

#include "framework/types/data_type.h"
#include "phi/kernels/gpu/elementwise_launch.h"

namespace switchyard::phi::kernels::gpu {

// A thread joins at most this many parts of an element.
inline constexpr int64_t kJoinedParts = 64;

// The operation that combines elements.
enum class ReduceKind : uint8_t { kSum, kProd, kMax, kMin, kAny, kAll };

// Element o of `out` is made of the `reduced` elements of x that belong to it,
// in an order that the launch alone decides. Floating numbers are combined in
// double, integers in int64; a sum is divided by `divisor`. The axes that are
// kept come first.
struct ReduceLaunch {
  ReduceKind kind;
  DataType dtype;      // Of x.
  DataType out_dtype;  // kBool for kAny and kAll.
  int kept_axes;
  int axes;
  bool last_reduced;  // The axis whose elements are neighbours.
  int64_t extents[kGpuMaxRank];
  int64_t strides[kGpuMaxRank];
  int64_t kept;
  int64_t reduced;
  double divisor;
  const void* x;
  void* out;
  // Each element is combined of this many parts, each of them one thread's.
  // Where they are more than one, `partial` has room for them, for those that
  // kJoinedParts of them make, and so on down to two: 8 bytes each.
  int64_t parts;
  void* partial;
};

// Enqueues the kernels; returns CUDA's code.
int LaunchReduce(const ReduceLaunch& launch, CUstream_st* stream);

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_REDUCE_LAUNCH_H_
