// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "framework/types/float16.h"
#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

struct Case {
  Shape x, y;
  bool transpose_x, transpose_y;
};
const Case kCases[] = {
    {Shape({1, 1}), Shape({1, 1}), false, false},
    {Shape({2, 3}), Shape({3, 4}), false, false},
    {Shape({3, 2}), Shape({4, 3}), true, true},
    {Shape({0, 3}), Shape({3, 4}), false, false},
    {Shape({2, 0}), Shape({0, 4}), false, false},
    {Shape({5}), Shape({5}), false, false},
    {Shape({5}), Shape({5, 7}), false, false},
    {Shape({3, 7, 5}), Shape({5}), false, false},
    {Shape({1, 33}), Shape({33, 65}), false, false},
    {Shape({7, 300}), Shape({300, 33}), false, false},
    {Shape({13, 31}), Shape({17, 31}), false, true},
    {Shape({60, 100}), Shape({100, 70}), false, false},
    {Shape({100, 530}), Shape({40, 530}), false, true},
    {Shape({530, 100}), Shape({530, 41}), true, false},
    {Shape({2, 5, 6}), Shape({6, 3}), false, false},
    {Shape({3, 1, 2, 4}), Shape({5, 4, 3}), false, false},
    {Shape({2, 3, 4, 5}), Shape({1, 3, 6, 5}), false, true},
    {Shape({6, 50, 20}), Shape({6, 20, 30}), false, false},
};

TEST(MatmulTest, AgreesWithReference) {
  for (const Case& c : kCases) {
    const std::vector<AttrRef> attrs = {c.transpose_x, c.transpose_y};
    CheckAgainstReference({"matmul",
                           {RandomTensor<float>(c.x, -1, 1),
                            RandomTensor<float>(c.y, -1, 1, /*seed=*/2)},
                           attrs},
                          {1e-4, 1e-5});
    CheckAgainstReference({"matmul",
                           {RandomTensor<double>(c.x, -1, 1),
                            RandomTensor<double>(c.y, -1, 1, /*seed=*/2)},
                           attrs},
                          {1e-13, 1e-13});
  }
}

// Shapes that take each path of gemm.cc: one row; packed on the way, strip by
// strip or several at once; packed first, in several blocks of k, rows and
// columns; stacks of products side by side and one by one.
// CheckAgainstReference compares the bits of 1 and 3 threads, and of other
// strides.
TEST(MatmulTest, LargeProductsAgreeOnEveryRoad) {
  const Case cases[] = {
      {Shape({1, 400}), Shape({400, 700}), false, false},
      {Shape({70, 330}), Shape({330, 130}), false, false},
      {Shape({330, 70}), Shape({130, 330}), true, true},
      {Shape({410, 200}), Shape({200, 150}), false, false},
      {Shape({400, 410}), Shape({90, 400}), true, true},
      {Shape({40, 50, 80}), Shape({40, 80, 40}), false, false},
      {Shape({3, 700, 110}), Shape({3, 110, 50}), false, false},
      {Shape({2, 260, 260}), Shape({2, 260, 130}), false, false},
      {Shape({8, 700}), Shape({90, 700}), false, true},
      {Shape({11, 20}), Shape({20, 333}), false, false},
      {Shape({37, 20}), Shape({20, 1000}), false, false},
      {Shape({20, 31}), Shape({20, 700}), true, false},
  };
  for (const Case& c : cases) {
    CheckAgainstReference({"matmul",
                           {RandomTensor<float>(c.x, -1, 1),
                            RandomTensor<float>(c.y, -1, 1, /*seed=*/2)},
                           {c.transpose_x, c.transpose_y}},
                          {1e-4, 1e-5});
  }
  CheckAgainstReference(
      {"matmul",
       {RandomTensor<double>(Shape({410, 200}), -1, 1),
        RandomTensor<double>(Shape({200, 90}), -1, 1, /*seed=*/2)},
       {false, false}},
      {1e-12, 1e-13});
}

// More rows than are packed at once.
TEST(MatmulTest, PacksManyRowsInParts) {
  CheckAgainstReference(
      {"matmul",
       {RandomTensor<float>(Shape({2500, 60}), -1, 1),
        RandomTensor<float>(Shape({60, 70}), -1, 1, /*seed=*/2)},
       {false, false}},
      {1e-4, 1e-5});
}

// More columns than are packed at once: the bits of a column don't depend on
// how many others there are.
TEST(MatmulTest, PacksManyColumnsInParts) {
  constexpr int64_t kRows = 300, kDepth = 240, kColumns = 2100, kFirst = 2000;
  const DenseTensor x = RandomTensor<float>(Shape({kRows, kDepth}), -1, 1);
  const DenseTensor y =
      RandomTensor<float>(Shape({kDepth, kColumns}), -1, 1, /*seed=*/2);
  DenseTensor last;
  last.SetView(y, Shape({kDepth, kColumns - kFirst}), {kColumns, 1}, kFirst);
  const std::vector<AttrRef> attrs = {false, false};
  CheckAgainstReference({"matmul", {x, last}, attrs}, {1e-4, 1e-5});
  const auto all = RunKernel({"matmul", {x, y}, attrs}, "cpu");
  const auto some = RunKernel({"matmul", {x, last}, attrs}, "cpu");
  ASSERT_THAT(all, IsOk());
  ASSERT_THAT(some, IsOk());
  const int64_t width = kColumns - kFirst;
  for (int64_t i = 0; i < kRows * width; ++i) {
    ASSERT_EQ(
        (*all)[0].data<float>()[i / width * kColumns + kFirst + i % width],
        (*some)[0].data<float>()[i])
        << "element " << i;
  }
}

TEST(MatmulTest, ComplexNumbersAgreeWithReference) {
  for (const Case& c : kCases) {
    const std::vector<AttrRef> attrs = {c.transpose_x, c.transpose_y};
    CheckAgainstReference({"matmul",
                           {RandomTensor<std::complex<float>>(c.x),
                            RandomTensor<std::complex<float>>(c.y, -2, 2, 2)},
                           attrs},
                          {1e-4, 1e-5});
    CheckAgainstReference({"matmul",
                           {RandomTensor<std::complex<double>>(c.x),
                            RandomTensor<std::complex<double>>(c.y, -2, 2, 2)},
                           attrs},
                          {1e-12, 1e-13});
  }
}

template <typename T>
void CheckHalf(double tolerance) {
  for (const Case& c : kCases) {
    CheckAgainstReference(
        {"matmul",
         {RandomTensor<T>(c.x, -1, 1), RandomTensor<T>(c.y, -1, 1, /*seed=*/2)},
         {c.transpose_x, c.transpose_y}},
        {tolerance, tolerance});
  }
}

// Sums are float's: results are off by one unit in the last place, where float
// and the reference's double fall on two sides of a tie.
TEST(MatmulTest, HalvesAreSummedAsFloat) {
  CheckHalf<float16>(0x1p-10);
  CheckHalf<bfloat16>(0x1p-7);
}

// Over several blocks of k, rows and columns; elements large enough to wrap
// around.
TEST(MatmulTest, IntegersWrapAround) {
  const auto check = [](const Case& c) {
    const std::vector<AttrRef> attrs = {c.transpose_x, c.transpose_y};
    CheckAgainstReference({"matmul",
                           {RandomTensor<int32_t>(c.x, -1e6, 1e6),
                            RandomTensor<int32_t>(c.y, -1e6, 1e6, /*seed=*/2)},
                           attrs});
    CheckAgainstReference({"matmul",
                           {RandomTensor<int64_t>(c.x, -4e15, 4e15),
                            RandomTensor<int64_t>(c.y, -4e15, 4e15, 2)},
                           attrs});
  };
  for (const Case& c : kCases) check(c);
  check({Shape({130, 100}), Shape({100, 210}), false, false});
  const DenseTensor x = RandomTensor<int32_t>(Shape({2, 3, 40}), -9, 9);
  CheckAgainstReference(
      {"bmm", {x, RandomTensor<int32_t>(Shape({2, 40, 5}), -9, 9)}});
  CheckAgainstReference(
      {"mul", {x, RandomTensor<int32_t>(Shape({120, 5}), -9, 9)}, {1, 1}});
}

TEST(MulTest, AgreesWithReference) {
  const DenseTensor x = RandomTensor<double>(Shape({2, 3, 4, 5}));
  const DenseTensor y = RandomTensor<double>(Shape({4, 5, 7, 2}));
  const std::vector<AttrRef> attrs = {2, 2};
  CheckAgainstReference({"mul", {x, y}, attrs}, {1e-13, 1e-13});
  const DenseTensor grad = RandomTensor<double>(Shape({2, 3, 7, 2}));
  CheckAgainstReference({"mul_grad", {x, y, grad}, attrs}, {1e-13, 1e-13});
  CheckAgainstReference({"mul",
                         {RandomTensor<float>(Shape({64, 1, 28, 28}), -1, 1),
                          RandomTensor<float>(Shape({784, 10}), -1, 1)},
                         {1, 1}},
                        {1e-4, 1e-5});
}

TEST(BmmTest, AgreesWithReference) {
  for (const Shape& x :
       {Shape({2, 3, 4}), Shape({0, 3, 4}), Shape({5, 40, 4})}) {
    const Shape y({x[0], 4, 33});
    CheckAgainstReference(
        {"bmm", {RandomTensor<float>(x), RandomTensor<float>(y, -2, 2, 3)}},
        {1e-5, 1e-5});
    CheckAgainstReference(
        {"bmm", {RandomTensor<double>(x), RandomTensor<double>(y, -2, 2, 3)}},
        {1e-13, 1e-13});
  }
}

// The other products go the same way as matmul.
TEST(BmmTest, TakesHalvesInFloat) {
  for (const DataType dtype : {DataType::kFloat16, DataType::kBFloat16}) {
    const auto of = [&](const Shape& shape, uint64_t seed) {
      return MakeTensorOf(dtype, shape,
                          ToDoubles(RandomTensor<float>(shape, -1, 1, seed)));
    };
    const Tolerance rounding = dtype == DataType::kFloat16
                                   ? Tolerance{6e-4, 1e-4}
                                   : Tolerance{5e-3, 1e-4};
    CheckAgainstReference(
        {"bmm", {of(Shape({2, 3, 40}), 1), of(Shape({2, 40, 5}), 2)}},
        rounding);
    const DenseTensor x = of(Shape({6, 2, 20}), 1), y = of(Shape({40, 5}), 2);
    CheckAgainstReference({"mul", {x, y}, {1, 1}}, rounding);
    CheckAgainstReference({"mul_grad", {x, y, of(Shape({6, 5}), 3)}, {1, 1}},
                          rounding);
  }
}

TEST(TraceTest, AgreesWithReference) {
  for (const Shape& shape : {Shape({4, 6}), Shape({3, 5, 4, 2}), Shape({0, 3}),
                             Shape({90, 40, 50})}) {
    for (const int offset : {0, 1, -2, 7, -9}) {
      for (const auto& [axis1, axis2] : {std::pair{0, 1}, std::pair{-1, 0}}) {
        const std::vector<AttrRef> attrs = {offset, axis1, axis2};
        CheckAgainstReference({"trace", {RandomTensor<double>(shape)}, attrs},
                              {1e-13, 1e-13});
        CheckAgainstReference(
            {"trace", {RandomTensor<int32_t>(shape, -9, 9)}, attrs});
        const std::vector<double> values =
            ToDoubles(RandomTensor<float>(shape));
        CheckAgainstReference(
            {"trace",
             {MakeTensorOf(DataType::kFloat16, shape, values)},
             attrs});
      }
    }
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
