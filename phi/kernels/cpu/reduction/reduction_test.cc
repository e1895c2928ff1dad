// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string_view>
#include <utility>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

using Axes = std::vector<int64_t>;

struct Case {
  Shape shape;
  Axes axis;
};
const Case kCases[] = {{Shape(), {}},
                       {Shape(), {0}},
                       {Shape({7}), {}},
                       {Shape({2, 3, 4}), {1}},
                       {Shape({2, 3, 4}), {0, -1}},
                       {Shape({5, 1, 6}), {1}},
                       {Shape({3, 4, 5, 6}), {1, 3}},
                       {Shape({3, 4, 5, 6}), {0, 2}},
                       {Shape({2, 17, 2}), {-2}},
                       {Shape({700, 3}), {0}},
                       {Shape({3, 700}), {0}},
                       {Shape({300, 257}), {0}},
                       {Shape({300, 257}), {1}},
                       {Shape({300, 257}), {}}};
const Case kEmptyCases[] = {{Shape({0, 3}), {0}},
                            {Shape({0, 3}), {1}},
                            {Shape({3, 0}), {1}},
                            {Shape({0}), {}}};

AttrRef Attr(const Axes& axes) {
  return AttrRef(absl::Span<const int64_t>(axes));
}

constexpr DataType kHalves[] = {DataType::kFloat16, DataType::kBFloat16};

// float16 or bfloat16 numbers in [-2, 2).
DenseTensor Halves(DataType dtype, const Shape& shape) {
  return MakeTensorOf(dtype, shape, ToDoubles(RandomTensor<float>(shape)));
}

// Half a unit in the last place, and what summing in float adds.
Tolerance Rounding(DataType dtype) {
  return dtype == DataType::kFloat16 ? Tolerance{6e-4, 1e-4}
                                     : Tolerance{5e-3, 1e-4};
}

KernelCase Case1(const char* op, DenseTensor x, const Axes& axis,
                 bool keepdim = false) {
  if (std::string_view(op) == "sum") {
    return {op, {std::move(x)}, {Attr(axis), DataType::kUndefined, keepdim}};
  }
  return {op, {std::move(x)}, {Attr(axis), keepdim}};
}

TEST(SumTest, AgreesWithReference) {
  for (const char* op : {"sum", "mean", "prod"}) {
    for (const bool keepdim : {false, true}) {
      for (const auto& cases :
           {absl::MakeSpan(kCases), absl::MakeSpan(kEmptyCases)}) {
        for (const Case& c : cases) {
          CheckAgainstReference(
              Case1(op, RandomTensor<float>(c.shape), c.axis, keepdim),
              {2e-4, 2e-6});
          CheckAgainstReference(
              Case1(op, RandomTensor<double>(c.shape), c.axis, keepdim),
              {1e-11, 1e-13});
        }
      }
    }
  }
}

TEST(SumTest, AddsComplexNumbers) {
  for (const auto& cases :
       {absl::MakeSpan(kCases), absl::MakeSpan(kEmptyCases)}) {
    for (const Case& c : cases) {
      const DenseTensor x = RandomTensor<std::complex<float>>(c.shape);
      CheckAgainstReference(Case1("sum", x, c.axis), Ulps(1));
      CheckAgainstReference(Case1("any", x, c.axis));
      CheckAgainstReference(Case1("all", x, c.axis));
      const DenseTensor wide = RandomTensor<std::complex<double>>(c.shape);
      CheckAgainstReference(Case1("sum", wide, c.axis, true), {1e-12, 1e-13});
    }
  }
}

// A float that takes in 100000 tenths one by one is off by 1e-4 of their sum.
TEST(SumTest, ManyRowsAreNotLostToRounding) {
  const DenseTensor x = RandomTensor<float>(Shape({100000, 3}), 0.1, 0.1);
  for (const char* op : {"sum", "mean"}) {
    CheckAgainstReference(Case1(op, x, {0}), Within(0, 2e-5));
  }
}

TEST(SumTest, TakesHalvesInFloat) {
  for (const DataType dtype : kHalves) {
    for (const char* op : {"sum", "mean", "prod", "max", "min"}) {
      for (const Case& c : kCases) {
        CheckAgainstReference(Case1(op, Halves(dtype, c.shape), c.axis),
                              Rounding(dtype));
      }
    }
    // 3000 in units that no longer count one by one.
    const DenseTensor ones =
        MakeTensorOf(dtype, Shape({3000}), std::vector<double>(3000, 1));
    const auto sum = RunKernel(Case1("sum", ones, {}), "cpu");
    ASSERT_THAT(sum, IsOk());
    EXPECT_NEAR(ToDoubles((*sum)[0])[0], 3000, 8);
  }
}

TEST(SumTest, SumsIntegers) {
  for (const Case& c : kCases) {
    // Any other dtype would be cast to before the kernel sees it.
    for (const DataType dtype : {DataType::kUndefined, DataType::kInt32}) {
      CheckAgainstReference({"sum",
                             {RandomTensor<int32_t>(c.shape, -2e9, 2e9)},
                             {Attr(c.axis), dtype, false}});
    }
    CheckAgainstReference(
        Case1("sum", RandomTensor<int64_t>(c.shape, -4e18, 4e18), c.axis));
    CheckAgainstReference(
        Case1("sum", RandomTensor<bool>(c.shape, 0, 2), c.axis));
    CheckAgainstReference(
        Case1("prod", RandomTensor<int32_t>(c.shape, -9, 9), c.axis));
    CheckAgainstReference(
        Case1("prod", RandomTensor<int64_t>(c.shape, -9, 9), c.axis));
  }
}

TEST(MaxTest, AgreesWithReference) {
  for (const char* op : {"max", "min"}) {
    for (const Case& c : kCases) {
      CheckAgainstReference(Case1(op, RandomTensor<float>(c.shape), c.axis));
      CheckAgainstReference(Case1(op, RandomTensor<double>(c.shape), c.axis));
      CheckAgainstReference(
          Case1(op, RandomTensor<int32_t>(c.shape, -9, -1), c.axis, true));
      CheckAgainstReference(
          Case1(op, RandomTensor<int64_t>(c.shape, 1, 9), c.axis, true));
    }
    for (const Axes& axis : {Axes{0}, Axes{1}}) {
      DenseTensor x = RandomTensor<float>(Shape({3, 40}));
      x.mutable_data<float>()[50] = std::nanf("");
      CheckAgainstReference(Case1(op, x, axis));
      std::vector<double> values = ToDoubles(x);
      values[7] = op == std::string_view("max") ? -INFINITY : INFINITY;
      CheckAgainstReference(
          Case1(op, MakeTensorOf(DataType::kFloat16, x.shape(), values), axis));
      CheckAgainstReference(Case1(
          op, MakeTensorOf(DataType::kBFloat16, x.shape(), values), axis));
    }
  }
}

TEST(LogicalTest, AgreesWithReference) {
  for (const char* op : {"any", "all"}) {
    for (const auto& cases :
         {absl::MakeSpan(kCases), absl::MakeSpan(kEmptyCases)}) {
      for (const Case& c : cases) {
        CheckAgainstReference(
            Case1(op, RandomTensor<bool>(c.shape, 0, 2), c.axis));
        CheckAgainstReference(
            Case1(op, RandomTensor<int32_t>(c.shape, 0, 2), c.axis));
        CheckAgainstReference(
            Case1(op, RandomTensor<int64_t>(c.shape, 0, 3), c.axis, true));
        CheckAgainstReference(
            Case1(op, RandomTensor<float>(c.shape, 1, 2), c.axis));
      }
    }
    const double nan = std::nan("");
    for (const DataType dtype :
         {DataType::kFloat16, DataType::kBFloat16, DataType::kFloat32,
          DataType::kFloat64, DataType::kComplex64, DataType::kComplex128,
          DataType::kInt8, DataType::kUInt8, DataType::kInt16}) {
      const bool integral = IsInteger(dtype);
      CheckAgainstReference(
          Case1(op,
                MakeTensorOf(dtype, Shape({3, 2}),
                             {0, -0.0, integral ? 4 : nan, 1, 0, 2}),
                {1}));
    }
  }
}

TEST(ReductionGradTest, AgreesWithReference) {
  for (const Case& c : kCases) {
    const DenseTensor x = RandomTensor<double>(c.shape);
    const auto outputs = Outputs(Case1("mean", x, c.axis));
    ASSERT_THAT(outputs, IsOk());
    const Shape reduced = (*outputs)[0].shape();
    for (const char* op : {"sum_grad", "mean_grad"}) {
      CheckAgainstReference(
          {op, {x, RandomTensor<double>(reduced)}, {Attr(c.axis), false}},
          {1e-15, 1e-15});
      for (const DataType dtype : kHalves) {
        CheckAgainstReference({op,
                               {Halves(dtype, c.shape), Halves(dtype, reduced)},
                               {Attr(c.axis), false}},
                              Rounding(dtype));
      }
    }
  }
}

TEST(ReduceAsTest, AgreesWithReference) {
  const std::pair<Shape, Shape> cases[] = {{Shape({4, 3}), Shape({3})},
                                           {Shape({4, 3}), Shape({4, 1})},
                                           {Shape({2, 3, 4}), Shape({3, 1})},
                                           {Shape({2, 3}), Shape({2, 3})},
                                           {Shape({5}), Shape()},
                                           {Shape({0, 3}), Shape({3})},
                                           {Shape({600, 70}), Shape({70})}};
  for (const auto& [x, target] : cases) {
    CheckAgainstReference({"reduce_as",
                           {RandomTensor<std::complex<float>>(x),
                            RandomTensor<std::complex<float>>(target)}},
                          Ulps(1));
    CheckAgainstReference(
        {"reduce_as", {RandomTensor<float>(x), RandomTensor<float>(target)}},
        {1e-4, 1e-5});
    CheckAgainstReference(
        {"reduce_as", {RandomTensor<double>(x), RandomTensor<double>(target)}},
        {1e-12, 1e-13});
  }
}

TEST(ArgmaxTest, AgreesWithReference) {
  for (const char* op : {"argmax", "argmin"}) {
    for (const Shape& shape :
         {Shape({7}), Shape({3, 40}), Shape({5, 9, 4}), Shape({300, 200})}) {
      for (const int64_t axis : {0, -1}) {
        for (const bool flatten : {false, true}) {
          const std::vector<AttrRef> attrs = {axis, false, flatten,
                                              DataType::kInt64};
          CheckAgainstReference({op, {RandomTensor<float>(shape)}, attrs});
          CheckAgainstReference(
              {op, {RandomTensor<int32_t>(shape, 0, 4)}, attrs});
          CheckAgainstReference(
              {op, {Halves(DataType::kBFloat16, shape)}, attrs});
        }
      }
    }
    DenseTensor x = RandomTensor<double>(Shape({2, 9}));
    x.mutable_data<double>()[4] = std::nan("");
    CheckAgainstReference(
        {op, {x}, {int64_t{1}, true, false, DataType::kInt32}});
  }
}

// Products of some extents leave int64 though there are no elements.
TEST(ReductionTest, TakesEmptyTensorsOfHugeExtents) {
  const int64_t large = int64_t{1} << 40;
  const Shape shape({large, 0, large});
  const DenseTensor x = EmptyTensor(DataType::kFloat32, shape);
  for (const Axes& axis : {Axes{}, Axes{0}, Axes{0, 2}, Axes{-1}}) {
    for (const char* op : {"sum", "mean"}) {
      const auto out = RunKernel(Case1(op, x, axis), "cpu");
      ASSERT_THAT(out, IsOk());
      const std::string grad = op + std::string("_grad");
      EXPECT_THAT(RunKernel({grad, {x, (*out)[0]}, {Attr(axis), false}}, "cpu"),
                  IsOk());
    }
  }
  const auto total = RunKernel(Case1("sum", x, {}), "cpu");
  ASSERT_THAT(total, IsOk());
  EXPECT_EQ((*total)[0].data<float>()[0], 0);
  EXPECT_THAT(
      RunKernel({"argmax", {x}, {int64_t{0}, true, false, DataType::kInt64}},
                "cpu"),
      IsOk());
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
