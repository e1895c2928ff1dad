// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <vector>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

template <typename T>
T Mirrored(T v) {
  if constexpr (kIsComplex<T>) return std::conj(v);
  return v;
}

// [..., n, n] whose diagonal outweighs the rest, symmetric (of complex numbers
// Hermitian) where asked.
template <typename T>
DenseTensor Regular(const Shape& shape, bool symmetric = false) {
  DenseTensor x = RandomTensor<T>(shape, -1, 1);
  const int64_t n = shape.extent(shape.rank() - 1);
  T* values = x.mutable_data<T>();
  if constexpr (kIsComplex<T>) {
    const auto parts = RandomTensor<RealType<T>>(shape, -1, 1, 5);
    for (int64_t e = 0; e < x.numel(); ++e) {
      values[e] += T(0, parts.template data<RealType<T>>()[e]);
    }
  }
  for (int64_t e = 0; e < x.numel(); ++e) {
    const int64_t row = e / n % n, column = e % n;
    if (symmetric && row < column) {
      values[e] = Mirrored(values[e - e % (n * n) + column * n + row]);
    }
    if (row == column) values[e] = static_cast<T>(n + 0.5);
  }
  // The upper triangle was copied before the lower one was met.
  for (int64_t e = 0; symmetric && e < x.numel(); ++e) {
    const int64_t row = e / n % n, column = e % n;
    if (row > column) {
      values[e] = Mirrored(values[e - e % (n * n) + column * n + row]);
    }
  }
  return x;
}

constexpr Tolerance kFloat = {1e-4, 1e-5};
constexpr Tolerance kDouble = {1e-11, 1e-12};

// Calls `check` with each shape's matrices of real and of complex numbers.
template <typename Check>
void WithMatrices(bool symmetric, const Check& check) {
  for (const Shape& shape :
       {Shape({1, 1}), Shape({3, 3}), Shape({2, 5, 4, 4}), Shape({0, 3, 3}),
        Shape({2, 0, 0}), Shape({70, 70}), Shape({300, 8, 8})}) {
    check(Regular<float>(shape, symmetric), kFloat);
    check(Regular<double>(shape, symmetric), kDouble);
    check(Regular<std::complex<float>>(shape, symmetric), kFloat);
    check(Regular<std::complex<double>>(shape, symmetric), kDouble);
  }
}

TEST(InverseTest, AgreesWithReference) {
  WithMatrices(false, [](const DenseTensor& x, Tolerance tolerance) {
    CheckAgainstReference({"inverse", {x}}, tolerance);
  });
}

TEST(InverseTest, ExchangesRows) {
  CheckAgainstReference(
      {"inverse", {MakeTensor<double>(Shape({2, 2}), {0, 2, 4, 0})}});
}

TEST(DeterminantTest, AgreesWithReference) {
  for (const Shape& shape : {Shape({3, 3}), Shape({2, 5, 4, 4}),
                             Shape({2, 0, 0}), Shape({0, 3, 3})}) {
    CheckAgainstReference({"determinant", {RandomTensor<float>(shape)}},
                          {1e-4, 1e-4});
    CheckAgainstReference({"determinant", {RandomTensor<double>(shape)}},
                          kDouble);
  }
  CheckAgainstReference({"determinant", {Regular<double>(Shape({20, 20}))}},
                        kDouble);
  CheckAgainstReference(
      {"determinant", {MakeTensor<double>(Shape({2, 2}), {1, 2, 2, 4})}});
}

TEST(DeterminantTest, ItsGradientTakesSingularMatricesToo) {
  for (const Shape& shape : {Shape({1, 1}), Shape({3, 3}), Shape({2, 5, 4, 4}),
                             Shape({2, 0, 0}), Shape({0, 3, 3})}) {
    const DenseTensor x = RandomTensor<double>(shape);
    Shape batch = shape;
    batch.resize(shape.rank() - 2);
    const DenseTensor g = RandomTensor<double>(batch, -2, 2, 3);
    CheckAgainstReference({"determinant_grad", {x, g, g}}, kDouble);
  }
  // Matrices of rank 2, 1 and 0.
  const DenseTensor x = MakeTensor<double>(
      Shape({3, 3, 3}), {1, 2, 3, 2, 4, 6, 1, 0, 1, 1, 1, 1, 1, 1,
                         1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  const DenseTensor g = MakeTensor<double>(Shape({3}), {1, -2, 3});
  CheckAgainstReference({"determinant_grad", {x, g, g}}, kDouble);
}

TEST(SolveTest, AgreesWithReference) {
  struct Case {
    Shape x, y;
  };
  for (const Case& c :
       {Case{Shape({3, 3}), Shape({3})}, Case{Shape({3, 3}), Shape({3, 5})},
        Case{Shape({4, 3, 3}), Shape({4, 3})},
        Case{Shape({5, 1, 3, 3}), Shape({4, 3, 2})},
        Case{Shape({3, 3}), Shape({2, 6, 3, 1})},
        Case{Shape({3, 3}), Shape({3, 0})},
        Case{Shape({60, 60}), Shape({60, 33})}}) {
    CheckAgainstReference(
        {"solve", {Regular<float>(c.x), RandomTensor<float>(c.y, -2, 2, 2)}},
        kFloat);
    CheckAgainstReference(
        {"solve", {Regular<double>(c.x), RandomTensor<double>(c.y, -2, 2, 2)}},
        kDouble);
  }
}

TEST(TriangularSolveTest, AgreesWithReference) {
  const bool kBoth[] = {false, true};
  for (const bool upper : kBoth) {
    for (const bool transpose : kBoth) {
      for (const bool unit : kBoth) {
        const std::vector<AttrRef> attrs = {upper, transpose, unit};
        CheckAgainstReference({"triangular_solve",
                               {RandomTensor<double>(Shape({2, 1, 5, 5}), 1, 2),
                                RandomTensor<double>(Shape({3, 5, 2}))},
                               attrs},
                              kDouble);
        CheckAgainstReference({"triangular_solve",
                               {RandomTensor<float>(Shape({4, 4}), 1, 2),
                                RandomTensor<float>(Shape({4, 7}))},
                               attrs},
                              kFloat);
      }
    }
  }
}

TEST(CholeskyTest, AgreesWithReference) {
  for (const bool upper : {false, true}) {
    WithMatrices(true, [&](const DenseTensor& x, Tolerance tolerance) {
      CheckAgainstReference({"cholesky", {x}, {upper}}, tolerance);
    });
    // Elements on the other side of the diagonal do not count.
    CheckAgainstReference(
        {"cholesky", {Regular<double>(Shape({4, 4}))}, {upper}}, kDouble);
  }
}

TEST(MatrixPowerTest, AgreesWithReference) {
  for (const int n : {0, 1, 2, 7, -1, -4}) {
    CheckAgainstReference(
        {"matrix_power", {Regular<double>(Shape({3, 4, 4}))}, {n}},
        {1e-11, 1e-11});
    CheckAgainstReference(
        {"matrix_power", {Regular<float>(Shape({3, 3}))}, {n}}, {1e-4, 1e-5});
  }
}

TEST(LinearSolveTest, NamesTheMatrixThatHasNoAnswer) {
  DenseTensor x = Regular<float>(Shape({3, 2, 2}), /*symmetric=*/true);
  for (int i = 4; i < 8; ++i) x.mutable_data<float>()[i] = 1;
  const DenseTensor y = RandomTensor<float>(Shape({3, 2, 2}));
  const auto message = [](const KernelCase& call) {
    const auto result = RunKernel(call, "cpu");
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(result.status().message());
  };
  const std::string singular =
      "x must be invertible, got a matrix at position 1 that is not";
  EXPECT_EQ(message({"inverse", {x}}), singular);
  EXPECT_EQ(message({"solve", {x, y}}), singular);
  const int power = -2;
  EXPECT_EQ(message({"matrix_power", {x}, {power}}), singular);
  const bool no = false;
  EXPECT_EQ(
      message({"cholesky", {x}, {no}}),
      "x must be positive definite, got a matrix at position 1 that is not");
  x.mutable_data<float>()[3] = 0;
  EXPECT_EQ(message({"triangular_solve", {x, y}, {no, no, no}}),
            "x must be invertible, got a matrix at position 0 that is not");
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
