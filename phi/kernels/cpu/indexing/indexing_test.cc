// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

using ::testing::HasSubstr;

const DataType kMoved[] = {
    DataType::kUInt8,    DataType::kInt8,    DataType::kInt16,
    DataType::kInt32,    DataType::kInt64,   DataType::kFloat16,
    DataType::kBFloat16, DataType::kFloat32, DataType::kFloat64};
const DataType kAdded[] = {DataType::kInt32,   DataType::kInt64,
                           DataType::kFloat16, DataType::kBFloat16,
                           DataType::kFloat32, DataType::kFloat64};

// Small integers: every sum of them is exact in every dtype.
DenseTensor Of(DataType dtype, const Shape& shape, uint64_t seed = 1) {
  return MakeTensorOf(dtype, shape,
                      ToDoubles(RandomTensor<int64_t>(shape, 0, 6, seed)));
}

struct Along {
  Shape x;
  int axis;
};
const Along kAlong[] = {{Shape({7}), 0},       {Shape({5, 3}), 0},
                        {Shape({5, 3}), -1},   {Shape({4, 6, 3}), 1},
                        {Shape({3, 0, 2}), 0}, {Shape({90, 40, 33}), 1}};

Shape WithExtent(Shape shape, int axis, int64_t extent) {
  shape[axis < 0 ? axis + shape.rank() : axis] = extent;
  return shape;
}

int64_t ExtentOf(const Along& along) {
  return along.x.extent(along.axis < 0 ? along.axis + along.x.rank()
                                       : along.axis);
}

TEST(GatherTest, AgreesWithReference) {
  for (const Along& along : kAlong) {
    const double extent = static_cast<double>(ExtentOf(along));
    const DenseTensor index = RandomTensor<int64_t>(Shape({9}), 0, extent);
    const DenseTensor narrow = RandomTensor<int32_t>(Shape({9}), 0, extent, 2);
    const DenseTensor wrapped =
        RandomTensor<int32_t>(Shape({9}), -extent, extent, 3);
    const DenseTensor column =
        RandomTensor<int64_t>(Shape({9, 1}), -extent, extent, 4);
    for (const DataType dtype : kMoved) {
      const DenseTensor x = Of(dtype, along.x);
      CheckAgainstReference({"gather", {x, index}, {along.axis}});
      CheckAgainstReference({"gather", {x, narrow}, {along.axis}});
      CheckAgainstReference({"gather", {x, column}, {along.axis}});
      CheckAgainstReference(
          {"gather", {x, MakeScalarTensor<int32_t>(1)}, {along.axis}});
      CheckAgainstReference({"index_select", {x, wrapped}, {along.axis}});
    }
    CheckAgainstReference(
        {"gather",
         {Of(DataType::kFloat32, along.x), EmptyTensor(DataType::kInt64, {0})},
         {along.axis}});
  }
}

TEST(IndexAddTest, AgreesWithReference) {
  for (const Along& along : kAlong) {
    const double extent = static_cast<double>(ExtentOf(along));
    const DenseTensor index =
        RandomTensor<int64_t>(Shape({9}), -extent, extent);
    for (const DataType dtype : kAdded) {
      const DenseTensor add = Of(dtype, WithExtent(along.x, along.axis, 9), 5);
      CheckAgainstReference(
          {"index_add", {Of(dtype, along.x), index, add}, {along.axis}});
    }
  }
}

TEST(ScatterTest, AgreesWithReference) {
  const DenseTensor index = MakeTensor<int64_t>(Shape({5}), {3, 0, -3, 1, 3});
  const DenseTensor column =
      MakeTensor<int32_t>(Shape({5, 1}), {-1, 0, -6, 5, 0});
  for (const bool overwrite : {false, true}) {
    for (const Shape& tail : {Shape(), Shape({4}), Shape({2, 3}), Shape({0})}) {
      Shape x({6}), updates({5}), row;
      for (const Dim dim : tail.dims()) {
        x.push_back(dim);
        updates.push_back(dim);
        row.push_back(dim);
      }
      for (const DataType dtype : kAdded) {
        for (const DenseTensor& chosen : {index, column}) {
          CheckAgainstReference({"scatter",
                                 {Of(dtype, x), chosen, Of(dtype, updates, 4)},
                                 {overwrite}});
        }
        CheckAgainstReference(
            {"scatter",
             {Of(dtype, x), MakeScalarTensor<int32_t>(2), Of(dtype, row, 4)},
             {overwrite}});
      }
    }
  }
}

TEST(AlongAxisTest, AgreesWithReference) {
  for (const Along& along : kAlong) {
    const double extent = static_cast<double>(ExtentOf(along));
    const Shape shape = WithExtent(along.x, along.axis, 4);
    const DenseTensor indices = RandomTensor<int64_t>(shape, -extent, extent);
    const DenseTensor narrow = RandomTensor<int32_t>(shape, -extent, extent);
    for (const DataType dtype : kMoved) {
      const DenseTensor arr = Of(dtype, along.x);
      CheckAgainstReference({"take_along_axis", {arr, indices}, {along.axis}});
      CheckAgainstReference({"take_along_axis", {arr, narrow}, {along.axis}});
    }
    for (const DataType dtype : kAdded) {
      for (const char* reduce : {"assign", "add"}) {
        CheckAgainstReference(
            {"put_along_axis",
             {Of(dtype, along.x), indices, Of(dtype, shape, 6)},
             {along.axis, reduce}});
      }
    }
  }
  const DenseTensor scalar = MakeScalarTensor<float>(3);
  const DenseTensor zero = MakeScalarTensor<int64_t>(0);
  CheckAgainstReference({"take_along_axis", {scalar, zero}, {0}});
  CheckAgainstReference(
      {"put_along_axis", {scalar, zero, scalar}, {-1, "add"}});
}

TEST(OneHotTest, AgreesWithReference) {
  for (const Shape& shape : {Shape(), Shape({0}), Shape({3, 5})}) {
    CheckAgainstReference(
        {"one_hot", {RandomTensor<int32_t>(shape, 0, 7)}, {7, false}});
    CheckAgainstReference(
        {"one_hot", {RandomTensor<int64_t>(shape, -3, 12)}, {9, true}});
  }
}

TEST(IndexingTest, ChecksIndicesBeforeItWrites) {
  const DenseTensor x = RandomTensor<float>(Shape({4, 3}));
  const DenseTensor rows = RandomTensor<float>(Shape({2, 3}));
  const DenseTensor one = RandomTensor<float>(Shape({1, 3}));
  const DenseTensor beyond = MakeTensor<int64_t>(Shape({2}), {0, 4});
  const DenseTensor below = MakeTensor<int64_t>(Shape({2}), {0, -5});
  const DenseTensor along = MakeTensor<int64_t>(Shape({1, 3}), {0, 1, 4});
  const KernelCase calls[] = {
      {"gather", {x, beyond}, {0}},
      {"gather", {x, below}, {0}},
      {"index_select", {x, below}, {0}},
      {"index_add", {x, below, rows}, {0}},
      {"scatter", {x, beyond, rows}, {true}},
      {"scatter", {x, below, rows}, {false}},
      {"take_along_axis", {x, along}, {0}},
      {"put_along_axis", {x, along, one}, {0, "add"}},
      {"one_hot", {beyond}, {3, false}},
  };
  for (const KernelCase& call : calls) {
    for (const char* backend : {"reference", "cpu"}) {
      auto outputs = Outputs(call);
      ASSERT_THAT(outputs, IsOk());
      const std::vector<float> untouched = ToVector<float>((*outputs)[0]);
      EXPECT_THAT(
          Launch(*FindKernel(call, backend), call, &*outputs),
          StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("must be in [")))
          << call.op;
      const std::vector<float> after = ToVector<float>((*outputs)[0]);
      EXPECT_EQ(std::memcmp(untouched.data(), after.data(),
                            after.size() * sizeof(float)),
                0)
          << call.op;
    }
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
