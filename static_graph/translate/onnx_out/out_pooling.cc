// SPDX-License-Identifier: Apache-2.0
// Poolings of two and three spatial axes.
#include <algorithm>

#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"
#include "static_graph/translate/onnx_out/out_window.h"

namespace switchyard::static_graph {
namespace {

// The windows of an adaptive pooling: from floor(i * extent / count) on, up to
// ceil((i + 1) * extent / count). They are of different sizes, so each is
// reduced by itself, axis by axis.
OnnxName Adapted(OutCall& call, OnnxName x, const Integers& counts,
                 const Integers& extents, std::string_view reduction) {
  for (size_t k = 0; k < counts.size(); ++k) {
    const auto axis = static_cast<int64_t>(k) + 2;
    const int64_t count = counts[k];
    const int64_t extent = extents[k];
    if (count == extent) continue;
    std::vector<OnnxName> parts;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t begin = i * extent / count;
      const int64_t end = ((i + 1) * extent + count - 1) / count;
      const OnnxName part = Slice(call, x, axis, begin, end);
      parts.push_back(Reduce(call, reduction, part, {axis}, true));
    }
    x = call.Node("Concat", parts, {{"axis", axis}});
  }
  return x;
}

// `x` has its channels at axis 1.
OnnxName Adaptive(OutCall& call, const OnnxName& x, const Integers& counts) {
  const bool max = call.Text("pooling_type") == "max";
  if (std::all_of(counts.begin(), counts.end(),
                  [](int64_t count) { return count == 1; })) {
    return call.Node(max ? "GlobalMaxPool" : "GlobalAveragePool", {x});
  }
  Integers extents;
  bool even = true;
  const int first = ChannelsLast(call) ? 1 : 2;
  for (size_t i = 0; i < counts.size(); ++i) {
    extents.push_back(call.Extent("x", static_cast<int>(i) + first));
    even = even && counts[i] > 0 && extents[i] % counts[i] == 0;
  }
  if (!call.ok()) return "";
  if (!even) {
    return Adapted(call, x, counts, extents, max ? "ReduceMax" : "ReduceMean");
  }
  Integers kernel;
  for (size_t i = 0; i < counts.size(); ++i) {
    kernel.push_back(extents[i] / counts[i]);
  }
  return call.Node(max ? "MaxPool" : "AveragePool", {x},
                   {{"kernel_shape", kernel}, {"strides", kernel}});
}

// Ours counts as many elements of padding after the others as there are before
// them.
bool PadsMoreAfter(const std::vector<WrittenAttribute>& attributes) {
  for (const WrittenAttribute& attribute : attributes) {
    if (attribute.name != "pads") continue;
    const auto& pads = std::get<Integers>(attribute.value);
    const size_t axes = pads.size() / 2;
    for (size_t i = 0; i < axes; ++i) {
      if (pads[axes + i] > pads[i]) return true;
    }
  }
  return false;
}

void Pool(OutCall& call) {
  const int rank = call.Rank("x");
  const bool last = ChannelsLast(call);
  const bool max = call.Text("pooling_type") == "max";
  OnnxName x = call.In("x");
  if (last) x = ChannelsFirst(call, x, rank);
  OnnxName y;
  if (call.Flag("global_pooling")) {
    y = call.Node(max ? "GlobalMaxPool" : "GlobalAveragePool", {x});
  } else if (call.Flag("adaptive")) {
    y = Adaptive(call, x, call.Ints("kernel_size"));
  } else {
    std::vector<WrittenAttribute> attributes = PadsOf(call, rank - 2);
    attributes.push_back({"kernel_shape", call.Ints("kernel_size")});
    attributes.push_back({"strides", call.Ints("strides")});
    attributes.push_back({"ceil_mode", int64_t{call.Flag("ceil_mode")}});
    if (!max && !call.Flag("exclusive")) {
      if (PadsMoreAfter(attributes)) {
        return call.Refuse("pads after the elements, which do not count");
      }
      attributes.push_back({"count_include_pad", int64_t{1}});
    }
    y = call.Node(max ? "MaxPool" : "AveragePool", {x}, attributes);
  }
  if (last) y = ChannelsBack(call, y, rank);
  call.Out("out", y);
}

// ONNX numbers elements in the whole tensor, and ours in each plane.
void PoolWithIndex(OutCall& call) {
  const int rank = call.Rank("x");
  if (call.Flag("adaptive")) return call.Refuse("adaptive windows");
  const Shape& shape = call.ShapeOf("x");
  int64_t plane = 1;
  Integers kernel = call.Ints("kernel_size");
  for (int axis = 2; axis < rank; ++axis) {
    if (!shape[axis].known()) return call.Refuse("spatial extents are open");
    plane *= shape[axis].value();
    if (call.Flag("global_pooling")) {
      kernel[static_cast<size_t>(axis) - 2] = shape[axis].value();
    }
  }
  Integers pads = call.Ints("paddings");
  if (call.Flag("global_pooling")) pads.assign(pads.size(), 0);
  pads.insert(pads.end(), pads.begin(), pads.end());
  const std::vector<OnnxName> results =
      call.Nodes("MaxPool", {call.In("x")}, 2,
                 {{"kernel_shape", kernel},
                  {"strides", call.Ints("strides")},
                  {"pads", pads},
                  {"ceil_mode", int64_t{call.Flag("ceil_mode")}}});
  call.Out("out", results[0]);
  const OnnxName within =
      call.Node("Mod", {results[1], call.Scalar0(plane, DataType::kInt64)});
  call.Out("mask", Cast(call, within, call.OutDtype("mask")));
}

constexpr OutForm kForms[] = {
    {"max_pool2d_with_index", PoolWithIndex},
    {"max_pool3d_with_index", PoolWithIndex},
    {"pool2d", Pool},
    {"pool3d", Pool},
};

}  // namespace

absl::Span<const OutForm> PoolingOutForms() { return kForms; }

}  // namespace switchyard::static_graph
