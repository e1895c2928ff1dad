// SPDX-License-Identifier: Apache-2.0
#include "eager/autograd/gradient_sum.h"

#include <utility>

#include "eager/filled.h"
#include "eager/run.h"

namespace switchyard::eager {
namespace {

// Nobody else can see or write the elements.
bool IsOwned(const Tensor& grad) {
  const DenseTensor& dense = grad.dense();
  return grad.body()->unique() && dense.allocated() &&
         dense.buffer()->unique() && dense.contiguous();
}

}  // namespace

absl::Status GradientSum::CheckOps() const {
  if (ops_ != nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "outputs must be computed by an operator, got leaves only");
}

absl::StatusOr<Tensor> GradientSum::Add(const Tensor& a, const Tensor& b) {
  SY_RETURN_IF_ERROR(CheckOps());
  Tensor sum;
  SY_RETURN_IF_ERROR(Run(*ops_->add, {&a, &b}, {}, absl::MakeSpan(&sum, 1)));
  return sum;
}

absl::StatusOr<Tensor> GradientSum::Own(Tensor grad) {
  if (grad.kind() != TensorKind::kDense || IsOwned(grad)) return grad;
  SY_RETURN_IF_ERROR(CheckOps());
  Tensor copy;
  SY_RETURN_IF_ERROR(Run(*ops_->assign, {&grad}, {}, absl::MakeSpan(&copy, 1)));
  return copy;
}

absl::StatusOr<Tensor> GradientSum::Filled(const Tensor& like,
                                           double value) const {
  SY_RETURN_IF_ERROR(CheckOps());
  return MakeFilled(*ops_, like.shape(), like.dtype(), value);
}

}  // namespace switchyard::eager
