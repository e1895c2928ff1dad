// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <limits>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

using Axes = absl::Span<const int64_t>;

constexpr Tolerance kFloat = {1e-5, 1e-4};
constexpr Tolerance kDouble = {1e-12, 1e-11};

// Holds the three kernels against their references along one axis.
template <typename T>
void CheckLength(int64_t n, Tolerance tolerance) {
  const int64_t axis[] = {1};
  const Axes axes(axis);
  const Shape shape({2, n, 3}), half({2, n / 2 + 1, 3});
  for (const bool forward : {true, false}) {
    CheckAgainstReference({"fft_c2c",
                           {RandomTensor<std::complex<T>>(shape)},
                           {axes, "backward", forward}},
                          tolerance);
    for (const bool onesided : {true, false}) {
      CheckAgainstReference({"fft_r2c",
                             {RandomTensor<T>(shape)},
                             {axes, "ortho", forward, onesided}},
                            tolerance);
    }
    CheckAgainstReference({"fft_c2r",
                           {RandomTensor<std::complex<T>>(half)},
                           {axes, "forward", forward, n}},
                          tolerance);
  }
}

// Small factors, primes (by Bluestein's convolution) and products of both.
TEST(FourierTest, AgreesWithReferenceForAnyLength) {
  for (int64_t n = 1; n <= 32; ++n) {
    CheckLength<float>(n, kFloat);
    CheckLength<double>(n, kDouble);
  }
  for (const int64_t n : {60, 64, 77, 97, 121, 125, 128, 243, 254}) {
    CheckLength<double>(n, kDouble);
  }
}

TEST(FourierTest, TransformsSeveralAxesAndManyLines) {
  const int64_t several[] = {2, 0, -3}, one[] = {-1};
  const Axes axes(several), last(one);
  for (const Shape& shape : {Shape({4, 3, 5, 6}), Shape({2, 9, 7, 17})}) {
    CheckAgainstReference({"fft_c2c",
                           {RandomTensor<std::complex<double>>(shape)},
                           {axes, "forward", true}},
                          kDouble);
    CheckAgainstReference(
        {"fft_r2c", {RandomTensor<float>(shape)}, {axes, "ortho", true, true}},
        kFloat);
    const int64_t n = 2 * shape.extent(1) - 1;
    CheckAgainstReference({"fft_c2r",
                           {RandomTensor<std::complex<float>>(shape)},
                           {axes, "backward", false, n}},
                          kFloat);
  }
  CheckAgainstReference({"fft_r2c",
                         {RandomTensor<float>(Shape({300, 30}))},
                         {last, "backward", true, true}},
                        kFloat);
}

TEST(FourierTest, ItsGradientTakesMissingFrequenciesForZeros) {
  const int64_t several[] = {0, -1};
  const Axes axes(several);
  for (const int64_t n : {1, 2, 7, 8}) {
    const DenseTensor x = RandomTensor<double>(Shape({3, n, 5, n}));
    for (const bool onesided : {true, false}) {
      const int64_t m = onesided ? n / 2 + 1 : n;
      const auto g = RandomTensor<std::complex<double>>(Shape({3, n, 5, m}));
      CheckAgainstReference(
          {"fft_r2c_grad", {x, g}, {axes, "backward", true, onesided}},
          kDouble);
    }
  }
}

// The imaginary part of a frequency that is its own conjugate counts nothing,
// even if it isn't finite.
TEST(FourierTest, IgnoresImaginaryPartsThatCancel) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const int64_t axis[] = {0};
  const Axes axes(axis);
  DenseTensor x = RandomTensor<std::complex<float>>(Shape({4}));
  auto* const values = x.mutable_data<std::complex<float>>();
  values[0] = {1, nan};
  values[3] = {2, nan};
  const auto out =
      RunKernel({"fft_c2r", {x}, {axes, "backward", false, int64_t{6}}}, "cpu");
  ASSERT_THAT(out, IsOk());
  for (int64_t i = 0; i < 6; ++i) {
    const float value = (*out)[0].data<float>()[i];
    EXPECT_EQ(value, value);
  }
}

TEST(FourierTest, TakesEmptyTensorsOfHugeExtents) {
  const int64_t large = int64_t{1} << 40;
  const int64_t axis[] = {1};
  const Axes axes(axis);
  const DenseTensor x =
      EmptyTensor(DataType::kComplex64, Shape({large, 4, large, 0}));
  EXPECT_THAT(RunKernel({"fft_c2c", {x}, {axes, "backward", true}}, "cpu"),
              IsOk());
  EXPECT_THAT(
      RunKernel({"fft_c2r", {x}, {axes, "backward", true, int64_t{6}}}, "cpu"),
      IsOk());
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
