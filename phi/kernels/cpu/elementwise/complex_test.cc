// SPDX-License-Identifier: Apache-2.0
// Kernels of complex numbers against their reference kernels, and their values
// where the parts are special.
#include <cmath>
#include <complex>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;

const Shape kShapes[] = {Shape({0}), Shape(), Shape({7}), Shape({2, 3, 5}),
                         Shape({130, 300})};

struct Operands {
  Shape x, y;
};
const Operands kBroadcasts[] = {{Shape({2, 3}), Shape({2, 3})},
                                {Shape({4, 1, 5}), Shape({3, 1})},
                                {Shape(), Shape({17})},
                                {Shape({0, 3}), Shape({1, 3})},
                                {Shape({300, 200}), Shape({300, 1})}};

TEST(ComplexTest, UnaryKernelsAgreeWithReference) {
  for (const char* op :
       {"real", "imag", "conj", "abs", "angle", "square", "reciprocal"}) {
    SCOPED_TRACE(op);
    for (const Shape& shape : kShapes) {
      CheckAgainstReference({op, {RandomTensor<Complex64>(shape)}}, Ulps(4));
      CheckAgainstReference({op, {RandomTensor<Complex128>(shape)}}, Ulps(4));
    }
  }
}

TEST(ComplexTest, BinaryKernelsAgreeWithReference) {
  for (const char* op :
       {"add", "subtract", "multiply", "divide", "equal", "not_equal"}) {
    SCOPED_TRACE(op);
    for (const Operands& o : kBroadcasts) {
      CheckAgainstReference({op,
                             {RandomTensor<Complex64>(o.x),
                              RandomTensor<Complex64>(o.y, -2, 2, 2)}},
                            Ulps(8));
      CheckAgainstReference({op,
                             {RandomTensor<Complex128>(o.x),
                              RandomTensor<Complex128>(o.y, -2, 2, 2)}},
                            Ulps(8));
    }
  }
}

TEST(ComplexTest, PartsMakeANumber) {
  for (const Operands& o : kBroadcasts) {
    CheckAgainstReference(
        {"complex",
         {RandomTensor<float>(o.x), RandomTensor<float>(o.y, -2, 2, 2)}});
    CheckAgainstReference(
        {"complex",
         {RandomTensor<double>(o.x), RandomTensor<double>(o.y, -2, 2, 2)}});
  }
}

TEST(ComplexTest, ScaleTakesComplexNumbers) {
  const Scalar scale(Complex128(0.5, -2)), bias(Complex128(0, 1));
  for (const bool after : {false, true}) {
    CheckAgainstReference(
        {"scale", {RandomTensor<Complex64>(Shape({33}))}, {scale, bias, after}},
        Ulps(8));
  }
}

TEST(ComplexTest, AnglesOfAxesAndOfRealNumbers) {
  const float inf = std::numeric_limits<float>::infinity();
  CheckAgainstReference(
      {"angle",
       {MakeTensor<Complex64>(
           Shape({6}),
           {{0, 0}, {-1, 0}, {-1, -0.f}, {0, -2}, {inf, inf}, {1, 0}})}},
      Ulps(1));
  CheckAgainstReference(
      {"angle", {MakeTensor<float>(Shape({5}), {0, -0.f, -3, 4, NAN})}},
      Ulps(1));
}

TEST(ComplexTest, AbsDoesNotOverflowOnTheWay) {
  const auto result = RunKernel(
      {"abs", {MakeTensor<Complex64>(Shape({1}), {{3e38f, 0}})}}, "cpu");
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(ToVector<float>((*result)[0]), std::vector<float>{3e38f});
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
