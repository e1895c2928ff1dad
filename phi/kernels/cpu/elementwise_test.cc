// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels {
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
    {Shape({65, 129}), Shape({129})},  {Shape({300, 200}), Shape({300, 1})}};

struct UnaryCase {
  const char* op;
  double low, high;
  int64_t ulps;
};

class UnaryTest : public ::testing::TestWithParam<UnaryCase> {};

TEST_P(UnaryTest, AgreesWithReference) {
  const UnaryCase& c = GetParam();
  for (const Shape& shape : kShapes) {
    CheckAgainstReference({c.op, {RandomTensor<float>(shape, c.low, c.high)}},
                          Ulps(c.ulps));
    CheckAgainstReference({c.op, {RandomTensor<double>(shape, c.low, c.high)}},
                          Ulps(c.ulps));
  }
}

TEST_P(UnaryTest, RoundsHalvesOnce) {
  const UnaryCase& c = GetParam();
  for (const Shape& shape : kShapes) {
    CheckAgainstReference({c.op, {RandomTensor<float16>(shape, c.low, c.high)}},
                          Ulps(1));
    CheckAgainstReference(
        {c.op, {RandomTensor<bfloat16>(shape, c.low, c.high)}}, Ulps(1));
  }
}

TEST_P(UnaryTest, KnowsInfinityAndNaN) {
  const float inf = std::numeric_limits<float>::infinity();
  const DenseTensor x =
      MakeTensor<float>(Shape({10}), {0.f, -0.f, inf, -inf, std::nanf(""),
                                      1e-42f, 89.5f, -104.f, 3e38f, -3e38f});
  CheckAgainstReference({GetParam().op, {x}}, {1e-37, 1e-6, 4});
}

INSTANTIATE_TEST_SUITE_P(Operators, UnaryTest,
                         ::testing::Values(UnaryCase{"relu", -2, 2, 0},
                                           UnaryCase{"sigmoid", -30, 30, 4},
                                           UnaryCase{"tanh", -12, 12, 4},
                                           UnaryCase{"exp", -90, 88, 2},
                                           UnaryCase{"log", 0, 1e4, 2},
                                           UnaryCase{"sqrt", 0, 100, 0},
                                           UnaryCase{"square", -9, 9, 0},
                                           UnaryCase{"sign", -1, 1, 0}),
                         [](const auto& info) {
                           return std::string(info.param.op);
                         });

class BinaryTest : public ::testing::TestWithParam<const char*> {};

TEST_P(BinaryTest, AgreesWithReference) {
  for (const Operands& o : kBroadcasts) {
    CheckAgainstReference({GetParam(),
                           {RandomTensor<float>(o.x),
                            RandomTensor<float>(o.y, -3, 3, /*seed=*/2)}});
    CheckAgainstReference({GetParam(),
                           {RandomTensor<double>(o.x),
                            RandomTensor<double>(o.y, -3, 3, /*seed=*/2)}});
  }
}

TEST_P(BinaryTest, ComputesWithIntegers) {
  if (std::string(GetParam()) == "divide") return;  // Promoted to floats.
  for (const Operands& o : kBroadcasts) {
    CheckAgainstReference(
        {GetParam(),
         {RandomTensor<int32_t>(o.x, -2e9, 2e9),
          RandomTensor<int32_t>(o.y, -2e9, 2e9, /*seed=*/2)}});
    CheckAgainstReference(
        {GetParam(),
         {RandomTensor<int64_t>(o.x, -5e18, 5e18),
          RandomTensor<int64_t>(o.y, -5e18, 5e18, /*seed=*/2)}});
  }
}

TEST_P(BinaryTest, ComputesNarrowDtypesByWayOfWideOnes) {
  for (const Operands& o : kBroadcasts) {
    CheckAgainstReference({GetParam(),
                           {RandomTensor<float16>(o.x),
                            RandomTensor<float16>(o.y, -3, 3, /*seed=*/2)}},
                          Ulps(1));
    CheckAgainstReference({GetParam(),
                           {RandomTensor<bfloat16>(o.x),
                            RandomTensor<bfloat16>(o.y, -3, 3, /*seed=*/2)}},
                          Ulps(1));
    if (std::string(GetParam()) == "divide") continue;
    CheckAgainstReference({GetParam(),
                           {RandomTensor<int8_t>(o.x, -128, 128),
                            RandomTensor<int8_t>(o.y, -9, 9, /*seed=*/2)}});
    CheckAgainstReference({GetParam(),
                           {RandomTensor<uint8_t>(o.x, 0, 256),
                            RandomTensor<uint8_t>(o.y, 0, 9, /*seed=*/2)}});
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, BinaryTest,
                         ::testing::Values("add", "subtract", "multiply",
                                           "divide", "maximum", "equal",
                                           "less_than"),
                         [](const auto& info) {
                           return std::string(info.param);
                         });

TEST(MaximumTest, KeepsNaN) {
  const float nan = std::nanf("");
  CheckAgainstReference({"maximum",
                         {MakeTensor<float>(Shape({4}), {nan, 1, nan, -1}),
                          MakeTensor<float>(Shape({4}), {1, nan, nan, -2})}});
}

TEST(EqualTest, ComparesBools) {
  const DenseTensor x = RandomTensor<bool>(Shape({67}), 0, 2);
  const DenseTensor y = RandomTensor<bool>(Shape({67}), 0, 2, /*seed=*/3);
  CheckAgainstReference({"equal", {x, y}});
  CheckAgainstReference({"less_than", {x, y}});
  CheckAgainstReference({"logical_not", {x}});
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

TEST(GeluTest, AgreesWithReference) {
  for (const bool approximate : {false, true}) {
    for (const Shape& shape : kShapes) {
      CheckAgainstReference(
          {"gelu", {RandomTensor<float>(shape, -8, 8)}, {approximate}},
          {2e-6, 2e-6});
      CheckAgainstReference(
          {"gelu", {RandomTensor<double>(shape, -8, 8)}, {approximate}},
          {1e-13, 1e-14});
      CheckAgainstReference({"gelu_grad",
                             {RandomTensor<float>(shape, -8, 8),
                              RandomTensor<float>(shape, -1, 1, /*seed=*/2)},
                             {approximate}},
                            {2e-6, 2e-6});
    }
  }
}

TEST(ActivationGradTest, AgreesWithReference) {
  for (const char* op : {"relu_grad", "sigmoid_grad", "tanh_grad"}) {
    for (const Shape& shape : kShapes) {
      CheckAgainstReference({op,
                             {RandomTensor<float>(shape, -1, 1),
                              RandomTensor<float>(shape, -2, 2, /*seed=*/2)}},
                            {1e-6, 1e-6});
      CheckAgainstReference({op,
                             {RandomTensor<double>(shape, -1, 1),
                              RandomTensor<double>(shape, -2, 2, /*seed=*/2)}},
                            {1e-15, 1e-15});
    }
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels
