// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/elementwise.cuh"
// After the vocabulary that it is written in.
#include "phi/kernels/functors/add.h"

namespace switchyard::phi::kernels {

int LaunchAddFloat(const ElementwiseLaunch& launch, CUstream_st* stream) {
  return LaunchElementwise<gpu::Add, float>(launch, stream);
}

}  // namespace switchyard::phi::kernels
