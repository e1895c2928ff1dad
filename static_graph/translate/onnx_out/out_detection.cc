// SPDX-License-Identifier: Apache-2.0
// Suppression of the boxes of detectors.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

OnnxName Column(OutCall& call, const OnnxName& rows, int64_t column) {
  return Slice(call, rows, 1, column, column + 1);
}

// The best `most` numbers along the last axis, or all of them if it is below 0,
// and their places.
std::vector<OnnxName> BestOf(OutCall& call, const OnnxName& scores, int rank,
                             int64_t most) {
  OnnxName count = Extents(call, scores, rank - 1, rank);
  if (most >= 0) count = call.Node("Min", {call.IntList({most}), count});
  return call.Nodes("TopK", {scores, count}, 2, {{"axis", int64_t{-1}}});
}

// The boxes that stay: rows (image, class, place among the best), (class,
// score, corners) of each, and its box's number.
struct Kept {
  OnnxName rows;
  OnnxName out;
  OnnxName index;
};

// Goes through the best boxes of all classes of all images at once, one after
// another: [images, classes, best]. ONNX's own NonMaxSuppression orders the
// corners of boxes, and has no sides of whole pixels.
class Suppression {
 public:
  explicit Suppression(OutCall& call)
      : call_(call), dtype_(call.Dtype("bboxes")) {}

  Kept Write() {
    const OnnxName boxes = call_.In("bboxes");
    const std::vector<OnnxName> best =
        BestOf(call_, Scores(), 3, call_.Int("nms_top_k"));
    scores_ = best[0];
    ReadCorners(boxes, best[1]);
    live_ = call_.Node("Greater",
                       {scores_, Number(call_.Float("score_threshold"))});
    kept_ = Loop();
    OnnxName rows = Transpose(call_, call_.Node("NonZero", {kept_}), {1, 0});
    const int64_t most = call_.Int("keep_top_k");
    if (most >= 0) rows = BestRows(rows, most);
    const OnnxName box =
        Unsqueeze(call_, call_.Node("GatherND", {best[1], rows}), {1});
    return Of(rows, box, boxes);
  }

 private:
  OnnxName Number(double number) { return call_.Scalar0(number, dtype_); }
  OnnxName Two(const char* type, const OnnxName& a, const OnnxName& b) {
    return call_.Node(type, {a, b});
  }

  // The background's never count.
  OnnxName Scores() {
    const OnnxName scores = call_.In("scores");
    const int64_t background = call_.Int("background_label");
    if (background < 0) return scores;
    const OnnxName classes =
        Unsqueeze(call_, CountUp(call_, Extents(call_, scores, 1, 2)), {1});
    const OnnxName is_background =
        Two("Equal", classes, call_.Scalar0(background, DataType::kInt64));
    return call_.Node("Where", {is_background, Number(kNever), scores});
  }

  // [images, classes * best].
  OnnxName Flat(const OnnxName& x) {
    const OnnxName rest =
        Two("Mul", Extents(call_, x, 1, 2), Extents(call_, x, 2, 3));
    const OnnxName sizes = call_.Node("Concat", {Extents(call_, x, 0, 1), rest},
                                      {{"axis", int64_t{0}}});
    return call_.Node("Reshape", {x, sizes}, {{"allowzero", int64_t{1}}});
  }

  void ReadCorners(const OnnxName& boxes, const OnnxName& places) {
    const OnnxName shape = call_.Node("Shape", {places});
    const OnnxName flat = Unsqueeze(call_, Flat(places), {2});
    const OnnxName rows =
        call_.Node("GatherND", {boxes, flat}, {{"batch_dims", int64_t{1}}});
    for (int64_t corner = 0; corner < 4; ++corner) {
      corners_.push_back(call_.Node(
          "Reshape", {Slice(call_, rows, 2, corner, corner + 1), shape},
          {{"allowzero", int64_t{1}}}));
    }
    const OnnxName none = Two("Or", Two("Less", corners_[2], corners_[0]),
                              Two("Less", corners_[3], corners_[1]));
    const OnnxName area =
        Two("Mul", Longer(Two("Sub", corners_[2], corners_[0])),
            Longer(Two("Sub", corners_[3], corners_[1])));
    areas_ = call_.Node("Where", {none, Number(0), area});
  }

  // Sides of boxes that end in a pixel are one longer.
  OnnxName Longer(const OnnxName& side) {
    return call_.Flag("normalized") ? side : Two("Add", side, Number(1));
  }

  // How much of both boxes the one at `turn` shares with each.
  OnnxName Overlaps(const OnnxName& turn) {
    const auto one = [&](const OnnxName& all) {
      return call_.Node("Gather", {all, turn}, {{"axis", int64_t{2}}});
    };
    const auto side = [&](size_t low) {
      return Longer(Two("Sub",
                        Two("Min", corners_[low + 2], one(corners_[low + 2])),
                        Two("Max", corners_[low], one(corners_[low]))));
    };
    OnnxName apart;
    for (const size_t low : {size_t{0}, size_t{1}}) {
      for (const bool after : {false, true}) {
        const OnnxName a = corners_[low + (after ? 0 : 2)];
        const OnnxName b = one(corners_[low + (after ? 2 : 0)]);
        const OnnxName here = Two(after ? "Greater" : "Less", a, b);
        apart = apart.empty() ? here : Two("Or", apart, here);
      }
    }
    const OnnxName shared = Two("Mul", side(0), side(1));
    const OnnxName both = Two("Sub", Two("Add", areas_, one(areas_)), shared);
    return call_.Node("Where", {apart, Number(0), Two("Div", shared, both)});
  }

  WrittenPort Port(DataType dtype, int rank) {
    WrittenPort port{call_.Take("turn"), dtype, {}};
    port.extents.assign(static_cast<size_t>(rank), std::string());
    return port;
  }

  // bool [images, classes, best]: as many turns as a class has boxes that
  // count, which come first.
  OnnxName Loop() {
    const OnnxName counts = Reduce(
        call_, "ReduceSum", Cast(call_, live_, DataType::kInt64), {2}, false);
    const OnnxName turns = Reduce(
        call_, "ReduceMax",
        call_.Node("Concat", {call_.IntList({0}), Reshape(call_, counts, {-1})},
                   {{"axis", int64_t{0}}}),
        {0}, false);
    const OnnxName none = Two("And", live_, call_.Node("Not", {live_}));
    const OnnxName limit = call_.Node(
        "Expand",
        {Number(call_.Float("nms_threshold")),
         call_.Node("Concat",
                    {Extents(call_, scores_, 0, 2), call_.IntList({1})},
                    {{"axis", int64_t{0}}})});
    const WrittenPort turn = Port(DataType::kInt64, 0);
    const WrittenPort go_on = Port(DataType::kBool, 0);
    const WrittenPort kept = Port(DataType::kBool, 3);
    const WrittenPort most = Port(dtype_, 3);
    const auto body = call_.Graph(
        {turn, go_on, kept, most}, {go_on, kept, most},
        [&] { return Turn(turn.name, go_on.name, kept.name, most.name); });
    return call_.Nodes("Loop", {turns, "", none, limit}, 2,
                       {{"body", body}})[0];
  }

  std::vector<OnnxName> Turn(const OnnxName& turn, const OnnxName& go_on,
                             const OnnxName& kept, const OnnxName& most) {
    const OnnxName at = Reshape(call_, turn, {1});
    const OnnxName over =
        call_.Node("Not", {Two("LessOrEqual", Overlaps(at), most)});
    const OnnxName hits = Cast(call_, Two("And", kept, over), DataType::kInt32);
    const OnnxName hit = Cast(
        call_, Reduce(call_, "ReduceMax", hits, {2}, true), DataType::kBool);
    const OnnxName live =
        call_.Node("Gather", {live_, at}, {{"axis", int64_t{2}}});
    const OnnxName stays = Two("And", live, call_.Node("Not", {hit}));
    const OnnxName here =
        Two("Equal", CountUp(call_, Extents(call_, scores_, 2, 3)), at);
    const OnnxName now = Two("Or", kept, Two("And", here, stays));
    const double eta = call_.Float("nms_eta");
    OnnxName next = call_.Node("Identity", {most});
    if (eta < 1) {
      const OnnxName shrinks =
          Two("And", stays, Two("Greater", most, Number(0.5)));
      next =
          call_.Node("Where", {shrinks, Two("Mul", most, Number(eta)), most});
    }
    return {call_.Node("Identity", {go_on}), now, next};
  }

  // Leaves the best `most` rows of each image, in their order.
  OnnxName BestRows(const OnnxName& rows, int64_t most) {
    const OnnxName shape = call_.Node("Shape", {scores_});
    const OnnxName chosen =
        call_.Node("Where", {kept_, scores_, Number(kNever)});
    const OnnxName flat = Flat(chosen);
    const OnnxName places = BestOf(call_, flat, 2, most)[1];
    const auto filled = [&](int64_t number, const OnnxName& like) {
      return call_.Node("Expand", {call_.Scalar0(number, DataType::kInt32),
                                   call_.Node("Shape", {like})});
    };
    const OnnxName marks = call_.Node(
        "ScatterElements", {filled(0, flat), places, filled(1, places)},
        {{"axis", int64_t{1}}});
    const OnnxName wide =
        call_.Node("Reshape", {marks, shape}, {{"allowzero", int64_t{1}}});
    const OnnxName stays =
        Cast(call_, call_.Node("GatherND", {wide, rows}), DataType::kBool);
    return call_.Node("Compress", {rows, stays}, {{"axis", int64_t{0}}});
  }

  Kept Of(const OnnxName& rows, const OnnxName& box, const OnnxName& boxes) {
    const OnnxName image = Column(call_, rows, 0);
    const OnnxName at =
        call_.Node("Concat", {image, box}, {{"axis", int64_t{1}}});
    const OnnxName score =
        Unsqueeze(call_, call_.Node("GatherND", {scores_, rows}), {1});
    const OnnxName out =
        call_.Node("Concat",
                   {Cast(call_, Column(call_, rows, 1), dtype_), score,
                    call_.Node("GatherND", {boxes, at})},
                   {{"axis", int64_t{1}}});
    const OnnxName number =
        Two("Add", Two("Mul", image, Extents(call_, boxes, 1, 2)), box);
    return {rows, out, Cast(call_, number, DataType::kInt32)};
  }

  OutCall& call_;
  const DataType dtype_;
  std::vector<OnnxName> corners_;
  OnnxName scores_, areas_, live_, kept_;
};

Kept KeptOf(OutCall& call) {
  if (call.Rank("scores") == 3) return Suppression(call).Write();
  call.Refuse("classes with own boxes");
  return {};
}

// How many rows each image has.
OnnxName RowsOfImages(OutCall& call, const OnnxName& rows) {
  const OnnxName images = CountUp(call, Extents(call, call.In("bboxes"), 0, 1));
  const OnnxName of_image = call.Node("Equal", {Column(call, rows, 0), images});
  return Reduce(call, "ReduceSum", Cast(call, of_image, DataType::kInt32), {0},
                false);
}

void MulticlassNms(OutCall& call) {
  const Kept kept = KeptOf(call);
  if (!call.ok()) return;
  call.Out("out", kept.out);
  call.Out("index", kept.index);
  call.Out("nms_rois_num", RowsOfImages(call, kept.rows));
}

// A sequence for each image. With `mark_none`, one of one row of -1 where no
// box stays.
void MulticlassNmsLod(OutCall& call) {
  const Kept kept = KeptOf(call);
  if (!call.ok()) return;
  const OnnxName lengths =
      Cast(call, RowsOfImages(call, kept.rows), DataType::kInt64);
  call.Out("index", kept.index);
  call.OutSequences("index", lengths);
  if (!call.Flag("mark_none")) {
    call.Out("out", kept.out);
    return call.OutSequences("out", lengths);
  }
  const OnnxName none =
      call.Node("Equal", {Squeeze(call, Extents(call, kept.out, 0, 1), {0}),
                          call.Scalar0(0, DataType::kInt64)});
  const DataType dtype = call.Dtype("bboxes");
  const std::vector<WrittenPort> ports = {
      {"", dtype, {std::string(), std::string()}},
      {"", DataType::kInt64, {std::string()}}};
  const auto mark = [&] {
    const OnnxName row = call.Scalar0(-1, dtype);
    return std::vector<OnnxName>{Reshape(call, row, {1, 1}),
                                 call.Node("Identity", {call.IntList({1})})};
  };
  const auto rows = [&] {
    return std::vector<OnnxName>{call.Node("Identity", {kept.out}),
                                 call.Node("Identity", {lengths})};
  };
  const std::vector<OnnxName> results =
      call.Nodes("If", {none}, 2,
                 {{"then_branch", call.Graph({}, ports, mark)},
                  {"else_branch", call.Graph({}, ports, rows)}});
  call.Out("out", results[0]);
  call.OutSequences("out", results[1]);
}

// Boxes as ONNX shall take them: one whose corners are in the wrong order
// overlaps none, as if it was a point.
OnnxName Ordered(OutCall& call, const OnnxName& boxes) {
  const OnnxName low = Slice(call, boxes, 1, 0, 2);
  const OnnxName high = Slice(call, boxes, 1, 2, 4);
  const OnnxName wrong =
      Cast(call, call.Node("Less", {high, low}), DataType::kFloat32);
  const OnnxName none =
      Cast(call, Reduce(call, "ReduceMax", wrong, {1}, true), DataType::kBool);
  return call.Node("Concat", {low, call.Node("Where", {none, low, high})},
                   {{"axis", int64_t{1}}});
}

// The boxes are in order of their scores, so each has a lower one than the box
// before it.
void Nms(OutCall& call) {
  if (call.Dtype("x") != DataType::kFloat32) {
    return call.Refuse("ONNX suppresses boxes of float32");
  }
  const OnnxName x = call.In("x");
  const OnnxName all = Extents(call, x, 0, 1);
  const OnnxName places = CountUp(call, all);
  const OnnxName scores =
      call.Node("Neg", {Cast(call, places, DataType::kFloat32)});
  const OnnxName rows = call.Node(
      "NonMaxSuppression",
      {Unsqueeze(call, Ordered(call, x), {0}), Unsqueeze(call, scores, {0, 1}),
       all, call.FloatList({call.Float("threshold")})});
  call.Out("out", Squeeze(call, Column(call, rows, 2), {1}));
}

constexpr OutForm kForms[] = {
    {"multiclass_nms3", MulticlassNms},
    {"multiclass_nms_lod", MulticlassNmsLod},
    {"nms", Nms},
};

}  // namespace

absl::Span<const OutForm> DetectionOutForms() { return kForms; }

}  // namespace switchyard::static_graph
