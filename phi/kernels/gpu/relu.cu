// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/elementwise.cuh"
// After the vocabulary that it is written in.
#include "phi/kernels/functors/activation.h"

namespace switchyard::phi::kernels::gpu {

int LaunchReluFloat(const ElementwiseLaunch& launch, CUstream_st* stream) {
  return LaunchElementwise<Relu, float>(launch, stream);
}

}  // namespace switchyard::phi::kernels::gpu
