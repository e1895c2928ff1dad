// SPDX-License-Identifier: Apache-2.0
// The loss of a detector that divides pictures into cells.
#ifndef SWITCHYARD_PHI_COMPOSITE_YOLO_LOSS_H_
#define SWITCHYARD_PHI_COMPOSITE_YOLO_LOSS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/lists.h"
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
template <typename Ops, typename V>
V Constant(Ops& ops, const V& like, const std::vector<int64_t>& extents,
           const std::vector<double>& numbers) {
  const std::vector<Scalar> scalars(numbers.begin(), numbers.end());
  return ops.assign_value(extents, ops.dtype(like), scalars);
}

template <typename Ops, typename V>
V Field(Ops& ops, const V& v, int64_t axis, int64_t i) {
  const std::vector<int64_t> axes = {axis}, starts = {i}, ends = {i + 1};
  return ops.slice(v, axes, starts, ends);
}

// The cross entropy of sigmoid(v) and `target`.
template <typename Ops, typename V>
V CrossEntropy(Ops& ops, const V& v, const V& target) {
  return ops.subtract(ops.softplus(v, 1.0, 40.0), ops.multiply(v, target));
}

// v where `condition` holds, else a number.
template <typename Ops, typename V>
V Else(Ops& ops, const V& condition, const V& v, double number) {
  return ops.where(condition, v, FullLike(ops, v, number));
}

// The extent that two intervals share, given by middle and length.
template <typename Ops, typename V>
V Shared(Ops& ops, const V& middle, const V& length, const V& other_middle,
         const V& other_length) {
  const V half = Times(ops, length, 0.5), other = Times(ops, other_length, 0.5);
  const V both = ops.subtract(
      ops.minimum(ops.add(middle, half), ops.add(other_middle, other)),
      ops.maximum(ops.subtract(middle, half),
                  ops.subtract(other_middle, other)));
  return ops.maximum(both, FullLike(ops, both, 0));
}

template <typename Ops, typename V>
V SharedPart(Ops& ops, const V& shared, const V& area, const V& other_area) {
  return ops.divide(shared, ops.subtract(ops.add(area, other_area), shared));
}

// True where a box has an extent both ways: others fill up the list.
template <typename Ops, typename V>
V IsBox(Ops& ops, const V& width, const V& height) {
  constexpr double kLeast = 1e-6;
  return ops.logical_and(
      ops.greater_equal(width, FullLike(ops, width, kLeast)),
      ops.greater_equal(height, FullLike(ops, height, kLeast)));
}

// The largest part that each prediction shares with a true box. `table` is
// [batch, anchors, cells, numbers], the result [batch, predictions].
template <typename Ops, typename V>
V LargestOverlap(Ops& ops, const V& table, const V& gt_box, const Grid& grid,
                 double scale) {
  const auto anchors = static_cast<int64_t>(grid.used.size());
  const std::vector<int64_t> by_cell = {1, 1, grid.cells(), 1},
                             by_anchor = {1, anchors, 1, 1},
                             upright = {-1, grid.predictions(), 1},
                             lying = {-1, 1, grid.boxes}, last = {2};
  const V cells = ops.arange(Scalar(int64_t{0}), Scalar(grid.cells()),
                             Scalar(int64_t{1}), DataType::kInt64);
  const V rows = ops.floor_divide(cells, FullLike(ops, cells, grid.side));
  const V columns = ops.subtract(
      cells, ops.scale(rows, Scalar(grid.side), Scalar(int64_t{0}), true));
  const double cell = 1.0 / static_cast<double>(grid.side);
  const auto middle = [&](int64_t i, const V& place) {
    const V inside = Linear(ops, ops.sigmoid(Field(ops, table, 3, i)), scale,
                            -0.5 * (scale - 1));
    const V start = ops.reshape(ops.cast(place, ops.dtype(table)), by_cell);
    return ops.reshape(Times(ops, ops.add(inside, start), cell), upright);
  };
  const auto length = [&](int64_t i, const std::vector<double>& all) {
    std::vector<double> used;
    for (const int64_t one : grid.used) used.push_back(all[one]);
    return ops.reshape(ops.multiply(ops.exp(Field(ops, table, 3, i)),
                                    Constant(ops, table, by_anchor, used)),
                       upright);
  };
  const auto truth = [&](int64_t i) {
    return ops.reshape(Field(ops, gt_box, 2, i), lying);
  };
  const V w = length(2, grid.widths), h = length(3, grid.heights);
  const V true_w = truth(2), true_h = truth(3);
  const V shared =
      ops.multiply(Shared(ops, middle(0, columns), w, truth(0), true_w),
                   Shared(ops, middle(1, rows), h, truth(1), true_h));
  const V part =
      SharedPart(ops, shared, ops.multiply(w, h), ops.multiply(true_w, true_h));
  return ops.max(Else(ops, IsBox(ops, true_w, true_h), part, 0), last, false);
}

// The true boxes of all pictures as rows: what they are, and which prediction
// answers for each.
template <typename V>
struct Truth {
  V x, y, w, h, score;  // Of a box that is answered for, else harmless.
  V matched;            // Whether one answers,
  V slot;               // by which of the anchors of this grid, or -1,
  V anchor;             // and of all.
  V column, row;        // The cell.
};

template <typename Ops, typename V>
Truth<V> Match(Ops& ops, const V& gt_box, const V& gt_score, const Grid& grid) {
  const auto anchors = static_cast<int64_t>(grid.widths.size());
  const std::vector<int64_t> list = {-1}, lying = {1, anchors}, row = {anchors};
  const auto field = [&](int64_t i) {
    return ops.reshape(Field(ops, gt_box, 2, i), std::vector<int64_t>{-1, 1});
  };
  const V w = field(2), h = field(3);
  const V widths = Constant(ops, gt_box, lying, grid.widths);
  const V heights = Constant(ops, gt_box, lying, grid.heights);
  const V part = SharedPart(
      ops, ops.multiply(ops.minimum(w, widths), ops.minimum(h, heights)),
      ops.multiply(w, h), ops.multiply(widths, heights));
  Truth<V> truth;
  truth.anchor = ops.argmax(part, int64_t{1}, false, false, DataType::kInt64);
  std::vector<Scalar> slots(grid.widths.size(), Scalar(int64_t{-1}));
  for (size_t i = grid.used.size(); i-- > 0;) {
    slots[grid.used[i]] = Scalar(static_cast<int64_t>(i));
  }
  const V table = ops.assign_value(row, DataType::kInt64, slots);
  const V valid = ops.reshape(IsBox(ops, w, h), list);
  truth.slot = Else(ops, valid, ops.gather(table, truth.anchor, 0), -1);
  truth.matched = ops.greater_equal(truth.slot, FullLike(ops, truth.slot, 0));
  const auto held = [&](const V& v, double otherwise) {
    return Else(ops, truth.matched, ops.reshape(v, list), otherwise);
  };
  truth.x = held(field(0), 0.5), truth.y = held(field(1), 0.5);
  truth.w = held(w, 1), truth.h = held(h, 1);
  truth.score = held(gt_score, 0);
  const auto cell = [&](const V& place) {
    const V whole =
        ops.floor(Times(ops, place, static_cast<double>(grid.side)));
    return ops.clip(ops.cast(whole, DataType::kInt64), Scalar(int64_t{0}),
                    Scalar(grid.side - 1));
  };
  truth.column = cell(truth.x), truth.row = cell(truth.y);
  return truth;
}

// The loss of place and class of each true box's prediction; `rows` are these
// predictions [true boxes, numbers].
template <typename Ops, typename V>
V MatchedLoss(Ops& ops, const V& rows, const V& gt_label, const Truth<V>& truth,
              const Grid& grid, double smooth) {
  const std::vector<int64_t> list = {-1}, second = {1}, from = {5},
                             to = {grid.numbers()},
                             anchors = {
                                 static_cast<int64_t>(grid.widths.size())};
  const auto predicted = [&](int64_t i) {
    return ops.reshape(Field(ops, rows, 1, i), list);
  };
  const auto place = [&](int64_t i, const V& whole, const V& cell) {
    const V inside =
        ops.subtract(Times(ops, whole, static_cast<double>(grid.side)),
                     ops.cast(cell, ops.dtype(whole)));
    return CrossEntropy(ops, predicted(i), inside);
  };
  const auto extent = [&](int64_t i, const V& whole,
                          const std::vector<double>& all) {
    const V own =
        ops.gather(Constant(ops, rows, anchors, all), truth.anchor, 0);
    return ops.abs(ops.subtract(predicted(i), ops.log(ops.divide(whole, own))));
  };
  const V box = ops.add(
      ops.add(place(0, truth.x, truth.column), place(1, truth.y, truth.row)),
      ops.add(extent(2, truth.w, grid.widths),
              extent(3, truth.h, grid.heights)));
  // Small boxes count more.
  const V size = Linear(ops, ops.multiply(truth.w, truth.h), -1, 2);
  const V label = Else(ops, truth.matched, ops.reshape(gt_label, list), 0);
  const V target =
      Linear(ops,
             ops.cast(ops.one_hot(label, static_cast<int>(grid.classes), false),
                      ops.dtype(rows)),
             1 - 2 * smooth, smooth);
  const V kind =
      ops.sum(CrossEntropy(ops, ops.slice(rows, second, from, to), target),
              second, DataType::kUndefined, false);
  const V loss =
      ops.multiply(ops.add(ops.multiply(box, size), kind), truth.score);
  return Else(ops, truth.matched, loss, 0);
}

// Returns the objectness that each prediction should have: the score of the
// true box that it answers for, the last one's of several, 0 if there is none,
// or -1 if it need not say, since it is about where an object is.
template <typename Ops, typename V>
V Objectness(Ops& ops, const V& overlap, const Truth<V>& truth, const V& place,
             const Grid& grid, double ignore_thresh) {
  const std::vector<int64_t> axes = {1}, starts = {0},
                             ends = {grid.predictions()},
                             table = {-1, grid.boxes};
  const V about =
      ops.greater_than(overlap, FullLike(ops, overlap, ignore_thresh));
  const V none = FullLike(ops, overlap, 0);
  const V before = ops.where(about, FullLike(ops, overlap, -1), none);
  // Boxes that nothing answers for go beyond the end.
  const std::vector<V> wider = {before, Field(ops, none, 1, 0)};
  const V at =
      Else(ops, truth.matched, place, static_cast<double>(grid.predictions()));
  const V after =
      ops.put_along_axis(Joined(ops, wider, 1), ops.reshape(at, table),
                         ops.reshape(truth.score, table), 1, "assign");
  return ops.slice(after, axes, starts, ends);
}

// Checks shapes and attributes.
template <typename Ops, typename V>
Grid MakeGrid(Ops& ops, const V& x, const V& gt_box, const V& gt_label,
              absl::Span<const int> anchors, absl::Span<const int> anchor_mask,
              int class_num, int downsample_ratio) {
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
template <typename Ops, typename V = typename Ops::Value>
void YoloLoss(Ops& ops, const V& x, const V& gt_box, const V& gt_label,
              const V& gt_score, absl::Span<const int> anchors,
              absl::Span<const int> anchor_mask, int class_num,
              double ignore_thresh, int downsample_ratio, bool use_label_smooth,
              double scale_x_y, V* loss, V* objectness_mask, V* gt_match_mask) {
  const yolo::Grid grid =
      yolo::MakeGrid(ops, x, gt_box, gt_label, anchors, anchor_mask, class_num,
                     downsample_ratio);
  const V wide = Widened(ops, x);
  const V boxes = ops.cast(gt_box, ops.dtype(wide));
  const std::vector<int64_t> list = {-1}, second = {1},
                             per_picture = {-1, grid.boxes},
                             square = {-1,
                                       static_cast<int64_t>(grid.used.size()),
                                       grid.side, grid.side};
  const V score = ops.defined(gt_score)
                      ? ops.cast(gt_score, ops.dtype(wide))
                      : FullLike(ops, ops.cast(gt_label, ops.dtype(wide)), 1);
  const V split =
      ops.reshape(wide, {-1, square[1], grid.numbers(), grid.cells()});
  const V table = ops.transpose(split, std::vector<int>{0, 1, 3, 2});
  const V flat = ops.reshape(table, {-1, grid.numbers()});
  const auto truth = yolo::Match(ops, boxes, score, grid);
  const auto whole = [&](const V& v, int64_t factor) {
    return ops.scale(v, Scalar(factor), Scalar(int64_t{0}), true);
  };
  const V slot = yolo::Else(ops, truth.matched, truth.slot, 0);
  const V place =
      ops.add(ops.add(whole(slot, grid.cells()), whole(truth.row, grid.side)),
              truth.column);
  const V ones = ops.full_like(gt_label, Scalar(int64_t{1}), DataType::kInt64);
  const V picture = ops.reshape(ops.cumsum(ones, 0, false, true, false), list);
  const V rows =
      ops.gather(flat, ops.add(whole(picture, grid.predictions()), place), 0);
  const V overlap =
      yolo::LargestOverlap(ops, ops.detach(table), boxes, grid, scale_x_y);
  const V objects =
      yolo::Objectness(ops, overlap, truth, place, grid, ignore_thresh);
  if (objectness_mask != nullptr) {
    *objectness_mask =
        Narrowed(ops, ops.reshape(objects, square), ops.dtype(x));
  }
  if (gt_match_mask != nullptr) {
    *gt_match_mask =
        ops.reshape(ops.cast(truth.slot, DataType::kInt32), per_picture);
  }
  if (loss == nullptr) return;
  const double smooth =
      use_label_smooth ? std::min(1.0 / class_num, 1.0 / 40) : 0;
  const V matched = ops.reshape(
      yolo::MatchedLoss(ops, rows, gt_label, truth, grid, smooth), per_picture);
  const V said =
      ops.reshape(yolo::Field(ops, flat, 1, 4), {-1, grid.predictions()});
  const auto over = [&](double bound) {
    return ops.greater_than(objects, FullLike(ops, objects, bound));
  };
  const V yes = yolo::CrossEntropy(ops, said, FullLike(ops, said, 1));
  const V no = yolo::CrossEntropy(ops, said, FullLike(ops, said, 0));
  const V told = ops.where(over(1e-5), ops.multiply(yes, objects),
                           yolo::Else(ops, over(-0.5), no, 0));
  const auto sum = [&](const V& v) {
    return ops.sum(v, second, DataType::kUndefined, false);
  };
  *loss = Narrowed(ops, ops.add(sum(matched), sum(told)), ops.dtype(x));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_YOLO_LOSS_H_
