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

}  // namespace

// One matrix has a row or a column for each zero point; batches have as many.
ir::Value IntegerProduct(OnnxCall& call, int a, int a_zero, int b, int b_zero) {
  return call.Call("matmul", {WithoutZero(call, a, a_zero, -2),
                              WithoutZero(call, b, b_zero, -1)});
}

namespace {

void MatMulInteger(OnnxCall& call) {
  call.Out(0, Cast(call, IntegerProduct(call, 0, 2, 1, 3), DataType::kInt32));
}

void ConvInteger(OnnxCall& call) {
  const ir::Value x = WithoutZero(call, 0, 2, 1);
  const ir::Value weights = WithoutZero(call, 1, 3, 0);
  call.Out(0, Cast(call, Convolve(call, x, weights), DataType::kInt32));
}

// A sum in units of a * b as a number of eight bits.
ir::Value Scaled(OnnxCall& call, ir::Value sum, ir::Value a, ir::Value b,
                 int scale, int zero) {
  const auto wide = [&](ir::Value value) {
    return Expression(call, Cast(call, value, kWide));
  };
  const Expression unit = wide(a) * wide(b) / wide(call.In(scale));
  const ir::Value x = wide(sum) * unit;
  const ir::Value point = call.Has(zero) ? call.In(zero) : ir::Value();
  if (!call.ok()) return ir::Value();
  return Quantized(call, x, NumberLike(call, x, 1), point,
                   point ? DtypeOf(point) : DataType::kUInt8);
}

void QLinearMatMul(OnnxCall& call) {
  const ir::Value sum = IntegerProduct(call, 0, 2, 3, 5);
  if (!call.ok()) return;
  // A scale of each row of the first stands beside its columns.
  ir::Value rows = call.In(1);
  if (call.ok() && Rank(rows) == 1 && ShapeOf(rows)[0] != Dim(1)) {
    rows = Unsqueeze(call, rows, {1});
  }
  call.Out(0, Scaled(call, sum, rows, call.In(4), 6, 7));
}

void QLinearConv(OnnxCall& call) {
  const ir::Value x = ChannelsFirst(call, WithoutZero(call, 0, 2, 1));
  const ir::Value weights = WithoutZero(call, 3, 5, 0);
  ir::Value sum = Convolve(call, x, weights);
  if (call.Has(8)) {
    const ir::Value bias = Cast(call, call.In(8), kWide);
    sum = call.Call("add", {sum, AlongAxis(call, bias, sum, 1)});
  }
  const ir::Value scale = AlongAxis(call, call.In(4), sum, 1);
  const ir::Value y = Scaled(call, sum, call.In(1), scale, 6, 7);
  call.Out(0, ChannelsBack(call, y));
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
  OutFloat(call, IntegerProduct(call, 0, 4, 1, 5), call.In(2), call.In(3), 6);
}

// A range of the first matrix decides its scale, as DynamicQuantizeLinear does.
void DynamicQuantizeMatMul(OnnxCall& call) {
  const QuantizedTensor a = DynamicallyQuantized(call, call.In(0));
  const ir::Value wide = call.Call(
      "subtract", {Cast(call, a.y, kWide), Cast(call, a.zero, kWide)});
  const ir::Value sum =
      call.Call("matmul", {wide, WithoutZero(call, 1, 3, -1)});
  OutFloat(call, sum, a.scale, call.In(2), 4);
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
  if (call.Has(7)) {
    return call.Out(0, Scaled(call, sum, call.In(1), call.In(4), 7, 8));
  }
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
    {"DynamicQuantizeMatMul", DynamicQuantizeMatMul, kMicrosoft},
    {"MatMulIntegerToFloat", MatMulIntegerToFloat, kMicrosoft},
    {"MatMulNBits", MatMulNBits, kMicrosoft},
    {"QGemm", QGemm, kMicrosoft},
    {"QLinearConv", QLinearConv, kMicrosoft},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxIntegerLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
