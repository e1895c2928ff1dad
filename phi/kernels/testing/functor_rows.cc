// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/testing/functor_rows.h"

#include <cmath>
#include <cstdlib>
#include <set>

#include "absl/strings/str_split.h"
#include "framework/types/scalar.h"
#include "phi/kernels/reference/elementwise/special_function.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels {
namespace {

using Number = FunctorRow::Number;

// Attributes live as long as the rows that refer to them.
const bool kTrue = true, kFalse = false;
const int kZero = 0, kMinusOne = -1, kOne = 1, kEight = 8;
const double kSlope = 0.02f, kSigmoidSlope = 0.2f, kSigmoidOffset = 0.5f;
const double kBeta = 1, kThreshold = 20, kEdge = 0.125;
const double kSeluScale = 1.0507009873554805f, kSeluAlpha = 1.6732632423543772f;
const Scalar kFactor(1.75), kBias(0.375), kPower(2.5), kTwo(2.0);
const Scalar kLow(-1.5), kHigh(2.25);

Number Relu(Number x) { return x <= 0 ? 0 : x; }
Number Limit(Number x, Number low, Number high) {
  return x < low ? low : x > high ? high : x;
}
Number Normal(Number x) { return erfcl(-x / sqrtl(2)) / 2; }
Number Sigmoid(Number x) { return 1 / (1 + expl(-x)); }
// x times a share that is 0 at -infinity.
Number Part(Number x, Number share) { return share == 0 ? 0 : x * share; }
Number Silu(Number x) { return Part(x, Sigmoid(x)); }
Number Softsign(Number x) {
  return std::isinf(x) ? copysignl(1, x) : x / (1 + fabsl(x));
}
Number GeluByTanh(Number x) {
  const Number u = sqrtl(2 / M_PIl) * (x + 0.044715L * x * x * x);
  return Part(x, Sigmoid(2 * u));  // (1 + tanh(u)) / 2.
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
Number Hardsigmoid(Number x) { return Limit(kSigmoidSlope * x + 0.5L, 0, 1); }
Number Sign(Number x) { return x > 0 ? 1 : x < 0 ? Number(-1) : x; }
Number Softplus(Number x) { return x > 20 ? x : log1pl(expl(x)); }
Number Selu(Number x) {
  return kSeluScale * (x > 0 ? x : kSeluAlpha * expm1l(x));
}
Number Logit(Number x) {
  x = Limit(x, kEdge, 1 - Number(kEdge));
  return logl(x) - log1pl(-x);
}

std::vector<FunctorRow> ElementaryRows() {
  std::vector<FunctorRow> rows = {
      {"exp", -90, 88, 2, &expl},
      {"log", 0, 1e4, 2, &logl},
      {"sqrt", 0, 100, 0, &sqrtl},
      {"rsqrt", 0, 100, 2, [](Number x) { return 1 / sqrtl(x); }},
      {"sin", -900, 900, 4, &sinl},
      {"cos", -900, 900, 4, &cosl},
      {"tanh", -12, 12, 4, &tanhl},
      {"sigmoid", -30, 30, 4, &Sigmoid},
      {"erf", -4, 4, 2, &erfl},
      {"log2", 0, 1e4, 2, &log2l},
      {"log10", 0, 1e4, 2, &log10l},
      {"log1p", -1, 9, 2, &log1pl},
      {"expm1", -40, 80, 4, &expm1l},
      {"sinh", -80, 80, 2, &sinhl},
      {"cosh", -80, 80, 2, &coshl},
      {"tan", -90, 90, 4, &tanl},
      {"acos", -1, 1, 4, &acosl},
      {"asin", -1, 1, 4, &asinl},
      {"atan", -9, 9, 4, &atanl},
      {"acosh", 1, 1e4, 4, &acoshl},
      {"asinh", -1e4, 1e4, 4, &asinhl},
      {"atanh", -1, 1, 4, &atanhl},
      {"erfinv", -1, 1, 4, &reference::InverseErf},
      {"lgamma", 3, 60, 4, &reference::LogGamma},
      {"digamma", 2, 60, 16, &reference::Digamma},
      {"i0", -40, 40, 16, [](Number x) { return reference::Bessel(0, x); }},
      {"i0e", -40, 40, 8,
       [](Number x) { return reference::ScaledBessel(0, x); }},
      {"i1", -40, 40, 16, [](Number x) { return reference::Bessel(1, x); }},
      {"i1e", -40, 40, 8,
       [](Number x) { return reference::ScaledBessel(1, x); }},
  };
  for (FunctorRow& row : rows) row.elementary = true;
  return rows;
}

std::vector<FunctorRow> ArithmeticRows() {
  return {
      {"sin", 2e6, 3e6, 4, &sinl, {}, "_of_large"},
      {"abs", -9, 9, 0, &fabsl},
      {"neg", -9, 9, 0, [](Number x) { return -x; }},
      {"square", -9, 9, 0, [](Number x) { return x * x; }},
      {"reciprocal", -9, 9, 0, [](Number x) { return 1 / x; }},
      {"trunc", -9, 9, 0, &truncl},
      {"floor", -9, 9, 0, &floorl},
      {"ceil", -9, 9, 0, &ceill},
      {"round", -9, 9, 2, &roundl, {kZero}},
      {"round", -30, 30, 2, nullptr, {kMinusOne}, "_to_tens"},
      {"sign", -1, 1, 0, &Sign},
      {"scale",
       0.125,
       3,
       1,
       [](Number x) { return 1.75L * x + 0.375L; },
       {kFactor, kBias, kTrue}},
      {"scale",
       0.125,
       3,
       1,
       [](Number x) { return 1.75L * (x + 0.375L); },
       {kFactor, kBias, kFalse},
       "_behind_bias"},
      {"pow", 0.125, 9, 2, [](Number x) { return powl(x, 2.5L); }, {kPower}},
      {"pow", -9, 9, 2, [](Number x) { return x * x; }, {kTwo}, "_of_two"},
      {"clip",
       -3,
       3,
       0,
       [](Number x) { return Limit(x, -1.5L, 2.25L); },
       {kLow, kHigh}},
      {"isinf", -3, 3, 0, [](Number x) -> Number { return std::isinf(x); }},
      {"isnan", -3, 3, 0, [](Number x) -> Number { return x != x; }},
      {"isfinite", -3, 3, 0,
       [](Number x) -> Number { return std::isfinite(x); }},
      {"logical_not", -2, 2, 0, [](Number x) -> Number { return x == 0; }},
  };
}

// A row of an operator whose terms may cancel.
FunctorRow Cancelling(FunctorRow row) {
  row.cancels = true;
  return row;
}

std::vector<FunctorRow> ActivationRows() {
  return {
      {"relu", -2, 2, 0, &Relu},
      {"relu6", -9, 9, 0, [](Number x) { return Limit(x, 0, 6); }},
      {"leaky_relu",
       -3,
       3,
       1,
       [](Number x) { return x > 0 ? x : x * kSlope; },
       {kSlope}},
      Cancelling({"gelu",
                  -4,
                  4,
                  4,
                  [](Number x) { return Part(x, Normal(x)); },
                  {kFalse}}),
      Cancelling({"gelu", -4, 4, 4, &GeluByTanh, {kTrue}, "_by_tanh"}),
      {"silu", -30, 30, 4, &Silu},
      {"hardswish", -5, 5, 2, &Hardswish},
      Cancelling({"hardsigmoid",
                  -5,
                  5,
                  2,
                  &Hardsigmoid,
                  {kSigmoidSlope, kSigmoidOffset}}),
      {"softplus", -9, 30, 4, &Softplus, {kBeta, kThreshold}},
      {"elu",
       -3,
       3,
       4,
       [](Number x) { return x > 0 ? x : kSlope * expm1l(x); },
       {kSlope}},
      {"celu",
       -3,
       3,
       4,
       [](Number x) { return x > 0 ? x : kBeta * expm1l(x / kBeta); },
       {kBeta}},
      {"selu", -3, 3, 4, &Selu, {kSeluScale, kSeluAlpha}},
      {"softsign", -9, 9, 1, &Softsign},
      Cancelling({"mish",
                  -9,
                  30,
                  4,
                  [](Number x) { return Part(x, tanhl(Softplus(x))); },
                  {kThreshold}}),
      {"swish", -30, 30, 4, &Silu},
      {"logsigmoid", -30, 30, 4,
       [](Number x) { return x < -50 ? x : -log1pl(expl(-x)); }},
      {"stanh",
       -9,
       9,
       4,
       [](Number x) { return kSeluAlpha * tanhl(kSigmoidSlope * x); },
       {kSigmoidSlope, kSeluAlpha}},
      {"logit", 0, 1, 8, &Logit, {kEdge}},
  };
}

std::vector<FunctorRow> ShrinkRows() {
  return {
      {"tanh_shrink", -9, 9, 8, &TanhShrink},
      {"softshrink",
       -2,
       2,
       0,
       [](Number x) { return x - Limit(x, -0.5L, 0.5L); },
       {kSigmoidOffset}},
      {"hardshrink",
       -2,
       2,
       0,
       [](Number x) { return fabsl(x) <= 0.5L ? 0 : x; },
       {kSigmoidOffset}},
      {"thresholded_relu",
       -2,
       2,
       0,
       [](Number x) { return x <= 1 ? 0.5L : x; },
       {kBeta, kSigmoidOffset}},
  };
}

// A row of an operator of `inputs` tensors.
FunctorRow Of(int inputs, FunctorRow row, bool integers = false) {
  row.inputs = inputs;
  row.integers = integers;
  return row;
}

std::vector<FunctorRow> RowsOfSeveralInputs() {
  std::vector<FunctorRow> rows = {
      Of(2, {"divide"}),
      Of(2, {"floor_divide", 0.5, 3}),
      Of(2, {"remainder", 0.5, 3}),
      Of(2, {"fmod", 0.5, 3}),
      Of(2, {"copysign"}),
      Of(2, {"nextafter"}),
      Of(2, {"bce_loss", 0.125, 0.875, 2}),
      Of(2, {"atan2", -3, 3, 1}),
      Of(2, {"elementwise_pow", 0.5, 3, 1}),
      Of(3, Cancelling({"lerp", 0, 3, 8})),
      Of(2, {"relu_grad", -1, 1}),
      Of(2, {"sigmoid_grad", 0, 1, 2}),
      Of(2, Cancelling({"tanh_grad", -1, 1, 2})),
      Of(2, Cancelling({"gelu_grad", -3, 3, 16, nullptr, {kFalse}})),
      Of(2, Cancelling({"gelu_grad", -3, 3, 16, nullptr, {kTrue}, "_by_tanh"})),
      Of(2, {"digamma_grad", 2, 9, 8}),
      Of(2, {"gammainc", 0.5, 9, 64}),
      Of(2, {"gammaincc", 0.5, 9, 96}),
      Of(2, {"erf_grad", -3, 3, 4}),
      Of(3, Cancelling({"i0e_grad", -9, 9, 16})),
      // Three units of 1, which Eigen's i0e is off, times gradients up to 9.
      Of(3, Cancelling({"i1e_grad", -9, 9, 27})),
      Of(2, Cancelling({"silu_grad", -9, 9, 4})),
      Of(2, Cancelling({"swish_grad", -9, 9, 4})),
  };
  for (const char* op :
       {"add", "subtract", "multiply", "maximum", "minimum", "fmax", "fmin",
        "heaviside", "equal", "not_equal", "less_than", "less_equal",
        "greater_than", "greater_equal", "logical_and", "logical_or",
        "logical_xor"}) {
    rows.push_back(Of(2, {op}, /*integers=*/true));
  }
  FunctorRow quantise = Of(
      2,
      Cancelling({"quantize_dequantize", 0.5, 2, 4, nullptr, {kEight, kOne}}));
  quantise.to_first = true;
  rows.push_back(quantise);
  return rows;
}

// Sets `row` to calls of an operator of which no row is written. Returns false
// where an attribute has no default.
bool SetDefaultRow(std::string_view op, FunctorRow* row) {
  const OpInfo& info = FindInfo(op);
  row->op = info.name;
  row->ulps = 4;
  row->cancels = true;
  row->inputs = static_cast<int>(info.inputs.size());
  for (const AttrInfo& attr : info.attrs) {
    if (!attr.has_default) return false;
    row->attrs.push_back(attr.default_value);
  }
  return true;
}

void AddDefaultRows(std::vector<FunctorRow>* rows) {
  std::set<std::string> written;
  for (const FunctorRow& row : *rows) written.insert(std::string(row.op));
  const std::vector<std::string> operators =
      absl::StrSplit(std::getenv("FUNCTOR_OPERATORS"), ' ');
  for (const std::string& op : operators) {
    FunctorRow row;
    if (written.count(op) == 0 && SetDefaultRow(op, &row)) {
      rows->push_back(row);
    }
  }
}

}  // namespace

std::string FunctorRow::Name() const {
  return std::string(op) + std::string(variant);
}

bool FunctorRow::broadcasts() const {
  constexpr std::string_view kGrad = "_grad";
  const bool gradient =
      op.size() >= kGrad.size() && op.substr(op.size() - kGrad.size()) == kGrad;
  return !gradient && FindInfo(op).has(Trait::kElementwise);
}

void PrintTo(const FunctorRow& row, std::ostream* out) { *out << row.Name(); }

const std::vector<FunctorRow>& FunctorRows() {
  static const auto* const kRows = [] {
    auto* const rows = new std::vector<FunctorRow>();
    for (const auto& family :
         {ElementaryRows(), ArithmeticRows(), ActivationRows(), ShrinkRows(),
          RowsOfSeveralInputs()}) {
      rows->insert(rows->end(), family.begin(), family.end());
    }
    AddDefaultRows(rows);
    return rows;
  }();
  return *kRows;
}

}  // namespace switchyard::phi::kernels
