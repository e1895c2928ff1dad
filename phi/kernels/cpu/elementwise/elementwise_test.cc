// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "phi/kernels/testing/functor_rows.h"
#include "phi/kernels/testing/kernel_cases.h"
#include "phi/kernels/testing/simd_levels.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// Empty, scalar, around vector lengths, and large enough for threads.
const Shape kShapes[] = {Shape({0}),      Shape({3, 0, 2}), Shape(),
                         Shape({1}),      Shape({7}),       Shape({16}),
                         Shape({33}),     Shape({2, 3, 5}), Shape({70, 3}),
                         Shape({3, 130}), Shape({130, 300})};

struct Operands {
  Shape x, y;
};
const Operands kBroadcasts[] = {
    {Shape({2, 3}), Shape({2, 3})},    {Shape({2, 3}), Shape({3})},
    {Shape({4, 1, 5}), Shape({3, 1})}, {Shape(), Shape({17})},
    {Shape({0, 3}), Shape({1, 3})},    {Shape({100, 1}), Shape({1, 100})},
    {Shape({65, 129}), Shape({129})},  {Shape({300, 200}), Shape({300, 1})},
    {Shape({90, 70}), Shape({70})},    {Shape({3, 50, 90}), Shape({3, 1, 90})}};

template <typename T>
Tolerance ToleranceOf(const FunctorRow& row) {
  const double unit = std::numeric_limits<T>::epsilon();
  return {row.cancels ? static_cast<double>(row.ulps) * unit : 0, 0, row.ulps};
}

std::vector<FunctorRow> RowsOf(bool one_input) {
  std::vector<FunctorRow> rows;
  for (const FunctorRow& row : FunctorRows()) {
    if ((row.inputs == 1) == one_input) rows.push_back(row);
  }
  return rows;
}

// complex_test.cc has the operators of complex numbers alone.
TEST(FunctorRowsTest, EveryOperatorWithAFunctorIsCalled) {
  std::set<std::string> missing =
      absl::StrSplit(std::getenv("FUNCTOR_OPERATORS"), ' ');
  for (const FunctorRow& row : FunctorRows()) {
    const std::vector<DenseTensor> inputs(row.inputs,
                                          RandomTensor<float>(Shape({1})));
    if (FindKernel({row.op, inputs, row.attrs}, "cpu") != nullptr) {
      missing.erase(std::string(row.op));
    }
  }
  EXPECT_EQ(missing, (std::set<std::string>{"conj", "imag", "real"}))
      << "a row in phi/kernels/testing/functor_rows.cc is needed";
}

class UnaryTest : public ::testing::TestWithParam<FunctorRow> {
 protected:
  template <typename T>
  static void Check(const Shape& shape, Tolerance tolerance) {
    const FunctorRow& row = GetParam();
    const KernelCase call = {
        row.op, {RandomTensor<T>(shape, row.low, row.high)}, row.attrs};
    if (FindKernel(call, "cpu") == nullptr) return;
    CheckAgainstReference(call, tolerance);
  }
};

TEST_P(UnaryTest, AgreesWithReference) {
  for (const Shape& shape : kShapes) {
    Check<float>(shape, ToleranceOf<float>(GetParam()));
    Check<double>(shape, ToleranceOf<double>(GetParam()));
  }
}

TEST_P(UnaryTest, RoundsHalvesOnce) {
  for (const Shape& shape : kShapes) {
    Check<float16>(shape, Ulps(1));
    Check<bfloat16>(shape, Ulps(1));
  }
}

TEST_P(UnaryTest, KnowsInfinityAndNaN) {
  const float inf = std::numeric_limits<float>::infinity();
  const DenseTensor x =
      MakeTensor<float>(Shape({10}), {0.f, -0.f, inf, -inf, std::nanf(""),
                                      1e-42f, 89.5f, -104.f, 3e38f, -3e38f});
  const KernelCase call = {GetParam().op, {x}, GetParam().attrs};
  if (FindKernel(call, "cpu") == nullptr) return;
  CheckAgainstReference(call, {1e-37, 1e-6, 4});
}

std::string NameOf(const ::testing::TestParamInfo<FunctorRow>& info) {
  return info.param.Name();
}

INSTANTIATE_TEST_SUITE_P(Operators, UnaryTest,
                         ::testing::ValuesIn(RowsOf(/*one_input=*/true)),
                         NameOf);

// Operators of two tensors and three, of which the last two have one shape.
class SeveralInputsTest : public ::testing::TestWithParam<FunctorRow> {
 protected:
  // Checks inputs in [low, high) for the first one, within the row's domain for
  // the others.
  template <typename T>
  static void Check(const Operands& o, double low, double high,
                    Tolerance tolerance = {}) {
    const FunctorRow& row = GetParam();
    if (row.to_first && BroadcastShapes("y", o.x, o.y).value() != o.x) return;
    KernelCase call = {row.op, {RandomTensor<T>(o.x, low, high)}, row.attrs};
    for (int i = 1; i < row.inputs; ++i) {
      call.inputs.push_back(RandomTensor<T>(row.broadcasts() ? o.y : o.x,
                                            row.low, row.high, /*seed=*/i + 1));
    }
    if (FindKernel(call, "cpu") == nullptr) return;
    CheckAgainstReference(call, tolerance);
  }
};

TEST_P(SeveralInputsTest, AgreesWithReference) {
  const FunctorRow& row = GetParam();
  for (const Operands& o : kBroadcasts) {
    Check<float>(o, row.low, row.high, ToleranceOf<float>(row));
    Check<double>(o, row.low, row.high, ToleranceOf<double>(row));
  }
}

TEST_P(SeveralInputsTest, RoundsHalvesOnce) {
  const FunctorRow& row = GetParam();
  for (const Operands& o : kBroadcasts) {
    Check<float16>(o, row.low, row.high, Ulps(1));
    Check<bfloat16>(o, row.low, row.high, Ulps(1));
  }
}

TEST_P(SeveralInputsTest, ComputesWithIntegers) {
  if (!GetParam().integers) GTEST_SKIP() << "of floating numbers alone";
  for (const Operands& o : kBroadcasts) {
    Check<bool>(o, 0, 2);
    Check<uint8_t>(o, 0, 256);
    Check<int8_t>(o, -128, 128);
    Check<int16_t>(o, -32768, 32768);
    Check<int32_t>(o, -2e9, 2e9);
    Check<int64_t>(o, -5e18, 5e18);
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, SeveralInputsTest,
                         ::testing::ValuesIn(RowsOf(/*one_input=*/false)),
                         NameOf);

TEST(MaximumTest, KeepsNaN) {
  const float nan = std::nanf("");
  for (const char* op : {"maximum", "minimum"}) {
    CheckAgainstReference({op,
                           {MakeTensor<float>(Shape({4}), {nan, 1, nan, -1}),
                            MakeTensor<float>(Shape({4}), {1, nan, nan, -2})}});
  }
}

template <typename T>
DenseTensor WithoutZeros(DenseTensor x) {
  T* values = x.mutable_data<T>();
  for (int64_t i = 0; i < x.numel(); ++i) {
    if (values[i] == T(0)) values[i] = T(7);
  }
  return x;
}

template <typename T>
void CheckDivision(const char* op, const Operands& o, double low, double high,
                   Tolerance tolerance = {}) {
  CheckAgainstReference(
      {op,
       {RandomTensor<T>(o.x, low, high),
        WithoutZeros<T>(RandomTensor<T>(o.y, -9, 9, /*seed=*/2))}},
      tolerance);
}

TEST(DivisionWithRestTest, AgreesWithReference) {
  for (const char* op : {"floor_divide", "remainder"}) {
    for (const Operands& o : kBroadcasts) {
      CheckDivision<float>(op, o, -9, 9);
      CheckDivision<double>(op, o, -9, 9);
      CheckDivision<float16>(op, o, -9, 9, Ulps(1));
      CheckDivision<bfloat16>(op, o, -9, 9, Ulps(1));
      CheckDivision<int32_t>(op, o, -2e9, 2e9);
      CheckDivision<int64_t>(op, o, -5e18, 5e18);
      CheckDivision<int8_t>(op, o, -128, 128);
      CheckDivision<int16_t>(op, o, -32768, 32768);
    }
    // The quotient of the least integer and -1 does not fit.
    const int32_t least = std::numeric_limits<int32_t>::min();
    CheckAgainstReference({op,
                           {MakeTensor<int32_t>(Shape({3}), {least, least, 9}),
                            MakeTensor<int32_t>(Shape({3}), {-1, 1, -2})}});
  }
}

TEST(DivisionWithRestTest, AnIntegerDivisorMustNotBeZero) {
  const DenseTensor x = MakeTensor<int64_t>(Shape({2, 2}), {1, 2, 3, 4});
  const DenseTensor y = MakeTensor<int64_t>(Shape({2}), {5, 0});
  for (const char* op : {"floor_divide", "remainder"}) {
    const auto result = RunKernel({op, {x, y}}, "cpu");
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(std::string(result.status().message()),
              "y must be nonzero, got 0");
    // Nothing is divided where there is nothing.
    const DenseTensor none = MakeTensor<int64_t>(Shape({0, 2}), {});
    EXPECT_THAT(RunKernel({op, {none, y}}, "cpu"), IsOk());
    // Floating numbers have an answer.
    CheckAgainstReference(
        {op,
         {MakeTensor<float>(Shape({4}), {1, -1, 0, 5}),
          MakeTensor<float>(Shape({4}), {0, 0, 0, -HUGE_VALF})}});
  }
}

TEST(PowerTest, AgreesWithReference) {
  for (const Operands& o : kBroadcasts) {
    CheckAgainstReference({"elementwise_pow",
                           {RandomTensor<float>(o.x, 0, 9),
                            RandomTensor<float>(o.y, -3, 3, /*seed=*/2)}},
                          Ulps(1));
    CheckAgainstReference({"elementwise_pow",
                           {RandomTensor<bfloat16>(o.x, 0, 9),
                            RandomTensor<bfloat16>(o.y, -3, 3, /*seed=*/2)}},
                          Ulps(1));
    CheckAgainstReference({"elementwise_pow",
                           {RandomTensor<int32_t>(o.x, -2e9, 2e9),
                            RandomTensor<int32_t>(o.y, -9, 99, /*seed=*/2)}});
    CheckAgainstReference({"elementwise_pow",
                           {RandomTensor<int64_t>(o.x, -2, 3),
                            RandomTensor<int64_t>(o.y, -9, 99, /*seed=*/2)}});
  }
  const Scalar third(1.0 / 3), two(2), one(1);
  for (const Scalar* power : {&third, &two, &one}) {
    CheckAgainstReference(
        {"pow", {RandomTensor<double>(Shape({33}), 0, 9)}, {*power}}, Ulps(1));
    CheckAgainstReference(
        {"pow", {RandomTensor<float>(Shape({33}), 0, 9)}, {*power}}, Ulps(2));
  }
}

TEST(ClipTest, LimitsAndKeepsNaN) {
  const Scalar low(-1), high(2);
  const float nan = std::nanf("");
  CheckAgainstReference(
      {"clip",
       {MakeTensor<float>(Shape({5}), {nan, -3, 0.5, 3, HUGE_VALF})},
       {low, high}});
  CheckAgainstReference(
      {"clip", {RandomTensor<int64_t>(Shape({70}), -9, 9)}, {low, high}});
  CheckAgainstReference(
      {"clip", {RandomTensor<int8_t>(Shape({70}), -9, 9)}, {low, high}});
}

TEST(RoundTest, HalvesGoAwayFromZero) {
  for (const int decimals : {0, 2, -1}) {
    CheckAgainstReference(
        {"round",
         {MakeTensor<float>(Shape({7}), {0.5, -0.5, 1.5, 2.5, 0.49999997f,
                                         8388609.f, -1e30f})},
         {decimals}},
        Ulps(2));
    CheckAgainstReference(
        {"round", {RandomTensor<double>(Shape({70}), -99, 99)}, {decimals}},
        Ulps(2));
  }
}

TEST(RoundTest, KeepsWhatTheFactorCarriesOutOfRange) {
  const float inf = std::numeric_limits<float>::infinity();
  const auto rounded = [](std::vector<float> values, int decimals) {
    const auto size = static_cast<int64_t>(values.size());
    const auto out = RunKernel(
        {"round", {MakeTensor<float>(Shape({size}), values)}, {decimals}},
        "cpu");
    EXPECT_THAT(out, IsOk());
    return ToVector<float>((*out)[0]);
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(rounded({3e38f, -3e38f, inf, 0.25f}, 2),
              ElementsAre(3e38f, -3e38f, inf, 0.25f));
  // A factor of infinity.
  EXPECT_THAT(rounded({0.f, 1.5f, -3e38f}, 50), ElementsAre(0.f, 1.5f, -3e38f));
  EXPECT_THAT(rounded({0.f, 1.5f, -3e38f}, -50), ElementsAre(0.f, 0.f, -0.f));
  CheckAgainstReference(
      {"round", {MakeTensor<double>(Shape({3}), {1e308, -1e308, 0.5})}, {3}});
}

TEST(WhereTest, ChoosesByElement) {
  for (const Operands& o : kBroadcasts) {
    const DenseTensor c = RandomTensor<bool>(o.x, 0, 2);
    CheckAgainstReference({"where",
                           {c, RandomTensor<float>(o.y, -2, 2, /*seed=*/2),
                            RandomTensor<float>(o.x, -2, 2, /*seed=*/3)}});
    CheckAgainstReference({"where",
                           {c, RandomTensor<uint8_t>(o.x, 0, 9, /*seed=*/2),
                            RandomTensor<uint8_t>(o.y, 0, 9, /*seed=*/3)}});
    CheckAgainstReference({"where",
                           {c, RandomTensor<float16>(o.x, -2, 2, /*seed=*/2),
                            RandomTensor<float16>(o.x, -2, 2, /*seed=*/3)}});
  }
}

TEST(EqualTest, ComparesBools) {
  const DenseTensor x = RandomTensor<bool>(Shape({67}), 0, 2);
  const DenseTensor y = RandomTensor<bool>(Shape({67}), 0, 2, /*seed=*/3);
  CheckAgainstReference({"equal", {x, y}});
  CheckAgainstReference({"less_than", {x, y}});
  CheckAgainstReference({"logical_not", {x}});
}

// A mask becomes bytes by instructions of each level's own.
template <typename T>
void CheckEqualAtEveryLevel() {
  ForEachSimdLevel([](const char* level) {
    SCOPED_TRACE(level);
    for (const int64_t rows : {1, 90}) {
      for (const int64_t columns : {1, 3, 16, 71}) {
        const DenseTensor x = RandomTensor<T>(Shape({rows, columns}), 0, 2);
        const DenseTensor y = RandomTensor<T>(Shape({columns}), 0, 2, 3);
        CheckAgainstReference({"equal", {x, y}});
      }
    }
  });
}

TEST(EqualTest, AgreesWithReferenceAtEverySimdLevel) {
  CheckEqualAtEveryLevel<float>();
  CheckEqualAtEveryLevel<double>();
  CheckEqualAtEveryLevel<int32_t>();
  CheckEqualAtEveryLevel<int64_t>();
}

TEST(FiniteTest, KnowsInfinityAndNaN) {
  const DenseTensor x = MakeTensor<float>(
      Shape({5}), {1, -HUGE_VALF, HUGE_VALF, std::nanf(""), 0});
  for (const char* op : {"isnan", "isfinite", "isinf"}) {
    CheckAgainstReference({op, {x}});
    CheckAgainstReference({op, {RandomTensor<int32_t>(Shape({9}), -9, 9)}});
    CheckAgainstReference({op, {RandomTensor<float16>(Shape({9}))}});
  }
}

TEST(LogicalNotTest, TakesEveryDtype) {
  CheckAgainstReference(
      {"logical_not", {MakeTensor<float>(Shape({3}), {0, -0.f, 0.5})}});
  CheckAgainstReference(
      {"logical_not", {RandomTensor<int32_t>(Shape({40}), 0, 2)}});
  CheckAgainstReference(
      {"logical_not", {RandomTensor<int64_t>(Shape({40}), 0, 2)}});
}

TEST(ScaleTest, AddsTheBiasBeforeOrAfter) {
  const Scalar scale(2.5), bias(-1.25), whole(3);
  for (const bool after : {true, false}) {
    for (const Shape& shape : kShapes) {
      CheckAgainstReference(
          {"scale", {RandomTensor<float>(shape)}, {scale, bias, after}},
          {1e-6, 1e-6});
      CheckAgainstReference(
          {"scale", {RandomTensor<double>(shape)}, {scale, bias, after}},
          {1e-14, 1e-14});
      CheckAgainstReference({"scale",
                             {RandomTensor<int64_t>(shape, -9, 9)},
                             {whole, bias, after}});
    }
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
