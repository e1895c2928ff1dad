// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

struct PoolCase {
  Shape x;
  std::vector<int64_t> kernel;
  std::vector<int> strides, paddings;
  bool ceil_mode = false;
  bool global = false;
  bool adaptive = false;
  const char* format = "NCHW";
  const char* algorithm = "EXPLICIT";
};

const PoolCase kPoolCases[] = {
    {Shape({2, 3, 8, 8}), {2, 2}, {2, 2}, {0, 0}},
    {Shape({64, 6, 28, 28}), {2, 2}, {2, 2}, {0, 0}},
    {Shape({2, 3, 7, 9}), {2, 2}, {2, 2}, {0, 0}},
    {Shape({2, 3, 7, 9}), {3, 2}, {2, 1}, {1, 1}},
    {Shape({2, 3, 7, 9}), {3, 3}, {2, 2}, {1, 0, 0, 1}, true},
    {Shape({2, 3, 6, 5}), {2, 2}, {2, 2}, {0, 0}, true},
    {Shape({2, 3, 7, 9}), {1, 1}, {1, 1}, {0, 0}, false, true},
    {Shape({2, 3, 7, 9}), {3, 4}, {1, 1}, {0, 0}, false, false, true},
    {Shape({2, 5, 6, 3}), {3, 3}, {2, 2}, {0, 0}, false, false, false, "NHWC"},
    {Shape({2, 3, 5, 6}),
     {3, 3},
     {2, 2},
     {0, 0},
     false,
     false,
     false,
     "NCHW",
     "SAME"},
    {Shape({0, 3, 5, 6}), {3, 3}, {2, 2}, {0, 0}},
    // Rows of several vectors, and an end of one.
    {Shape({2, 2, 9, 37}), {3, 3}, {1, 1}, {1, 1}},
    {Shape({2, 2, 9, 75}), {3, 3}, {2, 2}, {1, 1}},
    {Shape({2, 2, 6, 41}), {2, 2}, {2, 2}, {0, 0}},
    {Shape({2, 2, 6, 41}), {2, 2}, {2, 2}, {1, 1}, true},
    {Shape({2, 2, 7, 40}), {5, 5}, {1, 1}, {2, 2}},
    {Shape({2, 2, 7, 40}), {4, 5}, {2, 2}, {1, 2}},
    {Shape({2, 2, 7, 40}), {2, 1}, {2, 2}, {0, 0}},
    {Shape({2, 2, 9, 40}), {3, 3}, {3, 3}, {1, 1}},
    {Shape({1, 2, 50, 50}), {40, 40}, {1, 2}, {0, 0}},
    {Shape({2, 2, 7, 40}), {3, 7}, {1, 1}, {0, 0}, false, false, true},
    {Shape({2, 2, 7, 40}), {1, 1}, {1, 1}, {0, 0}, false, true},
    // Rows of less than one.
    {Shape({8, 9, 7, 7}), {3, 3}, {1, 1}, {1, 1}},
    {Shape({5, 7, 2, 3}), {2, 2}, {1, 1}, {1, 1}},
    {Shape({3, 4, 13, 13}), {5, 5}, {1, 1}, {2, 2}},
    {Shape({2, 3, 14, 14}), {11, 11}, {1, 1}, {0, 0}},
};

template <typename T>
void CheckPool(const PoolCase& c, const char* type, bool exclusive) {
  const std::vector<AttrRef> attrs = {absl::MakeConstSpan(c.kernel),
                                      absl::MakeConstSpan(c.strides),
                                      absl::MakeConstSpan(c.paddings),
                                      c.ceil_mode,
                                      exclusive,
                                      c.format,
                                      type,
                                      c.global,
                                      c.adaptive,
                                      c.algorithm};
  const DenseTensor x = RandomTensor<T>(c.x);
  const KernelCase forward{"pool2d", {x}, attrs};
  CheckAgainstReference(forward, {1e-5, 1e-5});
  const auto outputs = RunKernel(forward, "reference");
  ASSERT_THAT(outputs, IsOk());
  const DenseTensor& out = (*outputs)[0];
  CheckAgainstReference(
      {"pool2d_grad", {x, out, RandomTensor<T>(out.shape())}, attrs},
      {1e-5, 1e-5});
  CheckAgainstReference(
      {"pool2d_double_grad", {x, out, RandomTensor<T>(x.shape())}, attrs},
      {1e-5, 1e-5});
}

TEST(PoolTest, AgreesWithReference) {
  for (const PoolCase& c : kPoolCases) {
    SCOPED_TRACE(ToString(c.x));
    for (const bool exclusive : {true, false}) {
      CheckPool<float>(c, "max", exclusive);
      CheckPool<double>(c, "max", exclusive);
      CheckPool<float>(c, "avg", exclusive);
      CheckPool<double>(c, "avg", exclusive);
    }
  }
}

// The results of pool2d and its gradients for x of height 2: one tile of 2 x 2,
// or such windows that overlap. out_grad is {10, 20}, x_grad_grad {1, 2, ...}.
template <typename T>
struct Pooled {
  std::vector<T> out, x_grad, out_grad_grad;
};

template <typename T>
Pooled<T> LargestOf(const std::vector<T>& values, std::string_view backend,
                    const char* format) {
  const bool last = std::string_view(format) == "NHWC";
  const int64_t width = static_cast<int64_t>(values.size()) / 2;
  const DenseTensor x = MakeTensor<T>(
      last ? Shape({1, 2, width, 1}) : Shape({1, 1, 2, width}), values);
  const std::vector<int64_t> kernel = {2, 2};
  const std::vector<int> strides =
      width == 2 ? std::vector<int>{2, 2} : std::vector<int>{1, 1};
  const std::vector<int> paddings = {0, 0};
  const std::vector<AttrRef> attrs = {absl::MakeConstSpan(kernel),
                                      absl::MakeConstSpan(strides),
                                      absl::MakeConstSpan(paddings),
                                      false,
                                      true,
                                      format,
                                      "max",
                                      false,
                                      false,
                                      "EXPLICIT"};
  const auto out = RunKernel({"pool2d", {x}, attrs}, backend);
  EXPECT_THAT(out, IsOk());
  std::vector<T> weights, tangent;
  for (int64_t i = 1; i < width; ++i) weights.push_back(10 * i);
  for (int64_t i = 1; i <= x.numel(); ++i) tangent.push_back(i);
  const DenseTensor dy = MakeTensor<T>((*out)[0].shape(), weights);
  const DenseTensor ddx = MakeTensor<T>(x.shape(), tangent);
  const auto dx =
      RunKernel({"pool2d_grad", {x, (*out)[0], dy}, attrs}, backend);
  EXPECT_THAT(dx, IsOk());
  const auto ddy =
      RunKernel({"pool2d_double_grad", {x, (*out)[0], ddx}, attrs}, backend);
  EXPECT_THAT(ddy, IsOk());
  return {ToVector<T>((*out)[0]), ToVector<T>((*dx)[0]),
          ToVector<T>((*ddy)[0])};
}

template <typename T>
class LargestTest : public testing::Test {};
using Floating = testing::Types<float, double>;
TYPED_TEST_SUITE(LargestTest, Floating);

// The expected values are PyTorch's.
TYPED_TEST(LargestTest, NanAndInfinityAreElementsAsOthers) {
  using T = TypeParam;
  using testing::ElementsAre;
  using testing::IsNan;
  constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
  constexpr T kInf = std::numeric_limits<T>::infinity();
  for (const char* backend : {"reference", "cpu"}) {
    for (const char* format : {"NCHW", "NHWC"}) {
      SCOPED_TRACE(format);
      // The first of equal elements takes the gradient.
      Pooled<T> p = LargestOf<T>({1, 3, 3, 3}, backend, format);
      EXPECT_THAT(p.out, ElementsAre(3));
      EXPECT_THAT(p.x_grad, ElementsAre(0, 10, 0, 0));
      EXPECT_THAT(p.out_grad_grad, ElementsAre(2));
      p = LargestOf<T>({-kInf, -kInf, -kInf, -kInf}, backend, format);
      EXPECT_THAT(p.out, ElementsAre(-kInf));
      EXPECT_THAT(p.x_grad, ElementsAre(10, 0, 0, 0));
      // Wherever a NaN stands, it is the largest; the last one takes.
      for (int place = 0; place < 4; ++place) {
        std::vector<T> x = {1, 2, kInf, 3}, expected(4);
        x[place] = kNan;
        expected[place] = 10;
        p = LargestOf<T>(x, backend, format);
        EXPECT_THAT(p.out, ElementsAre(IsNan()));
        EXPECT_EQ(p.x_grad, expected);
        EXPECT_THAT(p.out_grad_grad, ElementsAre(place + 1));
      }
      p = LargestOf<T>({kNan, 5, kNan, 1}, backend, format);
      EXPECT_THAT(p.x_grad, ElementsAre(0, 0, 10, 0));
      // Windows that overlap.
      p = LargestOf<T>({kNan, 7, -kInf, 1, 2, 9}, backend, format);
      EXPECT_THAT(p.out, ElementsAre(IsNan(), 9));
      EXPECT_THAT(p.x_grad, ElementsAre(10, 0, 0, 0, 0, 20));
      EXPECT_THAT(p.out_grad_grad, ElementsAre(1, 6));
      p = LargestOf<T>({1, kNan, 3, 4, kNan, 6}, backend, format);
      EXPECT_THAT(p.out, ElementsAre(IsNan(), IsNan()));
      EXPECT_THAT(p.x_grad, ElementsAre(0, 0, 0, 0, 30, 0));
    }
  }
}

// In vectors of every kind of row.
TYPED_TEST(LargestTest, KeepsNanInVectors) {
  using T = TypeParam;
  for (const PoolCase& c : kPoolCases) {
    SCOPED_TRACE(ToString(c.x));
    DenseTensor x = RandomTensor<T>(c.x);
    for (int64_t i = 0; i < x.numel(); i += 11) {
      x.mutable_data<T>()[i] = std::numeric_limits<T>::quiet_NaN();
    }
    const std::vector<AttrRef> attrs = {absl::MakeConstSpan(c.kernel),
                                        absl::MakeConstSpan(c.strides),
                                        absl::MakeConstSpan(c.paddings),
                                        c.ceil_mode,
                                        true,
                                        c.format,
                                        "max",
                                        c.global,
                                        c.adaptive,
                                        c.algorithm};
    const auto expected = RunKernel({"pool2d", {x}, attrs}, "reference");
    const auto out = RunKernel({"pool2d", {x}, attrs}, "cpu");
    ASSERT_THAT(expected, IsOk());
    ASSERT_THAT(out, IsOk());
    const std::vector<T> actual = ToVector<T>((*out)[0]);
    const std::vector<T> wanted = ToVector<T>((*expected)[0]);
    ASSERT_EQ(actual.size(), wanted.size());
    for (size_t i = 0; i < actual.size(); ++i) {
      if (std::isnan(wanted[i])) {
        EXPECT_TRUE(std::isnan(actual[i])) << i;
      } else {
        EXPECT_EQ(actual[i], wanted[i]) << i;
      }
    }
  }
}

// Which of several NaN, and of zeros of either sign, does not depend on the
// order of the axes in memory.
TYPED_TEST(LargestTest, HasTheSameBitsInEveryLayout) {
  using T = TypeParam;
  constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
  for (const PoolCase& c : kPoolCases) {
    SCOPED_TRACE(ToString(c.x));
    DenseTensor x = RandomTensor<T>(c.x, -2, -1);
    for (int64_t i = 0; i < x.numel(); ++i) {
      T& element = x.mutable_data<T>()[i];
      if (i % 3 == 0) element = i % 2 == 0 ? T{0} : -T{0};
      if (i % 37 == 0) element = i % 2 == 0 ? kNan : -kNan;
    }
    const KernelCase call{
        "pool2d",
        {x},
        {absl::MakeConstSpan(c.kernel), absl::MakeConstSpan(c.strides),
         absl::MakeConstSpan(c.paddings), c.ceil_mode, true, c.format, "max",
         c.global, c.adaptive, c.algorithm}};
    const auto expected = RunKernel(call, "cpu");
    ASSERT_THAT(expected, IsOk());
    for (const char* tag : {"aBcd8b", "aBcd16b", "aDbc8d", "aDbc16d", "adbc"}) {
      SCOPED_TRACE(tag);
      auto outputs = Outputs(call);
      ASSERT_THAT(outputs, IsOk());
      ASSERT_THAT(Launch(*FindKernel(call, "cpu"), call, &*outputs,
                         *ParseLayoutDescriptor(tag)),
                  IsOk());
      EXPECT_TRUE(TensorsIdentical((*outputs)[0], (*expected)[0]));
    }
  }
}

TYPED_TEST(LargestTest, HasNoFloorAboveTheLowestNumber) {
  using T = TypeParam;
  const T low = std::numeric_limits<T>::lowest();
  for (const char* backend : {"reference", "cpu"}) {
    for (const char* format : {"NCHW", "NHWC"}) {
      const Pooled<T> p =
          LargestOf<T>({low, low, low, low, low / 2, low}, backend, format);
      EXPECT_THAT(p.out, testing::ElementsAre(low / 2, low / 2));
      EXPECT_THAT(p.x_grad, testing::ElementsAre(0, 0, 0, 0, 30, 0));
    }
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
