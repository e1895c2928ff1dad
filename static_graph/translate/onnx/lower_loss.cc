// SPDX-License-Identifier: Apache-2.0
// Losses.
#include <limits>

#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

// Minus the logarithms at the labels. Classes are on axis 1; all axes after it
// are one for ours.
ir::Value LikelihoodLoss(OnnxCall& call, ir::Value logarithms) {
  ir::Value label = Cast(call, call.In(1), DataType::kInt64);
  if (!call.ok()) return ir::Value();
  const std::vector<ir::Value> extents = AllExtents(call, label);
  const std::string reduction = call.Text("reduction", "mean");
  const bool planes = Rank(logarithms) > 2;
  if (planes) {
    const ir::Value rest = IntegerList(call, {-1});
    const ir::Value one = IntegerList(call, {1});
    logarithms = ReshapeTo(
        call, logarithms,
        {Extent(call, logarithms, 0), Extent(call, logarithms, 1), rest, one});
    label = ReshapeTo(call, label, {Extent(call, label, 0), rest, one});
  }
  // No label is the least integer.
  const int64_t ignored =
      call.Int("ignore_index", std::numeric_limits<int64_t>::min());
  OnnxArguments arguments = {logarithms, label};
  arguments.push_back(call.Has(2) ? call.In(2) : ir::Value());
  const bool weighs = reduction == "mean" && call.HasAttr("ignore_index");
  const std::string ours = weighs ? "sum" : reduction;
  const OnnxAttributes attributes = {{"ignore_index", ignored},
                                     {"reduction", ours}};
  ir::Value loss = call.Call("nll_loss", arguments, attributes);
  if (weighs) {
    // The mean of no label at all is no number, where ours is 0.
    arguments[0] =
        call.Call("full_like", {logarithms}, {{"value", Scalar(-1.0)}});
    const ir::Value total = call.Call("nll_loss", arguments, attributes);
    loss = call.Call("divide", {loss, total});
  }
  if (planes && reduction == "none") loss = ReshapeTo(call, loss, extents);
  return loss;
}

void NegativeLogLikelihoodLoss(OnnxCall& call) {
  call.Out(0, LikelihoodLoss(call, call.In(0)));
}

void SoftmaxCrossEntropyLoss(OnnxCall& call) {
  const ir::Value logarithms =
      call.Call("log_softmax", {call.In(0)}, {{"axis", 1}});
  call.Out(0, LikelihoodLoss(call, logarithms));
  call.Out(1, logarithms);
}

constexpr OnnxLowering kLowerings[] = {
    {"NegativeLogLikelihoodLoss", NegativeLogLikelihoodLoss},
    {"SoftmaxCrossEntropyLoss", SoftmaxCrossEntropyLoss},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxLossLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
