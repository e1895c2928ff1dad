// SPDX-License-Identifier: Apache-2.0
// Quantisation to eight bits.
#include <algorithm>

#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/quantization/quantization.h"

namespace switchyard::static_graph {
ir::Value AlongAxis(OnnxCall& call, ir::Value numbers, ir::Value x, int axis) {
  if (!call.ok() || Rank(numbers) != 1) return numbers;
  if (ShapeOf(numbers)[0] == Dim(1)) return numbers;
  Integers after;
  for (int i = axis + 1; i < Rank(x); ++i) {
    after.push_back(i - axis);
  }
  return Unsqueeze(call, numbers, after);
}

ir::Value Quantized(OnnxCall& call, ir::Value x, ir::Value scale,
                    ir::Value zero, DataType to) {
  ir::Value y = RoundToEven(call, call.Call("divide", {x, scale}));
  if (zero) y = call.Call("add", {y, Cast(call, zero, DtypeOf(y))});
  const bool negative = to == DataType::kInt8;
  y = call.Call("clip", {y},
                {{"min", Scalar(negative ? -128.0 : 0.0)},
                 {"max", Scalar(negative ? 127.0 : 255.0)}});
  return Cast(call, y, to);
}

ir::Value Dequantized(OnnxCall& call, ir::Value x, ir::Value scale,
                      ir::Value zero) {
  const DataType dtype = DtypeOf(scale);
  ir::Value y = Cast(call, x, dtype);
  if (zero) y = call.Call("subtract", {y, Cast(call, zero, dtype)});
  return call.Call("multiply", {y, scale});
}

namespace {

ir::Value OnAxis(OnnxCall& call, ir::Value numbers, ir::Value x) {
  if (!call.ok() || Rank(numbers) != 1) return numbers;
  if (ShapeOf(numbers)[0] == Dim(1)) return numbers;
  const int axis = call.Axis(call.Int("axis", 1), Rank(x));
  return AlongAxis(call, numbers, x, axis);
}

void QuantizeLinear(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const ir::Value scale = OnAxis(call, call.In(1), x);
  ir::Value zero;
  DataType to = DataType::kUInt8;
  if (call.Has(2)) {
    zero = OnAxis(call, call.In(2), x);
    to = DtypeOf(zero);
  }
  if (call.ok() && to != DataType::kUInt8 && to != DataType::kInt8) {
    return call.Refuse("the zero point must be uint8 or int8");
  }
  call.Out(0, Quantized(call, x, scale, zero, to));
}

void DequantizeLinear(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const ir::Value scale = OnAxis(call, call.In(1), x);
  const ir::Value zero =
      call.Has(2) ? OnAxis(call, call.In(2), x) : ir::Value();
  call.Out(0, Dequantized(call, x, scale, zero));
}

// The range of x, with 0 in it, in 255 steps.
void DynamicQuantizeLinear(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const ir::Value zero = NumberLike(call, x, 0);
  const ir::Value steps = NumberLike(call, x, 255);
  const ir::Value high = call.Call("maximum", {call.Call("max", {x}), zero});
  const ir::Value low = call.Call("minimum", {call.Call("min", {x}), zero});
  const ir::Value scale =
      call.Call("divide", {call.Call("subtract", {high, low}), steps});
  ir::Value point =
      call.Call("divide", {call.Call("subtract", {zero, low}), scale});
  point = RoundToEven(
      call, call.Call("clip", {point},
                      {{"min", Scalar(0.0)}, {"max", Scalar(255.0)}}));
  point = Cast(call, point, DataType::kUInt8);
  call.Out(0, Quantized(call, x, scale, point, DataType::kUInt8));
  call.Out(1, scale);
  call.Out(2, point);
}

constexpr OnnxLowering kLowerings[] = {
    {"DequantizeLinear", DequantizeLinear},
    {"DynamicQuantizeLinear", DynamicQuantizeLinear},
    {"QuantizeLinear", QuantizeLinear},
    {"DequantizeLinear", DequantizeLinear, kMicrosoft},
    {"QuantizeLinear", QuantizeLinear, kMicrosoft},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxQuantizationLowerings() {
  return kLowerings;
}

}  // namespace switchyard::static_graph
