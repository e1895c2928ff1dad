// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/conv_steps.h"

#include <cstring>

namespace switchyard::phi::kernels::onednn {

using dnnl::algorithm;

void AppendActivation(const OnednnEpilogue& epilogue, dnnl::post_ops* ops) {
  const auto append = [ops](algorithm function, float alpha, float beta) {
    ops->append_eltwise(1.0f, function, alpha, beta);
  };
  const float alpha = epilogue.alpha, beta = epilogue.beta;
  switch (epilogue.activation) {
    case EpilogueActivation::kNone:
      return;
    case EpilogueActivation::kRelu:
      return append(algorithm::eltwise_relu, 0, 0);
    case EpilogueActivation::kRelu6:
      return append(algorithm::eltwise_clip, 0, 6);
    case EpilogueActivation::kLeakyRelu:
      return append(algorithm::eltwise_relu, alpha, 0);
    case EpilogueActivation::kSigmoid:
      return append(algorithm::eltwise_logistic, 0, 0);
    case EpilogueActivation::kTanh:
      return append(algorithm::eltwise_tanh, 0, 0);
    case EpilogueActivation::kHardSwish:
      return append(algorithm::eltwise_hardswish, 0, 0);
    case EpilogueActivation::kHardSigmoid:
      append(algorithm::eltwise_linear, alpha, beta);
      return append(algorithm::eltwise_clip, 0, 1);
    case EpilogueActivation::kSwish:
      return append(algorithm::eltwise_swish, alpha, 0);
    case EpilogueActivation::kClip:
      return append(algorithm::eltwise_clip, alpha, beta);
    case EpilogueActivation::kGelu:
      return append(algorithm::eltwise_gelu_erf, 0, 0);
    case EpilogueActivation::kGeluTanh:
      return append(algorithm::eltwise_gelu_tanh, 0, 0);
  }
}

void AppendTo(OnednnKey* key, const OnednnEpilogue& epilogue) {
  int32_t numbers[2];
  std::memcpy(&numbers[0], &epilogue.alpha, sizeof(float));
  std::memcpy(&numbers[1], &epilogue.beta, sizeof(float));
  key->numbers.insert(
      key->numbers.end(),
      {epilogue.bias + 2 * epilogue.residual + 4 * epilogue.out_scale +
           8 * epilogue.out_shift + 16 * static_cast<int>(epilogue.activation),
       numbers[0], numbers[1]});
}

bool HasSteps(const OnednnEpilogue& epilogue) {
  return epilogue.bias || epilogue.residual || epilogue.out_scale ||
         epilogue.out_shift || epilogue.activation != EpilogueActivation::kNone;
}

}  // namespace switchyard::phi::kernels::onednn
