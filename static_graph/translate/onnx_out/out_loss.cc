// SPDX-License-Identifier: Apache-2.0
// Losses that a model's result holds.
#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

// The loss of class numbers; ignored ones give 0.
OnnxName LossOfClasses(OutCall& call, const OnnxName& logs, int64_t axis) {
  constexpr DataType dtype = DataType::kInt64;
  OnnxName label = Cast(call, call.In("label"), dtype);
  const auto ignored = static_cast<double>(call.Int("ignore_index"));
  const bool flat = call.Rank("label") < call.Rank("input");
  if (flat) label = Unsqueeze(call, label, {axis});
  const OnnxName is_ignored =
      call.Node("Equal", {label, call.Scalar0(ignored, dtype)});
  label = call.Node("Where", {is_ignored, call.Scalar0(0, dtype), label});
  const OnnxName chosen =
      call.Node("GatherElements", {logs, label}, {{"axis", axis}});
  const OnnxName loss =
      call.Node("Where", {is_ignored, call.Scalar0(0, call.Dtype("input")),
                          call.Node("Neg", {chosen})});
  return call.OutShape("loss").rank() < call.Rank("input")
             ? Squeeze(call, loss, {axis})
             : loss;
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

// Logarithms are -100 at least.
void BceLoss(OutCall& call) {
  const DataType dtype = call.Dtype("input");
  const OnnxName x = call.In("input");
  const OnnxName label = call.In("label");
  const OnnxName one = call.Scalar0(1, dtype);
  const auto log = [&](const OnnxName& p) {
    return call.Node("Max", {call.Node("Log", {p}), call.Scalar0(-100, dtype)});
  };
  const OnnxName yes = call.Node("Mul", {label, log(x)});
  const OnnxName no = call.Node(
      "Mul", {call.Node("Sub", {one, label}), log(call.Node("Sub", {one, x}))});
  call.Out("out", call.Node("Neg", {call.Node("Add", {yes, no})}));
}

constexpr OutForm kForms[] = {
    {"bce_loss", BceLoss},
    {"cross_entropy_with_softmax", CrossEntropy},
};

}  // namespace

absl::Span<const OutForm> LossOutForms() { return kForms; }

}  // namespace switchyard::static_graph
