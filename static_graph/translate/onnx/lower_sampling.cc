// SPDX-License-Identifier: Apache-2.0
// Samples of images: by a grid, within boxes, and the inverse of pooling.
#include <algorithm>
#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/windows.h"

namespace switchyard::static_graph {
namespace {

using Weights = std::array<ir::Value, 4>;

// Returns coordinate `number` of each place of a grid, in pixels.
Expression Pixels(OnnxCall& call, ir::Value grid, int64_t number,
                  const Expression& extent, bool align) {
  const int last = Rank(grid) - 1;
  const Expression g(
      call, Squeeze(call, Slice(call, grid, last, number, number + 1), {last}));
  if (align) return (g + 1.0) * (extent - 1.0) * 0.5;
  return ((g + 1.0) * extent - 1.0) * 0.5;
}

// The weights of the four pixels around a place that is `t` after the second.
Weights CubicWeights(const Expression& t) {
  static constexpr double kA = -0.75;
  const auto outer = [](const Expression& s) {
    return ((s * kA - 5 * kA) * s + 8 * kA) * s - 4 * kA;
  };
  const auto inner = [](const Expression& s) {
    return (s * (kA + 2) - (kA + 3)) * s * s + 1.0;
  };
  const Expression rest = t.Minus() + 1.0;
  return {outer(t + 1.0), inner(t), inner(rest), outer(rest + 1.0)};
}

// Cubic samples, of sixteen pixels each.
void CubicSample(OnnxCall& call, ir::Value x, ir::Value grid,
                 const std::string& padding, bool align) {
  // A pixel is looked up where its number is a whole one, which is the same by
  // either rule, except for where images are mirrored.
  const bool by_centres = align && padding == "reflection";
  std::vector<Expression> extents, floors;
  std::vector<Weights> weights;
  for (int i = 0; i < 2; ++i) {
    const Expression extent =
        Expression(call, Extent(call, x, 3 - i)).As(DtypeOf(grid));
    const Expression at = Pixels(call, grid, i, extent, align);
    const Expression floor = at.Of("floor");
    weights.push_back(CubicWeights(at - floor));
    floors.push_back(floor);
    extents.push_back(extent);
  }
  const auto place = [&](size_t i, int64_t shift) {
    const Expression pixel = floors[i] + static_cast<double>(shift - 1);
    if (!by_centres) return (pixel * 2.0 + 1.0) / extents[i] - 1.0;
    return pixel * 2.0 / (extents[i] - 1.0).With("maximum", 1.0) - 1.0;
  };
  ir::Value sum;
  for (size_t row = 0; row < 4 && call.ok(); ++row) {
    const ir::Value y = place(1, static_cast<int64_t>(row));
    for (size_t column = 0; column < 4 && call.ok(); ++column) {
      const std::vector<ir::Value> pair = {
          place(0, static_cast<int64_t>(column)), y};
      const Expression pixel(
          call, call.Call("grid_sample",
                          {x, call.Call("stack", {pair}, {{"axis", 3}})},
                          {{"mode", "nearest"},
                           {"padding_mode", padding},
                           {"align_corners", by_centres}}));
      const Expression weight = Expression(call, weights[0][column]) *
                                Expression(call, weights[1][row]);
      const Expression part = pixel * weight.Unsqueeze({1});
      sum = sum ? call.Call("add", {sum, part}) : ir::Value(part);
    }
  }
  call.Out(0, sum);
}

// Rounds positions to the nearest pixel, ties to even. Our operator breaks ties
// differently, so it gets the centres of pixels.
ir::Value NearestGrid(OnnxCall& call, ir::Value x, ir::Value grid, bool align,
                      bool by_centres) {
  const int spatial = Rank(x) - 2;
  std::vector<ir::Value> parts;
  for (int i = 0; i < spatial && call.ok(); ++i) {
    const Expression extent =
        Expression(call, Extent(call, x, Rank(x) - 1 - i)).As(DtypeOf(grid));
    const Expression pixel(
        call, RoundToEven(call, Pixels(call, grid, i, extent, align)));
    parts.push_back(
        by_centres ? pixel * 2.0 / (extent - 1.0).With("maximum", 1.0) - 1.0
                   : (pixel * 2.0 + 1.0) / extent - 1.0);
  }
  return call.Call("stack", {parts}, {{"axis", Rank(grid) - 1}});
}

void GridSample(OnnxCall& call) {
  const ir::Value x = call.In(0);
  ir::Value grid = call.In(1);
  std::string mode = call.Text("mode", "linear");
  const std::string padding = call.Text("padding_mode", "zeros");
  bool align = call.Flag("align_corners", false);
  if (!call.ok()) return;
  if (mode == "bicubic" || mode == "cubic") {
    if (Rank(x) != 4) return call.Refuse("cubic is for images alone");
    return CubicSample(call, x, grid, padding, align);
  }
  if (mode == "linear") mode = "bilinear";
  if (mode == "nearest") {
    // Images are mirrored at their edges, or at the centres of their pixels.
    const bool by_centres = align && padding == "reflection";
    grid = NearestGrid(call, x, grid, align, by_centres);
    align = by_centres;
  }
  call.Out(0, call.Call("grid_sample", {x, Cast(call, grid, DtypeOf(x))},
                        {{"mode", mode},
                         {"padding_mode", padding},
                         {"align_corners", align}}));
}

// Pools boxes with an operator of ours, which has those of each image one after
// another; `image` is that of each box.
ir::Value PooledByImage(OnnxCall& call, const char* name, ir::Value x,
                        ir::Value boxes, const Expression& image,
                        const OnnxAttributes& attributes) {
  const auto order_of = [&](const Expression& numbers) {
    return call.CallAll("argsort", {numbers}, {{"axis", 0}, {"stable", true}});
  };
  const std::vector<ir::Value> sorted = order_of(image);
  if (!call.ok()) return ir::Value();
  const Expression order(call, sorted[1]);
  const ir::Value ordered =
      call.Call("index_select", {boxes, order}, {{"axis", 0}});
  const Expression images(call, Places(call, x, 0));
  const Expression counts =
      (image.Unsqueeze({1}) == images)
          .As(DataType::kInt32)
          .Of("sum", {{"axis", Integers{0}}, {"dtype", DataType::kInt32}});
  const std::vector<ir::Value> y =
      call.CallAll(name, {x, ordered, counts}, attributes);
  const std::vector<ir::Value> back = order_of(order);
  if (!call.ok()) return ir::Value();
  return call.Call("index_select", {y[0], back[1]}, {{"axis", 0}});
}

void RoiAlign(OnnxCall& call) {
  constexpr int64_t kHalfPixel = 16;
  const ir::Value x = call.In(0);
  const Expression image(call, Cast(call, call.In(2), DataType::kInt64));
  if (call.Text("mode", "avg") != "avg") return call.Refuse("mode must be avg");
  if (!call.ok()) return;
  const bool aligned =
      call.version() >= kHalfPixel &&
      call.Text("coordinate_transformation_mode", "half_pixel") == "half_pixel";
  call.Out(0,
           PooledByImage(call, "roi_align", x, call.In(1), image,
                         {{"pooled_height", call.Int("output_height", 1)},
                          {"pooled_width", call.Int("output_width", 1)},
                          {"spatial_scale", call.Float("spatial_scale", 1.0)},
                          {"sampling_ratio",
                           std::max<int64_t>(call.Int("sampling_ratio", 0), 0)},
                          {"aligned", aligned}}));
}

// A box is the number of its image, and then its corners.
void MaxRoiPool(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const ir::Value rows = call.In(1);
  const Integers pooled = call.Ints("pooled_shape");
  if (!call.ok()) return;
  if (pooled.size() != 2 || Rank(rows) != 2) {
    return call.Fail(ArgumentError(
        "pooled_shape and rois", "two extents and a matrix",
        absl::StrCat(pooled.size(), " extents and ", ToString(ShapeOf(rows)))));
  }
  const DataType dtype = DtypeOf(x);
  const DataType wide =
      dtype == DataType::kFloat64 ? dtype : DataType::kFloat32;
  const Expression image(
      call,
      Squeeze(call, Slice(call, Cast(call, rows, DataType::kInt64), 1, 0, 1),
              {1}));
  const ir::Value y =
      PooledByImage(call, "roi_pool", Cast(call, x, wide),
                    Cast(call, Slice(call, rows, 1, 1, 5), wide), image,
                    {{"pooled_height", pooled[0]},
                     {"pooled_width", pooled[1]},
                     {"spatial_scale", call.Float("spatial_scale", 1.0)}});
  call.Out(0, Cast(call, y, dtype));
}

// Each element at its place in the tensor that was pooled. A greater
// output_shape has zeros after that.
void MaxUnpool(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const OnnxWindow window = ReadWindow(call, x, call.Ints("kernel_shape"));
  Integers shape = call.Extents(x);
  if (!call.ok()) return;
  int64_t count = shape[0] * shape[1];
  for (size_t i = 0; i < window.kernel.size(); ++i) {
    int64_t& extent = shape[i + 2];
    extent = (extent - 1) * window.strides[i] - window.before[i] -
             window.after[i] + window.kernel[i];
    count *= extent;
  }
  const ir::Value zeros = call.Call("full", {},
                                    {{"shape", Integers{count}},
                                     {"value", Scalar(0.0)},
                                     {"dtype", DtypeOf(x)}});
  ir::Value y = call.Call(
      "put_along_axis",
      {zeros, Reshape(call, call.In(1), {-1}), Reshape(call, x, {-1})},
      {{"axis", 0}});
  y = Reshape(call, y, shape);
  if (call.Has(2)) {
    const Expression pads =
        Expression(call, Cast(call, call.In(2), DataType::kInt64)) -
        Expression(call, IntegerList(call, shape));
    const std::vector<ir::Value> pairs = {call.Call("zeros_like", {pads}),
                                          pads};
    y = call.Call(
        "pad", {y},
        {{"paddings",
          Reshape(call, call.Call("stack", {pairs}, {{"axis", 1}}), {-1})}});
  }
  call.Out(0, y);
}

// Matrices of 16 bits are applied in float32.
void AffineGrid(OnnxCall& call) {
  ir::Value matrices = call.In(0);
  const DataType dtype = DtypeOf(matrices);
  if (dtype != DataType::kFloat64) {
    matrices = Cast(call, matrices, DataType::kFloat32);
  }
  const ir::Value grid =
      call.Call("affine_grid", {matrices},
                {call.Supplied("output_shape", "size", 1),
                 {"align_corners", call.Flag("align_corners", false)}});
  call.Out(0, Cast(call, grid, dtype));
}

// Ours pads both ends of an axis alike; outside of the image all is 0.
void DeformConv(OnnxCall& call) {
  ir::Value x = call.In(0);
  const ir::Value weights = call.In(1);
  Integers kernel = call.Ints("kernel_shape");
  if (kernel.empty() && call.ok()) {
    const Integers shape = call.Extents(weights);
    if (call.ok()) kernel.assign(shape.begin() + 2, shape.end());
  }
  OnnxWindow window = ReadWindow(call, x, kernel);
  if (!call.ok()) return;
  if (window.spatial != 2) return call.Refuse("there must be 2 spatial axes");
  if (window.before != window.after) {
    Integers pads = {0, 0, 0, 0};
    const Integers pairs = PadPairs(window);
    pads.insert(pads.end(), pairs.begin(), pairs.end());
    x = call.Call("pad", {x}, {{"paddings", pads}});
    window.before.assign(2, 0);
  }
  const ir::Value mask = call.Has(4) ? call.In(4) : ir::Value();
  Expression y(call,
               call.Call("deformable_conv", {x, call.In(2), weights, mask},
                         {{"strides", window.strides},
                          {"paddings", window.before},
                          {"dilations", window.dilations},
                          {"deformable_groups", call.Int("offset_group", 1)},
                          {"groups", call.Int("group", 1)}}));
  if (call.Has(3)) y = y + Expression(call, call.In(3)).Unsqueeze({1, 2});
  call.Out(0, y);
}

constexpr OnnxLowering kLowerings[] = {
    {"AffineGrid", AffineGrid}, {"DeformConv", DeformConv},
    {"GridSample", GridSample}, {"MaxRoiPool", MaxRoiPool},
    {"MaxUnpool", MaxUnpool},   {"RoiAlign", RoiAlign},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxSamplingLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
