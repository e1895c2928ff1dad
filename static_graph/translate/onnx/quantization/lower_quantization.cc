// SPDX-License-Identifier: Apache-2.0
// Quantisation to sixteen bits and fewer: of a tensor, along an axis or in
// blocks.
#include <algorithm>

#include "static_graph/foreign/onnx/element_type.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/quantization/quantization.h"
#include "static_graph/translate/onnx/quantization/storage_casts.h"

namespace switchyard::static_graph {
namespace {

// Moves an axis of x to another place, if channels are on the last axis.
ir::Value MoveChannels(OnnxCall& call, ir::Value x, bool forward) {
  if (!call.ok() || !call.Flag("channels_last", false)) return x;
  const int last = Rank(x) - 1;
  Integers order = {0};
  if (forward) order.push_back(last);
  for (int i = forward ? 1 : 2; i < last + (forward ? 0 : 1); ++i) {
    order.push_back(i);
  }
  if (!forward) order.push_back(1);
  return Transpose(call, x, order);
}

}  // namespace

ir::Value ChannelsFirst(OnnxCall& call, ir::Value x) {
  return MoveChannels(call, x, true);
}
ir::Value ChannelsBack(OnnxCall& call, ir::Value y) {
  return MoveChannels(call, y, false);
}

ir::Value AlongAxis(OnnxCall& call, ir::Value numbers, ir::Value x, int axis) {
  if (!call.ok() || Rank(numbers) != 1) return numbers;
  if (ShapeOf(numbers)[0] == Dim(1)) return numbers;
  Integers after;
  for (int i = axis + 1; i < Rank(x); ++i) {
    after.push_back(i - axis);
  }
  return Unsqueeze(call, numbers, after);
}

namespace {

// Whether a dtype is one of the integers that numbers are quantised to.
bool IsQuantizedInteger(DataType dtype) {
  return dtype == DataType::kUInt8 || dtype == DataType::kInt8 ||
         dtype == DataType::kUInt16 || dtype == DataType::kInt16 ||
         dtype == DataType::kUInt4 || dtype == DataType::kInt4 ||
         dtype == DataType::kUInt2 || dtype == DataType::kInt2;
}

bool IsQuantized(DataType dtype) {
  return IsQuantizedInteger(dtype) ||
         (IsStorage(dtype) && dtype != DataType::kFloat8E8M0FNU);
}

bool HasNegatives(DataType dtype) {
  return dtype == DataType::kInt8 || dtype == DataType::kInt16 ||
         dtype == DataType::kInt4 || dtype == DataType::kInt2;
}

}  // namespace

ir::Value Quantized(OnnxCall& call, ir::Value x, ir::Value scale,
                    ir::Value zero, DataType to) {
  ir::Value y = call.Call("divide", {x, scale});
  const bool whole = IsQuantizedInteger(to);
  if (whole) y = RoundToEven(call, y);
  if (call.ok() && whole && ElementSize(DtypeOf(y)) == 2) {
    y = Cast(call, y, DataType::kFloat32);  // Halves lack integers of 16 bits.
  }
  if (zero) y = call.Call("add", {y, Cast(call, zero, DtypeOf(y))});
  if (!whole) return CastAsNodeSays(call, y, to);
  const double steps = 1 << ElementBits(to);
  const double least = HasNegatives(to) ? -steps / 2 : 0;
  y = call.Call("clip", {y},
                {{"min", Scalar(least)}, {"max", Scalar(least + steps - 1)}});
  return Cast(call, y, to);
}

// Halves hold no difference of sixteen bits: they are rounded at the end.
ir::Value Dequantized(OnnxCall& call, ir::Value x, ir::Value scale,
                      ir::Value zero, DataType to) {
  if (!call.ok()) return ir::Value();
  const DataType dtype = DtypeOf(scale);
  const DataType wide = ElementSize(dtype) == 2 ? DataType::kFloat32 : dtype;
  ir::Value y = Cast(call, x, wide);
  if (zero) y = call.Call("subtract", {y, Cast(call, zero, wide)});
  y = call.Call("multiply", {y, Cast(call, scale, wide)});
  return Cast(call, y, to);
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

// A scale or a zero point as it is computed with: scales that are powers of 2
// are float32.
ir::Value Computed(OnnxCall& call, ir::Value number) {
  const bool stored = call.ok() && IsStorage(DtypeOf(number));
  return stored ? Cast(call, number, DataType::kFloat32) : number;
}

void QuantizeLinear(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const ir::Value scale = Beside(call, Computed(call, call.In(1)), x);
  const ir::Value point = call.Has(2) ? call.In(2) : ir::Value();
  if (!call.ok()) return;
  const DataType to =
      point ? DtypeOf(point) : Named(call, "output_dtype", DataType::kUInt8);
  if (call.ok() && !IsQuantized(to)) {
    return call.Refuse("the result must be of 16 bits or fewer");
  }
  const ir::Value zero =
      point ? Beside(call, Computed(call, point), x) : ir::Value();
  const DataType wide = Named(call, "precision", DtypeOf(scale));
  call.Out(0, Quantized(call, Cast(call, x, wide), Cast(call, scale, wide),
                        zero, to));
}

void DequantizeLinear(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const ir::Value given = call.In(1);
  const ir::Value scale = Beside(call, Computed(call, given), x);
  const ir::Value zero =
      call.Has(2) ? Beside(call, Computed(call, call.In(2)), x) : ir::Value();
  if (!call.ok()) return;
  if (IsStorage(DtypeOf(given)) && !call.HasAttr("output_dtype")) {
    return call.Refuse(
        "output_dtype must be given where scales are powers of 2");
  }
  const DataType to = Named(call, "output_dtype", DtypeOf(scale));
  if (call.ok()) call.Out(0, Dequantized(call, x, scale, zero, to));
}

}  // namespace

QuantizedTensor DynamicallyQuantized(OnnxCall& call, ir::Value x) {
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
  return {Quantized(call, x, scale, point, DataType::kUInt8), scale, point};
}

namespace {

void DynamicQuantizeLinear(OnnxCall& call) {
  const QuantizedTensor results = DynamicallyQuantized(call, call.In(0));
  call.Out(0, results.y);
  call.Out(1, results.scale);
  call.Out(2, results.zero);
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
