// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/conv_epilogue.h"

#include "phi/core/signatures/conv2d_epilogue.gen.h"

namespace switchyard::phi::kernels::onednn {

template <>
absl::Status Conv2dEpilogueKernel<float>(
    const OnednnContext& context, const DenseTensor& input,
    const DenseTensor& filter, const DenseTensor* bias,
    const DenseTensor* residual, const DenseTensor* out_scale,
    const DenseTensor* out_shift, absl::Span<const int> strides,
    absl::Span<const int> paddings, std::string_view padding_algorithm,
    absl::Span<const int> dilations, int groups, std::string_view activation,
    float alpha, float beta, DenseTensor* out) {
  const OnednnEpilogueTensors tensors = {bias, residual, out_scale, out_shift};
  return RunOnednnConv(context, Conv2dEpilogueSignature::kOp, input, filter,
                       {{strides, paddings, padding_algorithm, dilations},
                        groups,
                        "NCHW",
                        MakeEpilogue(tensors, activation, alpha, beta)},
                       tensors, out);
}

}  // namespace switchyard::phi::kernels::onednn
