// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/depthwise_conv2d.gen.h"
#include "phi/kernels/reference/conv.h"

namespace switchyard::phi {

constexpr auto kSpec = KernelSpec<DepthwiseConv2dSignature>().AllStrided();
SY_REGISTER_KERNEL(depthwise_conv2d, reference, kernels::reference::ConvKernel,
                   ReferenceContext, kSpec, float32, float64);

}  // namespace switchyard::phi
