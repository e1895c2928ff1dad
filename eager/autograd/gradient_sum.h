// SPDX-License-Identifier: Apache-2.0
// GradientSum: the few things that the engine does with gradients themselves.
#ifndef SWITCHYARD_EAGER_AUTOGRAD_GRADIENT_SUM_H_
#define SWITCHYARD_EAGER_AUTOGRAD_GRADIENT_SUM_H_

#include "eager/autograd/grad_node.h"
#include "eager/eager_op.h"
#include "eager/tensor.h"

namespace switchyard::eager {

// Adds two gradients, makes a first one, owns one. It calls the operators of an
// AutogradOps through Run, so that they are recorded while grad mode is on.
class GradientSum final : public GradSum {
 public:
  // `ops` may be null (only leaves take part): then whatever needs an operator
  // is FailedPrecondition.
  explicit GradientSum(const AutogradOps* ops) : ops_(ops) {}

  absl::StatusOr<Tensor> Add(const Tensor& a, const Tensor& b) override;
  absl::StatusOr<Tensor> Own(Tensor grad) override;
  // Returns a tensor of the shape and dtype of `like`, filled with `value`.
  absl::StatusOr<Tensor> Filled(const Tensor& like, double value) const;

 private:
  absl::Status CheckOps() const;

  const AutogradOps* ops_;
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_AUTOGRAD_GRADIENT_SUM_H_
