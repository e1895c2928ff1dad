// SPDX-License-Identifier: Apache-2.0
// The largest elements of windows in planes of adjacent elements (NCHW),
// vectorised over the columns of x and then of the result.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_PLANES_H_
#define SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_PLANES_H_

#include <cstdint>

#include "phi/kernels/cpu/pooling/pool_windows.h"

namespace switchyard::phi::kernels::cpu {

// Planes of x one after the other, `planes` of them, and their windows.
struct PooledPlanes {
  const PoolWindows& windows;
  int64_t height, width, planes;
};

// How many elements of workspace LargestOfPlanes needs.
int64_t PlanesWorkspace(const PoolWindows& windows, int64_t width);

// Stores the largest element of each window in out; NaN if it has one. `end` is
// the end of the tensor x, before which anything may be read.
void LargestOfPlanes(const PooledPlanes& call, const float* x, const float* end,
                     float* workspace, float* out);
void LargestOfPlanes(const PooledPlanes& call, const double* x,
                     const double* end, double* workspace, double* out);
void LargestOfPlanes(const PooledPlanes& call, const int8_t* x,
                     const int8_t* end, int8_t* workspace, int8_t* out);
void LargestOfPlanes(const PooledPlanes& call, const uint8_t* x,
                     const uint8_t* end, uint8_t* workspace, uint8_t* out);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_PLANES_H_
