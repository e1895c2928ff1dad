// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/activation.h"

#include "phi/core/signatures/relu.gen.h"
#include "phi/kernels/gpu/elementwise.h"

namespace switchyard::phi::kernels::gpu {

template <>
absl::Status ReluKernel<float>(const GpuContext& context, const DenseTensor& x,
                               DenseTensor* out) {
  return LaunchOn(context, {&x}, &LaunchReluFloat, out);
}

}  // namespace switchyard::phi::kernels::gpu
