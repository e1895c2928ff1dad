// SPDX-License-Identifier: Apache-2.0
// Operators that PaddlePaddle has retired, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_RETIRED_H_
#define SWITCHYARD_PHI_COMPOSITE_RETIRED_H_

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_retired.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/lists.h"
#include "phi/composite/ops.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// Whether an element is infinite.
inline void AnyInf(Ops& ops, const Value& x, Value* out) {
  if (out != nullptr) *out = op::any(ops, op::isinf(ops, x), {}, false);
}

// Whether an element is NaN.
inline void AnyNan(Ops& ops, const Value& x, Value* out) {
  if (out != nullptr) *out = op::any(ops, op::isnan(ops, x), {}, false);
}

// Whether every element is finite.
inline void AllFinite(Ops& ops, const Value& x, Value* out) {
  if (out != nullptr) *out = op::all(ops, op::isfinite(ops, x), {}, false);
}

// x repeated to the shape of `target`. Extents that are not known are equal to
// those that they have to match.
inline void TileAs(Ops& ops, const Value& x, const Value& target, Value* out) {
  if (out == nullptr) return;
  const Shape from = ops.shape(x), to = ops.shape(target);
  const auto refuse = [&] {
    ops.Fail(ArgumentError(
        "target", "of multiples of the extents of x, " + ToString(from),
        ToString(to)));
  };
  if (from.rank() != to.rank()) return refuse();
  bool broadcasts = true, known = true;
  std::vector<int64_t> times(from.rank(), 1);
  for (int i = 0; i < from.rank(); ++i) {
    const bool one = from[i] == Dim(1);
    if (from[i].known() && to[i].known()) {
      const int64_t own = from[i].value(), wanted = to[i].value();
      if (own != wanted && (own == 0 || wanted % own != 0)) return refuse();
      times[i] = own == wanted ? 1 : wanted / own;
    } else if (one) {
      known = false;
    }
    broadcasts = broadcasts && (one || MayEqual(from[i], to[i]));
  }
  if (!broadcasts && !known) return refuse();
  *out = broadcasts ? op::expand_as(ops, x, target) : op::tile(ops, x, times);
}

// y, padded at the ends to the shape of x.
inline void PadConstantLike(Ops& ops, const Value& x, const Value& y,
                            float pad_value, Value* out) {
  if (out == nullptr) return;
  const Shape to = ops.shape(x), from = ops.shape(y);
  const auto refuse = [&] {
    ops.Fail(ArgumentError("y", "of extents up to those of x, " + ToString(to),
                           ToString(from)));
  };
  if (from.rank() != to.rank()) return refuse();
  std::vector<int64_t> paddings;
  for (int i = 0; i < from.rank(); ++i) {
    int64_t more = 0;
    if (from[i].known() && to[i].known()) {
      more = to[i].value() - from[i].value();
    }
    if (more < 0) return refuse();
    paddings.push_back(0);
    paddings.push_back(more);
  }
  *out = op::pad(ops, y, paddings, Scalar(double{pad_value}));
}

// log(1 + exp(x)) of x within bounds.
inline void SoftRelu(Ops& ops, const Value& x, double threshold, Value* out) {
  if (out == nullptr) return;
  if (!(threshold >= 0)) {
    return ops.Fail(
        ArgumentError("threshold", "at least 0", std::to_string(threshold)));
  }
  const Value held =
      op::clip(ops, Widened(ops, x), Scalar(-threshold), Scalar(threshold));
  const Value found = op::log1p(ops, op::exp(ops, held));
  *out = Narrowed(ops, found, ops.dtype(x));
}

// The rows' squared distances.
inline void SquaredL2Distance(Ops& ops, const Value& x, const Value& y,
                              Value* sub_result, Value* out) {
  const Shape rows = ops.shape(x), others = ops.shape(y);
  if (rows.rank() < 1 || others.rank() != rows.rank() ||
      (others[0] != Dim(1) && !MayEqual(others[0], rows[0]))) {
    return ops.Fail(ArgumentError(
        "y", "of the rank of x, with one row or " + ToString(rows[0]),
        ToString(others)));
  }
  const Value difference =
      op::subtract(ops, Widened(ops, op::flatten2(ops, x, 1)),
                   Widened(ops, op::flatten2(ops, y, 1)));
  const DataType dtype = ops.dtype(x);
  if (sub_result != nullptr) *sub_result = Narrowed(ops, difference, dtype);
  if (out != nullptr) {
    const Value sum = op::sum(ops, op::square(ops, difference), {int64_t{1}},
                              DataType::kUndefined, true);
    *out = Narrowed(ops, sum, dtype);
  }
}

// The circular correlation of rows. Its places are a list, which is as long as
// all products.
inline void ConvShift(Ops& ops, const Value& x, const Value& y, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x), kernel = ops.shape(y);
  if (shape.rank() != 2 || !shape[1].known()) {
    return ops.Fail(
        ArgumentError("x", "of shape [rows, width]", ToString(shape)));
  }
  if (kernel.rank() != 2 || !kernel[1].known() ||
      !MayEqual(kernel[0], shape[0]) || kernel[1].value() % 2 != 1 ||
      kernel[1].value() > shape[1].value()) {
    return ops.Fail(ArgumentError(
        "y", "of the rows of x and an odd width up to its, " + ToString(shape),
        ToString(kernel)));
  }
  const int64_t m = shape[1].value(), n = kernel[1].value();
  std::vector<Scalar> places;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      places.push_back(Scalar((i + j - n / 2 + m) % m));
    }
  }
  const std::vector<int64_t> list = {m * n}, middle = {1}, last = {2};
  const Value index = op::assign_value(ops, list, DataType::kInt64, places);
  const Value windows = ReshapeTo(ops, op::index_select(ops, x, index, 1),
                                  {Extents(shape)[0], m, n});
  *out = op::sum(ops, op::multiply(ops, windows, op::unsqueeze(ops, y, middle)),
                 last, DataType::kUndefined, false);
}

// The loss of x for the class y, 0 or 1, where v is x with the class's sign:
// -4 v below -1, (1 - v)^2 up to 1.
inline void ModifiedHuberLoss(Ops& ops, const Value& x, const Value& y,
                              Value* intermediate_val, Value* out) {
  if (!MayEqual(ops.shape(x), ops.shape(y))) {
    return ops.Fail(
        ArgumentError("y", "of the shape of x, " + ToString(ops.shape(x)),
                      ToString(ops.shape(y))));
  }
  const DataType dtype = ops.dtype(x);
  const Value v =
      op::multiply(ops, Widened(ops, x), Linear(ops, Widened(ops, y), 2, -1));
  if (intermediate_val != nullptr) *intermediate_val = Narrowed(ops, v, dtype);
  if (out == nullptr) return;
  const Value one = FullLike(ops, v, 1);
  const Value near = op::where(ops, op::less_than(ops, v, one),
                               op::square(ops, op::subtract(ops, one, v)),
                               FullLike(ops, v, 0));
  const Value far = op::less_than(ops, v, FullLike(ops, v, -1));
  *out = Narrowed(ops, op::where(ops, far, Times(ops, v, -4), near), dtype);
}

// The sum (0) or mean (1) of x, or x itself (2).
inline void IdentityLoss(Ops& ops, const Value& x, int reduction, Value* out) {
  if (out == nullptr) return;
  if (reduction < 0 || reduction > 2) {
    return ops.Fail(
        ArgumentError("reduction", "0, 1 or 2", std::to_string(reduction)));
  }
  const std::vector<int64_t> all;
  *out = reduction == 0   ? op::sum(ops, x, all, DataType::kUndefined, false)
         : reduction == 1 ? op::mean(ops, x, all, false)
                          : op::assign(ops, x);
}

// alpha x + beta times sines and cosines of positions.
inline void AddPositionEncoding(Ops& ops, const Value& x, double alpha,
                                double beta, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  if (shape.rank() != 3 || !shape[2].known() || shape[2].value() % 2 != 0) {
    return ops.Fail(ArgumentError("x", "of shape [batch, length, even width]",
                                  ToString(shape)));
  }
  if (!IsFloating(ops.dtype(x))) {
    return ops.Fail(TypeError("x", "floating", Name(ops.dtype(x))));
  }
  const int64_t half = shape[2].value() / 2;
  std::vector<Scalar> lengths;
  for (int64_t i = 0; i < half; ++i) {
    const double share =
        half > 1 ? static_cast<double>(i) / static_cast<double>(half - 1) : 1;
    lengths.push_back(Scalar(std::pow(10000.0, share)));
  }
  const std::vector<int64_t> list = {half}, axes = {2}, starts = {0},
                             ends = {half};
  const Value first = Widened(ops, op::slice(ops, x, axes, starts, ends));
  const Value places = op::cumsum(ops, FullLike(ops, first, 1), 1, false,
                                  /*exclusive=*/true, false);
  const Value angles = op::divide(
      ops, places, op::assign_value(ops, list, ops.dtype(first), lengths));
  const std::vector<Value> waves = {op::sin(ops, angles), op::cos(ops, angles)};
  const Value sum = op::add(ops, Times(ops, Widened(ops, x), alpha),
                            Times(ops, Joined(ops, waves, 2), beta));
  *out = Narrowed(ops, sum, ops.dtype(x));
}

// x of four axes with the channels last or first, by the numbers that
// PaddlePaddle has for layouts.
inline void TransferLayout(Ops& ops, const Value& x, int src_layout,
                           int dst_layout, Value* out) {
  if (out == nullptr) return;
  constexpr int kAny = 0, kNhwc = 1, kNchw = 2;
  const auto check = [&](const char* name, int layout) {
    if (layout >= kAny && layout <= kNchw) return;
    ops.Fail(ArgumentError(name, "0 (any), 1 (NHWC) or 2 (NCHW)",
                           std::to_string(layout)));
  };
  check("src_layout", src_layout);
  check("dst_layout", dst_layout);
  const bool stays = dst_layout == kAny || dst_layout == src_layout;
  if (!stays && ops.shape(x).rank() != 4) {
    return ops.Fail(ArgumentError("x", "of rank 4", ToString(ops.shape(x))));
  }
  const std::vector<int> to_last = {0, 2, 3, 1}, to_second = {0, 3, 1, 2};
  *out = stays
             ? op::assign(ops, x)
             : op::transpose(ops, x, dst_layout == kNhwc ? to_last : to_second);
}

// Nothing: what it marks is of no use to a program that runs here.
inline void Marker(Ops& ops, std::string_view, std::string_view, Value* out) {
  if (out == nullptr) return;
  *out =
      op::full(ops, std::vector<int64_t>{0}, Scalar(0.0), DataType::kFloat32);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_RETIRED_H_
