// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "framework/types/float16.h"
#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

struct Case {
  Shape shape;
  int axis;
};
const Case kCases[] = {{Shape(), 0},
                       {Shape({0, 3}), 1},
                       {Shape({3, 0}), 1},
                       {Shape({1, 1}), -1},
                       {Shape({5, 3}), -1},
                       {Shape({4, 17}), 1},
                       {Shape({4, 33}), 0},
                       {Shape({2, 9, 21}), 1},
                       {Shape({3, 5, 2, 7}), -3},
                       {Shape({16, 1000}), -1},
                       {Shape({300, 130}), -1},
                       {Shape({130, 300}), 0}};

class SoftmaxTest : public ::testing::TestWithParam<const char*> {};

TEST_P(SoftmaxTest, AgreesWithReference) {
  for (const Case& c : kCases) {
    CheckAgainstReference(
        {GetParam(), {RandomTensor<float>(c.shape, -20, 20)}, {c.axis}},
        {1e-6, 4e-6});
    CheckAgainstReference(
        {GetParam(), {RandomTensor<double>(c.shape, -20, 20)}, {c.axis}},
        {1e-14, 1e-13});
  }
}

TEST_P(SoftmaxTest, GradientAgreesWithReference) {
  const std::string op = GetParam() + std::string("_grad");
  for (const Case& c : kCases) {
    CheckAgainstReference({op,
                           {RandomTensor<float>(c.shape, -1, 0),
                            RandomTensor<float>(c.shape, -1, 1, /*seed=*/2)},
                           {c.axis}},
                          {2e-4, 1e-5});
    CheckAgainstReference({op,
                           {RandomTensor<double>(c.shape, -1, 0),
                            RandomTensor<double>(c.shape, -1, 1, /*seed=*/2)},
                           {c.axis}},
                          {1e-12, 1e-13});
  }
}

// Computed as float: off by the rounding of the result only.
template <typename T>
void CheckHalf(const std::string& op, double tolerance) {
  for (const Case& c : kCases) {
    CheckAgainstReference({op, {RandomTensor<T>(c.shape, -8, 8)}, {c.axis}},
                          {tolerance, tolerance});
    CheckAgainstReference({op + "_grad",
                           {RandomTensor<T>(c.shape, -1, 0),
                            RandomTensor<T>(c.shape, -1, 1, /*seed=*/2)},
                           {c.axis}},
                          {tolerance, tolerance});
  }
}

TEST_P(SoftmaxTest, HalvesAgreeWithReference) {
  CheckHalf<float16>(GetParam(), 0x1p-10);
  CheckHalf<bfloat16>(GetParam(), 0x1p-7);
}

// Masked elements, and those far below the largest, are exactly 0; NaN spreads
// along its line alone. As rows, and as columns side by side.
TEST(SoftmaxEdgesTest, MaskedElementsAreZero) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr int64_t kExtent = 37;
  for (const int axis : {0, 1}) {
    std::vector<float> values(2 * kExtent, -kInfinity);
    const auto at = [&](int64_t line, int64_t i) {
      return axis == 1 ? line * kExtent + i : 2 * i + line;
    };
    values[at(0, 3)] = values[at(0, 36)] = 5;
    values[at(0, 4)] = -90;
    values[at(1, 20)] = kNan;
    const Shape shape = axis == 1 ? Shape({2, kExtent}) : Shape({kExtent, 2});
    const auto outputs = RunKernel(
        {"softmax", {MakeTensor<float>(shape, values)}, {axis}}, "cpu");
    ASSERT_THAT(outputs, IsOk());
    const std::vector<float> out = ToVector<float>((*outputs)[0]);
    for (int64_t i = 0; i < kExtent; ++i) {
      EXPECT_EQ(out[at(0, i)], i == 3 || i == 36 ? 0.5f : 0.f) << i;
      EXPECT_TRUE(std::isnan(out[at(1, i)])) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, SoftmaxTest,
                         ::testing::Values("softmax", "log_softmax"),
                         [](const auto& info) {
                           return std::string(info.param);
                         });

// Products of some extents leave int64 though there are no elements.
TEST_P(SoftmaxTest, TakesEmptyTensorsOfHugeExtents) {
  const int64_t large = int64_t{1} << 40;
  for (const Shape& shape :
       {Shape({large, 0, large}), Shape({0, large, large})}) {
    for (const DataType dtype : {DataType::kFloat32, DataType::kFloat16}) {
      const DenseTensor x = EmptyTensor(dtype, shape);
      for (const int axis : {0, 1, 2}) {
        EXPECT_THAT(RunKernel({GetParam(), {x}, {axis}}, "cpu"), IsOk());
        const std::string grad = GetParam() + std::string("_grad");
        EXPECT_THAT(RunKernel({grad, {x, x}, {axis}}, "cpu"), IsOk());
      }
    }
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
