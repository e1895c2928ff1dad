// SPDX-License-Identifier: Apache-2.0
// Operators that draw numbers, made of others that do.
#ifndef SWITCHYARD_PHI_COMPOSITE_RANDOMNESS_H_
#define SWITCHYARD_PHI_COMPOSITE_RANDOMNESS_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_randomness.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace randomness {

// The numbers from 0 to n - 1 in any order: that of as many random ones.
inline Value Order(Ops& ops, const Value& rng, int64_t n, int64_t stream) {
  const std::vector<int64_t> shape = {n};
  const Value drawn =
      op::uniform(ops, rng, shape, 0.0, 1.0, DataType::kFloat64, stream);
  return op::argsort(ops, drawn, 0, false, true)[1];
}

// 1 at the largest element along `axis`, else 0.
inline Value Largest(Ops& ops, const Value& v, int axis) {
  const Value ones =
      op::full_like(ops, v, Scalar(int64_t{1}), DataType::kInt64);
  const Value places =
      op::cumsum(ops, ones, axis, false, /*exclusive=*/true, false);
  const Value best =
      op::argmax(ops, v, int64_t{axis}, true, false, DataType::kInt64);
  return op::cast(ops, op::equal(ops, places, best), ops.dtype(v));
}

}  // namespace randomness

// A random order of 0 to n - 1.
inline void Randperm(Ops& ops, const Value& rng, int64_t n, DataType dtype,
                     int64_t stream, Value* out) {
  if (out == nullptr) return;
  if (n < 0) {
    return ops.Fail(ArgumentError("n", "0 or more", std::to_string(n)));
  }
  const Value order = randomness::Order(ops, rng, n, stream);
  *out = Narrowed(ops, order, dtype);
}

// The seed itself, or one that is drawn if it is 0.
inline void RandomSeed(Ops& ops, const Value& rng, int seed, int64_t stream,
                       Value* out) {
  if (out == nullptr) return;
  const std::vector<int64_t> one = {1};
  *out = seed != 0 ? op::full(ops, one, Scalar(int64_t{seed}), DataType::kInt32)
                   : op::randint(ops, rng, int64_t{1},
                                 int64_t{std::numeric_limits<int>::max()}, one,
                                 DataType::kInt32, stream);
}

// softmax of x and noise that makes its largest element one drawn by
// softmax(x); 1 there and 0 elsewhere if it is `hard`, with the same gradient.
inline void GumbelSoftmax(Ops& ops, const Value& x, const Value& rng,
                          double temperature, bool hard, int axis,
                          int64_t stream, Value* out) {
  if (out == nullptr) return;
  if (!(temperature > 0)) {
    return ops.Fail(
        ArgumentError("temperature", "over 0", std::to_string(temperature)));
  }
  const Shape shape = ops.shape(x);
  const auto at = NormalizeAxis("axis", axis, std::max(shape.rank(), 1));
  if (!at.ok()) return ops.Fail(at.status());
  const std::vector<int64_t> extents = Extents(shape), one = {1};
  if (!shape.known()) return ops.Fail(UnknownShapeError("x"));
  const Value wide = Widened(ops, x);
  // The least number above 0 keeps the first logarithm finite.
  const Value drawn =
      op::uniform(ops, rng, extents, 1e-37, 1.0, ops.dtype(wide), stream);
  const auto minus_log = [&](const Value& v) {
    return Times(ops, op::log(ops, v), -1);
  };
  Value noisy = op::add(ops, wide, minus_log(minus_log(drawn)));
  if (shape.rank() == 0) noisy = op::reshape(ops, noisy, one);
  Value soft = op::softmax(ops, Times(ops, noisy, 1 / temperature), *at);
  if (hard) {
    soft = op::add(ops, randomness::Largest(ops, op::detach(ops, soft), *at),
                   op::subtract(ops, soft, op::detach(ops, soft)));
  }
  if (shape.rank() == 0) soft = op::reshape(ops, soft, extents);
  *out = Narrowed(ops, soft, ops.dtype(x));
}

// The rows of x, whose last axis is a row, in a random order.
inline void ShuffleBatch(Ops& ops, const Value& x, const Value& seed,
                         const Value& rng, int64_t stream, Value* out,
                         Value* shuffle_idx, Value* seed_out) {
  const Shape shape = ops.shape(x);
  if (shape.rank() < 1) {
    return ops.Fail(ArgumentError("x", "of rank 1 or more", ToString(shape)));
  }
  int64_t rows = 1;
  for (int i = 0; i + 1 < shape.rank(); ++i) {
    if (!shape[i].known()) return ops.Fail(UnknownShapeError("x"));
    rows *= shape[i].value();
  }
  const Value order = randomness::Order(ops, rng, rows, stream);
  if (shuffle_idx != nullptr) *shuffle_idx = order;
  if (seed_out != nullptr) {
    *seed_out = op::scale(ops, op::cast(ops, seed, DataType::kInt64),
                          Scalar(int64_t{1}), Scalar(int64_t{1}), true);
  }
  if (out == nullptr) return;
  const Dim last = shape[shape.rank() - 1];
  const Value table =
      ReshapeTo(ops, x, {rows, last.known() ? last.value() : -1});
  *out = ReshapeTo(ops, op::gather(ops, table, order, 0), Extents(shape));
}

// dropout with one decision for all elements that differ in other axes alone.
inline void DropoutNd(Ops& ops, const Value& x, const Value& rng, double p,
                      bool is_test, std::string_view mode,
                      absl::Span<const int> axis, int64_t stream, Value* out,
                      Value* mask) {
  if (!(p >= 0 && p <= 1)) {
    return ops.Fail(ArgumentError("p", "in [0, 1]", std::to_string(p)));
  }
  const Shape shape = ops.shape(x);
  if (!shape.known()) return ops.Fail(UnknownShapeError("x"));
  std::vector<int64_t> extents = Extents(shape);
  if (!axis.empty()) extents.assign(extents.size(), 1);
  for (const int one : axis) {
    const auto at = NormalizeAxis("axis", one, shape.rank());
    if (!at.ok()) return ops.Fail(at.status());
    extents[*at] = shape[*at].value();
  }
  const Value ones = op::full(ops, extents, Scalar(int64_t{1}), ops.dtype(x));
  const std::vector<Value> dropped =
      op::dropout(ops, ones, rng, p, is_test, mode, stream);
  if (mask != nullptr) *mask = dropped[1];
  if (out == nullptr) return;
  const Value& factors = dropped[0];
  const Value kept = op::not_equal(ops, factors, FullLike(ops, factors, 0));
  // An element that is dropped may be NaN.
  *out =
      op::where(ops, kept, op::multiply(ops, x, factors), FullLike(ops, x, 0));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_RANDOMNESS_H_
