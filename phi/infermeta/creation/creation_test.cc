// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/creation/creation.h"

#include <cmath>

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(FullInferMetaTest, ChecksTheShape) {
  TensorSpec out;
  ASSERT_THAT(FullInferMeta({2, 0}, nullptr, DataType::kInt64, &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape({2, 0}), DataType::kInt64));
  EXPECT_THAT(FullInferMeta({2, -1}, nullptr, DataType::kInt64, &out),
              IsArgumentError("shape must be"));
  EXPECT_THAT(FullInferMeta({kHuge, kHuge}, nullptr, DataType::kBool, &out),
              IsSizeError());
  EXPECT_THAT(FullInferMeta({2}, nullptr, DataType::kUndefined, &out),
              IsArgumentError("dtype"));
}

TEST(FullLikeInferMetaTest, TakesTheDtypeThatIsGiven) {
  TensorSpec out;
  ASSERT_THAT(
      FullLikeInferMeta(Meta({2}), Scalar(1), DataType::kUndefined, &out),
      IsOk());
  EXPECT_THAT(out, IsFloats({2}));
  ASSERT_THAT(FullLikeInferMeta(Meta({2}), Scalar(1), DataType::kBool, &out),
              IsOk());
  EXPECT_THAT(out, IsMeta(Shape({2}), DataType::kBool));
}

TEST(FullBatchSizeLikeInferMetaTest, DoesNotCountSequences) {
  TensorSpec input = Meta({6, 2});
  TensorSpec out;
  const auto infer = [&](int from, int to) {
    return FullBatchSizeLikeInferMeta(input, {-1, 3}, Scalar(1.0),
                                      DataType::kFloat32, from, to, &out);
  };
  ASSERT_THAT(infer(0, 0), IsOk());
  EXPECT_THAT(out, IsFloats({6, 3}));
  input.lod_levels = 1;
  ASSERT_THAT(infer(0, 0), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 3}));
  EXPECT_EQ(out.lod_levels, 0);
  ASSERT_THAT(infer(-1, 0), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3}));
  EXPECT_THAT(infer(0, 1), IsArgumentError("shape"));
}

TEST(AssignValueInferMetaTest, CountsTheNumbers) {
  const Scalar values[] = {1, 2.5};
  TensorSpec out;
  ASSERT_THAT(AssignValueInferMeta({2, 1}, DataType::kFloat32, values, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({2, 1}));
  EXPECT_THAT(AssignValueInferMeta({}, DataType::kFloat32, values, &out),
              IsArgumentError("values must be 1 numbers, got 2"));
}

TEST(RandomInferMetaTest, ChecksTheRng) {
  TensorSpec out;
  const TensorSpec rng = Meta({2}, DataType::kInt64);
  ASSERT_THAT(RandomInferMeta(&rng, {3}, DataType::kFloat64, &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape({3}), DataType::kFloat64));
  ASSERT_THAT(RandomInferMeta(nullptr, {3}, DataType::kFloat32, &out), IsOk());
  const TensorSpec bad = Meta({3}, DataType::kInt64);
  EXPECT_THAT(RandomInferMeta(&bad, {3}, DataType::kFloat32, &out),
              IsArgumentError("rng must be of shape [2], got [3]"));
  EXPECT_THAT(RandomInferMeta(&rng, {3}, DataType::kInt32, &out),
              IsArgumentError("dtype must be floating"));
}

absl::Status Arange(const Scalar& start, const Scalar& end, const Scalar& step,
                    DataType dtype, TensorSpec* out) {
  return ArangeInferMeta(&start, &end, &step, dtype, out);
}

TEST(ArangeInferMetaTest, CountsSteps) {
  TensorSpec out;
  const auto count = [&](Scalar start, Scalar end, Scalar step,
                         DataType dtype) -> int64_t {
    EXPECT_THAT(Arange(start, end, step, dtype, &out), IsOk());
    return out.shape.extent(0);
  };
  EXPECT_EQ(count(0, 10, 3, DataType::kInt32), 4);
  EXPECT_EQ(count(10, 0, -3, DataType::kInt64), 4);
  EXPECT_EQ(count(0, 10, -1, DataType::kInt32), 0);
  EXPECT_EQ(count(0.0, 1.0, 0.25, DataType::kFloat32), 4);
  EXPECT_EQ(count(1.0, 0.0, 0.25, DataType::kFloat64), 0);
  EXPECT_EQ(count(INT64_MIN, INT64_MAX, INT64_MAX, DataType::kInt64), 3);
  EXPECT_EQ(count(0, 2.5, 1, DataType::kInt64), 3);
  EXPECT_EQ(count(-0.5, 3.0, 1, DataType::kInt32), 4);
}

// As NumPy counts, in double, whatever the dtype of the elements is.
TEST(ArangeInferMetaTest, CountsInDouble) {
  TensorSpec out;
  for (const DataType dtype : {DataType::kFloat16, DataType::kBFloat16,
                               DataType::kFloat32, DataType::kFloat64}) {
    for (int n = 2; n <= 60; ++n) {
      const double end = n * 0.1;
      ASSERT_THAT(Arange(0.0, end, 0.1, dtype, &out), IsOk());
      EXPECT_EQ(out.shape.extent(0), std::ceil(end / 0.1)) << n;
    }
  }
}

TEST(ArangeInferMetaTest, RefusesElementsThatDoNotFit) {
  TensorSpec out;
  EXPECT_THAT(
      Arange(0, int64_t{1} << 32, int64_t{1} << 30, DataType::kInt32, &out),
      IsArgumentError("end must be such that all elements fit into "
                      "int32, got 4294967296"));
  EXPECT_THAT(Arange(0, 1e30, 1e29, DataType::kInt64, &out),
              IsArgumentError("end"));
  EXPECT_THAT(Arange(0, 1e6, 1e5, DataType::kFloat16, &out),
              IsArgumentError("end"));
  ASSERT_THAT(Arange(INT64_MIN, INT64_MIN + 2, 1, DataType::kInt64, &out),
              IsOk());
}

TEST(ArangeInferMetaTest, RefusesStepsThatLeadNowhere) {
  TensorSpec out;
  EXPECT_THAT(Arange(0, 5, 0, DataType::kInt64, &out),
              IsArgumentError("step must be a number that is not 0"));
  EXPECT_THAT(
      Arange(0, 5, 1.5, DataType::kInt64, &out),
      IsArgumentError("step must be a whole number for int64, got 1.5"));
  EXPECT_THAT(Arange(0.0, INFINITY, 1.0, DataType::kFloat32, &out),
              IsArgumentError("end must be finite"));
  EXPECT_THAT(Arange(INT64_MIN, INT64_MAX, 1, DataType::kInt64, &out),
              IsSizeError());
  EXPECT_THAT(Arange(0, 5, 1, DataType::kBool, &out),
              IsArgumentError("dtype must be"));
}

TEST(ArangeInferMetaTest, DoesNotCountWhatIsNotKnown) {
  const Scalar one = 1;
  TensorSpec out;
  ASSERT_THAT(ArangeInferMeta(&one, nullptr, &one, DataType::kInt64, &out),
              IsOk());
  EXPECT_THAT(out, IsMeta(Shape({kUnknown}), DataType::kInt64));
  EXPECT_THAT(ArangeInferMeta(&one, nullptr, &one, DataType::kBool, &out),
              IsArgumentError("dtype must be"));
}

TEST(RandintInferMetaTest, ChecksTheBounds) {
  TensorSpec out;
  ASSERT_THAT(RandintInferMeta(nullptr, -2, 3, {4}, DataType::kInt32, &out),
              IsOk());
  EXPECT_THAT(out, IsMeta(Shape({4}), DataType::kInt32));
  EXPECT_THAT(RandintInferMeta(nullptr, 3, 3, {4}, DataType::kInt32, &out),
              IsArgumentError("high must be greater than low (3), got 3"));
  EXPECT_THAT(RandintInferMeta(nullptr, 0, kHuge, {4}, DataType::kInt32, &out),
              IsArgumentError("int32"));
}

TEST(OneHotInferMetaTest, AddsAnAxis) {
  TensorSpec out;
  ASSERT_THAT(
      OneHotInferMeta(Meta({2, kUnknown}, DataType::kInt32), 5, false, &out),
      IsOk());
  EXPECT_THAT(out, IsFloats({2, kUnknown, 5}));
  EXPECT_THAT(OneHotInferMeta(Meta({2}, DataType::kInt64), 0, true, &out),
              IsArgumentError("num_classes must be 1 or more, got 0"));
  EXPECT_THAT(TriangleInferMeta(Meta({2}), 0, &out),
              IsArgumentError("x must be of rank 2 or more"));
}

TEST(LinspaceInferMetaTest, MayWaitForTheNumber) {
  TensorSpec out;
  ASSERT_THAT(LinspaceInferMeta(nullptr, nullptr, AttrValue(),
                                DataType::kFloat32, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown}));
  EXPECT_THAT(LinspaceInferMeta(nullptr, nullptr, AttrValue(0),
                                DataType::kFloat32, &out),
              IsArgumentError("number must be 1 or more, got 0"));
}

TEST(EyeInferMetaTest, IsSquareByDefault) {
  TensorSpec out;
  ASSERT_THAT(EyeInferMeta(3, -1, DataType::kFloat32, &out), IsOk());
  EXPECT_THAT(out, IsFloats({3, 3}));
  EXPECT_THAT(EyeInferMeta(kHuge, kHuge, DataType::kFloat32, &out),
              IsSizeError());
}

}  // namespace
}  // namespace switchyard::phi
