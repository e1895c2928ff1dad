// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

const Shape kShapes[] = {Shape(),          Shape({9}),       Shape({3, 40}),
                         Shape({5, 9, 4}), Shape({2, 0, 3}), Shape({7, 130})};

DenseTensor Of(DataType dtype, const Shape& shape) {
  std::vector<double> values = ToDoubles(RandomTensor<float>(shape, -40, 40));
  for (double& value : values) value = std::floor(value) / 4;
  return MakeTensorOf(dtype, shape, values);
}

TEST(CumsumTest, AgreesWithReference) {
  for (const Shape& shape : kShapes) {
    for (const int axis : {0, -1}) {
      for (int flags = 0; flags < 8; ++flags) {
        const std::vector<AttrRef> attrs = {axis, (flags & 1) != 0,
                                            (flags & 2) != 0, (flags & 4) != 0};
        CheckAgainstReference({"cumsum", {RandomTensor<float>(shape)}, attrs},
                              {1e-6, 1e-6});
        CheckAgainstReference({"cumsum", {RandomTensor<double>(shape)}, attrs},
                              {1e-12, 1e-12});
        CheckAgainstReference(
            {"cumsum", {RandomTensor<int64_t>(shape, -4e18, 4e18)}, attrs});
      }
    }
    const std::vector<AttrRef> plain = {-1, false, false, false};
    CheckAgainstReference(
        {"cumsum", {RandomTensor<int32_t>(shape, -2e9, 2e9)}, plain});
    // Quarters: exact in float, rounded once.
    for (const DataType dtype : {DataType::kFloat16, DataType::kBFloat16}) {
      CheckAgainstReference({"cumsum", {Of(dtype, shape)}, plain});
    }
  }
}

TEST(TopkTest, AgreesWithReference) {
  for (const Shape& shape : kShapes) {
    for (const int axis : {0, -1}) {
      const int extent = shape.rank() == 0
                             ? 1
                             : static_cast<int>(shape.extent(
                                   axis < 0 ? axis + shape.rank() : axis));
      for (const bool largest : {true, false}) {
        for (const DataType dtype :
             {DataType::kInt32, DataType::kInt64, DataType::kFloat16,
              DataType::kBFloat16, DataType::kFloat32, DataType::kFloat64}) {
          const DenseTensor x = Of(dtype, shape);
          for (const int k : {std::min(extent, 1), extent / 2, extent}) {
            if (shape.rank() == 0 && k == 0) continue;
            CheckAgainstReference({"topk", {x}, {k, axis, largest, true}});
          }
          CheckAgainstReference({"argsort", {x}, {axis, largest, false}});
        }
      }
    }
  }
}

TEST(TopkTest, PutsNanAboveAllNumbersAndZerosTogether) {
  const double nan = std::nan("");
  const std::vector<double> values = {0,  -0.0, nan,      -nan,      1,
                                      -1, -0.0, INFINITY, -INFINITY, 0};
  for (const DataType dtype : {DataType::kFloat16, DataType::kBFloat16,
                               DataType::kFloat32, DataType::kFloat64}) {
    const DenseTensor x = MakeTensorOf(dtype, Shape({10}), values);
    for (const bool descending : {false, true}) {
      CheckAgainstReference({"argsort", {x}, {0, descending, true}});
      CheckAgainstReference({"topk", {x}, {4, 0, descending, true}});
    }
  }
}

// Products of some extents leave int64 though there are no elements.
TEST(OrderingTest, TakesEmptyTensorsOfHugeExtents) {
  const int64_t large = int64_t{1} << 40;
  for (const Shape& shape :
       {Shape({large, 0, large}), Shape({0, large, large})}) {
    const DenseTensor x = EmptyTensor(DataType::kFloat32, shape);
    for (const int axis : {0, 1, 2}) {
      EXPECT_THAT(
          RunKernel({"cumsum", {x}, {axis, false, false, false}}, "cpu"),
          IsOk());
      EXPECT_THAT(RunKernel({"argsort", {x}, {axis, false, false}}, "cpu"),
                  IsOk());
    }
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
