// SPDX-License-Identifier: Apache-2.0
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/add.gen.h"
#include "phi/kernels/gpu/elementwise.h"

namespace switchyard::phi {
namespace kernels {
namespace {

template <typename T, typename Context>
absl::Status AddKernel(const Context& context, const DenseTensor& x,
                       const DenseTensor& y, DenseTensor* out) {
  return LaunchOn(context, {&x, &y}, &LaunchAddFloat, out);
}

constexpr auto kSpec = KernelSpec<AddSignature>().AllStrided();

}  // namespace
}  // namespace kernels

SY_REGISTER_KERNEL(add, gpu, kernels::AddKernel, GpuContext, kernels::kSpec,
                   float32);

}  // namespace switchyard::phi
