// SPDX-License-Identifier: Apache-2.0
// Quantisation to eight and sixteen bits: of a tensor, along an axis or in
// blocks.
#include <algorithm>

#include "static_graph/foreign/onnx/element_type.h"
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

bool IsQuantized(DataType dtype) {
  return dtype == DataType::kUInt8 || dtype == DataType::kInt8 ||
         dtype == DataType::kUInt16 || dtype == DataType::kInt16;
}

ir::Value Quantized(OnnxCall& call, ir::Value x, ir::Value scale,
                    ir::Value zero, DataType to) {
  ir::Value y = RoundToEven(call, call.Call("divide", {x, scale}));
  if (zero) y = call.Call("add", {y, Cast(call, zero, DtypeOf(y))});
  const double steps = 1 << (8 * ElementSize(to));
  const double least = IsUnsigned(to) ? 0 : -steps / 2;
  y = call.Call("clip", {y},
                {{"min", Scalar(least)}, {"max", Scalar(least + steps - 1)}});
  return Cast(call, y, to);
}

// Halves hold no difference of sixteen bits: they are rounded at the end.
ir::Value Dequantized(OnnxCall& call, ir::Value x, ir::Value scale,
                      ir::Value zero) {
  if (!call.ok()) return ir::Value();
  const DataType dtype = DtypeOf(scale);
  const DataType wide = ElementSize(dtype) == 2 ? DataType::kFloat32 : dtype;
  ir::Value y = Cast(call, x, wide);
  if (zero) y = call.Call("subtract", {y, Cast(call, zero, wide)});
  y = call.Call("multiply", {y, Cast(call, scale, wide)});
  return Cast(call, y, dtype);
}

namespace {

// The numbers beside those of x. In blocks of an axis each one stands for as
// many in a row.
ir::Value Beside(OnnxCall& call, ir::Value numbers, ir::Value x) {
  if (!call.ok() || Rank(numbers) == 0) return numbers;
  const bool one = ShapeOf(numbers)[0] == Dim(1);
  if (Rank(numbers) == 1 && one) return numbers;
  const int axis = call.Axis(call.Int("axis", 1), Rank(x));
  const int64_t block = call.Int("block_size", 0);
  if (block <= 0 || Rank(numbers) != Rank(x)) {
    return AlongAxis(call, numbers, x, axis);
  }
  const ir::Value repeated =
      call.Call("repeat_interleave", {numbers},
                {{"repeats", static_cast<int>(block)}, {"axis", axis}});
  if (!call.ok()) return ir::Value();
  const Dim extent = ShapeOf(x)[axis];
  if (!extent.known() || ShapeOf(repeated)[axis] == extent) {
    return repeated;
  }
  return Slice(call, repeated, axis, 0, extent.value());
}

// The dtype that an attribute names, or else another.
DataType Named(OnnxCall& call, const char* attribute, DataType other) {
  const int64_t number = call.Int(attribute, 0);
  return number == 0 ? other : call.Checked(DataTypeOfOnnx(number));
}

void QuantizeLinear(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const ir::Value scale = Beside(call, call.In(1), x);
  ir::Value zero;
  if (call.Has(2)) zero = Beside(call, call.In(2), x);
  if (!call.ok()) return;
  const DataType to =
      zero ? DtypeOf(zero) : Named(call, "output_dtype", DataType::kUInt8);
  if (call.ok() && !IsQuantized(to)) {
    return call.Refuse("the result must be of 8 or 16 bits");
  }
  const DataType wide = Named(call, "precision", DtypeOf(scale));
  call.Out(0, Quantized(call, Cast(call, x, wide), Cast(call, scale, wide),
                        zero, to));
}

void DequantizeLinear(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const ir::Value scale = Beside(call, call.In(1), x);
  const ir::Value zero =
      call.Has(2) ? Beside(call, call.In(2), x) : ir::Value();
  if (!call.ok()) return;
  const DataType to = Named(call, "output_dtype", DtypeOf(scale));
  call.Out(0, Cast(call, Dequantized(call, x, scale, zero), to));
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
