// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

const DenseTensor kAbsent;

struct Groups {
  Shape shape;
  int groups;
  const char* format = "NCHW";

  Shape channels() const {
    const bool last = std::string_view(format) == "NHWC";
    return Shape({shape[last ? shape.rank() - 1 : 1]});
  }
};

// T: of x; P: of its parameters. Gradients with and without those of the
// statistics.
template <typename T, typename P>
void CheckGroupNorm(const Groups& of, bool parameters, Tolerance tolerance) {
  SCOPED_TRACE(ToString(of.shape));
  const DenseTensor x = RandomTensor<T>(of.shape, -3, 5);
  const DenseTensor scale =
      parameters ? RandomTensor<P>(of.channels(), 0.5, 2) : kAbsent;
  const DenseTensor bias =
      parameters ? RandomTensor<P>(of.channels(), -1, 1, /*seed=*/2) : kAbsent;
  const KernelCase forward{
      "group_norm", {x, scale, bias}, {1e-3, of.groups, of.format}};
  CheckAgainstReference(forward, tolerance);
  const auto outputs = RunKernel(forward, "reference");
  ASSERT_THAT(outputs, IsOk());
  const DenseTensor& mean = (*outputs)[1];
  const DenseTensor dy = RandomTensor<T>(of.shape, -1, 1, /*seed=*/5);
  using S = std::conditional_t<sizeof(T) == 2, float, T>;
  const DenseTensor by_mean = RandomTensor<S>(mean.shape(), -1, 1, /*seed=*/6);
  const DenseTensor by_spread =
      RandomTensor<S>(mean.shape(), -1, 1, /*seed=*/7);
  for (const bool statistics : {false, true}) {
    CheckAgainstReference(
        {"group_norm_grad",
         {x, scale, bias, mean, (*outputs)[2], dy,
          statistics ? by_mean : kAbsent, statistics ? by_spread : kAbsent},
         {1e-3, of.groups, of.format}},
        tolerance);
  }
}

template <typename T, typename P>
void CheckInstanceNorm(const Shape& shape, Tolerance tolerance, double low = -3,
                       double high = 5, double epsilon = 1e-3) {
  SCOPED_TRACE(ToString(shape));
  const Shape channels({shape[1]});
  const DenseTensor x = RandomTensor<T>(shape, low, high);
  const DenseTensor scale = RandomTensor<P>(channels, 0.5, 2);
  const DenseTensor bias = RandomTensor<P>(channels, -1, 1, /*seed=*/2);
  const KernelCase forward{"instance_norm", {x, scale, bias}, {epsilon}};
  CheckAgainstReference(forward, tolerance);
  const auto outputs = RunKernel(forward, "reference");
  ASSERT_THAT(outputs, IsOk());
  CheckAgainstReference(
      {"instance_norm_grad",
       {x, scale, bias, (*outputs)[1], (*outputs)[2],
        RandomTensor<T>(shape, -1, 1, /*seed=*/5), kAbsent, kAbsent},
       {epsilon}},
      tolerance);
}

TEST(GroupNormTest, AgreesWithReference) {
  for (const Groups& of :
       {Groups{Shape({2, 6, 5, 7}), 3}, Groups{Shape({3, 4}), 2},
        Groups{Shape({40, 64}), 8}, Groups{Shape({1, 2, 9000}), 1},
        Groups{Shape({2, 4, 3, 3, 3}), 4}, Groups{Shape({0, 4, 2}), 2},
        Groups{Shape({2, 5, 3, 6}), 2, "NHWC"},
        Groups{Shape({2, 3, 1, 1}), 3}}) {
    CheckGroupNorm<float, float>(of, true, {1e-3, 1e-4});
    CheckGroupNorm<double, double>(of, false, {1e-10, 1e-10});
    CheckGroupNorm<float16, float>(of, true, {2e-2, 2e-3});
    CheckGroupNorm<float16, float16>(of, true, {4e-2, 4e-3});
    CheckGroupNorm<bfloat16, float>(of, true, {2e-1, 2e-2});
  }
}

// Elements of bfloat16 are normalized as floats, and the results rounded once:
// over several blocks of a channel, its end, and where squares leave the range.
TEST(GroupNormTest, BFloat16RoundsTheResultsOfFloat) {
  for (const Shape& shape :
       {Shape({2, 6, 5, 7}), Shape({1, 2, 9000}), Shape({2, 2, 1024}),
        Shape({1, 4, 1025}), Shape({1, 2, 1})}) {
    for (const double most : {3.0, 1e30}) {
      SCOPED_TRACE(ToString(shape) + " " + std::to_string(most));
      const DenseTensor x = RandomTensor<bfloat16>(shape, -1, most);
      DenseTensor wide = RandomTensor<float>(shape);
      std::copy_n(x.data<bfloat16>(), x.numel(), wide.mutable_data<float>());
      const Shape channels({shape[1]});
      DenseTensor scale = RandomTensor<float>(channels, 0.5, 2);
      // A NaN stays one, and what is too large becomes infinite.
      scale.mutable_data<float>()[0] = std::nanf("");
      scale.mutable_data<float>()[1] = 3e38f;
      const DenseTensor bias = RandomTensor<float>(channels, -1, 1);
      const auto narrow =
          RunKernel({"group_norm", {x, scale, bias}, {1e-3, 2, "NCHW"}}, "cpu");
      const auto exact = RunKernel(
          {"group_norm", {wide, scale, bias}, {1e-3, 2, "NCHW"}}, "cpu");
      ASSERT_THAT(narrow, IsOk());
      ASSERT_THAT(exact, IsOk());
      for (int64_t i = 0; i < x.numel(); ++i) {
        const auto got = static_cast<float>((*narrow)[0].data<bfloat16>()[i]);
        const auto want =
            static_cast<float>(bfloat16((*exact)[0].data<float>()[i]));
        ASSERT_TRUE(got == want || (std::isnan(got) && std::isnan(want)))
            << i << ": " << got << " for " << want;
      }
    }
  }
}

TEST(InstanceNormTest, AgreesWithReference) {
  for (const Shape& shape : {Shape({2, 3, 5, 7}), Shape({4, 3, 70}),
                             Shape({1, 2, 100, 100}), Shape({0, 3, 2})}) {
    CheckInstanceNorm<float, float>(shape, {1e-3, 1e-4});
    CheckInstanceNorm<double, double>(shape, {1e-10, 1e-10});
    CheckInstanceNorm<float16, float>(shape, {2e-2, 2e-3});
    CheckInstanceNorm<bfloat16, float>(shape, {2e-1, 2e-2});
  }
}

TEST(InstanceNormTest, NormalizesBeyondTheRangeOfSquares) {
  const Shape shape({2, 3, 9});
  const Tolerance tolerance = {1e-5, 1e-5};
  CheckInstanceNorm<float, float>(shape, tolerance, -1e36, 1e36);
  CheckInstanceNorm<float, float>(shape, tolerance, 1e19, 9e19);
  CheckInstanceNorm<float, float>(shape, tolerance, -1e-30, 1e-30, 0);
  CheckInstanceNorm<double, double>(shape, tolerance, -1e305, 1e305);
  CheckInstanceNorm<double, double>(shape, tolerance, -1e-200, 1e-200, 0);
}

// Sums of many elements far from 0 are not lost in float32.
TEST(GroupNormTest, KeepsTheStatisticsOfMany) {
  const Shape shape({1, 1, 1 << 20});
  const DenseTensor x = RandomTensor<float>(shape, 99, 101);
  const auto outputs = RunKernel(
      {"group_norm", {x, kAbsent, kAbsent}, {1e-5, 1, "NCHW"}}, "cpu");
  const auto right = RunKernel(
      {"group_norm", {x, kAbsent, kAbsent}, {1e-5, 1, "NCHW"}}, "reference");
  ASSERT_THAT(outputs, IsOk());
  ASSERT_THAT(right, IsOk());
  EXPECT_FLOAT_EQ((*outputs)[1].data<float>()[0], (*right)[1].data<float>()[0]);
  EXPECT_NEAR((*outputs)[2].data<float>()[0], (*right)[2].data<float>()[0],
              1e-6);
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
