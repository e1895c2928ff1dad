// SPDX-License-Identifier: Apache-2.0
// The gradients of complex numbers and their parts, made of operators. Which
// gradient that is: phi/composite/conjugate.h.
#ifndef SWITCHYARD_PHI_COMPOSITE_COMPLEX_H_
#define SWITCHYARD_PHI_COMPOSITE_COMPLEX_H_

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/elements.h"
#include "phi/composite/lists.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

// The gradients of real + imag i with broadcasting: the parts of g.
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void ComplexGrad(Ops& ops, const V& real, const V& imag, const V& out_grad,
                 V* real_grad, V* imag_grad) {
  if (real_grad != nullptr) {
    *real_grad = ReduceTo(ops, ops.real(out_grad), real);
  }
  if (imag_grad != nullptr) {
    *imag_grad = ReduceTo(ops, ops.imag(out_grad), imag);
  }
}

// The gradient of the real part: g + 0i. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void RealGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.cast(out_grad, ops.dtype(x));
}

// The gradient of the imaginary part: 0 + gi. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void ImagGrad(Ops& ops, const V&, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zero = FullLike(ops, out_grad, 0);
  *x_grad = ops.complex(zero, out_grad);
}

// The gradient of the conjugate: conj(g). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void ConjGrad(Ops& ops, const V& out_grad, V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.conj(out_grad);
}

// The gradient of the angle of x: g i / conj(x), 0 where x is; 0 for real
// numbers. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void AngleGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zero = FullLike(ops, x, 0);
  if (!IsComplex(ops.dtype(x))) {
    *x_grad = zero;
    return;
  }
  const V at_zero = ops.equal(x, zero);
  const V one = FullLike(ops, x, 1);
  const V base = ops.conj(ops.where(at_zero, one, x));
  const Scalar i(std::complex<double>(0, 1));
  const V slope = ops.scale(ops.reciprocal(base), i, Scalar(0.0), true);
  *x_grad = ops.multiply(out_grad, ops.where(at_zero, zero, slope));
}

// The parts of complex numbers along an axis of their own, the last one.
template <typename Ops, typename V = typename Ops::Value>
void AsReal(Ops& ops, const V& x, V* out) {
  if (out == nullptr) return;
  const int rank = ops.shape(x).rank();
  if (rank == kMaxRank) {
    return ops.Fail(ArgumentError(
        "x", "of rank " + std::to_string(kMaxRank - 1) + " or less",
        ToString(ops.shape(x))));
  }
  const std::vector<int64_t> last = {rank};
  const std::vector<V> parts = {ops.unsqueeze(ops.real(x), last),
                                ops.unsqueeze(ops.imag(x), last)};
  *out = Joined(ops, parts, rank);
}

// Complex numbers whose parts lie along the last axis.
template <typename Ops, typename V = typename Ops::Value>
void AsComplex(Ops& ops, const V& x, V* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  const int last = shape.rank() - 1;
  if (last < 0 || !MayEqual(shape[last], Dim(2))) {
    return ops.Fail(
        ArgumentError("x", "of a last extent of 2", ToString(shape)));
  }
  const std::vector<int64_t> axis = {last};
  const auto part = [&](int64_t at) {
    return ops.squeeze(ops.slice(x, axis, {at}, {at + 1}), axis);
  };
  *out = ops.complex(part(0), part(1));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_COMPLEX_H_
