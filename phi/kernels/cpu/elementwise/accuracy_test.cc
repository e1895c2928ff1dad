// SPDX-License-Identifier: Apache-2.0
// Unary kernels against functions of long double, at every instruction set that
// the machine has. An error is counted in units in the last place of the exact
// result (of the least normal number's where it is smaller): all inputs that
// float16 and bfloat16 have within 1, floats of a dense sample within 2.
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "gtest/gtest.h"
#include "phi/kernels/reference/special_function.h"
#include "phi/kernels/testing/kernel_cases.h"
#include "phi/kernels/testing/simd_levels.h"

namespace switchyard::phi::kernels::cpu {
namespace {

using Number = long double;

struct Case {
  const char* name;
  const char* op;
  Number (*exact)(Number);
  std::vector<AttrRef> attrs = {};
};

// Attributes live as long as the cases that refer to them.
const bool kTrue = true, kFalse = false;
const int kZero = 0;
const double kSlope = 0.02f, kSigmoidSlope = 0.2f, kSigmoidOffset = 0.5f;
const double kBeta = 1, kThreshold = 20, kEdge = 0.125;
const double kSeluScale = 1.0507009873554805f, kSeluAlpha = 1.6732632423543772f;
const Scalar kFactor(1.75), kBias(0.375), kPower(2.5), kLow(-1.5), kHigh(2.25);

Number Relu(Number x) { return x <= 0 ? 0 : x; }
Number Limit(Number x, Number low, Number high) {
  return x < low ? low : x > high ? high : x;
}
Number Normal(Number x) { return erfcl(-x / sqrtl(2)) / 2; }
Number Sigmoid(Number x) { return 1 / (1 + expl(-x)); }
Number GeluByTanh(Number x) {
  const Number u = sqrtl(2 / M_PIl) * (x + 0.044715L * x * x * x);
  return x * Sigmoid(2 * u);  // (1 + tanh(u)) / 2.
}
// x - tanh(x), by terms of its series where the difference cancels.
Number TanhShrink(Number x) {
  if (fabsl(x) > 0.01L) return x - tanhl(x);
  const Number z = x * x;
  return x * z * (1 / 3.L - z * (2 / 15.L - z * (17 / 315.L - z * 62 / 2835)));
}
Number Hardswish(Number x) {
  return x <= -3 ? 0 : x >= 3 ? x : x * (x + 3) / 6;
}

const std::vector<Case>& ElementaryCases() {
  static const auto* const kCases = new std::vector<Case>{
      {"exp", "exp", &expl},
      {"log", "log", &logl},
      {"sqrt", "sqrt", &sqrtl},
      {"rsqrt", "rsqrt", [](Number x) { return 1 / sqrtl(x); }},
      {"sin", "sin", &sinl},
      {"cos", "cos", &cosl},
      {"tanh", "tanh", &tanhl},
      {"sigmoid", "sigmoid", &Sigmoid},
      {"erf", "erf", &erfl},
      {"log2", "log2", &log2l},
      {"log10", "log10", &log10l},
      {"log1p", "log1p", &log1pl},
      {"expm1", "expm1", &expm1l},
      {"sinh", "sinh", &sinhl},
      {"cosh", "cosh", &coshl},
      {"tan", "tan", &tanl},
      {"acos", "acos", &acosl},
      {"asin", "asin", &asinl},
      {"atan", "atan", &atanl},
      {"acosh", "acosh", &acoshl},
      {"asinh", "asinh", &asinhl},
      {"atanh", "atanh", &atanhl},
      {"erfinv", "erfinv", &reference::InverseErf},
      {"lgamma", "lgamma", &reference::LogGamma},
      {"digamma", "digamma", &reference::Digamma},
      {"i0", "i0", [](Number x) { return reference::Bessel(0, x); }},
      {"i0e", "i0e", [](Number x) { return reference::ScaledBessel(0, x); }},
      {"i1", "i1", [](Number x) { return reference::Bessel(1, x); }},
      {"i1e", "i1e", [](Number x) { return reference::ScaledBessel(1, x); }},
  };
  return *kCases;
}

std::vector<Case> AllCases() {
  std::vector<Case> cases = ElementaryCases();
  const std::vector<Case> others = {
      {"abs", "abs", &fabsl},
      {"square", "square", [](Number x) { return x * x; }},
      {"reciprocal", "reciprocal", [](Number x) { return 1 / x; }},
      {"trunc", "trunc", &truncl},
      {"floor", "floor", &floorl},
      {"ceil", "ceil", &ceill},
      {"round", "round", &roundl, {kZero}},
      {"sign", "sign",
       [](Number x) { return x > 0   ? 1
                             : x < 0 ? Number(-1)
                                     : x; }},
      {"scale",
       "scale",
       [](Number x) { return 1.75L * x + 0.375L; },
       {kFactor, kBias, kTrue}},
      {"pow", "pow", [](Number x) { return powl(x, 2.5L); }, {kPower}},
      {"clip",
       "clip",
       [](Number x) { return Limit(x, -1.5L, 2.25L); },
       {kLow, kHigh}},
      {"relu", "relu", &Relu},
      {"relu6", "relu6", [](Number x) { return Limit(x, 0, 6); }},
      {"leaky_relu",
       "leaky_relu",
       [](Number x) { return x > 0 ? x : x * kSlope; },
       {kSlope}},
      {"gelu", "gelu", [](Number x) { return x * Normal(x); }, {kFalse}},
      {"gelu_by_tanh", "gelu", &GeluByTanh, {kTrue}},
      {"silu", "silu", [](Number x) { return x * Sigmoid(x); }},
      {"hardswish", "hardswish", &Hardswish},
      {"hardsigmoid",
       "hardsigmoid",
       [](Number x) { return Limit(kSigmoidSlope * x + 0.5L, 0, 1); },
       {kSigmoidSlope, kSigmoidOffset}},
      {"softplus",
       "softplus",
       [](Number x) { return x > 20 ? x : log1pl(expl(x)); },
       {kBeta, kThreshold}},
      {"elu",
       "elu",
       [](Number x) { return x > 0 ? x : kSlope * expm1l(x); },
       {kSlope}},
      {"celu",
       "celu",
       [](Number x) { return x > 0 ? x : kBeta * expm1l(x / kBeta); },
       {kBeta}},
      {"selu",
       "selu",
       [](Number x) {
         return kSeluScale * (x > 0 ? x : kSeluAlpha * expm1l(x));
       },
       {kSeluScale, kSeluAlpha}},
      {"softsign", "softsign", [](Number x) { return x / (1 + fabsl(x)); }},
      {"mish",
       "mish",
       [](Number x) { return x * tanhl(x > 20 ? x : log1pl(expl(x))); },
       {kThreshold}},
      {"swish", "swish", [](Number x) { return x * Sigmoid(x); }},
      {"logsigmoid", "logsigmoid",
       [](Number x) { return x < -50 ? x : -log1pl(expl(-x)); }},
      {"tanh_shrink", "tanh_shrink", &TanhShrink},
      {"stanh",
       "stanh",
       [](Number x) { return kSeluAlpha * tanhl(kSigmoidSlope * x); },
       {kSigmoidSlope, kSeluAlpha}},
      {"softshrink",
       "softshrink",
       [](Number x) { return x - Limit(x, -0.5L, 0.5L); },
       {kSigmoidOffset}},
      {"hardshrink",
       "hardshrink",
       [](Number x) { return fabsl(x) <= 0.5L ? 0 : x; },
       {kSigmoidOffset}},
      {"thresholded_relu",
       "thresholded_relu",
       [](Number x) { return x <= 1 ? 0.5L : x; },
       {kBeta, kSigmoidOffset}},
      {"logit",
       "logit",
       [](Number x) {
         x = Limit(x, kEdge, 1 - Number(kEdge));
         return logl(x) - log1pl(-x);
       },
       {kEdge}},
      {"isinf", "isinf", [](Number x) -> Number { return std::isinf(x); }},
      {"isnan", "isnan", [](Number x) -> Number { return x != x; }},
      {"isfinite", "isfinite",
       [](Number x) -> Number { return std::isfinite(x); }},
      {"logical_not", "logical_not", [](Number x) -> Number { return x == 0; }},
  };
  cases.insert(cases.end(), others.begin(), others.end());
  return cases;
}

// How far `got` is from `exact`, in units in the last place of T.
template <typename T>
Number Error(double value, Number exact) {
  using Limits = std::numeric_limits<T>;
  constexpr Number kFar = 1e9;
  if (std::isnan(exact)) return std::isnan(value) ? 0 : kFar;
  if (std::isinf(exact)) return value == exact ? 0 : kFar;
  int exponent;
  frexpl(exact, &exponent);
  if (exponent < Limits::min_exponent) exponent = Limits::min_exponent;
  if (std::isinf(value)) {
    // As if the exponent went on: the next number behind the largest one.
    const Number next = ldexpl(1, Limits::max_exponent);
    return fabsl(exact) >= next
               ? 0
               : (next - fabsl(exact)) /
                     ldexpl(1, Limits::max_exponent - Limits::digits);
  }
  return fabsl(value - exact) / ldexpl(1, exponent - Limits::digits);
}
// The kernel for the inputs `x`, of type T, at every level.
template <typename T>
void CheckCase(const Case& c, const DenseTensor& x, Number most) {
  const std::vector<double> in = ToDoubles(x);
  std::vector<Number> exact;
  for (const double v : in) exact.push_back(c.exact(v));
  ForEachSimdLevel([&](const char* level) {
    const auto outputs = RunKernel({c.op, {x}, c.attrs}, "cpu");
    ASSERT_THAT(outputs, IsOk());
    const std::vector<double> got = ToDoubles((*outputs)[0]);
    Number worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      const Number error = Error<T>(got[i], exact[i]);
      if (error > worst) {
        worst = error;
        at = i;
      }
    }
    EXPECT_LE(worst, most) << level << ": " << c.name << "(" << in[at]
                           << ") is " << got[at] << ", exactly "
                           << static_cast<double>(exact[at]);
  });
}

class UnaryAccuracyTest : public ::testing::TestWithParam<Case> {
 protected:
  template <typename T>
  void CheckEveryInput() {
    DenseTensor x = EmptyTensor(DataTypeOf<T>::value, Shape({65536}));
    for (int i = 0; i < 65536; ++i) {
      x.mutable_data<T>()[i] = T::FromBits(static_cast<uint16_t>(i));
    }
    CheckCase<T>(GetParam(), x, 1);
  }
};

TEST_P(UnaryAccuracyTest, EveryFloat16WithinOneUnit) {
  CheckEveryInput<float16>();
}
TEST_P(UnaryAccuracyTest, EveryBFloat16WithinOneUnit) {
  CheckEveryInput<bfloat16>();
}

std::string NameOf(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Operators, UnaryAccuracyTest,
                         testing::ValuesIn(AllCases()), NameOf);

// Floats of all magnitudes, a prime number of bit patterns apart, and evenly
// spaced ones where the functions bend.
DenseTensor DenseFloats() {
  constexpr uint32_t kStride = 4093;
  constexpr int kEven = 400000;
  std::vector<float> values;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += kStride) {
    const auto pattern = static_cast<uint32_t>(bits);
    float v;
    std::memcpy(&v, &pattern, sizeof(v));
    values.push_back(v);
  }
  for (int i = 0; i < kEven; ++i) {
    values.push_back(-12.f + 24.f * static_cast<float>(i) / kEven);
  }
  const auto count = static_cast<int64_t>(values.size());
  return MakeTensor<float>(Shape({count}), absl::MakeConstSpan(values));
}

class FloatAccuracyTest : public ::testing::TestWithParam<Case> {};

TEST_P(FloatAccuracyTest, WithinTwoUnits) {
  static const auto* const kFloats = new DenseTensor(DenseFloats());
  CheckCase<float>(GetParam(), *kFloats, 2);
}

INSTANTIATE_TEST_SUITE_P(Operators, FloatAccuracyTest,
                         testing::ValuesIn(ElementaryCases()), NameOf);

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
