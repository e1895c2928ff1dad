// SPDX-License-Identifier: Apache-2.0
// Losses that a model's result holds, and numbers in whole steps.
#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

// The loss of class numbers; ignored ones give 0.
OnnxName LossOfClasses(OutCall& call, const OnnxName& logs, int64_t axis) {
  OnnxName label = call.In("label");
  const auto ignored = static_cast<double>(call.Int("ignore_index"));
  const DataType dtype = call.Dtype("label");
  const OnnxName is_ignored =
      call.Node("Equal", {label, call.Scalar0(ignored, dtype)});
  label = call.Node("Where", {is_ignored, call.Scalar0(0, dtype), label});
  const OnnxName chosen =
      call.Node("GatherElements", {logs, label}, {{"axis", axis}});
  return call.Node("Where", {is_ignored, call.Scalar0(0, call.Dtype("input")),
                             call.Node("Neg", {chosen})});
}

void CrossEntropy(OutCall& call) {
  const int64_t axis = call.Axis("axis", call.Rank("input"));
  if (!call.Flag("use_softmax")) return call.Refuse("use_softmax is false");
  const OnnxName x = call.In("input");
  if (call.Wants("softmax")) {
    call.Out("softmax", call.Node("Softmax", {x}, {{"axis", axis}}));
  }
  if (!call.Wants("loss")) return;
  const OnnxName logs = call.Node("LogSoftmax", {x}, {{"axis", axis}});
  if (!call.Flag("soft_label")) {
    return call.Out("loss", LossOfClasses(call, logs, axis));
  }
  const OnnxName each = call.Node("Mul", {call.In("label"), logs});
  call.Out("loss",
           call.Node("Neg", {Reduce(call, "ReduceSum", each, {axis}, true)}));
}

// x in whole steps of the scale, as its kernels have it.
void QuantizeDequantize(OutCall& call) {
  constexpr double kTiny = 1e-6;
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

constexpr OutForm kForms[] = {
    {"cross_entropy_with_softmax", CrossEntropy},
    {"quantize_dequantize", QuantizeDequantize},
};

}  // namespace

absl::Span<const OutForm> LossOutForms() { return kForms; }

}  // namespace switchyard::static_graph
