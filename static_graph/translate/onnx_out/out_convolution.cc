// SPDX-License-Identifier: Apache-2.0
// Convolutions of two and three spatial axes.
#include <string>

#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"
#include "static_graph/translate/onnx_out/out_window.h"

namespace switchyard::static_graph {

bool ChannelsLast(OutCall& call) {
  const std::string_view format = call.Text("data_format");
  return format == "NWC" || format == "NHWC" || format == "NDHWC";
}

OnnxName ChannelsFirst(OutCall& call, const OnnxName& x, int rank) {
  Integers perm = {0, rank - 1};
  for (int i = 1; i < rank - 1; ++i) perm.push_back(i);
  return Transpose(call, x, perm);
}

OnnxName ChannelsBack(OutCall& call, const OnnxName& x, int rank) {
  Integers perm = {0};
  for (int i = 2; i < rank; ++i) perm.push_back(i);
  perm.push_back(1);
  return Transpose(call, x, perm);
}

std::vector<WrittenAttribute> PadsOf(OutCall& call, int spatial) {
  const std::string_view algorithm = call.Text("padding_algorithm");
  if (algorithm == "SAME") return {{"auto_pad", std::string("SAME_UPPER")}};
  if (algorithm == "VALID") return {{"auto_pad", std::string("VALID")}};
  const Integers given = call.Ints("paddings");
  const auto count = static_cast<size_t>(spatial);
  const bool by_side = given.size() == 2 * count;
  Integers pads;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    for (size_t i = 0; i < count && i < given.size(); ++i) {
      pads.push_back(by_side ? given[2 * i + side] : given[i]);
    }
  }
  return {{"pads", pads}};
}

namespace {

void Convolution(OutCall& call) {
  const int rank = call.Rank("input");
  const bool last = ChannelsLast(call);
  OnnxName x = call.In("input");
  if (last) x = ChannelsFirst(call, x, rank);
  std::vector<WrittenAttribute> attributes = PadsOf(call, rank - 2);
  attributes.push_back({"strides", call.Ints("strides")});
  // As in Paddle, SAME has no gaps.
  const bool same = call.Text("padding_algorithm") == "SAME";
  Integers dilations = call.Ints("dilations");
  if (same) dilations.assign(dilations.size(), 1);
  attributes.push_back({"dilations", dilations});
  attributes.push_back({"group", call.Int("groups")});
  OnnxName y = call.Node("Conv", {x, call.In("filter")}, attributes);
  if (last) y = ChannelsBack(call, y, rank);
  call.Out("out", y);
}

// The extents that output_size says, as padding at the end; empty where it
// says none.
Integers ExtraRows(OutCall& call, int spatial) {
  Integers extra = call.Ints("output_padding");
  const Integers wanted = call.Ints("output_size");
  if (wanted.empty()) return extra;
  const Integers strides = call.Ints("strides");
  const Integers dilations = call.Ints("dilations");
  const Integers given = call.Ints("paddings");
  const bool by_side = given.size() == 2 * static_cast<size_t>(spatial);
  extra.clear();
  for (int i = 0; i < spatial; ++i) {
    const auto at = static_cast<size_t>(i);
    const int64_t pads =
        by_side ? given[2 * at] + given[2 * at + 1] : 2 * given[at];
    const int64_t least = (call.Extent("x", i + 2) - 1) * strides[at] - pads +
                          dilations[at] * (call.Extent("filter", i + 2) - 1) +
                          1;
    extra.push_back(wanted[at] - least);
  }
  return extra;
}

void Transposed(OutCall& call) {
  const int rank = call.Rank("x");
  const bool last = ChannelsLast(call);
  if (call.Text("padding_algorithm") == "SAME") {
    return call.Refuse("the padding algorithm SAME");
  }
  if (last && !call.Ints("output_size").empty()) {
    return call.Refuse("output_size with the channels last");
  }
  OnnxName x = call.In("x");
  if (last) x = ChannelsFirst(call, x, rank);
  std::vector<WrittenAttribute> attributes = PadsOf(call, rank - 2);
  attributes.push_back({"strides", call.Ints("strides")});
  attributes.push_back({"dilations", call.Ints("dilations")});
  attributes.push_back({"group", call.Int("groups")});
  const Integers extra = ExtraRows(call, rank - 2);
  if (!extra.empty()) attributes.push_back({"output_padding", extra});
  OnnxName y = call.Node("ConvTranspose", {x, call.In("filter")}, attributes);
  if (last) y = ChannelsBack(call, y, rank);
  call.Out("out", y);
}

// Pads before and after, and what convolutions and columns say alike.
std::vector<WrittenAttribute> WindowOf(OutCall& call) {
  Integers pads = call.Ints("paddings");
  if (pads.size() == 2) pads.insert(pads.end(), pads.begin(), pads.end());
  return {{"strides", call.Ints("strides")},
          {"dilations", call.Ints("dilations")},
          {"pads", pads}};
}

void DeformableConv(OutCall& call) {
  std::vector<WrittenAttribute> attributes = WindowOf(call);
  attributes.push_back({"group", call.Int("groups")});
  attributes.push_back({"offset_group", call.Int("deformable_groups")});
  call.Out("out", call.Node("DeformConv",
                            {call.In("input"), call.In("filter"),
                             call.In("offset"), "", call.In("mask")},
                            attributes));
}

void Fold(OutCall& call) {
  if (IsComplex(call.Dtype("x"))) return call.Refuse("complex numbers");
  call.Out("out",
           call.Node("Col2Im",
                     {call.In("x"), call.IntList(call.Ints("output_sizes")),
                      call.IntList(call.Ints("kernel_sizes"))},
                     WindowOf(call)));
}

constexpr OutForm kForms[] = {
    {"deformable_conv", DeformableConv},
    {"fold", Fold},
    {"conv2d", Convolution},
    {"depthwise_conv2d", Convolution},
    {"conv3d", Convolution},
    {"conv2d_transpose", Transposed},
    {"conv3d_transpose", Transposed},
};

}  // namespace

absl::Span<const OutForm> ConvolutionOutForms() { return kForms; }

}  // namespace switchyard::static_graph
