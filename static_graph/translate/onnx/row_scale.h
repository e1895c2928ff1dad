// SPDX-License-Identifier: Apache-2.0
// ScaleOfRows: what rows are multiplied by before they are squared, so that the
// squares stay in the range of their dtype. Normalisations, which a factor
// leaves as they are, use it.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ROW_SCALE_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ROW_SCALE_H_

#include <cmath>
#include <limits>

#include "framework/types/data_type.h"
#include "static_graph/translate/onnx/expression.h"

namespace switchyard::static_graph {

// Returns x in the dtype in which it is normalised: float32 instead of halves.
inline Expression WideRows(const Expression& x) {
  const bool half =
      x.dtype() == DataType::kFloat16 || x.dtype() == DataType::kBFloat16;
  return half ? x.As(DataType::kFloat32) : x;
}

// Returns the sums or means of squares of x over axes, which stay.
inline Expression SquaresOf(const Expression& x, const char* reduction,
                            const Integers& axes) {
  return (x * x).Of(reduction, {{"axis", axes}, {"keepdim", true}});
}

// A power of two for each row, 1 for those whose squares are in the range, and
// the epsilon that is added to the squares of the row times that.
struct RowScale {
  Expression factor;
  Expression epsilon;
};

// `squares`: sums or means of squares of rows of `dtype`, in float32 if it is
// not float64; they may be infinite or have lost bits. A larger epsilon
// outweighs the bits that have vanished.
inline RowScale ScaleOfRows(const Expression& squares, DataType dtype,
                            double epsilon) {
  const bool wide = dtype == DataType::kFloat64;
  const double most = wide ? std::numeric_limits<double>::max()
                           : std::numeric_limits<float>::max();
  const double least = std::ldexp(1.0, wide ? -900 : -100);
  const double down = std::ldexp(1.0, wide ? -761 : -89);
  const double up = std::ldexp(1.0, wide ? 755 : 86);
  const auto of = [&](const Expression& rows, double number,
                      const Expression& others) {
    return rows.Where(squares.Number(number), others);
  };
  const Expression fits = squares <= most;
  RowScale scale = {of(fits, 1.0, squares.Number(down)),
                    of(fits, epsilon, squares.Number(epsilon * down * down))};
  if (epsilon < least) {
    const Expression small = squares < least;
    scale = {of(small, up, scale.factor),
             of(small, epsilon * up * up, scale.epsilon)};
  }
  return scale;
}

// x over the root of its mean square, and 1 over that root.
struct RmsNormalized {
  Expression y;
  Expression inverse;
};

// Normalises x over axes, `epsilon` added to the mean; y has x's dtype.
inline RmsNormalized OverRootMeanSquare(const Expression& x,
                                        const Integers& axes, double epsilon) {
  const Expression wide = WideRows(x);
  const RowScale scale =
      ScaleOfRows(SquaresOf(wide, "mean", axes), x.dtype(), epsilon);
  const Expression rows = wide * scale.factor;
  const Expression inverse =
      (SquaresOf(rows, "mean", axes) + scale.epsilon).Of("rsqrt");
  return {(rows * inverse).As(x.dtype()), inverse * scale.factor};
}

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ROW_SCALE_H_
