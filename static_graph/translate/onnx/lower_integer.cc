// SPDX-License-Identifier: Apache-2.0
// Products and convolutions of integers of eight bits, and the operators that
// take and make quantised numbers. Sums of products are exact in float64.
#include <vector>

#include "static_graph/translate/onnx/convolution.h"
#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/quantization.h"

namespace switchyard::static_graph {
namespace {

constexpr DataType kWide = DataType::kFloat64;

// Integers less their zero point, in float64. The zero point is a number, or
// one of each part of `axis`.
ir::Value WithoutZero(OnnxCall& call, int input, int zero, int axis) {
  const ir::Value x = call.In(input);
  const ir::Value wide = call.Cast(x, kWide);
  if (!call.Has(zero) || !call.ok()) return wide;
  const int at = axis < 0 ? OnnxCall::Rank(x) + axis : axis;
  const ir::Value point =
      AlongAxis(call, call.Cast(call.In(zero), kWide), x, at);
  return call.Call("subtract", {wide, point});
}

// One matrix has a row or a column for each zero point; batches have as many.
ir::Value Product(OnnxCall& call, int a, int a_zero, int b, int b_zero) {
  return call.Call("matmul", {WithoutZero(call, a, a_zero, -2),
                              WithoutZero(call, b, b_zero, -1)});
}

void MatMulInteger(OnnxCall& call) {
  call.Out(0, call.Cast(Product(call, 0, 2, 1, 3), DataType::kInt32));
}

void ConvInteger(OnnxCall& call) {
  const ir::Value x = WithoutZero(call, 0, 2, 1);
  const ir::Value weights = WithoutZero(call, 1, 3, 0);
  call.Out(0, call.Cast(Convolve(call, x, weights), DataType::kInt32));
}

// A sum in units of a * b as a number of eight bits.
void OutScaled(OnnxCall& call, ir::Value sum, ir::Value a, ir::Value b,
               int scale, int zero) {
  const auto wide = [&](ir::Value value) {
    return Expression(call, call.Cast(value, kWide));
  };
  const Expression unit = wide(a) * wide(b) / wide(call.In(scale));
  const ir::Value x = wide(sum) * unit;
  const ir::Value point = call.Has(zero) ? call.In(zero) : ir::Value();
  if (!call.ok()) return;
  call.Out(0, Quantized(call, x, call.NumberLike(x, 1), point,
                        point ? OnnxCall::DtypeOf(point) : DataType::kUInt8));
}

void QLinearMatMul(OnnxCall& call) {
  const ir::Value sum = Product(call, 0, 2, 3, 5);
  if (!call.ok()) return;
  // A scale of each row of the first stands beside its columns.
  ir::Value rows = call.In(1);
  if (call.ok() && OnnxCall::Rank(rows) == 1 &&
      OnnxCall::ShapeOf(rows)[0] != Dim(1)) {
    rows = call.Unsqueeze(rows, {1});
  }
  OutScaled(call, sum, rows, call.In(4), 6, 7);
}

void QLinearConv(OnnxCall& call) {
  const ir::Value x = WithoutZero(call, 0, 2, 1);
  const ir::Value weights = WithoutZero(call, 3, 5, 0);
  ir::Value sum = Convolve(call, x, weights);
  if (call.Has(8)) {
    const ir::Value bias = call.Cast(call.In(8), kWide);
    sum = call.Call("add", {sum, AlongAxis(call, bias, sum, 1)});
  }
  const ir::Value scale = AlongAxis(call, call.In(4), sum, 1);
  OutScaled(call, sum, call.In(1), scale, 6, 7);
}

// com.microsoft: operators of numbers between a dequantisation and a
// quantisation.

// The number of an input, its scale and its zero point, which may be absent.
Expression Number(OnnxCall& call, int input) {
  const ir::Value zero = call.Has(input + 2) ? call.In(input + 2) : ir::Value();
  return {call, Dequantized(call, call.In(input), call.In(input + 1), zero)};
}

// Sets the output, of the dtype of the first input.
void OutQuantized(OnnxCall& call, ir::Value y, int scale) {
  if (!call.ok()) return;
  const ir::Value zero = call.Has(scale + 1) ? call.In(scale + 1) : ir::Value();
  const DataType to =
      zero ? OnnxCall::DtypeOf(zero) : OnnxCall::DtypeOf(call.In(0));
  call.Out(0, Quantized(call, y, call.In(scale), zero, to));
}

void QLinearAdd(OnnxCall& call) {
  OutQuantized(call, Number(call, 0) + Number(call, 3), 6);
}
void QLinearMul(OnnxCall& call) {
  OutQuantized(call, Number(call, 0) * Number(call, 3), 6);
}
void QLinearSigmoid(OnnxCall& call) {
  OutQuantized(call, Number(call, 0).Of("sigmoid"), 3);
}
void QLinearLeakyRelu(OnnxCall& call) {
  const double slope = call.Float("alpha", 0.01);
  OutQuantized(
      call, Number(call, 0).Of("leaky_relu", {{"negative_slope", slope}}), 3);
}

void QLinearSoftmax(OnnxCall& call) {
  constexpr int64_t kOneAxis = 13;
  const Expression x = Number(call, 0);
  if (!call.ok()) return;
  const int axis = call.Axis(call.Int("axis", -1), OnnxCall::Rank(x));
  if (call.Int("opset", kOneAxis) < kOneAxis && axis != OnnxCall::Rank(x) - 1) {
    return call.Refuse("axis must be the last one before opset 13");
  }
  OutQuantized(call, x.Of("softmax", {{"axis", axis}}), 3);
}

void QLinearGlobalAveragePool(OnnxCall& call) {
  const Expression x = Number(call, 0);
  const bool last = call.Flag("channels_last", false);
  Integers axes;
  for (int i = last ? 1 : 2; i < OnnxCall::Rank(x) - (last ? 1 : 0); ++i) {
    axes.push_back(i);
  }
  OutQuantized(call, x.Of("mean", {{"axis", axes}, {"keepdim", true}}), 3);
}

void QLinearConcat(OnnxCall& call) {
  std::vector<ir::Value> parts;
  for (int i = 2; i + 2 < call.inputs(); i += 3) {
    parts.push_back(Number(call, i));
  }
  const ir::Value y =
      call.Call("concat", {parts}, {{"axis", call.Int("axis", 0)}});
  if (!call.ok()) return;
  const ir::Value zero = call.In(1);
  call.Out(0, Quantized(call, y, call.In(0), zero, OnnxCall::DtypeOf(zero)));
}

// A product of numbers of eight bits as float32, with a bias.
void OutFloat(OnnxCall& call, ir::Value sum, ir::Value a, ir::Value b,
              int bias) {
  Expression y(call, call.Cast(sum, DataType::kFloat32));
  y = y * (Expression(call, a) * Expression(call, b));
  if (call.Has(bias)) y = y + Expression(call, call.In(bias));
  call.Out(0, y);
}

void MatMulIntegerToFloat(OnnxCall& call) {
  OutFloat(call, Product(call, 0, 4, 1, 5), call.In(2), call.In(3), 6);
}

constexpr OnnxLowering kLowerings[] = {
    {"ConvInteger", ConvInteger},
    {"MatMulInteger", MatMulInteger},
    {"QLinearConv", QLinearConv},
    {"QLinearMatMul", QLinearMatMul},
    {"MatMulIntegerToFloat", MatMulIntegerToFloat, kMicrosoft},
    {"QLinearAdd", QLinearAdd, kMicrosoft},
    {"QLinearConcat", QLinearConcat, kMicrosoft},
    {"QLinearGlobalAveragePool", QLinearGlobalAveragePool, kMicrosoft},
    {"QLinearLeakyRelu", QLinearLeakyRelu, kMicrosoft},
    {"QLinearMul", QLinearMul, kMicrosoft},
    {"QLinearSigmoid", QLinearSigmoid, kMicrosoft},
    {"QLinearSoftmax", QLinearSoftmax, kMicrosoft},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxIntegerLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
