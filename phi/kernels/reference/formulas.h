// SPDX-License-Identifier: Apache-2.0
// What every operator with a `functor:` computes, once more and independent of
// the functors: a line an operator, as its documentation gives it. The loops
// are in elementwise.h; the registrations are generated (SY_REGISTER_FORMULA).
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_FORMULAS_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_FORMULAS_H_

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

// Arithmetic.
SY_FORMULA_2(Add, Wide, a, b, a + b)
SY_FORMULA_2(Subtract, Wide, a, b, a - b)
SY_FORMULA_2(Multiply, Wide, a, b, (a * b))
SY_FORMULA_2(Divide, Wide, a, b, a / b)
// a != a: NaN wins from either side.
SY_FORMULA_2(Maximum, Own, a, b, a != a || b < a ? a : b)
SY_FORMULA_1(Exp, Wide, v, std::exp(v))
SY_FORMULA_1(Log, Wide, v, std::log(v))
SY_FORMULA_1(Sqrt, Wide, v, std::sqrt(v))
SY_FORMULA_1(Square, Wide, v, (v * v))
SY_FORMULA_1(Sign, Own, v, v > 0 ? 1 : v < 0 ? -1 : v)

struct Scale {
  static constexpr bool kMask = false;
  template <typename T, typename Context>
  static absl::Status Kernel(const Context&, const DenseTensor& x,
                             const Scalar& scale, const Scalar& bias,
                             bool bias_after_scale, DenseTensor* out) {
    using V = Wide<T>;
    const auto s = static_cast<V>(scale.to<Attribute<T>>());
    const auto b = static_cast<V>(bias.to<Attribute<T>>());
    return Unary<T, V>(x, out, [=](V v) {
      return bias_after_scale ? s * v + b : s * (v + b);
    });
  }
};

// Comparison and logic.
SY_FORMULA_TRUTH_2(Equal, a, b, a == b)
SY_FORMULA_TRUTH_2(LessThan, a, b, a < b)
SY_FORMULA_TRUTH_1(LogicalNot, v, v == 0)

// Activations.
SY_FORMULA_1(Relu, Own, v, v <= 0 ? 0 : v)
SY_FORMULA_2(ReluGrad, Wide, out, grad, out > 0 ? grad : 0)
SY_FORMULA_1(Sigmoid, Wide, v, 1 / (1 + std::exp(-v)))
SY_FORMULA_2(SigmoidGrad, Wide, out, grad, (grad * out * (1 - out)))
SY_FORMULA_1(Tanh, Wide, v, std::tanh(v))
SY_FORMULA_2(TanhGrad, Wide, out, grad, (grad * (1 - out * out)))

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
      const double slope =
          approximate ? (1 + GeluTanh(v)) / 2 + v / 2 * GeluTanhSlope(v)
                      : NormalDistribution(v) + v * NormalDensity(v);
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
