// SPDX-License-Identifier: Apache-2.0
// The gradients of discrete Fourier transforms, made of operators. They are the
// adjoint transforms: those in the other direction, with the same factor.
#ifndef SWITCHYARD_PHI_COMPOSITE_FOURIER_H_
#define SWITCHYARD_PHI_COMPOSITE_FOURIER_H_

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_fourier.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// Returns the normalization with which the transform in the other direction has
// the same factor.
inline std::string_view OppositeNormalization(std::string_view normalization) {
  if (normalization == "backward") return "forward";
  return normalization == "forward" ? "backward" : normalization;
}

// The gradient of fft_c2c. Differentiable again.
inline void FftC2cGrad(Ops& ops, const Value& out_grad,
                       absl::Span<const int64_t> axes,
                       std::string_view normalization, bool forward,
                       Value* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = op::fft_c2c(ops, out_grad, axes,
                        OppositeNormalization(normalization), !forward);
}

// The gradient of fft_r2c: the real part of the adjoint transform, for which
// the frequencies that were left out count 0. Differentiable again.
inline void FftR2cGrad(Ops& ops, const Value& x, const Value& out_grad,
                       absl::Span<const int64_t> axes,
                       std::string_view normalization, bool forward,
                       bool onesided, Value* x_grad) {
  if (x_grad == nullptr) return;
  Value frequencies = out_grad;
  if (onesided) {
    const Shape shape = ops.shape(x);
    const int rank = shape.rank();
    const auto last = static_cast<int>((axes.back() + rank) % rank);
    if (!shape[last].known()) return ops.Fail(UnknownShapeError("x"));
    const int64_t n = shape.extent(last);
    std::vector<int64_t> paddings(2 * static_cast<size_t>(rank), 0);
    paddings[2 * static_cast<size_t>(last) + 1] = n - (n / 2 + 1);
    frequencies = op::pad(ops, out_grad, paddings, Scalar(0.0));
  }
  *x_grad = op::real(
      ops, op::fft_c2c(ops, frequencies, axes,
                       OppositeNormalization(normalization), !forward));
}

// The gradient of fft_c2r: frequencies that count for their conjugates too,
// which are all except the first one and, of an even number, the last one,
// count twice. Differentiable again.
inline void FftC2rGrad(Ops& ops, const Value& out_grad,
                       absl::Span<const int64_t> axes,
                       std::string_view normalization, bool forward,
                       int64_t last_dim_size, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value once =
      op::fft_r2c(ops, out_grad, axes, OppositeNormalization(normalization),
                  !forward, /*onesided=*/true);
  Value result = Times(ops, once, 2);
  const auto put_back = [&](int64_t begin, int64_t end) {
    const int64_t last[] = {axes.back()};
    const int64_t starts[] = {begin}, ends[] = {end}, steps[] = {1};
    result = op::legacy_set_value(ops, result,
                                  op::slice(ops, once, last, starts, ends),
                                  last, starts, ends, steps, {}, {}, {}, {});
  };
  put_back(0, 1);
  const bool even = last_dim_size % 2 == 0;  // 0 stands for an even number.
  if (even) put_back(-1, std::numeric_limits<int64_t>::max());
  *x_grad = result;
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_FOURIER_H_
