// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/arithmetic.h"

#include "phi/core/signatures/add.gen.h"
#include "phi/kernels/gpu/elementwise.h"

namespace switchyard::phi::kernels::gpu {

template <>
absl::Status AddKernel<float>(const GpuContext& context, const DenseTensor& x,
                              const DenseTensor& y, DenseTensor* out) {
  return LaunchOn(context, {&x, &y}, &LaunchAddFloat, out);
}

}  // namespace switchyard::phi::kernels::gpu
