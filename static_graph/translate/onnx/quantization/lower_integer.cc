// SPDX-License-Identifier: Apache-2.0
// Products and convolutions of integers of eight bits, and the operators that
// take and make quantised numbers. Sums of products are exact in float64.
#include <string>
#include <vector>

#include "static_graph/translate/onnx/convolution.h"
#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/quantization/quantization.h"

namespace switchyard::static_graph {
namespace {

constexpr DataType kWide = DataType::kFloat64;

// Integers less their zero point, in float64. The zero point is a number, or
// one of each part of `axis`.
ir::Value WithoutZero(OnnxCall& call, int input, int zero, int axis) {
  const ir::Value x = call.In(input);
  const ir::Value wide = Cast(call, x, kWide);
  if (!call.Has(zero) || !call.ok()) return wide;
  const int at = axis < 0 ? Rank(x) + axis : axis;
  const ir::Value point =
      AlongAxis(call, Cast(call, call.In(zero), kWide), x, at);
  return call.Call("subtract", {wide, point});
}

// One matrix has a row or a column for each zero point; batches have as many.
ir::Value Product(OnnxCall& call, int a, int a_zero, int b, int b_zero) {
  return call.Call("matmul", {WithoutZero(call, a, a_zero, -2),
                              WithoutZero(call, b, b_zero, -1)});
}

void MatMulInteger(OnnxCall& call) {
  call.Out(0, Cast(call, Product(call, 0, 2, 1, 3), DataType::kInt32));
}

void ConvInteger(OnnxCall& call) {
  const ir::Value x = WithoutZero(call, 0, 2, 1);
  const ir::Value weights = WithoutZero(call, 1, 3, 0);
  call.Out(0, Cast(call, Convolve(call, x, weights), DataType::kInt32));
}

// A sum in units of a * b as a number of eight bits.
void OutScaled(OnnxCall& call, ir::Value sum, ir::Value a, ir::Value b,
               int scale, int zero) {
  const auto wide = [&](ir::Value value) {
    return Expression(call, Cast(call, value, kWide));
  };
  const Expression unit = wide(a) * wide(b) / wide(call.In(scale));
  const ir::Value x = wide(sum) * unit;
  const ir::Value point = call.Has(zero) ? call.In(zero) : ir::Value();
  if (!call.ok()) return;
  call.Out(0, Quantized(call, x, NumberLike(call, x, 1), point,
                        point ? DtypeOf(point) : DataType::kUInt8));
}

void QLinearMatMul(OnnxCall& call) {
  const ir::Value sum = Product(call, 0, 2, 3, 5);
  if (!call.ok()) return;
  // A scale of each row of the first stands beside its columns.
  ir::Value rows = call.In(1);
  if (call.ok() && Rank(rows) == 1 && ShapeOf(rows)[0] != Dim(1)) {
    rows = Unsqueeze(call, rows, {1});
  }
  OutScaled(call, sum, rows, call.In(4), 6, 7);
}

void QLinearConv(OnnxCall& call) {
  const ir::Value x = WithoutZero(call, 0, 2, 1);
  const ir::Value weights = WithoutZero(call, 3, 5, 0);
  ir::Value sum = Convolve(call, x, weights);
  if (call.Has(8)) {
    const ir::Value bias = Cast(call, call.In(8), kWide);
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
  const ir::Value scale = call.In(input + 1);
  const DataType to = call.ok() ? DtypeOf(scale) : DataType::kUndefined;
  return {call, Dequantized(call, call.In(input), scale, zero, to)};
}

// Sets the output, of the dtype of the first input.
void OutQuantized(OnnxCall& call, ir::Value y, int scale) {
  if (!call.ok()) return;
  const ir::Value zero = call.Has(scale + 1) ? call.In(scale + 1) : ir::Value();
  const DataType to = zero ? DtypeOf(zero) : DtypeOf(call.In(0));
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
  const int axis = call.Axis(call.Int("axis", -1), Rank(x));
  if (call.Int("opset", kOneAxis) < kOneAxis && axis != Rank(x) - 1) {
    return call.Refuse("axis must be the last one before opset 13");
  }
  OutQuantized(call, x.Of("softmax", {{"axis", axis}}), 3);
}

void QLinearGlobalAveragePool(OnnxCall& call) {
  const Expression x = Number(call, 0);
  const bool last = call.Flag("channels_last", false);
  Integers axes;
  for (int i = last ? 1 : 2; i < Rank(x) - (last ? 1 : 0); ++i) {
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
  call.Out(0, Quantized(call, y, call.In(0), zero, DtypeOf(zero)));
}

// A product of numbers of eight bits as float32, with a bias.
void OutFloat(OnnxCall& call, ir::Value sum, ir::Value a, ir::Value b,
              int bias) {
  Expression y(call, Cast(call, sum, DataType::kFloat32));
  y = y * (Expression(call, a) * Expression(call, b));
  if (call.Has(bias)) y = y + Expression(call, call.In(bias));
  call.Out(0, y);
}

void MatMulIntegerToFloat(OnnxCall& call) {
  OutFloat(call, Product(call, 0, 4, 1, 5), call.In(2), call.In(3), 6);
}

// A transposed matrix has its zero points along the other axis.
void QGemm(OnnxCall& call) {
  const bool turns_a = call.Flag("transA", false);
  const bool turns_b = call.Flag("transB", false);
  Expression sum(
      call, call.Call("matmul",
                      {WithoutZero(call, 0, 2, turns_a ? -1 : -2),
                       WithoutZero(call, 3, 5, turns_b ? -2 : -1)},
                      {{"transpose_x", turns_a}, {"transpose_y", turns_b}}));
  // The bias is in units of both scales and alpha.
  if (call.Has(6)) sum = sum + Expression(call, Cast(call, call.In(6), kWide));
  sum = sum * call.Float("alpha", 1.0);
  if (call.Has(7)) return OutScaled(call, sum, call.In(1), call.In(4), 7, 8);
  const Expression unit =
      Expression(call, call.In(1)) * Expression(call, call.In(4));
  call.Out(0, (sum * unit.As(kWide)).As(unit.dtype()));
}

// The numbers of `bits` bits that bytes hold along their last axis, the lowest
// bits first.
Expression Unpacked(OnnxCall& call, ir::Value bytes, int64_t bits) {
  Expression rest(call, Cast(call, bytes, DataType::kInt32));
  const double range = static_cast<double>(int64_t{1} << bits);
  std::vector<ir::Value> parts;
  for (int64_t used = 0; used < 8; used += bits) {
    parts.push_back(rest.With("remainder", range));
    rest = rest.With("floor_divide", range);
  }
  const int last = Rank(bytes);
  return {call,
          call.Call("flatten", {call.Call("stack", {parts}, {{"axis", last}})},
                    {{"start_axis", last - 1}, {"stop_axis", last}})};
}

// A matrix [N, K] in which each block of a row has a scale and a zero point.
void MatMulNBits(OnnxCall& call) {
  const int64_t bits = call.Int("bits", 4), block = call.Int("block_size", 0);
  const int64_t rows = call.Int("N", 0), columns = call.Int("K", 0);
  if (bits != 2 && bits != 4 && bits != 8) {
    return call.Fail(ArgumentError("bits", "2, 4 or 8", std::to_string(bits)));
  }
  if (block < 1 || rows < 1 || columns < 1) {
    return call.Fail(
        ArgumentError("N, K and block_size", "at least 1", "less"));
  }
  if (call.Has(4)) return call.Refuse("g_idx must not be given");
  const ir::Value x = call.In(0);
  const int64_t blocks = (columns + block - 1) / block;
  const DataType dtype = DtypeOf(x);
  Expression numbers =
      Unpacked(call, Reshape(call, call.In(1), {rows, blocks, -1}), bits)
          .As(dtype);
  if (!call.Has(3)) {
    numbers = numbers - static_cast<double>(int64_t{1} << (bits - 1));
  } else {
    ir::Value zero = call.In(3);
    if (DtypeOf(zero) == DataType::kUInt8) {
      // The last byte of a row may hold fewer.
      zero = Slice(call, Unpacked(call, Reshape(call, zero, {rows, -1}), bits),
                   1, 0, blocks);
    }
    numbers = numbers - Expression(call, Reshape(call, Cast(call, zero, dtype),
                                                 {rows, blocks, 1}));
  }
  numbers =
      numbers * Expression(call, Reshape(call, Cast(call, call.In(2), dtype),
                                         {rows, blocks, 1}));
  const ir::Value weights = Slice(
      call, Reshape(call, numbers, {rows, blocks * block}), 1, 0, columns);
  Expression y(call,
               call.Call("matmul", {x, weights}, {{"transpose_y", true}}));
  if (call.Has(5)) y = y + Expression(call, call.In(5));
  call.Out(0, y);
}

constexpr OnnxLowering kLowerings[] = {
    {"ConvInteger", ConvInteger},
    {"MatMulInteger", MatMulInteger},
    {"QLinearConv", QLinearConv},
    {"QLinearMatMul", QLinearMatMul},
    {"MatMulIntegerToFloat", MatMulIntegerToFloat, kMicrosoft},
    {"MatMulNBits", MatMulNBits, kMicrosoft},
    {"QGemm", QGemm, kMicrosoft},
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
