// SPDX-License-Identifier: Apache-2.0
// Elements in another order or with others between them.
#include <string>

#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

void Stack(OutCall& call) {
  const int64_t axis = call.Axis("axis", call.OutShape("out").rank());
  std::vector<OnnxName> parts;
  for (const OnnxName& x : call.List("x")) {
    parts.push_back(Unsqueeze(call, x, {axis}));
  }
  call.Out("out", call.Node("Concat", parts, {{"axis", axis}}));
}

// Sections of -1 share the rest.
void Split(OutCall& call) {
  const int64_t axis = call.Axis("axis", call.Rank("x"));
  Integers sections = call.Ints("sections");
  int64_t known = 0;
  int64_t shares = 0;
  for (const int64_t each : sections) {
    known += each < 0 ? 0 : each;
    shares += each < 0;
  }
  for (int64_t& each : sections) {
    if (each >= 0) continue;
    each = (call.Extent("x", static_cast<int>(axis)) - known) / shares;
  }
  call.OutList("out",
               call.Nodes("Split", {call.In("x"), call.IntList(sections)},
                          sections.size(), {{"axis", axis}}));
}

// Pairs by axis as all that stand before and all that stand after.
Integers AllPads(const Integers& pairs) {
  Integers before;
  Integers after;
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    before.push_back(pairs[i]);
    after.push_back(pairs[i + 1]);
  }
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

void Pad(OutCall& call) {
  const OnnxName pads = call.IntList(AllPads(call.Ints("paddings")));
  const OnnxName fill = call.NumberTensor("pad_value", call.Dtype("x"));
  call.Out("out", call.Node("Pad", {call.In("x"), pads, fill},
                            {{"mode", std::string("constant")}}));
}

// Pads of planes and volumes: of the last axis first where `reversed`.
void PadSpatial(OutCall& call, bool reversed) {
  const std::string_view format = call.Text("data_format");
  const bool channels_last = format == "NHWC" || format == "NDHWC";
  const Integers given = call.Ints("paddings");
  Integers pairs;
  for (size_t i = 0; i + 1 < given.size(); i += 2) {
    const size_t at = reversed ? given.size() - 2 - i : i;
    pairs.push_back(given[at]);
    pairs.push_back(given[at + 1]);
  }
  pairs.insert(channels_last ? pairs.end() : pairs.begin(), 2, 0);
  pairs.insert(pairs.begin(), 2, 0);
  std::string mode(call.Text("mode"));
  if (mode == "replicate") mode = "edge";
  if (mode == "circular") mode = "wrap";
  if (mode == "wrap" && call.opset() < 19) {
    return call.Refuse("circular pads need opset 19");
  }
  std::vector<OnnxName> inputs = {call.In("x"), call.IntList(AllPads(pairs))};
  if (mode == "constant") {
    inputs.push_back(call.NumberTensor("pad_value", call.Dtype("x")));
  }
  call.Out("out", call.Node("Pad", inputs, {{"mode", mode}}));
}

void Pad2d(OutCall& call) { PadSpatial(call, false); }
void Pad3d(OutCall& call) { PadSpatial(call, true); }

void Flip(OutCall& call) {
  OnnxName x = call.In("x");
  const int rank = call.Rank("x");
  Integers axes;
  for (const int64_t axis : call.Ints("axis")) {
    axes.push_back(axis < 0 ? axis + rank : axis);
  }
  constexpr int64_t kEnd = INT64_MIN + 1;
  if (axes.empty()) return call.Out("out", call.Node("Identity", {x}));
  const Integers begins(axes.size(), -1);
  const Integers ends(axes.size(), kEnd);
  call.Out("out",
           call.Node("Slice", {x, call.IntList(begins), call.IntList(ends),
                               call.IntList(axes), call.IntList(begins)}));
}

// The last elements of an axis, as many as `shift` modulo its extent, come
// before the first ones. The extent of an open axis is computed.
OnnxName Rolled(OutCall& call, const OnnxName& x, int64_t axis, Dim extent,
                int64_t shift) {
  if (extent.known()) {
    if (extent.value() == 0) return x;
    shift = (shift % extent.value() + extent.value()) % extent.value();
    if (shift == 0) return x;
    const int64_t cut = extent.value() - shift;
    return call.Node("Concat",
                     {Slice(call, x, axis, cut, extent.value()),
                      Slice(call, x, axis, 0, cut)},
                     {{"axis", axis}});
  }
  const auto at = static_cast<int>(axis);
  const OnnxName count = Extents(call, x, at, at + 1);
  const OnnxName some = call.Node("Max", {count, call.IntList({1})});
  const OnnxName moved = call.Node("Mod", {call.IntList({shift}), some});
  const OnnxName rest =
      call.Node("Mod", {call.Node("Sub", {some, moved}), some});
  const OnnxName on = call.IntList({axis});
  return call.Node("Concat",
                   {call.Node("Slice", {x, rest, count, on}),
                    call.Node("Slice", {x, call.IntList({0}), rest, on})},
                   {{"axis", axis}});
}

void Roll(OutCall& call) {
  const Integers shifts = call.Ints("shifts");
  const Integers axes = call.Ints("axis");
  const Shape& shape = call.ShapeOf("x");
  OnnxName x = call.In("x");
  if (axes.empty()) x = Reshape(call, x, {-1});
  for (size_t i = 0; i < shifts.size(); ++i) {
    if (axes.empty()) {
      x = Rolled(call, x, 0, Dim::Unknown(), shifts[i]);
      continue;
    }
    const int64_t axis = axes[i] < 0 ? axes[i] + shape.rank() : axes[i];
    x = Rolled(call, x, axis, shape[static_cast<int>(axis)], shifts[i]);
  }
  if (axes.empty()) {
    x = call.Node("Reshape", {x, ShapeLike(call, shape, call.In("x"))});
  } else if (x == call.In("x")) {
    x = call.Node("Identity", {x});
  }
  call.Out("out", x);
}

void Triangle(OutCall& call, bool upper) {
  const auto diagonal = static_cast<double>(call.Int("diagonal"));
  call.Out("out",
           call.Node("Trilu",
                     {call.In("x"), call.Scalar0(diagonal, DataType::kInt64)},
                     {{"upper", int64_t{upper}}}));
}

void Tril(OutCall& call) { Triangle(call, false); }
void Triu(OutCall& call) { Triangle(call, true); }

bool CheckPlanes(OutCall& call) {
  if (call.Text("data_format") == "NCHW") return true;
  call.Refuse("data_format must be NCHW");
  return false;
}

void PixelShuffle(OutCall& call) {
  if (!CheckPlanes(call)) return;
  call.Out("out", call.Node("DepthToSpace", {call.In("x")},
                            {{"blocksize", call.Int("upscale_factor")},
                             {"mode", std::string("CRD")}}));
}

// x with its channels, or its rows and columns, as several axes, these in
// another order, and as planes again.
void Regroup(OutCall& call, const Integers& shape, const Integers& perm) {
  const Shape& planes = call.OutShape("out");
  Integers last = {0};
  for (int i = 1; i < 4; ++i) {
    if (!planes[i].known()) {
      return call.Refuse("channels, height and width must be known");
    }
    last.push_back(planes[i].value());
  }
  const OnnxName split = Reshape(call, call.In("x"), shape);
  call.Out("out", Reshape(call, Transpose(call, split, perm), last));
}

void PixelUnshuffle(OutCall& call) {
  if (!CheckPlanes(call)) return;
  const int64_t factor = call.Int("downscale_factor");
  Regroup(call,
          {0, call.Extent("x", 1), call.Extent("x", 2) / factor, factor,
           call.Extent("x", 3) / factor, factor},
          {0, 1, 3, 5, 2, 4});
}

void ChannelShuffle(OutCall& call) {
  if (!CheckPlanes(call)) return;
  const int64_t groups = call.Int("groups");
  Regroup(call,
          {0, groups, call.Extent("x", 1) / groups, call.Extent("x", 2),
           call.Extent("x", 3)},
          {0, 2, 1, 3, 4});
}

constexpr OutForm kForms[] = {
    {"stack", Stack},
    {"split", Split},
    {"pad", Pad},
    {"pad2d", Pad2d},
    {"pad3d", Pad3d},
    {"flip", Flip},
    {"roll", Roll},
    {"tril", Tril},
    {"triu", Triu},
    {"pixel_shuffle", PixelShuffle},
    {"pixel_unshuffle", PixelUnshuffle},
    {"channel_shuffle", ChannelShuffle},
};

}  // namespace

absl::Span<const OutForm> ArrangementOutForms() { return kForms; }

}  // namespace switchyard::static_graph
