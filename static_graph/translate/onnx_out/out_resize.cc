// SPDX-License-Identifier: Apache-2.0
// Images of other extents, and at other places.
#include <string>

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

// The places that ours has: the centres of pixels, or corners. ONNX calls the
// centres PyTorch's where a single element of the result is the first of x.
Places PlacesOf(OutCall& call, bool by_floor) {
  if (call.Flag("align_corners")) return {"align_corners"};
  if (by_floor) return {"asymmetric"};
  return {call.Int("align_mode") == 3 ? "half_pixel" : "pytorch_half_pixel"};
}

// The centres of pixels, whatever else is given.
Places Centres() { return {"half_pixel", true}; }

void Resized(OutCall& call, std::string_view mode, const Places& places,
             std::vector<WrittenAttribute> attributes) {
  const int rank = call.Rank("x");
  const int spatial = rank - 2;
  const bool last = ChannelsLast(call);
  OnnxName x = call.In("x");
  if (last) x = ChannelsFirst(call, x, rank);
  OnnxName sizes = SizesOf(call, spatial);
  OnnxName scales;
  if (sizes.empty()) {
    std::vector<double> factors = call.Floats("scale");
    if (places.by_extents || call.Flag("recompute_scale_factor")) {
      return call.Refuse("factors that are computed again");
    }
    if (factors.size() == 1) {
      factors.resize(static_cast<size_t>(spatial), factors[0]);
    }
    factors.insert(factors.begin(), 2, 1);
    scales = call.FloatList(factors);
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

constexpr OutForm kForms[] = {
    {"nearest_interp", Nearest}, {"linear_interp", Linear},
    {"bilinear_interp", Linear}, {"trilinear_interp", Linear},
    {"bicubic_interp", Cubic},   {"grid_sample", GridSample},
};

}  // namespace

absl::Span<const OutForm> ResizeOutForms() { return kForms; }

}  // namespace switchyard::static_graph
