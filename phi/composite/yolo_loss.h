// SPDX-License-Identifier: Apache-2.0
// The loss of a detector that divides pictures into cells.
#ifndef SWITCHYARD_PHI_COMPOSITE_YOLO_LOSS_H_
#define SWITCHYARD_PHI_COMPOSITE_YOLO_LOSS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_yolo_loss.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/lists.h"
#include "phi/composite/ops.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// Parts of the composite below, not an operator's composite themselves.
namespace yolo {

// The attributes, and extents that follow from shapes. A cell is predicted
// once for each anchor that is used; lengths are parts of the picture.
struct Grid {
  std::vector<double> widths, heights;  // Of all anchors.
  std::vector<int64_t> used;            // Numbers of those of this grid.
  int64_t side;                         // Cells along an axis.
  int64_t classes;
  int64_t boxes;  // True ones of a picture.
  double pixels;  // Along an axis of the picture.

  int64_t cells() const { return side * side; }
  int64_t predictions() const {
    return static_cast<int64_t>(used.size()) * cells();
  }
  int64_t numbers() const { return 5 + classes; }
};

// Numbers as a tensor of these extents.
inline Value Constant(Ops& ops, const Value& like,
                      const std::vector<int64_t>& extents,
                      const std::vector<double>& numbers) {
  const std::vector<Scalar> scalars(numbers.begin(), numbers.end());
  return op::assign_value(ops, extents, ops.dtype(like), scalars);
}

inline Value Field(Ops& ops, const Value& v, int64_t axis, int64_t i) {
  const std::vector<int64_t> axes = {axis}, starts = {i}, ends = {i + 1};
  return op::slice(ops, v, axes, starts, ends);
}

// The cross entropy of sigmoid(v) and `target`.
inline Value CrossEntropy(Ops& ops, const Value& v, const Value& target) {
  return op::subtract(ops, op::softplus(ops, v, 1.0, 40.0),
                      op::multiply(ops, v, target));
}

// v where `when` holds, else a number.
inline Value Else(Ops& ops, const Value& when, const Value& v, double number) {
  return op::where(ops, when, v, FullLike(ops, v, number));
}

// The extent that two intervals share, given by middle and length.
inline Value Shared(Ops& ops, const Value& middle, const Value& length,
                    const Value& other_middle, const Value& other_length) {
  const Value half = Times(ops, length, 0.5),
              other = Times(ops, other_length, 0.5);
  const Value both =
      op::subtract(ops,
                   op::minimum(ops, op::add(ops, middle, half),
                               op::add(ops, other_middle, other)),
                   op::maximum(ops, op::subtract(ops, middle, half),
                               op::subtract(ops, other_middle, other)));
  return op::maximum(ops, both, FullLike(ops, both, 0));
}

inline Value SharedPart(Ops& ops, const Value& shared, const Value& area,
                        const Value& other_area) {
  return op::divide(ops, shared,
                    op::subtract(ops, op::add(ops, area, other_area), shared));
}

// True where a box has an extent both ways: others fill up the list.
inline Value IsBox(Ops& ops, const Value& width, const Value& height) {
  return op::logical_and(
      ops, op::greater_equal(ops, width, FullLike(ops, width, 1e-6)),
      op::greater_equal(ops, height, FullLike(ops, height, 1e-6)));
}

// The largest part that each prediction shares with a true box. `table` is
// [batch, anchors, cells, numbers], the result [batch, predictions].
inline Value LargestOverlap(Ops& ops, const Value& table, const Value& gt_box,
                            const Grid& grid, double scale) {
  const auto anchors = static_cast<int64_t>(grid.used.size());
  const std::vector<int64_t> by_cell = {1, 1, grid.cells(), 1},
                             by_anchor = {1, anchors, 1, 1},
                             upright = {-1, grid.predictions(), 1},
                             lying = {-1, 1, grid.boxes}, last = {2};
  const Value cells = op::arange(ops, Scalar(int64_t{0}), Scalar(grid.cells()),
                                 Scalar(int64_t{1}), DataType::kInt64);
  const Value rows =
      op::floor_divide(ops, cells, FullLike(ops, cells, grid.side));
  const Value columns = op::subtract(
      ops, cells,
      op::scale(ops, rows, Scalar(grid.side), Scalar(int64_t{0}), true));
  const double cell = 1.0 / static_cast<double>(grid.side);
  const auto middle = [&](int64_t i, const Value& place) {
    const Value inside = Linear(ops, op::sigmoid(ops, Field(ops, table, 3, i)),
                                scale, -0.5 * (scale - 1));
    const Value start =
        op::reshape(ops, op::cast(ops, place, ops.dtype(table)), by_cell);
    return op::reshape(ops, Times(ops, op::add(ops, inside, start), cell),
                       upright);
  };
  const auto length = [&](int64_t i, const std::vector<double>& all) {
    std::vector<double> used;
    for (const int64_t one : grid.used) used.push_back(all[one]);
    return op::reshape(ops,
                       op::multiply(ops, op::exp(ops, Field(ops, table, 3, i)),
                                    Constant(ops, table, by_anchor, used)),
                       upright);
  };
  const auto truth = [&](int64_t i) {
    return op::reshape(ops, Field(ops, gt_box, 2, i), lying);
  };
  const Value w = length(2, grid.widths), h = length(3, grid.heights);
  const Value true_w = truth(2), true_h = truth(3);
  const Value shared =
      op::multiply(ops, Shared(ops, middle(0, columns), w, truth(0), true_w),
                   Shared(ops, middle(1, rows), h, truth(1), true_h));
  const Value part = SharedPart(ops, shared, op::multiply(ops, w, h),
                                op::multiply(ops, true_w, true_h));
  return op::max(ops, Else(ops, IsBox(ops, true_w, true_h), part, 0), last,
                 false);
}

// The true boxes of all pictures as rows: what they are, and which prediction
// answers for each.
struct Truth {
  Value x, y, w, h, score;  // Of a box that is answered for, else harmless.
  Value matched;            // Whether one answers,
  Value slot;               // by which of the anchors of this grid, or -1,
  Value anchor;             // and of all.
  Value column, row;        // The cell.
};

inline Truth Match(Ops& ops, const Value& gt_box, const Value& gt_score,
                   const Grid& grid) {
  const auto anchors = static_cast<int64_t>(grid.widths.size());
  const std::vector<int64_t> list = {-1}, lying = {1, anchors}, row = {anchors};
  const auto field = [&](int64_t i) {
    return op::reshape(ops, Field(ops, gt_box, 2, i),
                       std::vector<int64_t>{-1, 1});
  };
  const Value w = field(2), h = field(3);
  const Value widths = Constant(ops, gt_box, lying, grid.widths);
  const Value heights = Constant(ops, gt_box, lying, grid.heights);
  const Value part =
      SharedPart(ops,
                 op::multiply(ops, op::minimum(ops, w, widths),
                              op::minimum(ops, h, heights)),
                 op::multiply(ops, w, h), op::multiply(ops, widths, heights));
  Truth truth;
  truth.anchor =
      op::argmax(ops, part, int64_t{1}, false, false, DataType::kInt64);
  std::vector<Scalar> slots(grid.widths.size(), Scalar(int64_t{-1}));
  for (size_t i = grid.used.size(); i-- > 0;) {
    slots[grid.used[i]] = Scalar(static_cast<int64_t>(i));
  }
  const Value table = op::assign_value(ops, row, DataType::kInt64, slots);
  const Value valid = op::reshape(ops, IsBox(ops, w, h), list);
  truth.slot = Else(ops, valid, op::gather(ops, table, truth.anchor, 0), -1);
  truth.matched =
      op::greater_equal(ops, truth.slot, FullLike(ops, truth.slot, 0));
  const auto held = [&](const Value& v, double otherwise) {
    return Else(ops, truth.matched, op::reshape(ops, v, list), otherwise);
  };
  truth.x = held(field(0), 0.5), truth.y = held(field(1), 0.5);
  truth.w = held(w, 1), truth.h = held(h, 1);
  truth.score = held(gt_score, 0);
  const auto cell = [&](const Value& place) {
    const Value whole =
        op::floor(ops, Times(ops, place, static_cast<double>(grid.side)));
    return op::clip(ops, op::cast(ops, whole, DataType::kInt64),
                    Scalar(int64_t{0}), Scalar(grid.side - 1));
  };
  truth.column = cell(truth.x), truth.row = cell(truth.y);
  return truth;
}

// The loss of place and class of each true box's prediction; `rows` are these
// predictions [true boxes, numbers].
inline Value MatchedLoss(Ops& ops, const Value& rows, const Value& gt_label,
                         const Truth& truth, const Grid& grid, double smooth) {
  const std::vector<int64_t> list = {-1}, second = {1}, from = {5},
                             to = {grid.numbers()},
                             anchors = {
                                 static_cast<int64_t>(grid.widths.size())};
  const auto predicted = [&](int64_t i) {
    return op::reshape(ops, Field(ops, rows, 1, i), list);
  };
  const auto place = [&](int64_t i, const Value& whole, const Value& cell) {
    const Value inside =
        op::subtract(ops, Times(ops, whole, static_cast<double>(grid.side)),
                     op::cast(ops, cell, ops.dtype(whole)));
    return CrossEntropy(ops, predicted(i), inside);
  };
  const auto extent = [&](int64_t i, const Value& whole,
                          const std::vector<double>& all) {
    const Value own =
        op::gather(ops, Constant(ops, rows, anchors, all), truth.anchor, 0);
    return op::abs(ops,
                   op::subtract(ops, predicted(i),
                                op::log(ops, op::divide(ops, whole, own))));
  };
  const Value box = op::add(ops,
                            op::add(ops, place(0, truth.x, truth.column),
                                    place(1, truth.y, truth.row)),
                            op::add(ops, extent(2, truth.w, grid.widths),
                                    extent(3, truth.h, grid.heights)));
  // Small boxes count more.
  const Value size = Linear(ops, op::multiply(ops, truth.w, truth.h), -1, 2);
  const Value label =
      Else(ops, truth.matched, op::reshape(ops, gt_label, list), 0);
  const Value target = Linear(
      ops,
      op::cast(ops,
               op::one_hot(ops, label, static_cast<int>(grid.classes), false),
               ops.dtype(rows)),
      1 - 2 * smooth, smooth);
  const Value kind = op::sum(
      ops, CrossEntropy(ops, op::slice(ops, rows, second, from, to), target),
      second, DataType::kUndefined, false);
  const Value loss = op::multiply(
      ops, op::add(ops, op::multiply(ops, box, size), kind), truth.score);
  return Else(ops, truth.matched, loss, 0);
}

// Returns the objectness that each prediction should have: the score of the
// true box that it answers for, the last one's of several, 0 if there is none,
// or -1 if it need not say, since it is about where an object is.
inline Value Objectness(Ops& ops, const Value& overlap, const Truth& truth,
                        const Value& place, const Grid& grid,
                        double ignore_thresh) {
  const std::vector<int64_t> axes = {1}, starts = {0},
                             ends = {grid.predictions()},
                             table = {-1, grid.boxes};
  const Value about =
      op::greater_than(ops, overlap, FullLike(ops, overlap, ignore_thresh));
  const Value none = FullLike(ops, overlap, 0);
  const Value before = op::where(ops, about, FullLike(ops, overlap, -1), none);
  // Boxes that nothing answers for go beyond the end.
  const std::vector<Value> wider = {before, Field(ops, none, 1, 0)};
  const Value at =
      Else(ops, truth.matched, place, static_cast<double>(grid.predictions()));
  const Value after = op::put_along_axis(
      ops, Joined(ops, wider, 1), op::reshape(ops, at, table),
      op::reshape(ops, truth.score, table), 1, "assign");
  return op::slice(ops, after, axes, starts, ends);
}

// Checks shapes and attributes.
inline Grid MakeGrid(Ops& ops, const Value& x, const Value& gt_box,
                     const Value& gt_label, absl::Span<const int> anchors,
                     absl::Span<const int> anchor_mask, int class_num,
                     int downsample_ratio) {
  const Shape shape = ops.shape(x), boxes = ops.shape(gt_box);
  const auto fail = [&](std::string_view name, std::string_view wanted,
                        const std::string& got) {
    ops.Fail(ArgumentError(name, wanted, got));
  };
  const auto positive = [&](std::string_view name, int number) {
    if (number < 1) fail(name, "1 or more", std::to_string(number));
  };
  positive("class_num", class_num);
  positive("downsample_ratio", downsample_ratio);
  if (anchors.empty() || anchors.size() % 2 != 0) {
    fail("anchors", "pairs of numbers", std::to_string(anchors.size()));
  }
  for (const int one : anchors) positive("anchors", one);
  if (anchor_mask.empty()) fail("anchor_mask", "one number or more", "none");
  const int count = static_cast<int>(anchors.size()) / 2;
  for (const int one : anchor_mask) {
    if (one < 0 || one >= count) {
      fail("anchor_mask", "the number of an anchor", std::to_string(one));
    }
  }
  const auto channels = static_cast<int64_t>(anchor_mask.size()) *
                        (5 + static_cast<int64_t>(class_num));
  if (shape.rank() != 4 || shape[1] != Dim(channels) || !shape[2].known() ||
      shape[2] != shape[3] || shape[2] == Dim(0)) {
    fail("x", "of shape [batch, " + std::to_string(channels) + ", side, side]",
         ToString(shape));
  }
  if (boxes.rank() != 3 || !boxes[1].known() || boxes[1] == Dim(0) ||
      boxes[2] != Dim(4)) {
    fail("gt_box", "of shape [batch, boxes, 4]", ToString(boxes));
  }
  if (ops.shape(gt_label).rank() != 2 || ops.shape(gt_label)[1] != boxes[1]) {
    fail("gt_label", "of shape [batch, " + ToString(boxes[1]) + "]",
         ToString(ops.shape(gt_label)));
  }
  Grid grid = {};
  grid.side = shape[2].value();
  grid.classes = class_num;
  grid.boxes = boxes[1].value();
  grid.pixels =
      static_cast<double>(downsample_ratio) * static_cast<double>(grid.side);
  for (int i = 0; i < count; ++i) {
    grid.widths.push_back(anchors[2 * i] / grid.pixels);
    grid.heights.push_back(anchors[2 * i + 1] / grid.pixels);
  }
  grid.used.assign(anchor_mask.begin(), anchor_mask.end());
  return grid;
}

}  // namespace yolo

// The loss of the predictions of a grid of cells.
inline void YoloLoss(Ops& ops, const Value& x, const Value& gt_box,
                     const Value& gt_label, const Value& gt_score,
                     absl::Span<const int> anchors,
                     absl::Span<const int> anchor_mask, int class_num,
                     double ignore_thresh, int downsample_ratio,
                     bool use_label_smooth, double scale_x_y, Value* loss,
                     Value* objectness_mask, Value* gt_match_mask) {
  const yolo::Grid grid =
      yolo::MakeGrid(ops, x, gt_box, gt_label, anchors, anchor_mask, class_num,
                     downsample_ratio);
  const Value wide = Widened(ops, x);
  const Value boxes = op::cast(ops, gt_box, ops.dtype(wide));
  const auto used = static_cast<int64_t>(grid.used.size());
  const std::vector<int64_t> list = {-1}, second = {1},
                             per_picture = {-1, grid.boxes},
                             square = {-1, used, grid.side, grid.side};
  const Value score =
      ops.defined(gt_score)
          ? op::cast(ops, gt_score, ops.dtype(wide))
          : FullLike(ops, op::cast(ops, gt_label, ops.dtype(wide)), 1);
  const Value split =
      op::reshape(ops, wide, {-1, square[1], grid.numbers(), grid.cells()});
  const Value table = op::transpose(ops, split, std::vector<int>{0, 1, 3, 2});
  const Value flat = op::reshape(ops, table, {-1, grid.numbers()});
  const auto truth = yolo::Match(ops, boxes, score, grid);
  const auto whole = [&](const Value& v, int64_t factor) {
    return op::scale(ops, v, Scalar(factor), Scalar(int64_t{0}), true);
  };
  const Value slot = yolo::Else(ops, truth.matched, truth.slot, 0);
  const Value place = op::add(
      ops, op::add(ops, whole(slot, grid.cells()), whole(truth.row, grid.side)),
      truth.column);
  const Value ones =
      op::full_like(ops, gt_label, Scalar(int64_t{1}), DataType::kInt64);
  const Value picture =
      op::reshape(ops, op::cumsum(ops, ones, 0, false, true, false), list);
  const Value rows = op::gather(
      ops, flat, op::add(ops, whole(picture, grid.predictions()), place), 0);
  const Value overlap =
      yolo::LargestOverlap(ops, op::detach(ops, table), boxes, grid, scale_x_y);
  const Value objects =
      yolo::Objectness(ops, overlap, truth, place, grid, ignore_thresh);
  if (objectness_mask != nullptr) {
    *objectness_mask =
        Narrowed(ops, op::reshape(ops, objects, square), ops.dtype(x));
  }
  if (gt_match_mask != nullptr) {
    *gt_match_mask = op::reshape(
        ops, op::cast(ops, truth.slot, DataType::kInt32), per_picture);
  }
  if (loss == nullptr) return;
  const double smooth =
      use_label_smooth ? std::min(1.0 / class_num, 1.0 / 40) : 0;
  const Value matched = op::reshape(
      ops, yolo::MatchedLoss(ops, rows, gt_label, truth, grid, smooth),
      per_picture);
  const Value said =
      op::reshape(ops, yolo::Field(ops, flat, 1, 4), {-1, grid.predictions()});
  const auto over = [&](double bound) {
    return op::greater_than(ops, objects, FullLike(ops, objects, bound));
  };
  const Value yes = yolo::CrossEntropy(ops, said, FullLike(ops, said, 1));
  const Value no = yolo::CrossEntropy(ops, said, FullLike(ops, said, 0));
  const Value told = op::where(ops, over(1e-5), op::multiply(ops, yes, objects),
                               yolo::Else(ops, over(-0.5), no, 0));
  const auto sum = [&](const Value& v) {
    return op::sum(ops, v, second, DataType::kUndefined, false);
  };
  *loss = Narrowed(ops, op::add(ops, sum(matched), sum(told)), ops.dtype(x));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_YOLO_LOSS_H_
