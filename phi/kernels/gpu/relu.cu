// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/elementwise.cuh"
// After the vocabulary that it is written in.
#include "phi/kernels/functors/relu.h"

namespace switchyard::phi::kernels {

int LaunchReluFloat(const ElementwiseLaunch& launch, CUstream_st* stream) {
  return LaunchElementwise<gpu::Relu, float>(launch, stream);
}

}  // namespace switchyard::phi::kernels
