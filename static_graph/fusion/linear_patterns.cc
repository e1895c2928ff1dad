// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/linear_patterns.h"

#include <algorithm>
#include <string_view>

#include "absl/types/span.h"
#include "static_graph/dialect/conv2d.gen.h"
#include "static_graph/dialect/conv2d_epilogue.gen.h"
#include "static_graph/dialect/gelu.gen.h"
#include "static_graph/dialect/layer_norm.gen.h"
#include "static_graph/dialect/linear_epilogue.gen.h"
#include "static_graph/dialect/matmul.gen.h"
#include "static_graph/dialect/mul.gen.h"
#include "static_graph/dialect/reshape.gen.h"
#include "static_graph/dialect/transpose.gen.h"
#include "static_graph/fusion/sum_pattern.h"

namespace switchyard::static_graph {
namespace {

// Whether `x` is a tensor of a dtype in which the fused operator has kernels.
bool IsTensor(ir::Value x) {
  const ir::TensorType type = x.tensor_type();
  return type && type.kind() == TensorKind::kDense && type.layout().strided() &&
         (type.dtype() == DataType::kFloat32 ||
          type.dtype() == DataType::kFloat64);
}

// Whether `bias`, whose first axis stands at `axis` of the sums' (-1: its last
// is their last), is a number for each of their columns.
bool IsColumnwise(ir::Value bias, int axis, ir::Value sums) {
  const ir::TensorType type = bias.tensor_type(), of_sums = sums.tensor_type();
  if (!type || type.kind() != TensorKind::kDense || !type.shape().known() ||
      type.dtype() != of_sums.dtype()) {
    return false;
  }
  const Shape &shape = type.shape(), &whole = of_sums.shape();
  if (shape.rank() == 0 || shape.rank() > whole.rank() ||
      (axis >= 0 && axis + shape.rank() != whole.rank())) {
    return false;
  }
  for (int i = 0; i + 1 < shape.rank(); ++i) {
    if (shape[i] != Dim(1)) return false;
  }
  return shape[shape.rank() - 1] == whole[whole.rank() - 1];
}

// Which operand of the sum is a bias of `sums`; null for none.
ir::Value ReadBias(const SumPattern& sum, ir::Value sums) {
  const bool first = sum.x == sums;
  const ir::Value bias = first ? sum.y : sum.x;
  // An axis counts for the second operand.
  if (bias == sums || (!first && sum.axis >= 0) ||
      !IsColumnwise(bias, sum.axis, sums)) {
    return ir::Value();
  }
  return bias;
}

// Whether `x` has rank 4 and its last two extents are 1.
bool IsOfPixels(ir::Value x) {
  const Shape& shape = x.tensor_type().shape();
  return shape.rank() == 4 && shape[2] == Dim(1) && shape[3] == Dim(1);
}

// Whether a convolution of 1 x 1 by the filter takes nothing but the pixel of
// each image of `linear`, whatever strides and dilations are.
bool TakesPixels(const LinearPattern& linear, int groups,
                 absl::Span<const int> paddings,
                 std::string_view padding_algorithm) {
  if (!IsTensor(linear.x) || !IsOfPixels(linear.x) ||
      linear.x.tensor_type().shape()[0].symbolic() ||
      !IsTensor(linear.matrix) || !IsOfPixels(linear.matrix) ||
      !linear.matrix.tensor_type().shape().known() || groups != 1) {
    return false;
  }
  return padding_algorithm != "EXPLICIT" ||
         std::all_of(paddings.begin(), paddings.end(),
                     [](int padding) { return padding == 0; });
}

// Reads conv2d and conv2d_epilogue of images of one pixel.
std::optional<LinearPattern> ReadConvOfPixels(const ir::Operation& op) {
  LinearPattern linear;
  linear.of_pixels = linear.transposed = true;
  if (const auto conv = Conv2dOp::Match(op)) {
    linear.x = conv->input();
    linear.matrix = conv->filter();
    if (conv->data_format() != "NCHW" ||
        !TakesPixels(linear, conv->groups(), conv->paddings(),
                     conv->padding_algorithm())) {
      return std::nullopt;
    }
    return linear;
  }
  const auto conv = Conv2dEpilogueOp::Match(op);
  if (!conv.has_value()) return std::nullopt;
  linear.x = conv->input();
  linear.matrix = conv->filter();
  linear.bias = conv->bias();
  if (!TakesPixels(linear, conv->groups(), conv->paddings(),
                   conv->padding_algorithm()) ||
      conv->residual() || conv->out_scale() || conv->out_shift()) {
    return std::nullopt;
  }
  if (!conv->activation().empty()) {
    linear.activation =
        ActivationPattern{conv->activation(), conv->alpha(), conv->beta()};
  }
  return linear;
}

std::optional<ActivationPattern> ReadLinearActivation(const ir::Operation& op) {
  if (const auto gelu = GeluOp::Match(op)) {
    return ActivationPattern{gelu->approximate() ? "gelu_tanh" : "gelu"};
  }
  return ReadActivation(op);
}

}  // namespace

std::optional<LinearPattern> ReadLinear(const ir::Operation& op) {
  LinearPattern linear;
  if (const auto product = MatmulOp::Match(op)) {
    if (product->transpose_x() || !IsTensor(product->x())) return std::nullopt;
    linear.x = product->x();
    linear.matrix = product->y();
    linear.transposed = product->transpose_y();
    linear.row_axes = linear.x.tensor_type().shape().rank() - 1;
  } else if (const auto product = MulOp::Match(op)) {
    linear.x = product->x();
    linear.matrix = product->y();
    linear.row_axes = product->x_num_col_dims();
  } else {
    return ReadConvOfPixels(op);
  }
  if (linear.row_axes < 1 || !IsTensor(linear.x) || !IsTensor(linear.matrix) ||
      linear.matrix.tensor_type().shape().rank() != 2) {
    return std::nullopt;
  }
  return linear;
}

ir::Value ReadElementAddend(const ir::Operation& op, ir::Value x) {
  const std::optional<SumPattern> sum = ReadSum(op);
  if (!sum.has_value()) return ir::Value();
  const ir::Value other = sum->other(x);
  return other != x && other.type() == x.type() ? other : ir::Value();
}

ir::Value ReadRows(const ir::Operation& op) {
  if (op.num_results() == 0 || op.num_operands() == 0) return ir::Value();
  const ir::Value x = op.operand(0);
  const ir::TensorType type = x.tensor_type();
  if (!type || !op.result(0).tensor_type()) return ir::Value();
  if (const std::optional<LinearPattern> linear = ReadLinear(op)) {
    return linear->row_axes == type.shape().rank() - 1 ? x : ir::Value();
  }
  if (op.has<ir::ElementwiseTrait>() && op.num_operands() == 1) return x;
  if (LayerNormOp::Match(op).has_value()) return x;
  const std::optional<SumPattern> sum = ReadSum(op);
  if (!sum.has_value()) return ir::Value();
  for (const ir::Value sums : {sum->x, sum->y}) {
    if (sums.type() == op.result(0).type() && ReadBias(*sum, sums)) return sums;
  }
  return ir::Value();
}

bool TakeStep(const ir::Operation& op, ir::Value sums,
              absl::FunctionRef<bool(ir::Value, ir::Value)> have_same_shape,
              LinearPattern* linear) {
  if (linear->of_pixels || linear->activation.has_value() ||
      op.num_results() != 1 || op.result(0).type() != sums.type()) {
    return false;
  }
  if (!linear->bias && !linear->residual) {
    const std::optional<SumPattern> sum = ReadSum(op);
    if (sum.has_value()) linear->bias = ReadBias(*sum, sums);
    if (linear->bias) return true;
  }
  if (!linear->residual) {
    const ir::Value addend = ReadElementAddend(op, sums);
    if (addend && have_same_shape(sums, addend)) {
      linear->residual = addend;
      return true;
    }
  }
  linear->activation = ReadLinearActivation(op);
  return linear->activation.has_value();
}

absl::StatusOr<ir::Value> BuildLinear(ir::Builder& builder,
                                      const LinearPattern& linear) {
  const auto reshaped =
      [&](ir::Value x,
          absl::Span<const int64_t> shape) -> absl::StatusOr<ir::Value> {
    SY_ASSIGN_OR_RETURN(const ReshapeOp reshape,
                        ReshapeOp::Build(builder, x, shape));
    return reshape.out();
  };
  ir::Value matrix = linear.matrix, bias = linear.bias;
  if (linear.of_pixels) {
    const Shape& filter = matrix.tensor_type().shape();
    SY_ASSIGN_OR_RETURN(matrix,
                        reshaped(matrix, {filter.extent(0), filter.extent(1)}));
  }
  if (linear.transposed) {
    SY_ASSIGN_OR_RETURN(const TransposeOp transposed,
                        TransposeOp::Build(builder, matrix, {1, 0}));
    matrix = transposed.out();
  }
  if (bias && bias.tensor_type().shape().rank() != 1) {
    SY_ASSIGN_OR_RETURN(bias, reshaped(bias, {-1}));
  }
  const ActivationPattern activation =
      linear.activation.value_or(ActivationPattern{""});
  SY_ASSIGN_OR_RETURN(const LinearEpilogueOp fused,
                      LinearEpilogueOp::Build(
                          builder, linear.x, matrix, bias, linear.residual,
                          linear.row_axes, activation.name, activation.alpha,
                          activation.beta, linear.is_weight));
  if (!linear.of_pixels) return fused.out();
  return reshaped(fused.out(),
                  {-1, matrix.tensor_type().shape().extent(1), 1, 1});
}

}  // namespace switchyard::static_graph
