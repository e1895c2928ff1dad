// SPDX-License-Identifier: Apache-2.0
// Operators of com.microsoft on numbers of eight bits: what they compute lies
// between a dequantisation and a quantisation.
#include <vector>

#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/pooling.h"
#include "static_graph/translate/onnx/quantization/quantization.h"

namespace switchyard::static_graph {
namespace {

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

void QLinearAveragePool(OnnxCall& call) {
  const ir::Value x = ChannelsFirst(call, Number(call, 0));
  OutQuantized(call, ChannelsBack(call, AveragePooled(call, x)), 3);
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

void QLinearReduceMean(OnnxCall& call) {
  const Expression x = Number(call, 0);
  Integers axes = call.Ints("axes");
  if (!call.ok()) return;
  for (int64_t& axis : axes) axis = call.Axis(axis, Rank(x));
  const bool keeps = call.Flag("keepdims", true);
  OutQuantized(call, x.Of("mean", {{"axis", axes}, {"keepdim", keeps}}), 3);
}

void QLinearWhere(OnnxCall& call) {
  const Expression x = Number(call, 1), y = Number(call, 4);
  const Expression condition(call, call.In(0));
  OutQuantized(call, condition.Where(x, y), 7);
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

constexpr OnnxLowering kLowerings[] = {
    {"QLinearAdd", QLinearAdd, kMicrosoft},
    {"QLinearAveragePool", QLinearAveragePool, kMicrosoft},
    {"QLinearConcat", QLinearConcat, kMicrosoft},
    {"QLinearGlobalAveragePool", QLinearGlobalAveragePool, kMicrosoft},
    {"QLinearLeakyRelu", QLinearLeakyRelu, kMicrosoft},
    {"QLinearMul", QLinearMul, kMicrosoft},
    {"QLinearReduceMean", QLinearReduceMean, kMicrosoft},
    {"QLinearSigmoid", QLinearSigmoid, kMicrosoft},
    {"QLinearSoftmax", QLinearSoftmax, kMicrosoft},
    {"QLinearWhere", QLinearWhere, kMicrosoft},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxQuantizedLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
