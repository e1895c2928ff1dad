// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/volume/columns.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

constexpr int kTwo[] = {2, 2};
constexpr int kOnes[] = {1, 1};
constexpr int kNone[] = {0, 0};

TEST(UnfoldInferMetaTest, CountsWindows) {
  TensorSpec out;
  const int sides[] = {1, 0, 0, 2};
  ASSERT_THAT(
      UnfoldInferMeta(Meta({2, 3, 4, 5}), kTwo, kTwo, sides, kOnes, &out),
      IsOk());
  EXPECT_THAT(out, IsFloats({2, 12, 6}));
  ASSERT_THAT(UnfoldInferMeta(Meta({kUnknown, 3, kUnknown, 5}), kTwo, kOnes,
                              kNone, kOnes, &out),
              IsOk());
  EXPECT_EQ(out.shape[1], Dim(12));
  EXPECT_FALSE(out.shape[2].known());
  EXPECT_THAT(UnfoldInferMeta(Meta({kHuge, kHuge, 4, 5}), kTwo, kOnes, kNone,
                              kOnes, &out),
              IsSizeError());
}

TEST(FoldInferMetaTest, ChecksWindowsAndRows) {
  TensorSpec out;
  const int sizes[] = {4, 3};
  const auto infer = [&](const TensorSpec& x) {
    return FoldInferMeta(x, sizes, kTwo, kOnes, kNone, kOnes, &out);
  };
  ASSERT_THAT(infer(Meta({2, 8, 6})), IsOk());
  EXPECT_THAT(out, IsFloats({2, 2, 4, 3}));
  ASSERT_THAT(infer(Meta({2, kUnknown, kUnknown})), IsOk());
  EXPECT_FALSE(out.shape[1].known());
  EXPECT_THAT(infer(Meta({2, 8, 5})),
              IsArgumentError("x must be of 6 windows, got 5"));
  EXPECT_THAT(
      infer(Meta({2, 7, 6})),
      IsArgumentError("x must be of rows that are a multiple of 4, got 7"));
}

TEST(UnpoolInferMetaTest, TakesTheSize) {
  TensorSpec out;
  const TensorSpec indices = Meta({2, 3, 2, 2}, DataType::kInt64);
  const int64_t size[] = {5, 4};
  ASSERT_THAT(UnpoolInferMeta(Meta({2, 3, 2, 2}), indices, size, "NCHW", &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 5, 4}));
  ASSERT_THAT(UnpoolInferMeta(Meta({kUnknown, 3, kUnknown, kUnknown}), indices,
                              size, "NCHW", &out),
              IsOk());
  EXPECT_EQ(out.shape[3], Dim(4));
}

TEST(MaxPoolWithIndexInferMetaTest, PositionsFitInt32) {
  TensorSpec out, mask;
  ASSERT_THAT(MaxPool2dWithIndexInferMeta(Meta({2, 3, 4, 4}), kTwo, kTwo, kNone,
                                          false, false, false, &out, &mask),
              IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 2, 2}));
  EXPECT_THAT(mask, IsMeta(Shape({2, 3, 2, 2}), DataType::kInt32));
  EXPECT_THAT(
      MaxPool2dWithIndexInferMeta(Meta({1, 1, 1 << 16, 1 << 16}), kTwo, kTwo,
                                  kNone, false, false, false, &out, &mask),
      IsSizeError());
}

}  // namespace
}  // namespace switchyard::phi
