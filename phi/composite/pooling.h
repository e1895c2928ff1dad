// SPDX-License-Identifier: Apache-2.0
// Pools that are made of pools.
#ifndef SWITCHYARD_PHI_COMPOSITE_POOLING_H_
#define SWITCHYARD_PHI_COMPOSITE_POOLING_H_

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/quoted.h"
#include "framework/base/status.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_pooling.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/lists.h"
#include "phi/composite/ops.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// The norm of each window: the root of the sum of powers, whose gradient is 0
// where the sum is.
inline void LpPool2d(Ops& ops, const Value& x,
                     absl::Span<const int64_t> kernel_size,
                     absl::Span<const int> strides,
                     absl::Span<const int> paddings,
                     std::string_view data_format, bool global_pooling,
                     std::string_view padding_algorithm, double norm_type,
                     Value* out) {
  if (out == nullptr) return;
  if (!(norm_type > 0) || !std::isfinite(norm_type)) {
    return ops.Fail(ArgumentError("norm_type", "a number over 0",
                                  std::to_string(norm_type)));
  }
  const Shape shape = ops.shape(x);
  double count = 1;
  if (global_pooling) {
    if (shape.rank() != 4) {
      return ops.Fail(ArgumentError("x", "of rank 4", ToString(shape)));
    }
    const int first = data_format == "NHWC" ? 1 : 2;
    for (int i = first; i < first + 2; ++i) {
      if (!shape[i].known()) return ops.Fail(UnknownShapeError("x"));
      count *= static_cast<double>(shape[i].value());
    }
  } else {
    for (const int64_t extent : kernel_size) {
      count *= static_cast<double>(extent);
    }
  }
  const std::vector<int64_t> kernel(kernel_size.begin(), kernel_size.end());
  const Value powers = op::pow(ops, Widened(ops, x), Scalar(norm_type));
  const Value means = op::pool2d(ops, powers, kernel, strides, paddings,
                                 /*ceil_mode=*/false, /*exclusive=*/false,
                                 data_format, "avg", global_pooling,
                                 /*adaptive=*/false, padding_algorithm);
  const Value sums = Times(ops, means, count);
  const Value none = op::equal(ops, sums, FullLike(ops, sums, 0));
  const Value held = op::where(ops, none, FullLike(ops, sums, 1), sums);
  const Value roots = op::where(ops, none, FullLike(ops, sums, 0),
                                op::pow(ops, held, Scalar(1 / norm_type)));
  *out = Narrowed(ops, roots, ops.dtype(x));
}

// Pools of a picture in 1, 4, 16, ... parts, side by side.
inline void Spp(Ops& ops, const Value& x, int pyramid_height,
                std::string_view pooling_type, Value* out) {
  if (out == nullptr) return;
  constexpr int kHighest = 16;
  if (pyramid_height < 1 || pyramid_height > kHighest) {
    return ops.Fail(ArgumentError("pyramid_height", "in [1, 16]",
                                  std::to_string(pyramid_height)));
  }
  if (pooling_type != "max" && pooling_type != "avg") {
    return ops.Fail(ArgumentError("pooling_type", "\"max\" or \"avg\"",
                                  Quoted(pooling_type)));
  }
  const Shape shape = ops.shape(x);
  if (shape.rank() != 4) {
    return ops.Fail(ArgumentError("x", "of rank 4", ToString(shape)));
  }
  if (!shape[2].known() || !shape[3].known()) {
    return ops.Fail(UnknownShapeError("x"));
  }
  std::vector<Value> levels;
  for (int level = 0; level < pyramid_height; ++level) {
    const int64_t bins = int64_t{1} << level;
    std::vector<int64_t> kernel;
    std::vector<int> strides, paddings;
    for (int i = 2; i < 4; ++i) {
      const int64_t extent = shape[i].value();
      const int64_t part = (extent + bins - 1) / bins;
      kernel.push_back(part);
      strides.push_back(static_cast<int>(part));
      paddings.push_back(static_cast<int>((part * bins - extent + 1) / 2));
    }
    const Value pooled =
        op::pool2d(ops, x, kernel, strides, paddings, false, true, "NCHW",
                   pooling_type, false, false, "EXPLICIT");
    levels.push_back(op::flatten(ops, pooled, 1, -1));
  }
  *out = Joined(ops, levels, 1);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_POOLING_H_
