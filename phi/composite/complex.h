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
#include "phi/composite/calls/of_complex.h"
#include "phi/composite/elements.h"
#include "phi/composite/lists.h"
#include "phi/composite/ops.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

// The gradients of real + imag i with broadcasting: the parts of g.
// Differentiable again.
inline void ComplexGrad(Ops& ops, const Value& real, const Value& imag,
                        const Value& out_grad, Value* real_grad,
                        Value* imag_grad) {
  if (real_grad != nullptr) {
    *real_grad = ReduceTo(ops, op::real(ops, out_grad), real);
  }
  if (imag_grad != nullptr) {
    *imag_grad = ReduceTo(ops, op::imag(ops, out_grad), imag);
  }
}

// The gradient of the real part: g + 0i. Differentiable again.
inline void RealGrad(Ops& ops, const Value& x, const Value& out_grad,
                     Value* x_grad) {
  if (x_grad != nullptr) *x_grad = op::cast(ops, out_grad, ops.dtype(x));
}

// The gradient of the imaginary part: 0 + gi. Differentiable again.
inline void ImagGrad(Ops& ops, const Value&, const Value& out_grad,
                     Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value zero = FullLike(ops, out_grad, 0);
  *x_grad = op::complex(ops, zero, out_grad);
}

// The gradient of the conjugate: conj(g). Differentiable again.
inline void ConjGrad(Ops& ops, const Value& out_grad, Value* x_grad) {
  if (x_grad != nullptr) *x_grad = op::conj(ops, out_grad);
}

// The gradient of the angle of x: g i / conj(x), 0 where x is; 0 for real
// numbers. Differentiable again.
inline void AngleGrad(Ops& ops, const Value& x, const Value& out_grad,
                      Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value zero = FullLike(ops, x, 0);
  if (!IsComplex(ops.dtype(x))) {
    *x_grad = zero;
    return;
  }
  const Value at_zero = op::equal(ops, x, zero);
  const Value one = FullLike(ops, x, 1);
  const Value base = op::conj(ops, op::where(ops, at_zero, one, x));
  const Scalar i(std::complex<double>(0, 1));
  const Value slope =
      op::scale(ops, op::reciprocal(ops, base), i, Scalar(0.0), true);
  *x_grad = op::multiply(ops, out_grad, op::where(ops, at_zero, zero, slope));
}

// The parts of complex numbers along an axis of their own, the last one.
inline void AsReal(Ops& ops, const Value& x, Value* out) {
  if (out == nullptr) return;
  const int rank = ops.shape(x).rank();
  if (rank == kMaxRank) {
    return ops.Fail(ArgumentError(
        "x", "of rank " + std::to_string(kMaxRank - 1) + " or less",
        ToString(ops.shape(x))));
  }
  const std::vector<int64_t> last = {rank};
  const std::vector<Value> parts = {op::unsqueeze(ops, op::real(ops, x), last),
                                    op::unsqueeze(ops, op::imag(ops, x), last)};
  *out = Joined(ops, parts, rank);
}

// Complex numbers whose parts lie along the last axis.
inline void AsComplex(Ops& ops, const Value& x, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  const int last = shape.rank() - 1;
  if (last < 0 || !MayEqual(shape[last], Dim(2))) {
    return ops.Fail(
        ArgumentError("x", "of a last extent of 2", ToString(shape)));
  }
  const std::vector<int64_t> axis = {last};
  const auto part = [&](int64_t at) {
    return op::squeeze(ops, op::slice(ops, x, axis, {at}, {at + 1}), axis);
  };
  *out = op::complex(ops, part(0), part(1));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_COMPLEX_H_
