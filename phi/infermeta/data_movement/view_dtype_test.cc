// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/data_movement/view_dtype.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(ViewDtypeInferMetaTest, ScalesTheLastExtent) {
  TensorSpec out;
  ASSERT_THAT(ViewDtypeInferMeta(Meta({2, 3}), DataType::kUInt8, &out), IsOk());
  EXPECT_EQ(out.dtype, DataType::kUInt8);
  EXPECT_EQ(ToString(out.shape), "[2, 12]");
  ASSERT_THAT(ViewDtypeInferMeta(Meta({2, 4}), DataType::kComplex128, &out),
              IsOk());
  EXPECT_EQ(ToString(out.shape), "[2, 1]");
  ASSERT_THAT(ViewDtypeInferMeta(Meta({2, kUnknown}), DataType::kFloat64, &out),
              IsOk());
  EXPECT_EQ(ToString(out.shape), "[2, ?]");
  TensorSpec codes = Meta({3});
  codes.dtype = DataType::kInt4;
  ASSERT_THAT(ViewDtypeInferMeta(codes, DataType::kUInt8, &out), IsOk());
  EXPECT_EQ(ToString(out.shape), "[3]");
  EXPECT_THAT(ViewDtypeInferMeta(codes, DataType::kInt8, &out),
              IsArgumentError("dtype must be of 4 bits, as x (int4) is"));
  ASSERT_THAT(ViewDtypeInferMeta(Meta({}), DataType::kInt32, &out), IsOk());
  EXPECT_EQ(ToString(out.shape), "[]");
}

TEST(ViewDtypeInferMetaTest, RefusesWhatHasNoElements) {
  TensorSpec out;
  EXPECT_THAT(ViewDtypeInferMeta(Meta({3}), DataType::kInt64, &out),
              IsArgumentError("x must be of a last extent that 2 divides"));
  EXPECT_THAT(ViewDtypeInferMeta(Meta({}), DataType::kInt8, &out),
              IsArgumentError("x must be of one axis at least"));
  EXPECT_THAT(ViewDtypeInferMeta(Meta({3}), DataType::kInt4, &out),
              IsArgumentError("dtype must be of 32 bits, as x (float32) is"));
  EXPECT_THAT(ViewDtypeInferMeta(Meta({3}), DataType::kBool, &out),
              IsArgumentError("dtype must be another than bool"));
  EXPECT_THAT(ViewDtypeInferMeta(Meta({3}), DataType::kString, &out),
              IsArgumentError("dtype must be one of numbers"));
}

TEST(ZipMapInferMetaTest, HasAKeyForEachColumn) {
  TensorSpec out;
  ASSERT_THAT(ZipMapInferMeta(Meta({kUnknown, 2}), {"a", "b"}, {}, &out),
              IsOk());
  EXPECT_EQ(ToString(out.shape), "[?, 2]");
  ASSERT_THAT(ZipMapInferMeta(Meta({3}), {}, {0, 1, 5}, &out), IsOk());
  EXPECT_THAT(ZipMapInferMeta(Meta({4, 2}), {"a"}, {}, &out),
              IsArgumentError("x must be of 1 columns"));
  EXPECT_THAT(ZipMapInferMeta(Meta({}), {}, {}, &out),
              IsArgumentError("x must be of one axis or two"));
  EXPECT_THAT(ZipMapInferMeta(Meta({1}), {"a"}, {1}, &out),
              IsArgumentError("numbers must be none"));
}

}  // namespace
}  // namespace switchyard::phi
