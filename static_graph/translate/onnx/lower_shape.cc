// SPDX-License-Identifier: Apache-2.0
// Operators that move elements and change none: reshapes, transposes, splits,
// repetitions, depth and space. Slices and pads are beside this.
#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

// 0 keeps an extent and -1 takes the rest; with `allowzero`, 0 is an extent of
// 0.
void Reshape(OnnxCall& call) {
  const ir::Value x = call.In(0);
  if (!call.ok()) return;
  std::optional<Integers> shape =
      call.HasAttr("shape") ? call.Ints("shape") : std::optional<Integers>();
  if (!shape.has_value()) shape = call.KnownIntegers(call.In(1));
  if (!call.ok()) return;
  // Ours keeps the extent where it is 0: a tensor without elements is made.
  const absl::Span<const Dim> dims = ShapeOf(x).dims();
  if (call.Flag("allowzero", false) &&
      std::find(dims.begin(), dims.end(), Dim(0)) != dims.end() &&
      (!shape.has_value() ||
       std::find(shape->begin(), shape->end(), -1) == shape->end())) {
    return call.Out(0, call.Call("full", {},
                                 {call.Supplied("shape", "shape", 1),
                                  {"value", Scalar(0.0)},
                                  {"dtype", DtypeOf(x)}}));
  }
  if (!shape.has_value()) {
    const std::vector<ir::Value> parts = ElementsOf(call, call.In(1));
    if (!parts.empty() && !call.Flag("allowzero", false)) {
      return call.Out(0, call.Call("reshape", {x}, {{"shape", parts}}));
    }
    return call.Out(0, call.Call("reshape", {x}, {{"shape", call.In(1)}}));
  }
  std::vector<ir::Value> extents;
  for (size_t i = 0; i < shape->size(); ++i) {
    const bool keeps = (*shape)[i] == 0 && !call.Flag("allowzero", false);
    if (keeps && static_cast<int>(i) >= Rank(x)) {
      return call.Fail(ArgumentError("shape", "0 at axes of the input alone",
                                     ToString(ShapeOf(x))));
    }
    extents.push_back(keeps ? Extent(call, x, static_cast<int>(i))
                            : IntegerList(call, {(*shape)[i]}));
  }
  call.Out(0, ReshapeTo(call, x, extents));
}

void Flatten(OnnxCall& call) {
  const ir::Value x = call.In(0);
  if (!call.ok()) return;
  const int rank = Rank(x);
  int64_t axis = call.Int("axis", 1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) {
    return call.Fail(RangeError("axis",
                                absl::StrCat("in [", -rank, ", ", rank, "]"),
                                absl::StrCat(call.Int("axis", 1))));
  }
  const ir::Value one = IntegerList(call, {1});
  const ir::Value rest = IntegerList(call, {-1});
  if (axis == 0) return call.Out(0, ReshapeTo(call, x, {one, rest}));
  if (axis == rank) return call.Out(0, ReshapeTo(call, x, {rest, one}));
  ir::Value flat = call.Call("flatten", {x},
                             {{"start_axis", axis}, {"stop_axis", rank - 1}});
  flat = call.Call("flatten", {flat},
                   {{"start_axis", 0}, {"stop_axis", axis - 1}});
  call.Out(0, flat);
}

void Transpose(OnnxCall& call) {
  const ir::Value x = call.In(0);
  Integers order(static_cast<size_t>(Rank(x)));
  std::iota(order.rbegin(), order.rend(), 0);
  call.Out(0, Transpose(call, x, call.Ints("perm", order)));
}

void Squeeze(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const OnnxAttribute given = call.Supplied("axis", "axes", 1);
  if (!given.supplied.empty()) {
    return call.Out(0, call.Call("squeeze", {x}, {given}));
  }
  std::optional<Integers> axes = call.AttrOrInput("axes", 1);
  if (!call.ok()) return;
  if (!axes.has_value()) {
    axes.emplace();
    const Integers extents = call.Extents(x);
    for (size_t i = 0; i < extents.size(); ++i) {
      if (extents[i] == 1) axes->push_back(static_cast<int64_t>(i));
    }
  }
  for (const int64_t axis : *axes) {
    const Dim dim = ShapeOf(x)[call.Axis(axis, Rank(x))];
    if (dim.known() && dim.value() != 1) {
      call.Fail(ArgumentError("axes", "of extent 1", ToString(ShapeOf(x))));
    }
  }
  call.Out(0, Squeeze(call, x, *axes));
}

// The axes are those of the result, in any order; ours are put in one after
// another.
void Unsqueeze(OnnxCall& call) {
  const ir::Value x = call.In(0);
  OnnxAttribute axes = call.Supplied("axis", "axes", 1);
  if (!call.ok()) return;
  if (!axes.supplied.empty()) {
    const ir::Value list = Cast(call, axes.supplied[0], DataType::kInt64);
    const Dim count = ShapeOf(list)[0];
    if (!count.known()) return call.Refuse("the number of axes must be known");
    const ir::Value rank =
        NumberLike(call, list, static_cast<double>(Rank(x) + count.value()));
    const ir::Value places = call.Call("remainder", {list, rank});
    axes = {"axis", call.Call("argsort", {places}, {{"axis", 0}})};
    return call.Out(0, call.Call("unsqueeze", {x}, {axes}));
  }
  Integers known = call.AttrOrInput("axes", 1).value_or(Integers());
  const auto rank = Rank(x) + static_cast<int>(known.size());
  for (int64_t& axis : known) axis = call.Axis(axis, rank);
  std::sort(known.begin(), known.end());
  call.Out(0, call.Call("unsqueeze", {x}, {{"axis", known}}));
}

// Splits an axis whose extent the run decides into `count` pieces, as equal as
// may be with a smaller last one.
void SplitOpen(OnnxCall& call, ir::Value x, int axis, int64_t count) {
  const Expression extent(call, Extent(call, x, axis));
  const Expression size = (extent + static_cast<double>(count - 1))
                              .With("floor_divide", static_cast<double>(count));
  for (int64_t i = 0; i < count && call.ok(); ++i) {
    const auto first = static_cast<double>(i);
    call.Out(
        static_cast<int>(i),
        call.Call("slice", {x},
                  {{"axes", Integers{axis}},
                   {"starts", (size * first).With("minimum", extent)},
                   {"ends", (size * (first + 1)).With("minimum", extent)}}));
  }
}

// Pieces of given sizes, or as equal as may be with a smaller last one.
void Split(OnnxCall& call) {
  const ir::Value x = call.In(0);
  if (!call.ok()) return;
  const int axis = call.Axis(call.Int("axis", 0), Rank(x));
  const OnnxAttribute given = call.Supplied("sections", "split", 1);
  std::optional<Integers> sizes;
  if (given.supplied.empty() && (call.HasAttr("split") || call.Has(1))) {
    sizes = call.AttrOrInput("split", 1);
  }
  if (!call.ok()) return;
  if (!sizes.has_value() && given.supplied.empty()) {
    const Dim dim = ShapeOf(x)[axis];
    const int64_t count = std::max<int64_t>(1, call.outputs());
    if (!dim.known()) return SplitOpen(call, x, axis, count);
    const int64_t size = (dim.value() + count - 1) / count;
    sizes.emplace();
    int64_t left = dim.value();
    for (int64_t i = 0; i < count; ++i) {
      sizes->push_back(std::min(size, left));
      left -= sizes->back();
    }
  }
  const std::vector<ir::Value> pieces = call.CallAll(
      "split", {x},
      {given.supplied.empty() ? OnnxAttribute("sections", *sizes) : given,
       {"axis", axis}});
  for (size_t i = 0; i < pieces.size(); ++i) {
    call.Out(static_cast<int>(i), pieces[i]);
  }
}

void Tile(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const ir::Value repeats = call.In(1);
  if (!call.ok()) return;
  const std::optional<Integers> known = call.KnownIntegers(repeats);
  if (known.has_value()) {
    return call.Out(0, call.Call("tile", {x}, {{"repeat_times", *known}}));
  }
  call.Out(0, call.Call("tile", {x}, {{"repeat_times", repeats}}));
}

// Broadcasts x and a shape that is computed to each other.
void ExpandTo(OnnxCall& call, ir::Value x, ir::Value target) {
  target = Cast(call, target, DataType::kInt64);
  std::vector<ir::Value> own = AllExtents(call, x);
  if (!call.ok()) return;
  const Dim length = ShapeOf(target)[0];
  if (!length.known()) return call.Refuse("the length of shape must be known");
  std::vector<ir::Value> wanted = {target};
  const ir::Value one = IntegerList(call, {1});
  for (int64_t i = Rank(x); i < length.value(); ++i) {
    own.insert(own.begin(), one);
  }
  for (int64_t i = length.value(); i < Rank(x); ++i) {
    wanted.insert(wanted.begin(), one);
  }
  if (own.empty()) return call.Out(0, x);
  const ir::Value from = call.Call("concat", {own}, {{"axis", 0}});
  const ir::Value to = call.Call("concat", {wanted}, {{"axis", 0}});
  const ir::Value shape =
      call.Call("where", {call.Call("equal", {to, one}), from, to});
  call.Out(0, call.Call("expand", {x}, {{"shape", shape}}));
}

// Both sides broadcast: an extent of 1 of the shape keeps that of the input.
void Expand(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const ir::Value target = call.In(1);
  if (!call.ok()) return;
  const std::optional<Integers> shape = call.KnownIntegers(target);
  if (!shape.has_value()) return ExpandTo(call, x, target);
  Integers extents = *shape;
  const int rank = Rank(x);
  if (static_cast<int>(extents.size()) < rank) {
    extents.insert(extents.begin(), rank - extents.size(), 1);
  }
  const int lead = static_cast<int>(extents.size()) - rank;
  for (int i = 0; i < rank; ++i) {
    if (extents[static_cast<size_t>(lead + i)] == 1) {
      extents[static_cast<size_t>(lead + i)] = -1;
    }
  }
  call.Out(0, call.Call("expand", {x}, {{"shape", extents}}));
}

// The extents of images, those of the run, too.
struct Image {
  ir::Value x;
  Expression channels, height, width;
  ir::Value batch;
};

// Refuses a tensor of other axes.
Image ReadImage(OnnxCall& call) {
  const ir::Value x = call.In(0);
  if (call.ok() && Rank(x) != 4) call.Refuse("the input must have four axes");
  if (!call.ok()) return {x, {call, x}, {call, x}, {call, x}, x};
  return {x,
          {call, Extent(call, x, 1)},
          {call, Extent(call, x, 2)},
          {call, Extent(call, x, 3)},
          Extent(call, x, 0)};
}

int64_t BlockSize(OnnxCall& call) {
  const int64_t block = call.Int("blocksize", 1);
  if (block < 1 || block > (1 << 15)) {
    call.Fail(ArgumentError("blocksize", "positive", absl::StrCat(block)));
    return 1;
  }
  return block;
}

void DepthToSpace(OnnxCall& call) {
  const Image image = ReadImage(call);
  const int64_t block = BlockSize(call);
  if (!call.ok()) return;
  const Dim all = ShapeOf(image.x)[1];
  if (all.known() && all.value() % (block * block) != 0) {
    return call.Fail(ArgumentError(
        "blocksize", absl::StrCat("one whose square divides ", all.value()),
        absl::StrCat(block)));
  }
  const ir::Value parts = IntegerList(call, {block});
  const ir::Value channels =
      image.channels.With("floor_divide", static_cast<double>(block * block));
  const bool columns = call.Text("mode", "DCR") == "CRD";
  ir::Value y =
      ReshapeTo(call, image.x,
                {image.batch, columns ? channels : parts, parts,
                 columns ? parts : channels, image.height, image.width});
  y = Transpose(
      call, y,
      columns ? Integers{0, 1, 4, 2, 5, 3} : Integers{0, 3, 4, 1, 5, 2});
  const auto factor = static_cast<double>(block);
  call.Out(0, ReshapeTo(call, y,
                        {image.batch, channels, image.height * factor,
                         image.width * factor}));
}

void SpaceToDepth(OnnxCall& call) {
  const Image image = ReadImage(call);
  const int64_t block = BlockSize(call);
  if (!call.ok()) return;
  const ir::Value parts = IntegerList(call, {block});
  const Expression size(call, parts);
  const Expression height = image.height.With("floor_divide", size);
  const Expression width = image.width.With("floor_divide", size);
  ir::Value y =
      ReshapeTo(call, image.x,
                {image.batch, image.channels, height, parts, width, parts});
  y = Transpose(call, y, {0, 3, 5, 1, 2, 4});
  call.Out(0, ReshapeTo(call, y,
                        {image.batch,
                         image.channels * static_cast<double>(block * block),
                         height, width}));
}

constexpr OnnxLowering kLowerings[] = {
    {"DepthToSpace", DepthToSpace}, {"Expand", Expand},
    {"Flatten", Flatten},           {"Reshape", Reshape},
    {"SpaceToDepth", SpaceToDepth}, {"Split", Split},
    {"Squeeze", Squeeze},           {"Tile", Tile},
    {"Transpose", Transpose},       {"Unsqueeze", Unsqueeze},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxShapeLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
