// SPDX-License-Identifier: Apache-2.0
#include "eager/tensor/accumulate_grad.h"

#include "eager/tensor/autograd_meta.h"

namespace switchyard::eager {

AccumulateGrad::AccumulateGrad(RefPtr<AutogradMeta> meta) : GradNode(1) {
  SetMeta(0, std::move(meta));
}

absl::Status AccumulateGrad::Apply(const GradCall& call) {
  if (!enabled_.load()) return absl::OkStatus();
  return meta(0)->Accumulate(std::move(call.output_grads[0]), *call.arithmetic);
}

}  // namespace switchyard::eager
