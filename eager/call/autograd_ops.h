// SPDX-License-Identifier: Apache-2.0
// AutogradOps: the operators that autograd itself calls. The generated ones are
// eager::autograd_ops (eager/ops/autograd_ops.h).
#ifndef SWITCHYARD_EAGER_CALL_AUTOGRAD_OPS_H_
#define SWITCHYARD_EAGER_CALL_AUTOGRAD_OPS_H_

#include "eager/call/eager_op.h"
#include "eager/tensor/grad_node.h"
#include "eager/tensor/tensor.h"

namespace switchyard::eager {

// Holds the operators that autograd itself calls, and the arithmetic on
// gradients over them. All go through Run, so they are recorded while grad mode
// is on. Constant data: borrowed by the operators that name it.
class AutogradOps final : public GradArithmetic {
 public:
  // `add` takes (x, y), `cast` (x, dtype), `assign` (x) and `full` (shape,
  // value, dtype).
  constexpr AutogradOps(const EagerOp* add, const EagerOp* cast,
                        const EagerOp* assign, const EagerOp* full)
      : add_(add), cast_(cast), assign_(assign), full_(full) {}

  absl::StatusOr<Tensor> Add(const Tensor& a, const Tensor& b) const override;
  absl::StatusOr<Tensor> Copy(const Tensor& grad) const override;
  absl::StatusOr<Tensor> FilledLike(const Tensor& like,
                                    double value) const override;
  absl::StatusOr<Tensor> Take(const Tensor& base,
                              const Region& region) const override;
  absl::StatusOr<Tensor> Put(const Tensor& part,
                             const Region& region) const override;
  absl::StatusOr<Tensor> Clear(const Tensor& base,
                               const Region& region) const override;

  // Returns a tensor on `place`; requires shape.known().
  absl::StatusOr<Tensor> Filled(const Shape& shape, DataType dtype,
                                double value, Place place) const;
  // Returns the matrix that SelectedRows stand for: zeros, plus the rows. A
  // dense tensor is returned as it is; TypeError for other kinds.
  absl::StatusOr<Tensor> Densify(const Tensor& tensor) const;
  // Returns the operator that promotes an input with a gradient.
  const EagerOp& cast() const { return *cast_; }

 private:
  const EagerOp* add_;
  const EagerOp* cast_;
  const EagerOp* assign_;
  const EagerOp* full_;
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_AUTOGRAD_OPS_H_
