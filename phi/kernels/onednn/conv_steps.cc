// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/conv_steps.h"

#include <cstring>

namespace switchyard::phi::kernels::onednn {

using dnnl::algorithm;

void AppendPostOp(const OnednnEpilogue& epilogue, dnnl::post_ops* ops) {
  const auto eltwise = [ops](algorithm function, float alpha, float beta) {
    ops->append_eltwise(1.0f, function, alpha, beta);
  };
  const float alpha = epilogue.step.alpha, beta = epilogue.step.beta;
  switch (epilogue.step.kind) {
#define SY_POST_OP(enumerator, name, numbers, scalar, reference, vector, \
                   onednn, ...)                                          \
  case PostOpKind::k##enumerator:                                        \
    return onednn;
#include "framework/types/post_ops.def"
#undef SY_POST_OP
  }
}

void AppendTo(OnednnKey* key, const OnednnEpilogue& epilogue) {
  int32_t numbers[2];
  std::memcpy(&numbers[0], &epilogue.step.alpha, sizeof(float));
  std::memcpy(&numbers[1], &epilogue.step.beta, sizeof(float));
  key->numbers.insert(
      key->numbers.end(),
      {epilogue.bias + 2 * epilogue.residual + 4 * epilogue.out_scale +
           8 * epilogue.out_shift + 16 * static_cast<int>(epilogue.step.kind),
       numbers[0], numbers[1]});
}

bool HasSteps(const OnednnEpilogue& epilogue) {
  return epilogue.bias || epilogue.residual || epilogue.out_scale ||
         epilogue.out_shift || epilogue.step.kind != PostOpKind::kNone;
}

}  // namespace switchyard::phi::kernels::onednn
