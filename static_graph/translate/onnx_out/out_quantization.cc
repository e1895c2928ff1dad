// SPDX-License-Identifier: Apache-2.0
// Numbers in whole steps, and weights that are integers. What ONNX has no
// integers of is written as the operator's parts.
#include <cstdint>

#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

constexpr double kTiny = 1e-6;  // A scale of less is held off 0.

// x in whole steps of the scale, as its kernels have it, without the nodes of
// integers.
void InPlainNodes(OutCall& call) {
  const DataType dtype = call.Dtype("x");
  const auto largest =
      static_cast<double>((int64_t{1} << (call.Int("bit_length") - 1)) - 1);
  const OnnxName x = call.In("x");
  const OnnxName scale = call.In("scale");
  const OnnxName tiny = call.Scalar0(kTiny, dtype);
  const OnnxName held =
      call.Node("Where", {call.Node("LessOrEqual", {scale, tiny}),
                          call.Node("Add", {scale, tiny}), scale});
  const OnnxName factor = call.Node(
      "Mul", {call.Node("Reciprocal", {held}), call.Scalar0(largest, dtype)});
  const OnnxName size =
      call.Node("Mul", {scale, call.Scalar0(1 / largest, dtype)});
  OnnxName steps;
  if (call.Int("round_type") == 0) {
    steps = call.Node("Round", {call.Node("Mul", {x, factor})});
    steps = call.Node("Clip", {steps, call.Scalar0(-largest - 1, dtype),
                               call.Scalar0(largest, dtype)});
  } else {
    const OnnxName within = call.Node(
        "Max", {call.Node("Min", {x, scale}), call.Node("Neg", {scale})});
    steps = RoundAway(call, call.Node("Mul", {within, factor}), dtype);
  }
  call.Out("out", call.Node("Mul", {steps, size}));
}

// As a pair of nodes that say it of a tensor of float32. They differ from the
// kernels in numbers below kTiny alone, where a scale is as small.
void QuantizeDequantize(OutCall& call) {
  constexpr double kLargest = 127;
  const DataType dtype = call.Dtype("x");
  const Shape& shape = call.ShapeOf("scale");
  const bool one = shape.known() && shape.numel() == 1 && shape.rank() < 2;
  if (call.Int("bit_length") != 8 || call.Int("round_type") != 0 || !one ||
      dtype != DataType::kFloat32) {
    return InPlainNodes(call);
  }
  OnnxName scale = call.In("scale");
  if (shape.rank() == 1) scale = Squeeze(call, scale, {0});
  scale = call.Node("Max", {scale, call.Scalar0(kTiny, dtype)});
  const OnnxName step =
      call.Node("Mul", {scale, call.Scalar0(1 / kLargest, dtype)});
  const OnnxName zero = call.Scalar0(0, DataType::kInt8);
  const OnnxName steps =
      call.Node("QuantizeLinear", {call.In("x"), step, zero});
  call.Out("out", call.Node("DequantizeLinear", {steps, step, zero}));
}

// The matrix that a weight of 8 bits stands for, its rows of `extents`, or
// `turned`. Refuses what the operator's parts say better.
OnnxName Dequantized(OutCall& call, const Integers& extents, bool turned) {
  constexpr int64_t kBlocks = 21;
  const int64_t group = call.Int("group");
  if (call.Int("bits") != 8 || call.Rank("weight") != 2 ||
      (group != 0 && call.opset() < kBlocks)) {
    call.Refuse("ONNX has no such weights");
    return OnnxName();
  }
  OnnxName weight = call.In("weight");
  if (group != 0) {
    weight = call.Node("DequantizeLinear", {weight, call.In("scale")},
                       {{"axis", int64_t{1}}, {"block_size", group}});
    return turned ? Transpose(call, weight, {1, 0}) : weight;
  }
  // The integers are arranged first: no run changes them, and the node beside a
  // product is then the one that says their scale.
  if (turned) weight = Transpose(call, weight, {1, 0});
  if (!extents.empty()) weight = Reshape(call, weight, extents);
  return call.Node("DequantizeLinear",
                   {weight, Reshape(call, call.In("scale"), {-1})},
                   {{"axis", int64_t{turned ? 1 : 0}}});
}

void DequantizeWeight(OutCall& call) {
  Integers extents = call.Ints("extents");
  if (!extents.empty()) extents.insert(extents.begin(), -1);
  const OnnxName rows = Dequantized(call, extents, false);
  if (!call.ok()) return;
  const bool flat = call.Int("group") != 0 && !extents.empty();
  call.Out("out", flat ? Reshape(call, rows, extents) : rows);
}

void LinearQuantized(OutCall& call) {
  const OnnxName weight = Dequantized(call, {}, true);
  if (!call.ok()) return;
  const OnnxName product = call.Node("MatMul", {call.In("x"), weight});
  call.Out("out", call.Has("bias")
                      ? call.Node("Add", {product, call.In("bias")})
                      : product);
}

constexpr OutForm kForms[] = {
    {"dequantize_weight", DequantizeWeight},
    {"linear_quantized", LinearQuantized},
    {"quantize_dequantize", QuantizeDequantize},
};

}  // namespace

absl::Span<const OutForm> QuantizationOutForms() { return kForms; }

}  // namespace switchyard::static_graph
