// SPDX-License-Identifier: Apache-2.0
// Boxes by numbers that the program says, and boxes relative to others.
#include <cmath>
#include <utility>
#include <vector>

#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

OnnxName ListOf(OutCall& call, const std::vector<double>& numbers,
                DataType dtype) {
  const OnnxName list = call.FloatList(numbers);
  return dtype == DataType::kFloat32 ? list : Cast(call, list, dtype);
}

// The ratios of the sides, each once, and with `flip` the other way round.
std::vector<double> RatiosOf(OutCall& call) {
  constexpr double kNear = 1e-6;
  std::vector<double> ratios = {1};
  for (const double ratio : call.Floats("aspect_ratios")) {
    bool known = false;
    for (const double other : ratios) {
      known = known || std::fabs(other - ratio) < kNear;
    }
    if (known) continue;
    ratios.push_back(ratio);
    if (call.Flag("flip")) ratios.push_back(1 / ratio);
  }
  return ratios;
}

// Half of the sides (across, down) of the boxes of a cell.
std::vector<std::pair<double, double>> HalvesOf(OutCall& call) {
  const std::vector<double> least = call.Floats("min_sizes");
  const std::vector<double> most = call.Floats("max_sizes");
  const bool second = call.Flag("min_max_aspect_ratios_order");
  std::vector<std::pair<double, double>> halves;
  for (size_t i = 0; i < least.size(); ++i) {
    std::vector<std::pair<double, double>> some;
    for (const double ratio : RatiosOf(call)) {
      const double root = std::sqrt(ratio);
      some.emplace_back(least[i] * root / 2, least[i] / root / 2);
    }
    if (!most.empty()) {
      const double half = std::sqrt(least[i] * most[i]) / 2;
      some.insert(second ? some.begin() + 1 : some.end(), {half, half});
    }
    halves.insert(halves.end(), some.begin(), some.end());
  }
  return halves;
}

// Along one axis of an image: the lower and the upper ends of the boxes,
// [cells, boxes of a cell], as parts of the image.
struct Ends {
  OnnxName low;
  OnnxName high;
};

Ends EndsAlong(OutCall& call, int axis, const char* step,
               const std::vector<double>& halves) {
  const DataType dtype = call.Dtype("input");
  const OnnxName count = Extents(call, call.In("input"), axis, axis + 1);
  const OnnxName whole =
      Cast(call, Extents(call, call.In("image"), axis, axis + 1), dtype);
  const bool given = call.Float("step_w") != 0 && call.Float("step_h") != 0;
  const OnnxName length =
      given ? call.Scalar0(call.Float(step), dtype)
            : call.Node("Div", {whole, Cast(call, count, dtype)});
  const OnnxName places =
      call.Node("Add", {Cast(call, CountUp(call, count), dtype),
                        call.Scalar0(call.Float("offset"), dtype)});
  const OnnxName middle =
      Unsqueeze(call, call.Node("Mul", {places, length}), {1});
  const OnnxName half = ListOf(call, halves, dtype);
  const auto part = [&](const char* way) {
    OnnxName end = call.Node("Div", {call.Node(way, {middle, half}), whole});
    if (!call.Flag("clip")) return end;
    return call.Node("Clip",
                     {end, call.Scalar0(0, dtype), call.Scalar0(1, dtype)});
  };
  return {part("Sub"), part("Add")};
}

void PriorBox(OutCall& call) {
  const DataType dtype = call.Dtype("input");
  std::vector<double> across;
  std::vector<double> down;
  for (const auto& [width, height] : HalvesOf(call)) {
    across.push_back(width);
    down.push_back(height);
  }
  const Ends x = EndsAlong(call, 3, "step_w", across);
  const Ends y = EndsAlong(call, 2, "step_h", down);
  const OnnxName cells = Extents(call, call.In("input"), 2, 4);
  const auto count = static_cast<int64_t>(across.size());
  const auto sizes = [&](const Integers& last) {
    return call.Node("Concat", {cells, call.IntList(last)},
                     {{"axis", int64_t{0}}});
  };
  std::vector<OnnxName> corners;
  for (const OnnxName& end : {x.low, y.low, x.high, y.high}) {
    // Rows of cells have the ends down, columns those across.
    const bool along_rows = end == y.low || end == y.high;
    const OnnxName wide = Unsqueeze(call, end, {along_rows ? 1 : 0});
    corners.push_back(
        Unsqueeze(call, call.Node("Expand", {wide, sizes({count})}), {3}));
  }
  call.Out("out", call.Node("Concat", corners, {{"axis", int64_t{3}}}));
  call.Out("var",
           call.Node("Expand", {ListOf(call, call.Floats("variances"), dtype),
                                sizes({count, 4})}));
}

// ---- box_coder: the last axis has two numbers of one corner, then two of the
// other, or of the middle and the logarithm of the sides ----

class BoxCoder {
 public:
  explicit BoxCoder(OutCall& call)
      : call_(call),
        dtype_(call.Dtype("prior_box")),
        longer_(call.Flag("box_normalized") ? 0 : 1),
        encodes_(call.Text("code_type") == "encode_center_size") {}

  void Write() {
    const OnnxName prior = Placed(call_.In("prior_box"));
    const OnnxName low = Half(prior, 0);
    length_ = Longer(call_.Node("Sub", {Half(prior, 1), low}), longer_);
    middle_ = call_.Node("Add", {low, Times(length_, 0.5)});
    OnnxName target = call_.In("target_box");
    if (encodes_) target = Unsqueeze(call_, target, {1});
    const std::vector<OnnxName> parts = encodes_ ? Code(target) : Boxes(target);
    call_.Out("output_box",
              call_.Node("Concat", parts, {{"axis", int64_t{-1}}}));
  }

 private:
  // Priors along the axis of the result that has them.
  OnnxName Placed(const OnnxName& x) {
    const bool second = encodes_ || call_.Int("axis") == 0;
    return Unsqueeze(call_, x, {second ? 0 : 1});
  }
  OnnxName Half(const OnnxName& x, int64_t half) {
    return Slice(call_, x, -1, 2 * half, 2 * half + 2);
  }
  OnnxName Times(const OnnxName& x, double factor) {
    return call_.Node("Mul", {x, call_.Scalar0(factor, dtype_)});
  }
  OnnxName Longer(const OnnxName& x, double by) {
    return by == 0 ? x : call_.Node("Add", {x, call_.Scalar0(by, dtype_)});
  }

  // Returns the factors of two numbers of a code; empty: 1.
  OnnxName Scale(int64_t half) {
    if (call_.Has("prior_box_var")) {
      return Half(Placed(call_.In("prior_box_var")), half);
    }
    const std::vector<double> all = call_.Floats("variance");
    if (all.empty()) return "";
    const auto first = static_cast<size_t>(2 * half);
    return ListOf(call_, {all[first], all[first + 1]}, dtype_);
  }
  OnnxName Scaled(const char* type, const OnnxName& x, int64_t half) {
    const OnnxName scale = Scale(half);
    return scale.empty() ? x : call_.Node(type, {x, scale});
  }

  std::vector<OnnxName> Code(const OnnxName& target) {
    const OnnxName low = Half(target, 0);
    const OnnxName high = Half(target, 1);
    const OnnxName middle = Times(call_.Node("Add", {low, high}), 0.5);
    const OnnxName way =
        call_.Node("Div", {call_.Node("Sub", {middle, middle_}), length_});
    const OnnxName sides = call_.Node(
        "Div", {Longer(call_.Node("Sub", {high, low}), longer_), length_});
    const OnnxName log = call_.Node("Log", {call_.Node("Abs", {sides})});
    return {Scaled("Div", way, 0), Scaled("Div", log, 1)};
  }

  std::vector<OnnxName> Boxes(const OnnxName& target) {
    const OnnxName way =
        call_.Node("Mul", {Scaled("Mul", Half(target, 0), 0), length_});
    const OnnxName middle = call_.Node("Add", {middle_, way});
    const OnnxName factor =
        call_.Node("Exp", {Scaled("Mul", Half(target, 1), 1)});
    const OnnxName half = Times(call_.Node("Mul", {factor, length_}), 0.5);
    return {call_.Node("Sub", {middle, half}),
            Longer(call_.Node("Add", {middle, half}), -longer_)};
  }

  OutCall& call_;
  const DataType dtype_;
  const double longer_;
  const bool encodes_;
  OnnxName length_, middle_;  // Of the priors.
};

void CodeBoxes(OutCall& call) { BoxCoder(call).Write(); }

// ---- yolo_box: [images, anchors, numbers, rows, columns] until the end ----

// Reads the channels of a map, and makes boxes and scores of them.
class YoloBoxes {
 public:
  explicit YoloBoxes(OutCall& call)
      : call_(call),
        dtype_(call.Dtype("x")),
        anchors_(call.Ints("anchors")),
        classes_(call.Int("class_num")) {}

  void Write() {
    const OnnxName x = call_.In("x");
    const auto count = static_cast<int64_t>(anchors_.size()) / 2;
    const bool aware = call_.Flag("iou_aware");
    OnnxName boxes = x;
    if (aware) {
      boxes = Slice(call_, x, 1, count, count * (6 + classes_));
    }
    const OnnxName sizes = call_.Node(
        "Concat",
        {Extents(call_, x, 0, 1), call_.IntList({count, 5 + classes_}),
         Extents(call_, x, 2, 4)},
        {{"axis", int64_t{0}}});
    map_ = call_.Node("Reshape", {boxes, sizes}, {{"allowzero", int64_t{1}}});
    OnnxName sure = call_.Node("Sigmoid", {Channels(4, 5)});
    if (aware) {
      const double factor = call_.Float("iou_aware_factor");
      const OnnxName iou =
          call_.Node("Sigmoid", {Slice(call_, x, 1, 0, count)});
      sure = call_.Node("Mul", {Power(sure, 1 - factor),
                                Power(Unsqueeze(call_, iou, {2}), factor)});
    }
    const OnnxName there = call_.Node(
        "GreaterOrEqual", {sure, Number(call_.Float("conf_thresh"))});
    const OnnxName scores = call_.Node(
        "Mul", {sure, call_.Node("Sigmoid", {Channels(5, 5 + classes_)})});
    std::vector<OnnxName> low(2);
    std::vector<OnnxName> high(2);
    for (const int side : {0, 1}) Side(side, &low[side], &high[side]);
    const OnnxName corners = call_.Node(
        "Concat", {low[0], low[1], high[0], high[1]}, {{"axis", int64_t{2}}});
    call_.Out("boxes", Rows(there, corners, 4));
    call_.Out("scores", Rows(there, scores, classes_));
  }

 private:
  OnnxName Number(double number) { return call_.Scalar0(number, dtype_); }
  OnnxName Channels(int64_t begin, int64_t end) {
    return Slice(call_, map_, 2, begin, end);
  }
  OnnxName Power(const OnnxName& x, double exponent) {
    return call_.Node("Pow", {x, Number(exponent)});
  }

  // Both corners along one side: 0 across, 1 down.
  void Side(int side, OnnxName* low, OnnxName* high) {
    const int axis = side == 0 ? 3 : 2;
    const OnnxName count = Extents(call_, call_.In("x"), axis, axis + 1);
    const OnnxName cells = Cast(call_, count, dtype_);
    const OnnxName size = Cast(call_, call_.In("img_size"), dtype_);
    const OnnxName pixels =
        Unsqueeze(call_, Slice(call_, size, 1, 1 - side, 2 - side), {2, 3, 4});
    OnnxName place = Cast(call_, CountUp(call_, count), dtype_);
    if (side == 1) place = Unsqueeze(call_, place, {1});
    const double wide = call_.Float("scale_x_y");
    const OnnxName within = call_.Node(
        "Add",
        {call_.Node("Mul", {call_.Node("Sigmoid", {Channels(side, side + 1)}),
                            Number(wide)}),
         Number((1 - wide) / 2)});
    const OnnxName scale = call_.Node("Div", {pixels, cells});
    const OnnxName middle =
        call_.Node("Mul", {call_.Node("Add", {place, within}), scale});
    const OnnxName half = call_.Node(
        "Mul",
        {call_.Node("Mul", {call_.Node("Exp", {Channels(side + 2, side + 3)}),
                            Halves(side)}),
         scale});
    *low = call_.Node("Sub", {middle, half});
    *high = call_.Node("Add", {middle, half});
    if (!call_.Flag("clip_bbox")) return;
    *low = call_.Node("Max", {*low, Number(0)});
    *high = call_.Node("Min", {*high, call_.Node("Sub", {pixels, Number(1)})});
  }

  // Half of each anchor's extent, in cells.
  OnnxName Halves(int side) {
    const auto cell = static_cast<double>(call_.Int("downsample_ratio"));
    std::vector<double> halves;
    for (size_t i = static_cast<size_t>(side); i < anchors_.size(); i += 2) {
      halves.push_back(static_cast<double>(anchors_[i]) / cell / 2);
    }
    OnnxName list = call_.FloatList(halves);
    if (dtype_ != DataType::kFloat32) list = Cast(call_, list, dtype_);
    return Unsqueeze(call_, list, {0, 2, 3, 4});
  }

  // [images, boxes, numbers]; zeros where there is no box.
  OnnxName Rows(const OnnxName& there, const OnnxName& numbers, int64_t count) {
    const OnnxName kept = call_.Node("Where", {there, numbers, Number(0)});
    const OnnxName rows = Transpose(call_, kept, {0, 1, 3, 4, 2});
    const auto anchors = static_cast<int64_t>(anchors_.size()) / 2;
    const OnnxName cells = call_.Node(
        "Mul", {Extents(call_, rows, 2, 3), Extents(call_, rows, 3, 4)});
    const OnnxName boxes = call_.Node("Mul", {cells, call_.IntList({anchors})});
    const OnnxName sizes = call_.Node(
        "Concat", {Extents(call_, rows, 0, 1), boxes, call_.IntList({count})},
        {{"axis", int64_t{0}}});
    return call_.Node("Reshape", {rows, sizes}, {{"allowzero", int64_t{1}}});
  }

  OutCall& call_;
  const DataType dtype_;
  const Integers anchors_;
  const int64_t classes_;
  OnnxName map_;
};

void YoloBox(OutCall& call) { YoloBoxes(call).Write(); }

constexpr OutForm kForms[] = {
    {"yolo_box", YoloBox},
    {"prior_box", PriorBox},
    {"box_coder", CodeBoxes},
};

}  // namespace

absl::Span<const OutForm> PriorOutForms() { return kForms; }

}  // namespace switchyard::static_graph
