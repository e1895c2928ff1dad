// SPDX-License-Identifier: Apache-2.0
// Losses that a model's result holds.
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

constexpr OutForm kForms[] = {
    {"cross_entropy_with_softmax", CrossEntropy},
};

}  // namespace

absl::Span<const OutForm> LossOutForms() { return kForms; }

}  // namespace switchyard::static_graph
