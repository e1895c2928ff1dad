// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels {
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
                       {Shape({300, 257}), {1}},
                       {Shape({300, 257}), {}}};
const Case kEmptyCases[] = {{Shape({0, 3}), {0}},
                            {Shape({0, 3}), {1}},
                            {Shape({3, 0}), {1}},
                            {Shape({0}), {}}};

AttrRef Attr(const Axes& axes) {
  return AttrRef(absl::Span<const int64_t>(axes));
}

// A gradient of the shape of a reduction's result.
DenseTensor GradOf(const KernelCase& forward) {
  const auto outputs = Outputs(forward);
  return RandomTensor<double>((*outputs)[0].shape(), -1, 1, /*seed=*/5);
}

TEST(SumTest, AgreesWithReference) {
  for (const char* op : {"sum", "mean"}) {
    for (const bool keepdim : {false, true}) {
      for (const auto& cases :
           {absl::MakeSpan(kCases), absl::MakeSpan(kEmptyCases)}) {
        for (const Case& c : cases) {
          CheckAgainstReference(
              {op, {RandomTensor<float>(c.shape)}, {Attr(c.axis), keepdim}},
              {2e-4, 2e-6});
          CheckAgainstReference(
              {op, {RandomTensor<double>(c.shape)}, {Attr(c.axis), keepdim}},
              {1e-11, 1e-13});
        }
      }
    }
  }
}

TEST(SumTest, SumsIntegers) {
  for (const Case& c : kCases) {
    CheckAgainstReference({"sum",
                           {RandomTensor<int32_t>(c.shape, -2e9, 2e9)},
                           {Attr(c.axis), false}});
    CheckAgainstReference({"sum",
                           {RandomTensor<int64_t>(c.shape, -4e18, 4e18)},
                           {Attr(c.axis), false}});
  }
}

TEST(MaxTest, AgreesWithReference) {
  for (const Case& c : kCases) {
    CheckAgainstReference(
        {"max", {RandomTensor<float>(c.shape)}, {Attr(c.axis), true}});
    CheckAgainstReference(
        {"max", {RandomTensor<double>(c.shape)}, {Attr(c.axis), false}});
    CheckAgainstReference({"max",
                           {RandomTensor<int32_t>(c.shape, -9, -1)},
                           {Attr(c.axis), true}});
    CheckAgainstReference({"max",
                           {RandomTensor<int64_t>(c.shape, -9, -1)},
                           {Attr(c.axis), true}});
  }
  DenseTensor x = RandomTensor<float>(Shape({3, 40}));
  x.mutable_data<float>()[50] = std::nanf("");
  for (const Axes& axis : {Axes{0}, Axes{1}}) {
    CheckAgainstReference({"max", {x}, {Attr(axis), false}});
  }
}

TEST(ReductionGradTest, AgreesWithReference) {
  for (const Case& c : kCases) {
    const DenseTensor x = RandomTensor<double>(c.shape);
    const KernelCase max{"max", {x}, {Attr(c.axis), false}};
    const DenseTensor grad = GradOf(max);
    for (const char* op : {"sum_grad", "mean_grad"}) {
      CheckAgainstReference({op, {x, grad}, {Attr(c.axis), false}},
                            {1e-15, 1e-15});
    }
    const auto largest = RunKernel(max, Backend::kReference);
    CheckAgainstReference(
        {"max_grad", {x, (*largest)[0], grad}, {Attr(c.axis), false}},
        {1e-15, 1e-15});
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
    CheckAgainstReference(
        {"reduce_as", {RandomTensor<float>(x), RandomTensor<float>(target)}},
        {1e-4, 1e-5});
    CheckAgainstReference(
        {"reduce_as", {RandomTensor<double>(x), RandomTensor<double>(target)}},
        {1e-12, 1e-13});
  }
}

TEST(ArgmaxTest, AgreesWithReference) {
  for (const Shape& shape :
       {Shape({7}), Shape({3, 40}), Shape({5, 9, 4}), Shape({300, 200})}) {
    for (const int64_t axis : {0, -1}) {
      for (const bool flatten : {false, true}) {
        const std::vector<AttrRef> attrs = {axis, false, flatten,
                                            DataType::kInt64};
        CheckAgainstReference({"argmax", {RandomTensor<float>(shape)}, attrs});
        CheckAgainstReference(
            {"argmax", {RandomTensor<int32_t>(shape, 0, 4)}, attrs});
      }
    }
  }
  DenseTensor x = RandomTensor<double>(Shape({2, 9}));
  x.mutable_data<double>()[4] = std::nan("");
  CheckAgainstReference(
      {"argmax", {x}, {int64_t{1}, true, false, DataType::kInt32}});
}

}  // namespace
}  // namespace switchyard::phi::kernels
