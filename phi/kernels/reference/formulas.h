// SPDX-License-Identifier: Apache-2.0
// What every operator with a `functor:` computes, once more and independent of
// the functors: a line an operator, as its documentation gives it. The loops
// are in elementwise.h; the registrations are generated (SY_REGISTER_FORMULA).
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_FORMULAS_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_FORMULAS_H_

#include <algorithm>
#include <cmath>

#include "framework/types/scalar.h"
#include "phi/core/register_kernel.h"
#include "phi/kernels/reference/elementwise.h"

namespace switchyard::phi::kernels::reference {

// `Number` is Wide or Own (elementwise.h).
#define SY_FORMULA_1(Name, Number, v, expression)                      \
  struct Name {                                                        \
    static constexpr bool kMask = false;                               \
    template <typename T, typename Context>                            \
    static absl::Status Kernel(const Context&, const DenseTensor& x,   \
                               DenseTensor* out) {                     \
      using V = Number<T>;                                             \
      return Unary<T, V>(x, out, [](V v) -> V { return expression; }); \
    }                                                                  \
  };
#define SY_FORMULA_2(Name, Number, a, b, expression)                     \
  struct Name {                                                          \
    static constexpr bool kMask = false;                                 \
    template <typename T, typename Context>                              \
    static absl::Status Kernel(const Context&, const DenseTensor& x,     \
                               const DenseTensor& y, DenseTensor* out) { \
      using V = Number<T>;                                               \
      return Binary<T, V>(x, y, out,                                     \
                          [](V a, V b) -> V { return expression; });     \
    }                                                                    \
  };
// Truth values, of one and of two numbers.
#define SY_FORMULA_TRUTH_1(Name, v, expression)                                \
  struct Name {                                                                \
    static constexpr bool kMask = true;                                        \
    template <typename T, typename Context>                                    \
    static absl::Status Kernel(const Context&, const DenseTensor& x,           \
                               DenseTensor* out) {                             \
      using V = Own<T>;                                                        \
      return Compare<T>(x, x, out, [](V v, V) -> bool { return expression; }); \
    }                                                                          \
  };
#define SY_FORMULA_TRUTH_2(Name, a, b, expression)                       \
  struct Name {                                                          \
    static constexpr bool kMask = true;                                  \
    template <typename T, typename Context>                              \
    static absl::Status Kernel(const Context&, const DenseTensor& x,     \
                               const DenseTensor& y, DenseTensor* out) { \
      using V = Own<T>;                                                  \
      return Compare<T>(x, y, out,                                       \
                        [](V a, V b) -> bool { return expression; });    \
    }                                                                    \
  };

// x to the power y; integers factor by factor, modulo 2^64.
template <typename V>
V Power(V x, V y) {
  if constexpr (std::is_floating_point_v<V>) {
    return std::pow(x, y);
  } else {
    // Of a negative power what rounds to 0 is 0: 1 / x, but for x = 1 and -1.
    if (y < 0) return x == 1 || x == V(-1) ? Power<V>(x, -(y % 2)) : V(0);
    if (y == 0) return 1;
    const auto half = static_cast<uint64_t>(Power<V>(x, y / 2));
    const uint64_t odd = y % 2 != 0 ? static_cast<uint64_t>(x) : 1;
    return static_cast<V>(half * half * odd);
  }
}

// |v|; the least integer stays itself.
template <typename V>
V Magnitude(V v) {
  if constexpr (std::is_floating_point_v<V>) return std::fabs(v);
  return v < 0 ? static_cast<V>(0 - static_cast<uint64_t>(v)) : v;
}

// Arithmetic.
SY_FORMULA_2(Add, Wide, a, b, a + b)
SY_FORMULA_2(Subtract, Wide, a, b, a - b)
SY_FORMULA_2(Multiply, Wide, a, b, (a * b))
SY_FORMULA_2(Divide, Wide, a, b, a / b)
// a != a: NaN wins from either side.
SY_FORMULA_2(Maximum, Own, a, b, a != a || b < a ? a : b)
SY_FORMULA_2(Minimum, Own, a, b, a != a || a < b ? a : b)
SY_FORMULA_1(AbsoluteValue, Own, v, Magnitude(v))
SY_FORMULA_2(ElementwisePow, Own, a, b, Power(a, b))
SY_FORMULA_1(Exp, Wide, v, std::exp(v))
SY_FORMULA_1(Log, Wide, v, std::log(v))
SY_FORMULA_1(Sqrt, Wide, v, std::sqrt(v))
SY_FORMULA_1(Rsqrt, Wide, v, 1 / std::sqrt(v))
SY_FORMULA_1(Reciprocal, Wide, v, 1 / v)
SY_FORMULA_1(Sin, Wide, v, std::sin(v))
SY_FORMULA_1(Cos, Wide, v, std::cos(v))
SY_FORMULA_1(Erf, Wide, v, std::erf(v))
SY_FORMULA_1(Floor, Wide, v, std::floor(v))
SY_FORMULA_1(Ceil, Wide, v, std::ceil(v))
SY_FORMULA_1(Square, Wide, v, (v * v))
SY_FORMULA_1(Sign, Own, v, v > 0 ? 1 : v < 0 ? -1 : v)

struct Scale {
  static constexpr bool kMask = false;
  template <typename T, typename Context>
  static absl::Status Kernel(const Context&, const DenseTensor& x,
                             const Scalar& scale, const Scalar& bias,
                             bool bias_after_scale, DenseTensor* out) {
    using V = Wide<T>;
    const auto s = static_cast<V>(scale.to<Computed<T>>());
    const auto b = static_cast<V>(bias.to<Computed<T>>());
    return Unary<T, V>(x, out, [=](V v) {
      return bias_after_scale ? s * v + b : s * (v + b);
    });
  }
};

// out = f(x, y) for a division of x by y: an integer y must not be 0.
template <typename T, typename F>
absl::Status WithDivisor(const DenseTensor& x, const DenseTensor& y,
                         DenseTensor* out, F f) {
  for (int64_t i = 0; std::is_integral_v<T> && i < out->numel(); ++i) {
    if (BroadcastAt<T>(y, out->shape(), i) == T(0)) {
      return ArgumentError("y", "nonzero", "0");
    }
  }
  return Binary<T, Signed<T>>(x, y, out, f);
}

struct FloorDivide {
  static constexpr bool kMask = false;
  template <typename T, typename Context>
  static absl::Status Kernel(const Context&, const DenseTensor& x,
                             const DenseTensor& y, DenseTensor* out) {
    return WithDivisor<T>(x, y, out, [](auto a, auto b) {
      if constexpr (std::is_same_v<decltype(a), double>) {
        // Exact for what a float holds, unlike floor(a / b).
        const double rest = std::fmod(a, b);
        if (b == 0 || std::isinf(a)) return b == 0 ? a / b : rest;
        const bool below = rest != 0 && (rest < 0) != (b < 0);
        const double quotient = std::round((a - rest) / b) - below;
        return quotient == 0 ? std::copysign(0.0, a / b) : quotient;
      } else {
        if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
        return a / b - (a % b != 0 && (a < 0) != (b < 0));
      }
    });
  }
};

struct Remainder {
  static constexpr bool kMask = false;
  template <typename T, typename Context>
  static absl::Status Kernel(const Context&, const DenseTensor& x,
                             const DenseTensor& y, DenseTensor* out) {
    return WithDivisor<T>(x, y, out, [](auto a, auto b) {
      if constexpr (std::is_same_v<decltype(a), double>) {
        const double rest = std::fmod(a, b);
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
      } else {
        if (b == -1) return int64_t{0};
        const int64_t rest = a % b;
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
      }
    });
  }
};

struct Pow {
  static constexpr bool kMask = false;
  template <typename T, typename Context>
  static absl::Status Kernel(const Context&, const DenseTensor& x,
                             const Scalar& y, DenseTensor* out) {
    using V = Signed<T>;
    const auto exponent = static_cast<V>(y.to<Computed<T>>());
    return Unary<T, V>(x, out, [=](V v) { return Power<V>(v, exponent); });
  }
};

struct Clip {
  static constexpr bool kMask = false;
  template <typename T, typename Context>
  static absl::Status Kernel(const Context&, const DenseTensor& x,
                             const Scalar& min, const Scalar& max,
                             DenseTensor* out) {
    using V = Signed<T>;
    const auto low = static_cast<V>(min.to<Computed<T>>());
    const auto high = static_cast<V>(max.to<Computed<T>>());
    return Unary<T, V>(x, out, [=](V v) {
      return v < low ? low : v > high ? high : v;
    });
  }
};

struct Round {
  static constexpr bool kMask = false;
  template <typename T, typename Context>
  static absl::Status Kernel(const Context&, const DenseTensor& x, int decimals,
                             DenseTensor* out) {
    return Unary<T, double>(x, out, [=](double v) {
      if (decimals == 0) return std::round(v);
      const double factor = std::pow(10.0, std::fabs(decimals));
      if (decimals > 0) {
        const double scaled = v * factor;
        return std::isfinite(scaled) ? std::round(scaled) / factor : v;
      }
      const double whole = std::round(v / factor);
      return whole == 0 ? whole : whole * factor;
    });
  }
};

// Comparison and logic.
SY_FORMULA_TRUTH_2(Equal, a, b, a == b)
SY_FORMULA_TRUTH_2(NotEqual, a, b, a != b)
SY_FORMULA_TRUTH_2(LessThan, a, b, a < b)
SY_FORMULA_TRUTH_2(LessEqual, a, b, a <= b)
SY_FORMULA_TRUTH_2(GreaterThan, a, b, a > b)
SY_FORMULA_TRUTH_2(GreaterEqual, a, b, a >= b)
SY_FORMULA_TRUTH_2(LogicalAnd, a, b, a != 0 && b != 0)
SY_FORMULA_TRUTH_2(LogicalOr, a, b, a != 0 || b != 0)
SY_FORMULA_TRUTH_2(LogicalXor, a, b, (a != 0) != (b != 0))
SY_FORMULA_TRUTH_1(IsNan, v, v != v)
SY_FORMULA_TRUTH_1(IsFinite, v, std::isfinite(static_cast<double>(v)))
SY_FORMULA_TRUTH_1(LogicalNot, v, v == 0)

// Activations.
SY_FORMULA_1(Relu, Own, v, v <= 0 ? 0 : v)
SY_FORMULA_2(ReluGrad, Wide, out, grad, out > 0 ? grad : 0)
SY_FORMULA_1(Sigmoid, Wide, v, 1 / (1 + std::exp(-v)))
SY_FORMULA_2(SigmoidGrad, Wide, out, grad, (grad * out * (1 - out)))
SY_FORMULA_1(Tanh, Wide, v, std::tanh(v))
SY_FORMULA_2(TanhGrad, Wide, out, grad, (grad * (1 - out * out)))

SY_FORMULA_1(Relu6, Own, v, v<0 ? 0 : v> 6 ? 6 : v)
SY_FORMULA_1(Silu, Wide, v, v / (1 + std::exp(-v)))
SY_FORMULA_1(Hardswish, Wide, v, v <= -3 ? 0 : v >= 3 ? v : v * (v + 3) / 6)

struct LeakyRelu {
  static constexpr bool kMask = false;
  template <typename T, typename Context>
  static absl::Status Kernel(const Context&, const DenseTensor& x,
                             double negative_slope, DenseTensor* out) {
    return Unary<T, double>(
        x, out, [=](double v) { return v > 0 ? v : v * negative_slope; });
  }
};

struct Hardsigmoid {
  static constexpr bool kMask = false;
  template <typename T, typename Context>
  static absl::Status Kernel(const Context&, const DenseTensor& x, double slope,
                             double offset, DenseTensor* out) {
    return Unary<T, double>(x, out, [=](double v) {
      const double line = slope * v + offset;
      return line < 0 ? 0 : line > 1 ? 1 : line;
    });
  }
};

struct Softplus {
  static constexpr bool kMask = false;
  template <typename T, typename Context>
  static absl::Status Kernel(const Context&, const DenseTensor& x, double beta,
                             double threshold, DenseTensor* out) {
    return Unary<T, double>(x, out, [=](double v) {
      const double scaled = beta * v;
      return scaled > threshold ? v : std::log1p(std::exp(scaled)) / beta;
    });
  }
};

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

struct Gelu {
  static constexpr bool kMask = false;
  template <typename T, typename Context>
  static absl::Status Kernel(const Context&, const DenseTensor& x,
                             bool approximate, DenseTensor* out) {
    return Unary<T, double>(x, out, [=](double v) {
      return approximate ? v / 2 * (1 + GeluTanh(v))
                         : v * NormalDistribution(v);
    });
  }
};

struct GeluGrad {
  static constexpr bool kMask = false;
  template <typename T, typename Context>
  static absl::Status Kernel(const Context&, const DenseTensor& x,
                             const DenseTensor& out_grad, bool approximate,
                             DenseTensor* x_grad) {
    return Binary<T, double>(x, out_grad, x_grad, [=](double v, double grad) {
      // Beyond it is 0 or 1, but powers overflow.
      const double z = std::min(std::max(v, -100.0), 100.0);
      const double slope =
          approximate ? (1 + GeluTanh(z)) / 2 + z / 2 * GeluTanhSlope(z)
                      : NormalDistribution(z) + z * NormalDensity(z);
      return grad * slope;
    });
  }
};

// Any strides; the output of a formula that is true or false is bool.
template <typename Signature>
constexpr KernelSpec<Signature> FormulaSpec(bool mask) {
  const auto spec = KernelSpec<Signature>().AllStrided();
  return mask ? spec.Output(0, Fixed(DataType::kBool)) : spec;
}

}  // namespace switchyard::phi::kernels::reference

// Registers formula `Name` as the reference kernel of operator `op`.
#define SY_REGISTER_FORMULA(op, Name, Signature, ...)                 \
  namespace switchyard::phi {                                         \
  static constexpr auto kSpec_##op =                                  \
      kernels::reference::FormulaSpec<Signature>(                     \
          kernels::reference::Name::kMask);                           \
  SY_REGISTER_KERNEL(op, reference, kernels::reference::Name::Kernel, \
                     ReferenceContext, kSpec_##op, __VA_ARGS__);      \
  }                                                                   \
  static_assert(true, "a semicolon follows")

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_FORMULAS_H_
