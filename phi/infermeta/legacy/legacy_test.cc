// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/legacy/legacy.h"

#include <climits>
#include <tuple>

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(AlignedInferMetaTest, PlacesYAtTheAxis) {
  TensorSpec out;
  const TensorSpec x = Meta({2, 3, 4, 5});
  ASSERT_THAT(AlignedInferMeta(x, Meta({3, 4}), 1, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 4, 5}));
  ASSERT_THAT(AlignedInferMeta(x, Meta({5}), -1, &out), IsOk());
  ASSERT_THAT(AlignedInferMeta(Meta({3, 1}), x, 1, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 4, 5}));
  ASSERT_THAT(AlignedInferMeta(Meta({1, 7}), Meta({5, 1}), 0, &out), IsOk());
  EXPECT_THAT(out, IsFloats({5, 7}));
  EXPECT_THAT(AlignedInferMeta(x, Meta({3, 4}), 3, &out),
              IsRangeError("axis must be -1 or in [0, 2], got 3"));
  EXPECT_THAT(AlignedInferMeta(x, Meta({3, 4}), 0, &out),
              IsArgumentError("y must be"));
  TensorSpec x_grad;
  EXPECT_THAT(
      AlignedGradInferMeta(x, Meta({3, 4}), Meta({3, 4}), 1, &x_grad, nullptr),
      IsArgumentError("out_grad"));
}

TEST(ElementwiseAddInferMetaTest, PromotesARealOperandToAComplexOne) {
  const TensorSpec real = Meta({2, 3}),
                   complex = Meta({3}, DataType::kComplex64);
  TensorSpec out;
  ASSERT_THAT(ElementwiseAddInferMeta(real, complex, -1, &out), IsOk());
  EXPECT_EQ(out.dtype, DataType::kComplex64);
  ASSERT_THAT(ElementwiseAddInferMeta(complex, real, -1, &out), IsOk());
  EXPECT_EQ(out.dtype, DataType::kComplex64);
  EXPECT_EQ(out.shape, Shape({2, 3}));
}

TEST(ElementwiseAddInferMetaTest, PromotesNothingElse) {
  TensorSpec out;
  const auto check = [&](DataType x, DataType y, const char* error) {
    EXPECT_THAT(ElementwiseAddInferMeta(Meta({2}, x), Meta({2}, y), -1, &out),
                IsArgumentError(error));
  };
  check(DataType::kFloat32, DataType::kInt32, "y must be float32, got int32");
  check(DataType::kInt32, DataType::kComplex64,
        "y must be int32, got complex64");
  check(DataType::kFloat64, DataType::kComplex64,
        "y must be float64, got complex64");
  check(DataType::kComplex64, DataType::kFloat64,
        "y must be complex64, got float64");
}

TEST(LookupTableInferMetaTest, DropsTheLastAxis) {
  TensorSpec ids = Meta({7, 1}, DataType::kInt64);
  ids.lod_levels = 1;
  TensorSpec out;
  ASSERT_THAT(LookupTableInferMeta(Meta({10, 4}), ids, -1, &out), IsOk());
  EXPECT_THAT(out, IsFloats({7, 4}));
  EXPECT_EQ(out.lod_levels, 1);
  EXPECT_THAT(LookupTableInferMeta(Meta({10, 4}), Meta({7}, DataType::kInt64),
                                   -1, &out),
              IsArgumentError("ids must be of extent 1"));
}

TEST(AlignedGradInferMetaTest, ChecksAxisAndGradient) {
  const TensorSpec x = Meta({2, 3, 4}), y = Meta({3});
  TensorSpec x_grad, y_grad;
  EXPECT_THAT(AlignedGradInferMeta(x, y, x, INT_MIN, &x_grad, &y_grad),
              IsRangeError("axis must be -1 or in [0, 2]"));
  EXPECT_THAT(AlignedGradInferMeta(x, y, Meta({}), 1, &x_grad, &y_grad),
              IsArgumentError("out_grad must be of shape [2, 3, 4], got []"));
  EXPECT_THAT(AlignedGradOfOutInferMeta(x, y, y, x, 1, &x_grad, &y_grad),
              IsArgumentError("out must be of shape [2, 3, 4], got [3]"));
  ASSERT_THAT(AlignedGradOfOutInferMeta(x, y, x, x, 1, &x_grad, &y_grad),
              IsOk());
  EXPECT_THAT(y_grad, IsFloats({3}));
}

TEST(Flatten2InferMetaTest, MakesAMatrix) {
  TensorSpec out;
  const TensorSpec x = Meta({2, 3, 4});
  for (const auto& [axis, rows, columns] :
       {std::tuple(1, 2, 12), std::tuple(0, 1, 24), std::tuple(3, 24, 1),
        std::tuple(-1, 6, 4)}) {
    ASSERT_THAT(Flatten2InferMeta(x, axis, &out), IsOk());
    EXPECT_THAT(out, IsFloats({rows, columns})) << axis;
  }
  ASSERT_THAT(Flatten2InferMeta(Meta({}), 0, &out), IsOk());
  EXPECT_THAT(out, IsFloats({1}));
  ASSERT_THAT(Flatten2InferMeta(Meta({Dim::Unknown(), 3, 4}), 1, &out), IsOk());
  EXPECT_FALSE(out.shape[0].known());
  EXPECT_EQ(out.shape[1], Dim(12));
  EXPECT_THAT(Flatten2InferMeta(x, 4, &out),
              IsRangeError("axis must be in [-3, 3], got 4"));
}

TEST(LegacySliceInferMetaTest, DropsAxesOfWhichOneElementIsLeft) {
  const TensorSpec x = Meta({3, kUnknown, 5});
  TensorSpec out;
  ASSERT_THAT(LegacySliceInferMeta(x, {0, 2}, {1, -2}, {2, 9}, {0}, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 2}));
  // An extent that is not known may be 1.
  ASSERT_THAT(LegacySliceInferMeta(x, {1}, {-1}, {9}, {1, -3}, &out),
              IsArgumentError("decrease_axis must be axes of which one"));
  ASSERT_THAT(LegacySliceInferMeta(x, {1}, {-1}, {9}, {1}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({3, 5}));
  const AttrValue late[] = {AttrValue()};
  ASSERT_THAT(LegacySliceInferMeta(x, {0}, late, late, {0}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 5}));
  EXPECT_THAT(LegacySliceInferMeta(x, {0}, late, late, {3}, &out),
              IsRangeError("decrease_axis must be in [-3, 3), got 3"));
}

}  // namespace
}  // namespace switchyard::phi
