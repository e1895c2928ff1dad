// SPDX-License-Identifier: Apache-2.0
// Images of other extents, and at other places.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"
#include "static_graph/translate/onnx_out/out_window.h"

namespace switchyard::static_graph {
namespace {

// The spatial extents that the result shall have, as a list; empty where
// factors say them.
OnnxName SizesOf(OutCall& call, int spatial) {
  if (!call.Known("out_size")) return call.IntTensor("out_size");
  Integers sizes = call.Ints("out_size");
  if (sizes.empty() && call.Known("scale") && !call.Floats("scale").empty()) {
    return "";
  }
  if (sizes.empty()) {
    sizes = {call.Int("out_d"), call.Int("out_h"), call.Int("out_w")};
    sizes.erase(sizes.begin(), sizes.end() - spatial);
  }
  return call.IntList(sizes);
}

// Says where elements of the result lie in the image.
struct Places {
  std::string coordinates;  // ONNX's name for it.
  bool by_extents = false;  // Factors never say it.
};

// Calls `visit` with the extents of each spatial axis, before and after.
template <typename Visit>
void ForSpatial(OutCall& call, const Visit& visit) {
  const Shape& in = call.ShapeOf("x");
  const Shape& out = call.OutShape("out");
  const int first = ChannelsLast(call) ? 1 : 2;
  for (int i = first; i < first + in.rank() - 2; ++i) {
    visit(i - first, in[i], out[i]);
  }
}

// The places that ours has: the centres of pixels, or corners. ONNX calls the
// centres PyTorch's where a single element of the result is the first of x.
Places PlacesOf(OutCall& call, bool by_floor) {
  if (call.Flag("align_corners")) return {"align_corners"};
  if (by_floor) return {"asymmetric"};
  bool centres = true;
  ForSpatial(call, [&](int, Dim, Dim out) {
    centres = centres && out.known() && out != Dim(1);
  });
  centres = centres || call.Int("align_mode") == 3;
  return {centres ? "half_pixel" : "pytorch_half_pixel"};
}

// Where factors are given beside extents they count, and must be the same.
bool CheckFactors(OutCall& call) {
  if (!call.Known("scale") || call.Floats("scale").empty()) return call.ok();
  // Extents alone say then how far elements are apart.
  const bool by_extents =
      call.Flag("align_corners") || call.Flag("recompute_scale_factor");
  const std::vector<double> factors = call.Floats("scale");
  ForSpatial(call, [&](int i, Dim in, Dim out) {
    const double factor = factors[factors.size() == 1 ? 0 : i];
    if (!(in.known() && out.known())) {
      // A model would have the extents alone, of which something is left over.
      if (!by_extents && factor != std::floor(factor)) {
        call.Refuse("factors of extents that are not known");
      }
    } else if (factor * static_cast<double>(in.value()) !=
               static_cast<double>(out.value())) {
      call.Refuse("extents that are not by its factors");
    }
  });
  return call.ok();
}

// The centres of pixels, whatever else is given.
Places Centres() { return {"half_pixel", true}; }

// Whether the extents before and after say how far places are apart, and not
// the factors. Between corners ONNX takes an extent that is not rounded.
bool ByExtents(OutCall& call, const Places& places) {
  const std::vector<double> factors = call.Floats("scale");
  const bool rounds =
      std::any_of(factors.begin(), factors.end(),
                  [](double factor) { return factor != std::floor(factor); });
  return places.by_extents || call.Flag("recompute_scale_factor") ||
         (rounds && places.coordinates == "align_corners");
}

// The spatial extents of the result; empty where they are not known.
OnnxName KnownSizes(OutCall& call) {
  Integers sizes;
  bool known = true;
  ForSpatial(call, [&](int, Dim, Dim out) {
    known = known && out.known();
    sizes.push_back(out.known() ? out.value() : 0);
  });
  return known ? call.IntList(sizes) : OnnxName();
}

void Resized(OutCall& call, std::string_view mode, const Places& places,
             std::vector<WrittenAttribute> attributes) {
  const int rank = call.Rank("x");
  const int spatial = rank - 2;
  const bool last = ChannelsLast(call);
  OnnxName x = call.In("x");
  if (last) x = ChannelsFirst(call, x, rank);
  OnnxName sizes = SizesOf(call, spatial);
  if (!sizes.empty() && !CheckFactors(call)) return;
  if (sizes.empty() && ByExtents(call, places)) sizes = KnownSizes(call);
  OnnxName scales;
  if (sizes.empty()) {
    std::vector<double> factors = call.Floats("scale");
    if (factors.size() == 1) {
      factors.resize(static_cast<size_t>(spatial), factors[0]);
    }
    factors.insert(factors.begin(), 2, 1);
    scales = call.FloatList(factors);
    if (ByExtents(call, places)) {
      return call.Refuse("factors of extents that are not known");
    }
  } else {
    sizes = call.Node("Concat", {Extents(call, x, 0, 2), sizes},
                      {{"axis", int64_t{0}}});
  }
  attributes.push_back({"mode", std::string(mode)});
  attributes.push_back({"coordinate_transformation_mode", places.coordinates});
  OnnxName y = call.Node("Resize", {x, "", scales, sizes}, attributes);
  if (last) y = ChannelsBack(call, y, rank);
  call.Out("out", y);
}

void Nearest(OutCall& call) {
  if (call.Flag("half_pixel")) {
    return Resized(call, "nearest", Centres(),
                   {{"nearest_mode", std::string("round_prefer_ceil")}});
  }
  const std::string rounding =
      call.Flag("align_corners") ? "round_prefer_ceil" : "floor";
  Resized(call, "nearest", PlacesOf(call, true), {{"nearest_mode", rounding}});
}

void Linear(OutCall& call) {
  const int64_t mode = call.Int("align_mode");
  Resized(call, "linear", mode == 2 ? Centres() : PlacesOf(call, mode == 1),
          {});
}

void Cubic(OutCall& call) {
  // A single element of ours may lie half a pixel before the first one.
  if (!call.Flag("align_corners") && call.Int("align_mode") != 3) {
    ForSpatial(call, [&](int, Dim in, Dim out) {
      if (out == Dim(1) && in != Dim(1)) call.Refuse("an extent of 1");
    });
  }
  Resized(call, "cubic", PlacesOf(call, false), {{"cubic_coeff_a", -0.75f}});
}

void GridSample(OutCall& call) {
  constexpr int64_t kOtherNames = 20;
  std::string mode(call.Text("mode"));
  if (call.opset() >= kOtherNames && mode != "nearest") {
    mode = mode == "bilinear" ? "linear" : "cubic";
  }
  if (call.opset() < kOtherNames && call.Rank("x") != 4) {
    return call.Refuse("volumes need opset 20");
  }
  call.Out("out",
           call.Node("GridSample", {call.In("x"), call.In("grid")},
                     {{"mode", mode},
                      {"padding_mode", std::string(call.Text("padding_mode"))},
                      {"align_corners", int64_t{call.Flag("align_corners")}}}));
}

// The image of each box: how many images end before its number.
OnnxName ImagesOfBoxes(OutCall& call) {
  const OnnxName counts = Cast(call, call.In("boxes_num"), DataType::kInt64);
  const OnnxName ends =
      call.Node("CumSum", {counts, call.Scalar0(0, DataType::kInt64)});
  const OnnxName boxes = CountUp(call, Extents(call, call.In("boxes"), 0, 1));
  const OnnxName before =
      call.Node("LessOrEqual", {ends, Unsqueeze(call, boxes, {1})});
  return Reduce(call, "ReduceSum", Cast(call, before, DataType::kInt64), {1},
                false);
}

void RoiAlign(OutCall& call) {
  if (!call.Has("boxes_num")) return call.Refuse("boxes_num must be given");
  const std::string places =
      call.Flag("aligned") ? "half_pixel" : "output_half_pixel";
  call.Out(
      "out",
      call.Node(
          "RoiAlign", {call.In("x"), call.In("boxes"), ImagesOfBoxes(call)},
          {{"output_height", call.Int("pooled_height")},
           {"output_width", call.Int("pooled_width")},
           {"spatial_scale", static_cast<float>(call.Float("spatial_scale"))},
           {"sampling_ratio", std::max<int64_t>(call.Int("sampling_ratio"), 0)},
           {"coordinate_transformation_mode", places}}));
}

void AffineGrid(OutCall& call) {
  call.Out("out",
           call.Node("AffineGrid",
                     {call.In("input"), call.IntTensor("output_shape")},
                     {{"align_corners", int64_t{call.Flag("align_corners")}}}));
}

constexpr OutForm kForms[] = {
    {"roi_align", RoiAlign},     {"affine_grid", AffineGrid},
    {"nearest_interp", Nearest}, {"linear_interp", Linear},
    {"bilinear_interp", Linear}, {"trilinear_interp", Linear},
    {"bicubic_interp", Cubic},   {"grid_sample", GridSample},
};

}  // namespace

absl::Span<const OutForm> ResizeOutForms() { return kForms; }

}  // namespace switchyard::static_graph
