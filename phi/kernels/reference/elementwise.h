// SPDX-License-Identifier: Apache-2.0
// Reference kernels of the elementwise operators, in double where the dtype is
// floating: the formulas as the operators' documentation gives them. Addressing
// is in elements.h.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/types/scalar.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// Floating dtypes compute in double. Integers wrap around, so in unsigned.
template <typename T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, double,
                                std::make_unsigned_t<int64_t>>;

template <typename T>
Wide<T> Widen(T x) {
  return static_cast<Wide<T>>(x);
}

// out[i] = f(x[i]).
template <typename T, typename F>
absl::Status Unary(const DenseTensor& x, DenseTensor* out, F f) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    out->mutable_data<T>()[i] = static_cast<T>(f(Widen(At<T>(x, i))));
  }
  return absl::OkStatus();
}

// out[i] = f(x[i], y[i]), broadcast.
template <typename T, typename F>
absl::Status Binary(const DenseTensor& x, const DenseTensor& y,
                    DenseTensor* out, F f) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const T a = BroadcastAt<T>(x, out->shape(), i);
    const T b = BroadcastAt<T>(y, out->shape(), i);
    out->mutable_data<T>()[i] = static_cast<T>(f(Widen(a), Widen(b)));
  }
  return absl::OkStatus();
}

// The same with a truth value for a result, in the elements' own order.
template <typename T, typename F>
absl::Status Compare(const DenseTensor& x, const DenseTensor& y,
                     DenseTensor* out, F f) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const T a = BroadcastAt<T>(x, out->shape(), i);
    const T b = BroadcastAt<T>(y, out->shape(), i);
    out->mutable_data<bool>()[i] = f(a, b);
  }
  return absl::OkStatus();
}

#define SY_REFERENCE_UNARY(Name, expression)                       \
  template <typename T, typename Context>                          \
  absl::Status Name##Kernel(const Context&, const DenseTensor& x,  \
                            DenseTensor* out) {                    \
    return Unary<T>(x, out, [](Wide<T> v) { return expression; }); \
  }
SY_REFERENCE_UNARY(Relu, v <= 0 ? 0 : v)
SY_REFERENCE_UNARY(Sigmoid, 1 / (1 + std::exp(-v)))
SY_REFERENCE_UNARY(Tanh, std::tanh(v))
SY_REFERENCE_UNARY(Exp, std::exp(v))
SY_REFERENCE_UNARY(Log, std::log(v))
SY_REFERENCE_UNARY(Sqrt, std::sqrt(v))
SY_REFERENCE_UNARY(Square, v* v)
SY_REFERENCE_UNARY(Sign, v > 0 ? 1 : v < 0 ? -1 : v)
#undef SY_REFERENCE_UNARY

#define SY_REFERENCE_BINARY(Name, a, b, expression)                    \
  template <typename T, typename Context>                              \
  absl::Status Name##Kernel(const Context&, const DenseTensor& x,      \
                            const DenseTensor& y, DenseTensor* out) {  \
    return Binary<T>(x, y, out,                                        \
                     [](Wide<T> a, Wide<T> b) { return expression; }); \
  }
SY_REFERENCE_BINARY(Add, a, b, a + b)
SY_REFERENCE_BINARY(Subtract, a, b, a - b)
SY_REFERENCE_BINARY(Multiply, a, b, a* b)
SY_REFERENCE_BINARY(Divide, a, b, a / b)
SY_REFERENCE_BINARY(ReluGrad, out, grad, out > 0 ? grad : 0)
SY_REFERENCE_BINARY(SigmoidGrad, out, grad, grad* out*(1 - out))
SY_REFERENCE_BINARY(TanhGrad, out, grad, grad*(1 - out * out))
#undef SY_REFERENCE_BINARY

template <typename T, typename Context>
absl::Status MaximumKernel(const Context&, const DenseTensor& x,
                           const DenseTensor& y, DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const T a = BroadcastAt<T>(x, out->shape(), i);
    const T b = BroadcastAt<T>(y, out->shape(), i);
    // a != a: NaN wins from either side.
    out->mutable_data<T>()[i] = a != a || b < a ? a : b;
  }
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status EqualKernel(const Context&, const DenseTensor& x,
                         const DenseTensor& y, DenseTensor* out) {
  return Compare<T>(x, y, out, [](T a, T b) { return a == b; });
}

template <typename T, typename Context>
absl::Status LessThanKernel(const Context&, const DenseTensor& x,
                            const DenseTensor& y, DenseTensor* out) {
  return Compare<T>(x, y, out, [](T a, T b) { return a < b; });
}

template <typename T, typename Context>
absl::Status LogicalNotKernel(const Context&, const DenseTensor& x,
                              DenseTensor* out) {
  return Compare<T>(x, x, out, [](T a, T) { return a == T{0}; });
}

template <typename T, typename Context>
absl::Status ScaleKernel(const Context&, const DenseTensor& x,
                         const Scalar& scale, const Scalar& bias,
                         bool bias_after_scale, DenseTensor* out) {
  const Wide<T> s = Widen(scale.to<T>());
  const Wide<T> b = Widen(bias.to<T>());
  return Unary<T>(x, out, [=](Wide<T> v) {
    return bias_after_scale ? s * v + b : s * (v + b);
  });
}

// The distribution function and the density of the normal distribution.
inline double NormalDistribution(double x) {
  return std::erfc(-x / std::sqrt(2.0)) / 2;
}
inline double NormalDensity(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
}

// tanh(sqrt(2 / pi) (x + 0.044715 x^3)) and its derivative.
inline double GeluTanh(double x) {
  return std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x));
}
inline double GeluTanhSlope(double x) {
  const double t = GeluTanh(x);
  return (1 - t * t) * std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
}

template <typename T, typename Context>
absl::Status GeluKernel(const Context&, const DenseTensor& x, bool approximate,
                        DenseTensor* out) {
  return Unary<T>(x, out, [=](double v) {
    return approximate ? v / 2 * (1 + GeluTanh(v)) : v * NormalDistribution(v);
  });
}

template <typename T, typename Context>
absl::Status GeluGradKernel(const Context&, const DenseTensor& x,
                            const DenseTensor& out_grad, bool approximate,
                            DenseTensor* x_grad) {
  return Binary<T>(x, out_grad, x_grad, [=](double v, double grad) {
    const double slope = approximate
                             ? (1 + GeluTanh(v)) / 2 + v / 2 * GeluTanhSlope(v)
                             : NormalDistribution(v) + v * NormalDensity(v);
    return grad * slope;
  });
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_H_
