// SPDX-License-Identifier: Apache-2.0
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/relu.gen.h"
#include "phi/kernels/gpu/elementwise.h"

namespace switchyard::phi {
namespace kernels {
namespace {

template <typename T, typename Context>
absl::Status ReluKernel(const Context& context, const DenseTensor& x,
                        DenseTensor* out) {
  return LaunchOn(context, {&x}, &LaunchReluFloat, out);
}

constexpr auto kSpec = KernelSpec<ReluSignature>().AllStrided();

}  // namespace
}  // namespace kernels

SY_REGISTER_KERNEL(relu, gpu, kernels::ReluKernel, GpuContext, kernels::kSpec,
                   float32);

}  // namespace switchyard::phi
