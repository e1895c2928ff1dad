// SPDX-License-Identifier: Apache-2.0
// Operators that PaddlePaddle has retired, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_RETIRED_H_
#define SWITCHYARD_PHI_COMPOSITE_RETIRED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/elements.h"

namespace switchyard::phi::composite {

// Whether an element is infinite.
template <typename Ops, typename V = typename Ops::Value>
void AnyInf(Ops& ops, const V& x, V* out) {
  if (out != nullptr) *out = ops.any(ops.isinf(x), {}, false);
}

// Whether an element is NaN.
template <typename Ops, typename V = typename Ops::Value>
void AnyNan(Ops& ops, const V& x, V* out) {
  if (out != nullptr) *out = ops.any(ops.isnan(x), {}, false);
}

// Whether every element is finite.
template <typename Ops, typename V = typename Ops::Value>
void AllFinite(Ops& ops, const V& x, V* out) {
  if (out != nullptr) *out = ops.all(ops.isfinite(x), {}, false);
}

// x repeated to the shape of `target`. Extents that are not known are equal to
// those that they have to match.
template <typename Ops, typename V = typename Ops::Value>
void TileAs(Ops& ops, const V& x, const V& target, V* out) {
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
  *out = broadcasts ? ops.expand_as(x, target) : ops.tile(x, times);
}

// y, padded at the ends to the shape of x.
template <typename Ops, typename V = typename Ops::Value>
void PadConstantLike(Ops& ops, const V& x, const V& y, float pad_value,
                     V* out) {
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
  *out = ops.pad(y, paddings, Scalar(double{pad_value}));
}

// log(1 + exp(x)) of x within bounds.
template <typename Ops, typename V = typename Ops::Value>
void SoftRelu(Ops& ops, const V& x, double threshold, V* out) {
  if (out == nullptr) return;
  if (!(threshold >= 0)) {
    return ops.Fail(
        ArgumentError("threshold", "at least 0", std::to_string(threshold)));
  }
  const V held = ops.clip(x, Scalar(-threshold), Scalar(threshold));
  *out = ops.log(Linear(ops, ops.exp(held), 1, 1));
}

// The rows' squared distances.
template <typename Ops, typename V = typename Ops::Value>
void SquaredL2Distance(Ops& ops, const V& x, const V& y, V* sub_result,
                       V* out) {
  const Shape rows = ops.shape(x), others = ops.shape(y);
  if (rows.rank() < 1 || others.rank() != rows.rank() ||
      (others[0] != Dim(1) && !MayEqual(others[0], rows[0]))) {
    return ops.Fail(ArgumentError(
        "y", "of the rank of x, with one row or " + ToString(rows[0]),
        ToString(others)));
  }
  const V difference = ops.subtract(ops.flatten2(x, 1), ops.flatten2(y, 1));
  if (sub_result != nullptr) *sub_result = difference;
  if (out != nullptr) {
    *out = ops.sum(ops.square(difference), {int64_t{1}}, DataType::kUndefined,
                   true);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_RETIRED_H_
