// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

constexpr Tolerance kFloat = {1e-3, 1e-4};
constexpr Tolerance kDouble = {1e-9, 1e-10};

const Shape kShapes[] = {
    Shape({1, 1}),       Shape({3, 3}),     Shape({4, 3}),    Shape({3, 4}),
    Shape({2, 5, 6, 3}), Shape({0, 3, 3}),  Shape({2, 0, 3}), Shape({2, 3, 0}),
    Shape({40, 30}),     Shape({200, 4, 4})};

TEST(QrTest, AgreesWithReference) {
  const std::string reduced = "reduced", complete = "complete", r = "r";
  for (const std::string* mode : {&reduced, &complete, &r}) {
    for (const Shape& shape : kShapes) {
      const std::string_view view = *mode;
      CheckAgainstReference({"qr", {RandomTensor<float>(shape)}, {view}},
                            kFloat);
      CheckAgainstReference({"qr", {RandomTensor<double>(shape)}, {view}},
                            kDouble);
    }
  }
}

TEST(GeqrfTest, AgreesWithReference) {
  for (const Shape& shape : kShapes) {
    CheckAgainstReference({"geqrf", {RandomTensor<float>(shape)}}, kFloat);
    CheckAgainstReference({"geqrf", {RandomTensor<double>(shape)}}, kDouble);
  }
}

TEST(SvdTest, AgreesWithReference) {
  for (const Shape& shape : kShapes) {
    CheckAgainstReference({"svd", {RandomTensor<float>(shape)}, {false}},
                          {1e-2, 1e-3});
    CheckAgainstReference({"svd", {RandomTensor<double>(shape)}, {false}},
                          kDouble);
    CheckAgainstReference({"svdvals", {RandomTensor<float>(shape)}}, kFloat);
    CheckAgainstReference({"svdvals", {RandomTensor<double>(shape)}}, kDouble);
  }
  // One vector more is determined up to its sign.
  for (const Shape& shape : {Shape({3, 3}), Shape({4, 3}), Shape({7, 3, 4})}) {
    CheckAgainstReference({"svd", {RandomTensor<double>(shape)}, {true}},
                          kDouble);
  }
}

// Where several vectors span what is left, only their product is determined.
TEST(SvdTest, FullMatricesAreOrthogonal) {
  const bool full = true;
  for (const Shape& shape : {Shape({6, 2}), Shape({2, 6}), Shape({5, 5})}) {
    const auto outputs =
        RunKernel({"svd", {RandomTensor<double>(shape)}, {full}}, "cpu");
    ASSERT_THAT(outputs, IsOk());
    for (const int which : {0, 2}) {
      const DenseTensor& a = (*outputs)[which];
      const int64_t n = a.extent(0);
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          double product = 0;
          for (int64_t p = 0; p < n; ++p) {
            product +=
                a.data<double>()[i * n + p] * a.data<double>()[j * n + p];
          }
          EXPECT_NEAR(product, i == j ? 1 : 0, 1e-12);
        }
      }
    }
  }
}

TEST(EighTest, AgreesWithReference) {
  const std::string_view lower = "L", upper = "U";
  for (const std::string_view* uplo : {&lower, &upper}) {
    for (const Shape& shape :
         {Shape({1, 1}), Shape({3, 3}), Shape({2, 5, 4, 4}), Shape({0, 3, 3}),
          Shape({2, 0, 0}), Shape({30, 30})}) {
      CheckAgainstReference({"eigh", {RandomTensor<float>(shape)}, {*uplo}},
                            {1e-2, 1e-3});
      CheckAgainstReference({"eigh", {RandomTensor<double>(shape)}, {*uplo}},
                            kDouble);
      CheckAgainstReference(
          {"eigvalsh", {RandomTensor<double>(shape)}, {*uplo}}, kDouble);
    }
  }
}

TEST(LuTest, AgreesWithReference) {
  for (const Shape& shape : kShapes) {
    CheckAgainstReference({"lu", {RandomTensor<float>(shape)}}, kFloat);
    CheckAgainstReference({"lu", {RandomTensor<double>(shape)}}, kDouble);
  }
  CheckAgainstReference(
      {"lu", {MakeTensor<double>(Shape({2, 2}), {0, 0, 0, 3})}});
}

// The matrices have distinct values, whose vectors are determined up to a
// phase.
TEST(DecompositionTest, OfComplexMatricesAgreesWithReference) {
  using C = std::complex<double>;
  const std::string_view reduced = "reduced", complete = "complete";
  const std::string_view lower = "L", upper = "U";
  const bool thin = false, full = true;
  for (const Shape& shape :
       {Shape({1, 1}), Shape({4, 3}), Shape({2, 3, 4}), Shape({0, 3, 3}),
        Shape({2, 0, 3}), Shape({12, 9})}) {
    const DenseTensor x = RandomTensor<C>(shape);
    for (const std::string_view mode : {reduced, complete}) {
      CheckAgainstReference({"qr", {x}, {mode}}, kDouble);
    }
    CheckAgainstReference({"svd", {x}, {thin}}, kDouble);
    CheckAgainstReference({"svdvals", {x}}, kDouble);
    CheckAgainstReference({"lu", {x}}, kDouble);
    CheckAgainstReference({"lu", {RandomTensor<std::complex<float>>(shape)}},
                          kFloat);
  }
  for (const Shape& shape :
       {Shape({1, 1}), Shape({5, 4, 4}), Shape({2, 0, 0}), Shape({11, 11})}) {
    const DenseTensor x = RandomTensor<C>(shape);
    CheckAgainstReference({"svd", {x}, {full}}, kDouble);
    for (const std::string_view uplo : {lower, upper}) {
      CheckAgainstReference({"eigh", {x}, {uplo}}, kDouble);
      CheckAgainstReference({"eigvalsh", {x}, {uplo}}, kDouble);
    }
  }
}

TEST(MatrixRankTest, AgreesWithReference) {
  const double none = 0, half = 0.5;
  const bool yes = true, no = false;
  for (const Shape& shape : kShapes) {
    const KernelCase by_default = {"matrix_rank",
                                   {RandomTensor<double>(shape), DenseTensor()},
                                   {none, no, yes}};
    CheckAgainstReference(by_default);
    CheckAgainstReference({"matrix_rank",
                           {RandomTensor<float>(shape), DenseTensor()},
                           {half, no, no}});
  }
  CheckAgainstReference({"matrix_rank",
                         {RandomTensor<double>(Shape({3, 1, 4, 4})),
                          RandomTensor<double>(Shape({5}), 0, 2)},
                         {none, yes, no}});
  // Two equal rows.
  CheckAgainstReference(
      {"matrix_rank",
       {MakeTensor<float>(Shape({2, 2}), {1, 3, 1, 3}), DenseTensor()},
       {none, no, yes}});
}

TEST(DecompositionTest, NamesTheMatrixThatIsNotFinite) {
  DenseTensor x = RandomTensor<double>(Shape({3, 2, 2}));
  x.mutable_data<double>()[4] = std::numeric_limits<double>::quiet_NaN();
  const std::string expected =
      "x must be finite, got a matrix at position 1 that is not";
  const bool no = false;
  const std::string_view lower = "L";
  for (const KernelCase& call :
       {KernelCase{"svd", {x}, {no}}, KernelCase{"svdvals", {x}},
        KernelCase{"eigh", {x}, {lower}}}) {
    const auto result = RunKernel(call, "cpu");
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(std::string(result.status().message()), expected) << call.op;
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
