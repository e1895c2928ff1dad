// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/linear_patterns.h"

#include <algorithm>
#include <string_view>

#include "absl/types/span.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/named_call.h"
#include "static_graph/dialect/register_dialects.h"

namespace switchyard::static_graph {
namespace {

constexpr char kFused[] = "linear_epilogue";

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

// Which operand of the sum `call` is a bias of `sums`; null for none.
ir::Value ReadBias(const NamedCall& call, ir::Value sums) {
  const bool aligned = call.Is("elementwise_add");
  if (!aligned && !call.Is("add")) return ir::Value();
  const int axis = aligned ? call.Get<int>("axis") : -1;
  const int operand = call.input(0) == sums ? 0 : 1;
  const ir::Value bias = call.input(1 - operand);
  // An axis counts for the second operand.
  if (bias == sums || (operand == 1 && axis >= 0) ||
      !IsColumnwise(bias, axis, sums)) {
    return ir::Value();
  }
  return bias;
}

// Whether `x` has rank 4 and its last two extents are 1.
bool IsOfPixels(ir::Value x) {
  const Shape& shape = x.tensor_type().shape();
  return shape.rank() == 4 && shape[2] == Dim(1) && shape[3] == Dim(1);
}

// Whether nothing is put around the images that `conv` takes.
bool HasNoPadding(const NamedCall& conv) {
  const auto paddings = conv.Get<absl::Span<const int>>("paddings");
  return conv.Get<std::string_view>("padding_algorithm") != "EXPLICIT" ||
         std::all_of(paddings.begin(), paddings.end(),
                     [](int padding) { return padding == 0; });
}

// Reads conv2d and conv2d_epilogue of images of one pixel, whatever strides and
// dilations are.
std::optional<LinearPattern> ReadConvOfPixels(const NamedCall& call) {
  const bool fused = call.Is("conv2d_epilogue");
  if (!fused && !call.Is("conv2d")) return std::nullopt;
  LinearPattern linear;
  linear.x = call.input(0);
  linear.matrix = call.input(1);
  linear.of_pixels = linear.transposed = true;
  if (!IsTensor(linear.x) || !IsOfPixels(linear.x) ||
      linear.x.tensor_type().shape()[0].symbolic() ||
      !IsTensor(linear.matrix) || !IsOfPixels(linear.matrix) ||
      !linear.matrix.tensor_type().shape().known() ||
      call.Get<int>("groups") != 1 || !HasNoPadding(call)) {
    return std::nullopt;
  }
  if (!fused) {
    if (call.Get<std::string_view>("data_format") != "NCHW") {
      return std::nullopt;
    }
    return linear;
  }
  if (call.input(3) || call.input(4) || call.input(5)) return std::nullopt;
  linear.bias = call.input(2);
  const auto name = call.Get<std::string_view>("activation");
  if (!name.empty()) {
    linear.activation = ActivationPattern{name, call.Get<float>("alpha"),
                                          call.Get<float>("beta")};
  }
  return linear;
}

std::optional<ActivationPattern> ReadLinearActivation(const ir::Operation& op) {
  const NamedCall call(op, {"gelu"});
  if (call.known()) {
    return ActivationPattern{call.Get<bool>("approximate") ? "gelu_tanh"
                                                           : "gelu"};
  }
  return ReadActivation(op);
}

}  // namespace

std::optional<LinearPattern> ReadLinear(const ir::Operation& op) {
  const NamedCall call(op, {"matmul", "mul", "conv2d", "conv2d_epilogue"});
  LinearPattern linear;
  if (call.Is("matmul")) {
    if (call.Get<bool>("transpose_x") || !IsTensor(call.input(0))) {
      return std::nullopt;
    }
    linear.transposed = call.Get<bool>("transpose_y");
    linear.row_axes = call.input(0).tensor_type().shape().rank() - 1;
  } else if (call.Is("mul")) {
    linear.row_axes = call.Get<int>("x_num_col_dims");
  } else {
    return ReadConvOfPixels(call);
  }
  linear.x = call.input(0);
  linear.matrix = call.input(1);
  if (linear.row_axes < 1 || !IsTensor(linear.x) || !IsTensor(linear.matrix) ||
      linear.matrix.tensor_type().shape().rank() != 2) {
    return std::nullopt;
  }
  return linear;
}

ir::Value ReadElementAddend(const ir::Operation& op, ir::Value x) {
  const NamedCall call(op, {"add", "elementwise_add"});
  if (!call.known()) return ir::Value();
  const ir::Value other = call.input(call.input(0) == x ? 1 : 0);
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
  const NamedCall call(op, {"add", "elementwise_add", "layer_norm"});
  if (call.Is("layer_norm")) return x;
  if (!call.known()) return ir::Value();
  for (const ir::Value sums : {call.input(0), call.input(1)}) {
    if (sums.type() == op.result(0).type() && ReadBias(call, sums)) return sums;
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
    linear->bias = ReadBias(NamedCall(op, {"add", "elementwise_add"}), sums);
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
  const DialectOp* const fused = FindOperator(*builder.context(), kFused);
  const DialectOp* const reshape = FindOperator(*builder.context(), "reshape");
  const DialectOp* const transpose =
      FindOperator(*builder.context(), "transpose");
  if (fused == nullptr) return absl::NotFoundError(kFused);
  if (reshape == nullptr) return absl::NotFoundError("reshape");
  if (transpose == nullptr) return absl::NotFoundError("transpose");
  const auto reshaped = [&](ir::Value x, absl::Span<const int64_t> shape) {
    return BuildOp(builder, *reshape, {x}, {AttrRef(shape)});
  };
  ir::Value matrix = linear.matrix, bias = linear.bias;
  if (linear.of_pixels) {
    const Shape& filter = matrix.tensor_type().shape();
    const int64_t extents[] = {filter.extent(0), filter.extent(1)};
    SY_ASSIGN_OR_RETURN(matrix, reshaped(matrix, extents));
  }
  if (linear.transposed) {
    constexpr int kSwapped[] = {1, 0};
    SY_ASSIGN_OR_RETURN(matrix,
                        BuildOp(builder, *transpose, {matrix},
                                {AttrRef(absl::MakeConstSpan(kSwapped))}));
  }
  if (bias && bias.tensor_type().shape().rank() != 1) {
    constexpr int64_t kFlat[] = {-1};
    SY_ASSIGN_OR_RETURN(bias, reshaped(bias, kFlat));
  }
  const ActivationPattern activation =
      linear.activation.value_or(ActivationPattern{""});
  SY_ASSIGN_OR_RETURN(
      const ir::Value out,
      BuildOp(builder, *fused, {linear.x, matrix, bias, linear.residual},
              {AttrRef(linear.row_axes), AttrRef(activation.name),
               AttrRef(activation.alpha), AttrRef(activation.beta),
               AttrRef(linear.is_weight)}));
  if (!linear.of_pixels) return out;
  const int64_t image[] = {-1, matrix.tensor_type().shape().extent(1), 1, 1};
  return reshaped(out, image);
}

}  // namespace switchyard::static_graph
