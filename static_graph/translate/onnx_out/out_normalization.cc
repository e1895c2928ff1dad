// SPDX-License-Identifier: Apache-2.0
// Normalisations with statistics that stand, and by instance and layer.
#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"
#include "static_graph/translate/onnx_out/out_window.h"

namespace switchyard::static_graph {
namespace {

// A parameter of each channel; a plain number of each where it is absent.
OnnxName Parameter(OutCall& call, std::string_view input, double plain) {
  if (call.Has(input)) return call.In(input);
  const OnnxName number = call.Scalar0(plain, call.Dtype("mean"));
  return call.Node("Expand", {number, call.Node("Shape", {call.In("mean")})});
}

// Normalises by the batch's own statistics, in their dtype.
void NormByBatch(OutCall& call) {
  for (const char* name :
       {"mean_out", "variance_out", "saved_mean", "saved_variance"}) {
    if (call.Wants(name)) return call.Refuse("the batch's statistics are used");
  }
  const int rank = call.Rank("x");
  const int channels = ChannelsLast(call) ? rank - 1 : 1;
  const DataType dtype = call.Dtype("mean");
  Integers others, shape(static_cast<size_t>(rank), 1);
  shape[static_cast<size_t>(channels)] = -1;
  for (int i = 0; i < rank; ++i) {
    if (i != channels) others.push_back(i);
  }
  const OnnxName x = Cast(call, call.In("x"), dtype);
  const OnnxName mean = Reduce(call, "ReduceMean", x, others, true);
  const OnnxName centred = call.Node("Sub", {x, mean});
  const OnnxName variance = Reduce(
      call, "ReduceMean", call.Node("Mul", {centred, centred}), others, true);
  const OnnxName epsilon = call.Scalar0(call.Float("epsilon"), dtype);
  OnnxName y = call.Node(
      "Div",
      {centred, call.Node("Sqrt", {call.Node("Add", {variance, epsilon})})});
  if (call.Has("scale")) {
    y = call.Node("Mul", {y, Reshape(call, call.In("scale"), shape)});
  }
  if (call.Has("bias")) {
    y = call.Node("Add", {y, Reshape(call, call.In("bias"), shape)});
  }
  call.Out("out", Cast(call, y, call.Dtype("x")));
}

void BatchNorm(OutCall& call) {
  const bool stands =
      call.Flag("use_global_stats") ||
      (call.Flag("is_test") && !call.Flag("trainable_statistics"));
  if (!stands) return NormByBatch(call);
  const int rank = call.Rank("x");
  const bool last = ChannelsLast(call) && rank > 2;
  OnnxName x = call.In("x");
  if (last) x = ChannelsFirst(call, x, rank);
  OnnxName y =
      call.Node("BatchNormalization",
                {x, Parameter(call, "scale", 1), Parameter(call, "bias", 0),
                 call.In("mean"), call.In("variance")},
                {{"epsilon", static_cast<float>(call.Float("epsilon"))}});
  if (last) y = ChannelsBack(call, y, rank);
  call.Out("out", y);
  // They stay as they are.
  if (call.Wants("mean_out")) {
    call.Out("mean_out", call.Node("Identity", {call.In("mean")}));
  }
  if (call.Wants("variance_out")) {
    call.Out("variance_out", call.Node("Identity", {call.In("variance")}));
  }
}

// Scale and bias number the elements after the first axes through.
OnnxName Shaped(OutCall& call, std::string_view input, int first) {
  const OnnxName list = call.In(input);
  const Shape& shape = call.ShapeOf("x");
  if (list.empty() || shape.rank() - first == 1) return list;
  const OnnxName sizes = Extents(call, call.In("x"), first, shape.rank());
  return call.Node("Reshape", {list, sizes});
}

void LayerNorm(OutCall& call) {
  const auto first =
      static_cast<int>(call.Axis("begin_norm_axis", call.Rank("x")));
  if (call.Wants("mean") || call.Wants("variance")) {
    return call.Refuse("its statistics are used");
  }
  if (call.Has("scale") && call.Dtype("scale") != call.Dtype("x")) {
    return call.Refuse("parameters of another dtype than x");
  }
  OnnxName scale = Shaped(call, "scale", first);
  if (scale.empty()) {
    const OnnxName one = call.Scalar0(1, call.Dtype("x"));
    const OnnxName sizes = Extents(call, call.In("x"), first, call.Rank("x"));
    scale = call.Node("Expand", {one, sizes});
  }
  call.Out("out",
           call.Node("LayerNormalization",
                     {call.In("x"), scale, Shaped(call, "bias", first)},
                     {{"axis", int64_t{first}},
                      {"epsilon", static_cast<float>(call.Float("epsilon"))}}));
}

void InstanceNorm(OutCall& call) {
  if (call.Wants("saved_mean") || call.Wants("saved_variance")) {
    return call.Refuse("its statistics are used");
  }
  const auto parameter = [&](std::string_view input, double plain) {
    if (call.Has(input)) return call.In(input);
    const OnnxName number = call.Scalar0(plain, call.Dtype("x"));
    return call.Node("Expand", {number, Extents(call, call.In("x"), 1, 2)});
  };
  call.Out(
      "out",
      call.Node("InstanceNormalization",
                {call.In("x"), parameter("scale", 1), parameter("bias", 0)},
                {{"epsilon", static_cast<float>(call.Float("epsilon"))}}));
}

constexpr OutForm kForms[] = {
    {"batch_norm", BatchNorm},
    {"layer_norm", LayerNorm},
    {"instance_norm", InstanceNorm},
};

}  // namespace

absl::Span<const OutForm> NormalizationOutForms() { return kForms; }

}  // namespace switchyard::static_graph
