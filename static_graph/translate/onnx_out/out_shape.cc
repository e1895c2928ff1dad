// SPDX-License-Identifier: Apache-2.0
// Other shapes of the same elements, and shapes as numbers.
#include <algorithm>
#include <utility>
#include <vector>

#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

// The shape of the result, which is known; an extent may be 0.
OnnxName ReshapeToKnown(OutCall& call, const OnnxName& x) {
  const Shape& shape = call.OutShape("out");
  Integers sizes;
  for (const Dim extent : shape.dims()) sizes.push_back(extent.value());
  std::vector<WrittenAttribute> attributes;
  if (std::count(sizes.begin(), sizes.end(), 0) > 0) {
    attributes.push_back({"allowzero", int64_t{1}});
  }
  return call.Node("Reshape", {x, call.IntList(sizes)}, std::move(attributes));
}

// The extents that are asked for, but those of the result that are known: -1
// then stands where it must, since it means nothing beside an extent of 0.
Integers SizesOf(OutCall& call) {
  const Shape& shape = call.OutShape("out");
  Integers sizes = call.Ints("shape");
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i].known() && shape[i] != Dim(0)) {
      sizes[static_cast<size_t>(i)] = shape[i].value();
    }
  }
  return sizes;
}

// -1 and 0 have the meaning of ONNX's Reshape.
void Reshape(OutCall& call) {
  const OnnxName x = call.In("x");
  if (!call.Known("shape")) {
    return call.Out("out", call.Node("Reshape", {x, call.IntTensor("shape")}));
  }
  call.Out("out", call.OutShape("out").known()
                      ? ReshapeToKnown(call, x)
                      : Reshape(call, x, SizesOf(call)));
}

// Axes [begin, end) of x become one. Zeros repeat extents that are at their
// old place; the extents that follow must be known, or are computed.
OnnxName Flat(OutCall& call, int begin, int end) {
  const OnnxName x = call.In("x");
  const Shape& shape = call.ShapeOf("x");
  Integers sizes(static_cast<size_t>(begin), 0);
  sizes.push_back(-1);
  bool known = true;
  for (int i = end; i < shape.rank(); ++i) {
    known = known && shape[i].known();
    sizes.push_back(shape[i].known() ? shape[i].value() : 0);
  }
  if (known) return Reshape(call, x, sizes);
  sizes.resize(static_cast<size_t>(begin) + 1);
  const OnnxName list = call.Node(
      "Concat", {call.IntList(sizes), Extents(call, x, end, shape.rank())},
      {{"axis", int64_t{0}}});
  return call.Node("Reshape", {x, list});
}

void Flatten(OutCall& call) {
  const int rank = call.Rank("x");
  if (call.OutShape("out").known()) {
    return call.Out("out", ReshapeToKnown(call, call.In("x")));
  }
  const auto begin = static_cast<int>(call.Axis("start_axis", rank));
  const auto end = static_cast<int>(call.Axis("stop_axis", rank));
  call.Out("out", Flat(call, begin, end + 1));
}

// Two axes: those before `axis`, and the others.
void Flatten2(OutCall& call) {
  if (call.Rank("x") == 0) {
    return call.Out("out", Reshape(call, call.In("x"), {1}));
  }
  call.Out("out", call.Node("Flatten", {call.In("x")},
                            {{"axis", call.Axis("axis", call.Rank("x"))}}));
}

// Axes whose extent is another one stay.
void Squeeze(OutCall& call) {
  const Shape& shape = call.ShapeOf("x");
  Integers axes = call.Ints("axis");
  const bool all = axes.empty();
  Integers gone;
  for (int i = 0; i < shape.rank(); ++i) {
    const bool named =
        all || std::count(axes.begin(), axes.end(), i) > 0 ||
        std::count(axes.begin(), axes.end(), i - shape.rank()) > 0;
    const bool one = shape[i].known() ? shape[i].value() == 1 : !all;
    if (named && one) gone.push_back(i);
  }
  const int rank = shape.rank() - static_cast<int>(gone.size());
  if (call.OutShape("out").rank() != rank) {
    return call.Refuse("an extent decides which axes there are");
  }
  if (gone.empty()) {
    return call.Out("out", call.Node("Identity", {call.In("x")}));
  }
  call.Out("out", Squeeze(call, call.In("x"), gone));
}

// Axes are put in one after another there, and at once in ONNX.
void Unsqueeze(OutCall& call) {
  Integers places;
  int64_t rank = call.Rank("x");
  for (int64_t axis : call.Ints("axis")) {
    ++rank;
    if (axis < 0) axis += rank;
    for (int64_t& place : places) place += place >= axis ? 1 : 0;
    places.push_back(axis);
  }
  std::sort(places.begin(), places.end());
  const OnnxName x = call.In("x");
  if (places.empty()) return call.Out("out", call.Node("Identity", {x}));
  call.Out("out", Unsqueeze(call, x, places));
}

// -1 keeps an extent, and so does 1 in ONNX.
void Expand(OutCall& call) {
  OnnxName shape;
  if (call.Known("shape")) {
    Integers sizes = call.Ints("shape");
    std::replace(sizes.begin(), sizes.end(), int64_t{-1}, int64_t{1});
    shape = call.IntList(sizes);
  } else {
    shape = call.Node("Abs", {call.IntTensor("shape")});
  }
  call.Out("out", call.Node("Expand", {call.In("x"), shape}));
}

void ExpandAs(OutCall& call) {
  const OnnxName shape = call.Node("Shape", {call.In("y")});
  call.Out("out", call.Node("Expand", {call.In("x"), shape}));
}

void Tile(OutCall& call) {
  OnnxName x = call.In("x");
  const int rank = call.Rank("x");
  const int wide = call.OutShape("out").rank();
  Integers before;
  for (int i = rank; i < wide; ++i) before.push_back(i - rank);
  x = Unsqueeze(call, x, before);
  OnnxName times = call.IntTensor("repeat_times");
  if (call.Known("repeat_times")) {
    Integers list = call.Ints("repeat_times");
    const auto count = static_cast<size_t>(wide);
    if (list.size() < count) {
      list.insert(list.begin(), count - list.size(), 1);
    }
    times = call.IntList(list);
  } else if (wide != rank) {
    return call.Refuse("the number of repetitions must be known");
  }
  if (wide == 0) return call.Out("out", call.Node("Identity", {x}));
  call.Out("out", call.Node("Tile", {x, times}));
}

void ShapeOf(OutCall& call) {
  OnnxName shape = call.Node("Shape", {call.In("input")});
  if (call.OutDtype("out") != DataType::kInt64) {
    shape = Cast(call, shape, call.OutDtype("out"));
  }
  call.Out("out", shape);
}

void Extent(OutCall& call) {
  const auto axis = static_cast<int>(call.Axis("axis", call.Rank("input")));
  const OnnxName one = Extents(call, call.In("input"), axis, axis + 1);
  call.Out("out", Squeeze(call, one, {0}));
}

void NumEl(OutCall& call) {
  OnnxName count = call.Node("Size", {call.In("x")});
  if (call.OutShape("out").rank() == 1) count = Reshape(call, count, {1});
  call.Out("out", count);
}

constexpr OutForm kForms[] = {
    {"reshape", Reshape},   {"view_shape", Reshape}, {"flatten", Flatten},
    {"flatten2", Flatten2}, {"squeeze", Squeeze},    {"unsqueeze", Unsqueeze},
    {"expand", Expand},     {"expand_as", ExpandAs}, {"tile", Tile},
    {"shape", ShapeOf},     {"extent", Extent},      {"numel", NumEl},
};

}  // namespace

absl::Span<const OutForm> ShapeOutForms() { return kForms; }

}  // namespace switchyard::static_graph
