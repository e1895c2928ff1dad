// SPDX-License-Identifier: Apache-2.0
// Weights of few bits, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_QUANTIZED_WEIGHT_H_
#define SWITCHYARD_PHI_COMPOSITE_QUANTIZED_WEIGHT_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_quantized_weight.h"
#include "phi/composite/elements.h"
#include "phi/composite/lists.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace quantized_weight {

// The extents that a tensor has before its last axis, as reshape keeps them,
// then others.
inline std::vector<int64_t> KeptThen(Ops& ops, const Value& v,
                                     absl::Span<const int64_t> then) {
  std::vector<int64_t> extents(static_cast<size_t>(ops.shape(v).rank() - 1), 0);
  extents.insert(extents.end(), then.begin(), then.end());
  return extents;
}

// The first `count` of the last axis, if there are more.
inline Value First(Ops& ops, const Value& v, Dim count) {
  const int last = ops.shape(v).rank() - 1;
  if (!count.known() || ops.shape(v)[last] == count) return v;
  return op::slice(ops, v, {static_cast<int64_t>(last)}, {int64_t{0}},
                   {count.value()});
}

// Two numbers of each byte, the one of the lower bits first. Floats hold all of
// them, so they are taken apart by exact arithmetic.
inline Value Unpacked(Ops& ops, const Value& weight, Dim count) {
  const Value bytes = op::cast(ops, weight, DataType::kFloat32);
  const Value high = op::floor(ops, Times(ops, bytes, 1.0 / 16));
  const Value low = op::subtract(ops, bytes, Times(ops, high, 16.0));
  const std::vector<int64_t> column = KeptThen(ops, bytes, {-1, 1});
  const Value pairs = Joined(
      ops, {op::reshape(ops, low, column), op::reshape(ops, high, column)}, -1);
  const Value row = op::reshape(ops, pairs, KeptThen(ops, bytes, {-1}));
  return Linear(ops, First(ops, row, count), 1, -8);
}

// The scale of each number, or one for all of a row.
inline Value Beside(Ops& ops, const Value& scale, int group,
                    const Value& numbers) {
  if (group == 0) return scale;
  const int last = ops.shape(scale).rank() - 1;
  const Dim count = ops.shape(numbers)[last];
  if (count.known()) {
    return First(ops, op::repeat_interleave(ops, scale, group, last, -1),
                 count);
  }
  // Half a place keeps each number off the border of its group.
  const Value ones =
      op::full_like(ops, numbers, Scalar(1.0), DataType::kUndefined);
  const Value places =
      op::cumsum(ops, ones, last, false, /*exclusive=*/true, false);
  const Value groups =
      op::floor(ops, Linear(ops, places, 1.0 / group, 0.5 / group));
  return op::take_along_axis(ops, scale,
                             op::cast(ops, groups, DataType::kInt64), last);
}

// The numbers of each row, `count` of them, times their scales.
inline Value Rows(Ops& ops, const Value& weight, const Value& scale, int bits,
                  int group, Dim count) {
  const Value numbers = bits == 4 ? Unpacked(ops, weight, count)
                                  : op::cast(ops, weight, DataType::kFloat32);
  return op::multiply(ops, numbers, Beside(ops, scale, group, numbers));
}

}  // namespace quantized_weight

inline void DequantizeWeight(Ops& ops, const Value& weight, const Value& scale,
                             int bits, int group,
                             absl::Span<const int64_t> extents, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(weight);
  int64_t count = 1;
  for (const int64_t extent : extents) count *= extent;
  Dim numbers(count);
  if (extents.empty()) {
    numbers = shape[shape.rank() - 1];
    if (bits == 4 && numbers.known()) numbers = Dim(2 * numbers.value());
  }
  const Value rows =
      quantized_weight::Rows(ops, weight, scale, bits, group, numbers);
  *out = extents.empty()
             ? rows
             : op::reshape(ops, rows,
                           quantized_weight::KeptThen(ops, rows, extents));
}

inline void LinearQuantized(Ops& ops, const Value& x, const Value& weight,
                            const Value& scale, const Value& bias, int bits,
                            int group, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  const Value rows = quantized_weight::Rows(ops, weight, scale, bits, group,
                                            shape[shape.rank() - 1]);
  const Value product = op::matmul(ops, x, rows, false, true);
  *out = ops.defined(bias) ? op::add(ops, product, bias) : product;
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_QUANTIZED_WEIGHT_H_
