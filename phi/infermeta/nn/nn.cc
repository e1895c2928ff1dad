// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/nn/nn.h"

#include <string>

#include "framework/base/float_text.h"
#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/creation/creation.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {
namespace {

// `shape` with the axis gone.
Shape Without(const Shape& shape, int axis) {
  Shape result;
  for (int i = 0; i < shape.rank(); ++i) {
    if (i != axis) result.push_back(shape[i]);
  }
  return result;
}

// The loss's shape, the label checked against it.
absl::StatusOr<Shape> LossShape(const TensorSpec& input,
                                const TensorSpec& label, bool soft_label,
                                int axis_or_negative) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("input", input, 1));
  SY_ASSIGN_OR_RETURN(const int axis, NormalizeAxis("axis", axis_or_negative,
                                                    input.shape.rank()));
  Shape shape = input.shape;
  shape[axis] = 1;
  SY_ASSIGN_OR_RETURN(const Dim rows, Product(shape.dims()));
  if (input.shape[axis] == Dim(0) && rows != Dim(0)) {
    return ArgumentError("input", "with at least one class along axis",
                         ToString(input.shape));
  }
  if (soft_label) {
    SY_RETURN_IF_ERROR(CheckLike("label", label, input));
    return shape;
  }
  if (!IsInteger(label.dtype)) {
    return TypeError("label", "an integer type", Name(label.dtype));
  }
  if (!MayEqual(label.shape, Without(shape, axis))) {
    SY_RETURN_IF_ERROR(CheckShape("label", label, shape));
  }
  return shape;
}

absl::Status CheckDropout(DoubleValue p, std::string_view mode) {
  if (p.has_value() && !(*p >= 0 && *p <= 1)) {
    return ArgumentError("p", "in [0, 1]", ShortestText(*p));
  }
  if (mode != "upscale_in_train" && mode != "downgrade_in_infer") {
    return ArgumentError(
        "mode", "\"upscale_in_train\" or \"downgrade_in_infer\"", Quoted(mode));
  }
  return absl::OkStatus();
}

absl::StatusOr<Shape> EmbeddedShape(const TensorSpec& x,
                                    const TensorSpec& weight,
                                    int64_t padding_idx) {
  SY_RETURN_IF_ERROR(CheckIndexDtype("x", x));
  SY_RETURN_IF_ERROR(CheckRank("weight", weight, 2));
  const Dim height = weight.shape[0];
  if (padding_idx != -1 &&
      (padding_idx < 0 || (height.known() && padding_idx >= height.value()))) {
    return RangeError("padding_idx", "-1 or in [0, " + ToString(height) + ")",
                      std::to_string(padding_idx));
  }
  if (x.shape.rank() == kMaxRank) {
    return ArgumentError("x",
                         "of rank " + std::to_string(kMaxRank - 1) + " at most",
                         ToString(x.shape));
  }
  Shape shape = x.shape;
  shape.push_back(weight.shape[1]);
  return shape;
}

}  // namespace

absl::Status AccuracyInferMeta(const TensorSpec& x, const TensorSpec& indices,
                               const TensorSpec& label, TensorSpec* accuracy,
                               TensorSpec* correct, TensorSpec* total) {
  SY_RETURN_IF_ERROR(CheckRank("x", x, 2));
  SY_RETURN_IF_ERROR(CheckIndexDtype("indices", indices));
  SY_RETURN_IF_ERROR(CheckShape("indices", indices, x.shape));
  SY_RETURN_IF_ERROR(CheckIndexDtype("label", label));
  if (!MayEqual(label.shape, Shape({x.shape[0]}))) {
    SY_RETURN_IF_ERROR(CheckShape("label", label, Shape({x.shape[0], 1})));
  }
  SY_RETURN_IF_ERROR(SetOutput(accuracy, DataType::kFloat32, Shape()));
  SY_RETURN_IF_ERROR(SetOutput(correct, DataType::kInt32, Shape()));
  return SetOutput(total, DataType::kInt32, Shape());
}

absl::Status CrossEntropyWithSoftmaxInferMeta(
    const TensorSpec& input, const TensorSpec& label, bool soft_label,
    bool /*use_softmax*/, bool /*numeric_stable_mode*/, int /*ignore_index*/,
    int axis, TensorSpec* softmax, TensorSpec* loss) {
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      LossShape(input, label, soft_label, axis));
  SY_RETURN_IF_ERROR(SetOutput(softmax, input.dtype, input.shape));
  return SetOutput(loss, input.dtype, shape);
}

absl::Status CrossEntropyWithSoftmaxGradInferMeta(
    const TensorSpec& label, const TensorSpec& softmax,
    const TensorSpec& loss_grad, const TensorSpec* input, bool soft_label,
    bool /*use_softmax*/, bool /*numeric_stable_mode*/, int /*ignore_index*/,
    int axis, TensorSpec* input_grad) {
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      LossShape(softmax, label, soft_label, axis));
  SY_RETURN_IF_ERROR(
      CheckDtypeAndShape("loss_grad", loss_grad, softmax.dtype, shape));
  if (input != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("input", *input, softmax.dtype));
    SY_RETURN_IF_ERROR(CheckShape("input", *input, softmax.shape));
  }
  return UnchangedInferMeta(softmax, input_grad);
}

absl::Status DropoutInferMeta(const TensorSpec& x, const TensorSpec* rng,
                              DoubleValue p, bool /*is_test*/,
                              std::string_view mode, int64_t /*stream*/,
                              TensorSpec* out, TensorSpec* mask) {
  SY_RETURN_IF_ERROR(CheckRng(rng));
  SY_RETURN_IF_ERROR(CheckDropout(p, mode));
  SY_RETURN_IF_ERROR(SetOutput(mask, DataType::kUInt8, x.shape));
  return UnchangedInferMeta(x, out);
}

absl::Status DropoutGradInferMeta(const TensorSpec& mask,
                                  const TensorSpec& out_grad, DoubleValue p,
                                  bool /*is_test*/, std::string_view mode,
                                  TensorSpec* x_grad) {
  SY_RETURN_IF_ERROR(CheckDropout(p, mode));
  SY_RETURN_IF_ERROR(CheckDtype("mask", mask, DataType::kUInt8));
  SY_RETURN_IF_ERROR(CheckShape("mask", mask, out_grad.shape));
  return UnchangedInferMeta(out_grad, x_grad);
}

absl::Status RreluInferMeta(const TensorSpec& x, const TensorSpec* rng,
                            double lower, double upper, bool /*is_test*/,
                            int64_t /*stream*/, TensorSpec* out,
                            TensorSpec* noise) {
  SY_RETURN_IF_ERROR(CheckRng(rng));
  if (!(lower >= 0 && lower <= 1)) {
    return ArgumentError("lower", "in [0, 1]", ShortestText(lower));
  }
  if (!(upper >= lower && upper <= 1)) {
    return ArgumentError("upper", "in [lower, 1]", ShortestText(upper));
  }
  SY_RETURN_IF_ERROR(UnchangedInferMeta(x, noise));
  return UnchangedInferMeta(x, out);
}

absl::Status RreluGradInferMeta(const TensorSpec& x, const TensorSpec& noise,
                                const TensorSpec& out_grad,
                                TensorSpec* x_grad) {
  SY_RETURN_IF_ERROR(CheckLike("noise", noise, x));
  return SameShapeInferMeta(x, out_grad, x_grad);
}

absl::Status EmbeddingInferMeta(const TensorSpec& x, const TensorSpec& weight,
                                int64_t padding_idx, TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape, EmbeddedShape(x, weight, padding_idx));
  return SetOutput(out, weight.dtype, shape);
}

absl::Status EmbeddingGradInferMeta(const TensorSpec& x,
                                    const TensorSpec& weight,
                                    const TensorSpec& out_grad,
                                    int64_t padding_idx, bool sparse,
                                    TensorSpec* weight_grad) {
  SY_ASSIGN_OR_RETURN(Shape shape, EmbeddedShape(x, weight, padding_idx));
  const int rank = shape.rank();
  if (out_grad.shape.rank() == rank - 1 && rank > 2 &&
      MayEqual(shape[rank - 2], Dim(1))) {
    // The ids of lookup_table have a last extent of 1 that drops.
    shape[rank - 2] = shape[rank - 1];
    shape.resize(rank - 1);
  }
  SY_RETURN_IF_ERROR(
      CheckDtypeAndShape("out_grad", out_grad, weight.dtype, shape));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(weight, weight_grad));
  if (weight_grad != nullptr && sparse) {
    weight_grad->kind = TensorKind::kSelectedRows;
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi
