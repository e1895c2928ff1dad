// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/conv_epilogue.h"

#include "phi/core/signatures/conv2d_epilogue.gen.h"

namespace switchyard::phi::kernels::onednn {

template <>
absl::Status Conv2dEpilogueKernel<float>(const OnednnContext& context,
                                         const Conv2dEpilogueArgs& args) {
  const OnednnEpilogueTensors tensors = {args.bias, args.residual,
                                         args.out_scale, args.out_shift};
  return RunOnednnConv(
      context, Conv2dEpilogueSignature::kOp, args.input, args.filter,
      {{args.strides, args.paddings, args.padding_algorithm, args.dilations},
       args.groups,
       "NCHW",
       MakeEpilogue(tensors, args.post_ops)},
      tensors, args.out);
}

}  // namespace switchyard::phi::kernels::onednn
