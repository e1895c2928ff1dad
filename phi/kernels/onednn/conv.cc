// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/conv.h"

#include "phi/core/signatures/conv2d.gen.h"
#include "phi/core/signatures/depthwise_conv2d.gen.h"

namespace switchyard::phi::kernels::onednn {

template <>
absl::Status Conv2dKernel<float>(const OnednnContext& context,
                                 const Conv2dArgs& args) {
  return RunOnednnConv(
      context, Conv2dSignature::kOp, args.input, args.filter,
      {{args.strides, args.paddings, args.padding_algorithm, args.dilations},
       args.groups,
       args.data_format},
      {}, args.out);
}

template <>
absl::Status DepthwiseConv2dKernel<float>(const OnednnContext& context,
                                          const DepthwiseConv2dArgs& args) {
  return RunOnednnConv(
      context, DepthwiseConv2dSignature::kOp, args.input, args.filter,
      {{args.strides, args.paddings, args.padding_algorithm, args.dilations},
       args.groups,
       args.data_format},
      {}, args.out);
}

}  // namespace switchyard::phi::kernels::onednn
