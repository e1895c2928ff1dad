// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

struct Operands {
  Shape x, y;
};
const Operands kBroadcasts[] = {
    {Shape({2, 3}), Shape({2, 3})},    {Shape({2, 3}), Shape({3})},
    {Shape({4, 1, 5}), Shape({3, 1})}, {Shape(), Shape({17})},
    {Shape({0, 3}), Shape({1, 3})},    {Shape({100, 1}), Shape({1, 100})},
    {Shape({65, 129}), Shape({129})},  {Shape({300, 200}), Shape({300, 1})}};

// Calls `check` with x and y of each floating dtype, and with the tolerance of
// a result that is rounded once.
template <typename Check>
void WithFloats(const Check& check) {
  for (const Operands& o : kBroadcasts) {
    check(RandomTensor<float>(o.x), RandomTensor<float>(o.y, -2, 2, 2));
    check(RandomTensor<double>(o.x), RandomTensor<double>(o.y, -2, 2, 2));
    check(RandomTensor<float16>(o.x), RandomTensor<float16>(o.y, -2, 2, 2));
    check(RandomTensor<bfloat16>(o.x), RandomTensor<bfloat16>(o.y, -2, 2, 2));
  }
}

const float kInf = std::numeric_limits<float>::infinity();

// All pairs of numbers with special roles.
struct SpecialPairs {
  SpecialPairs() {
    const std::vector<float> values = {0.f,  -0.f,  1.f,           -2.5f,
                                       kInf, -kInf, std::nanf(""), 1e-42f};
    std::vector<float> first, second;
    for (const float a : values) {
      for (const float b : values) {
        first.push_back(a);
        second.push_back(b);
      }
    }
    const Shape shape({static_cast<int64_t>(first.size())});
    x = MakeTensor<float>(shape, absl::MakeConstSpan(first));
    y = MakeTensor<float>(shape, absl::MakeConstSpan(second));
  }
  DenseTensor x, y;
};

TEST(CombinationTest, KnowsInfinityAndNaN) {
  const SpecialPairs pairs;
  for (const char* op : {"atan2", "fmax", "fmin", "copysign", "heaviside"}) {
    CheckAgainstReference({op, {pairs.x, pairs.y}}, Ulps(1));
  }
}

TEST(Atan2Test, AgreesWithReference) {
  WithFloats([](const DenseTensor& x, const DenseTensor& y) {
    CheckAgainstReference({"atan2", {x, y}}, Ulps(1));
  });
}

TEST(CopysignTest, AgreesWithReference) {
  WithFloats([](const DenseTensor& x, const DenseTensor& y) {
    CheckAgainstReference({"copysign", {x, y}});
  });
}

TEST(NextafterTest, AgreesWithReference) {
  const SpecialPairs pairs;
  CheckAgainstReference({"nextafter", {pairs.x, pairs.y}});
  for (const Operands& o : kBroadcasts) {
    CheckAgainstReference(
        {"nextafter", {RandomTensor<float>(o.x), RandomTensor<float>(o.y)}});
    CheckAgainstReference(
        {"nextafter", {RandomTensor<double>(o.x), RandomTensor<double>(o.y)}});
  }
}

TEST(FmaxTest, PassesOverNaN) {
  const float nan = std::nanf("");
  const auto largest = [](std::vector<float> x, std::vector<float> y) {
    const Shape shape({static_cast<int64_t>(x.size())});
    const auto out = RunKernel(
        {"fmax", {MakeTensor<float>(shape, x), MakeTensor<float>(shape, y)}},
        "cpu");
    EXPECT_THAT(out, IsOk());
    return ToVector<float>((*out)[0]);
  };
  EXPECT_THAT(largest({nan, 2, -3}, {1, nan, -1}),
              ::testing::ElementsAre(1, 2, -1));
}

TEST(HeavisideTest, IsTheSecondOperandAtZero) {
  CheckAgainstReference({"heaviside",
                         {RandomTensor<int32_t>(Shape({64}), -1, 2),
                          RandomTensor<int32_t>(Shape({64}), -9, 9, 2)}});
}

TEST(LerpTest, AgreesWithReference) {
  WithFloats([](const DenseTensor& x, const DenseTensor& y) {
    const bool wide = x.dtype() == DataType::kFloat64;
    const bool narrow = ElementSize(x.dtype()) == 2;
    CheckAgainstReference({"lerp", {x, y, y}}, narrow ? Tolerance{1e-2, 1e-2}
                                               : wide ? Tolerance{1e-14, 1e-14}
                                                      : Tolerance{1e-6, 1e-6});
  });
}

TEST(LogitTest, LimitsWhatItTakes) {
  const double none = 0, eps = 0.25;
  for (const double* edge : {&none, &eps}) {
    CheckAgainstReference(
        {"logit", {RandomTensor<float>(Shape({130, 30}), -1, 2)}, {*edge}},
        Ulps(1));
    CheckAgainstReference(
        {"logit", {RandomTensor<double>(Shape({130, 30}), 0, 1)}, {*edge}},
        Ulps(4));
    CheckAgainstReference(
        {"logit",
         {MakeTensor<float>(Shape({5}), {0, 1, kInf, -kInf, std::nanf("")})},
         {*edge}},
        Ulps(1));
  }
}

// Values by hand: psi(1) is Euler's constant, psi'(1) is pi^2 / 6.
TEST(SpecialFunctionTest, DigammaAndItsGradient) {
  const DenseTensor x = MakeTensor<double>(Shape({2}), {1, 0.5});
  const auto psi = RunKernel({"digamma", {x}}, "cpu");
  ASSERT_THAT(psi, IsOk());
  EXPECT_NEAR((*psi)[0].data<double>()[0], -0.57721566490153286, 1e-15);
  EXPECT_NEAR((*psi)[0].data<double>()[1], -1.96351002602142348, 1e-15);
  const DenseTensor one = MakeTensor<double>(Shape({2}), {1, 1});
  const auto slope = RunKernel({"digamma_grad", {x, one}}, "cpu");
  ASSERT_THAT(slope, IsOk());
  EXPECT_NEAR((*slope)[0].data<double>()[0], 1.64493406684822644, 1e-15);
  EXPECT_NEAR((*slope)[0].data<double>()[1], 4.93480220054467931, 1e-14);
}

TEST(SpecialFunctionTest, DigammaGradAgreesWithReference) {
  for (const double low : {0.1, -9.0, 1e9}) {
    const DenseTensor x = RandomTensor<double>(Shape({33}), low, low * 2 + 30);
    const DenseTensor g = RandomTensor<double>(Shape({33}), -2, 2, 3);
    CheckAgainstReference({"digamma_grad", {x, g}}, {1e-13, 1e-13});
  }
}

TEST(BitwiseTest, AgreesWithReference) {
  for (const char* op : {"bitwise_and", "bitwise_or", "bitwise_xor"}) {
    for (const Operands& o : kBroadcasts) {
      CheckAgainstReference(
          {op,
           {RandomTensor<bool>(o.x, 0, 2), RandomTensor<bool>(o.y, 0, 2, 2)}});
      CheckAgainstReference({op,
                             {RandomTensor<uint8_t>(o.x, 0, 256),
                              RandomTensor<uint8_t>(o.y, 0, 256, 2)}});
      CheckAgainstReference({op,
                             {RandomTensor<int8_t>(o.x, -128, 128),
                              RandomTensor<int8_t>(o.y, -128, 128, 2)}});
      CheckAgainstReference({op,
                             {RandomTensor<int32_t>(o.x, -2e9, 2e9),
                              RandomTensor<int32_t>(o.y, -2e9, 2e9, 2)}});
      CheckAgainstReference({op,
                             {RandomTensor<int64_t>(o.x, -5e18, 5e18),
                              RandomTensor<int64_t>(o.y, -5e18, 5e18, 2)}});
    }
  }
}

TEST(BitwiseTest, ShiftsAgreeWithReferenceAtAnyCount) {
  for (const char* op : {"bitwise_left_shift", "bitwise_right_shift"}) {
    for (const Operands& o : kBroadcasts) {
      CheckAgainstReference({op,
                             {RandomTensor<uint8_t>(o.x, 0, 256),
                              RandomTensor<uint8_t>(o.y, 0, 12, 2)}});
      CheckAgainstReference({op,
                             {RandomTensor<int8_t>(o.x, -128, 128),
                              RandomTensor<int8_t>(o.y, -2, 12, 2)}});
      CheckAgainstReference({op,
                             {RandomTensor<int16_t>(o.x, -32768, 32768),
                              RandomTensor<int16_t>(o.y, -2, 20, 2)}});
      CheckAgainstReference({op,
                             {RandomTensor<int32_t>(o.x, -2e9, 2e9),
                              RandomTensor<int32_t>(o.y, -2, 36, 2)}});
      CheckAgainstReference({op,
                             {RandomTensor<int64_t>(o.x, -5e18, 5e18),
                              RandomTensor<int64_t>(o.y, -2, 70, 2)}});
    }
  }
}

TEST(BitwiseTest, NotInvertsEveryBit) {
  for (const Shape& shape :
       {Shape(), Shape({0, 3}), Shape({33}), Shape({130, 300})}) {
    CheckAgainstReference({"bitwise_not", {RandomTensor<bool>(shape, 0, 2)}});
    CheckAgainstReference(
        {"bitwise_not", {RandomTensor<uint8_t>(shape, 0, 256)}});
    CheckAgainstReference(
        {"bitwise_not", {RandomTensor<int8_t>(shape, -128, 128)}});
    CheckAgainstReference(
        {"bitwise_not", {RandomTensor<int32_t>(shape, -2e9, 2e9)}});
    CheckAgainstReference(
        {"bitwise_not", {RandomTensor<int64_t>(shape, -5e18, 5e18)}});
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
