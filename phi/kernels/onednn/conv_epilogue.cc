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
  OnednnEpilogue epilogue;
  epilogue.bias = bias != nullptr;
  epilogue.residual = residual != nullptr;
  epilogue.out_scale = out_scale != nullptr;
  epilogue.out_shift = out_shift != nullptr;
  epilogue.activation =
      FindEpilogueActivation(activation).value_or(EpilogueActivation::kNone);
  epilogue.alpha = alpha;
  epilogue.beta = beta;
  return RunOnednnConv(context, Conv2dEpilogueSignature::kOp, input, filter,
                       {{strides, paddings, padding_algorithm, dilations},
                        groups,
                        "NCHW",
                        epilogue},
                       {bias, residual, out_scale, out_shift}, out);
}

}  // namespace switchyard::phi::kernels::onednn
