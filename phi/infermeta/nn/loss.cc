// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/nn/loss.h"

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {
namespace {

// The shape of the loss of x by the class numbers `label`.
absl::StatusOr<Shape> ClassLossShape(const TensorSpec& x,
                                     const TensorSpec& label) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 1));
  SY_RETURN_IF_ERROR(CheckIndexDtype("label", label));
  const int last = x.shape.rank() - 1;
  Shape column = x.shape, rows;
  column[last] = 1;
  for (int i = 0; i < last; ++i) rows.push_back(x.shape[i]);
  if (label.shape.rank() == last) {
    SY_RETURN_IF_ERROR(CheckShape("label", label, rows));
    return rows;
  }
  SY_RETURN_IF_ERROR(CheckShape("label", label, column));
  return column;
}

}  // namespace

absl::Status SmoothL1LossGradInferMeta(const TensorSpec* inside_weight,
                                       const TensorSpec* outside_weight,
                                       const TensorSpec& diff,
                                       const TensorSpec& out_grad,
                                       double /*sigma*/, TensorSpec* x_grad,
                                       TensorSpec* y_grad) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("diff", diff, 2));
  if (inside_weight != nullptr) {
    SY_RETURN_IF_ERROR(CheckLike("inside_weight", *inside_weight, diff));
  }
  if (outside_weight != nullptr) {
    SY_RETURN_IF_ERROR(CheckLike("outside_weight", *outside_weight, diff));
  }
  SY_RETURN_IF_ERROR(CheckDtype("out_grad", out_grad, diff.dtype));
  SY_RETURN_IF_ERROR(
      CheckShape("out_grad", out_grad, Shape({diff.shape[0], Dim(1)})));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(diff, x_grad));
  return UnchangedInferMeta(diff, y_grad);
}

absl::Status HuberLossGradInferMeta(const TensorSpec& residual,
                                    const TensorSpec& out_grad,
                                    double /*delta*/, TensorSpec* input_grad,
                                    TensorSpec* label_grad) {
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, residual));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(residual, input_grad));
  return UnchangedInferMeta(residual, label_grad);
}

absl::Status LogLossGradInferMeta(const TensorSpec& input,
                                  const TensorSpec& label,
                                  const TensorSpec& out_grad,
                                  double /*epsilon*/, TensorSpec* input_grad) {
  SY_RETURN_IF_ERROR(CheckLike("label", label, input));
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, input));
  return UnchangedInferMeta(input, input_grad);
}

absl::Status BceLossInferMeta(const TensorSpec& input, const TensorSpec& label,
                              TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckLike("label", label, input));
  return UnchangedInferMeta(input, out);
}

absl::Status CrossEntropyInferMeta(const TensorSpec& x, const TensorSpec& label,
                                   bool soft_label, int /*ignore_index*/,
                                   TensorSpec* out) {
  Shape shape = x.shape;
  if (soft_label) {
    SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 1));
    SY_RETURN_IF_ERROR(CheckLike("label", label, x));
    shape[shape.rank() - 1] = 1;
  } else {
    SY_RETURN_IF_ERROR(ClassLossShape(x, label).status());
  }
  // The label's own extents: elements are gathered by it.
  return SetOutput(out, x.dtype, soft_label ? shape : label.shape);
}

absl::Status CrossEntropyGradInferMeta(const TensorSpec& x,
                                       const TensorSpec& label,
                                       const TensorSpec& out_grad,
                                       bool soft_label, int ignore_index,
                                       TensorSpec* x_grad) {
  TensorSpec out;
  SY_RETURN_IF_ERROR(
      CrossEntropyInferMeta(x, label, soft_label, ignore_index, &out));
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, out));
  return UnchangedInferMeta(x, x_grad);
}

absl::Status CrossEntropy2GradInferMeta(const TensorSpec& x,
                                        const TensorSpec& label,
                                        const TensorSpec& match_x,
                                        const TensorSpec& out_grad,
                                        int ignore_index, TensorSpec* x_grad) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 1));
  Shape column = x.shape;
  column[column.rank() - 1] = 1;
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("match_x", match_x, x.dtype, column));
  return CrossEntropyGradInferMeta(x, label, out_grad, /*soft_label=*/false,
                                   ignore_index, x_grad);
}

absl::Status SigmoidCrossEntropyInferMeta(
    const TensorSpec& x, const TensorSpec& label, const TensorSpec* pos_weight,
    bool /*normalize*/, int /*ignore_index*/, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckLike("label", label, x));
  if (pos_weight != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("pos_weight", *pos_weight, x.dtype));
    if (!MayBroadcastTo(pos_weight->shape, x.shape)) {
      return ArgumentError("pos_weight",
                           "of a shape that broadcasts to that of x",
                           ToString(pos_weight->shape));
    }
  }
  return UnchangedInferMeta(x, out);
}

}  // namespace switchyard::phi
