// SPDX-License-Identifier: Apache-2.0
#include "framework/types/data_type.h"

#include "framework/types/float16.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(DataTypeTest, NamesReadBack) {
  for (int i = 0; i < kNumDataTypes; ++i) {
    const auto dtype = static_cast<DataType>(i);
    EXPECT_EQ(ParseDataType(Name(dtype)), dtype);
  }
  EXPECT_EQ(Name(DataType::kBFloat16), "bfloat16");
  EXPECT_EQ(Name(DataType::kUndefined), "undefined");
  EXPECT_EQ(ParseDataType("float"), std::nullopt);
  EXPECT_EQ(ParseDataType(""), std::nullopt);
}

template <typename T>
void ExpectSize() {
  EXPECT_EQ(ElementSize(DataTypeOf<T>::value), sizeof(T));
}

TEST(DataTypeTest, SizesAreThoseOfTheTypes) {
#define SY_DATA_TYPE(enumerator, name, type, size) ExpectSize<type>();
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
  EXPECT_EQ(ElementSize(DataType::kUndefined), 0u);
}

TEST(DataTypeTest, StorageTypesHaveAByteInMemoryAndTheirBitsInFiles) {
#define SY_DATA_TYPE(enumerator, name, type, size) \
  EXPECT_FALSE(IsStorage(DataType::enumerator));   \
  EXPECT_EQ(ElementBits(DataType::enumerator), 8 * (size));
#define SY_STORAGE_TYPE(enumerator, name, bits)                 \
  ExpectSize<StorageElement<DataType::enumerator>>();           \
  EXPECT_TRUE(IsStorage(DataType::enumerator)) << name;         \
  EXPECT_EQ(ElementBits(DataType::enumerator), bits) << name;   \
  EXPECT_EQ(ElementSize(DataType::enumerator), 1u) << name;     \
  EXPECT_FALSE(IsDifferentiable(DataType::enumerator)) << name; \
  EXPECT_FALSE(IsInteger(DataType::enumerator)) << name;
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
  EXPECT_FALSE(IsStorage(DataType::kString));
  EXPECT_FALSE(IsStorage(DataType::kUndefined));
}

// The numbers of the dtypes that there have always been.
TEST(DataTypeTest, NumbersOfTheFirstTwelveStay) {
  EXPECT_EQ(static_cast<int>(DataType::kBool), 1);
  EXPECT_EQ(static_cast<int>(DataType::kInt64), 6);
  EXPECT_EQ(static_cast<int>(DataType::kFloat32), 9);
  EXPECT_EQ(static_cast<int>(DataType::kComplex128), 12);
}

TEST(DataTypeTest, FamiliesDoNotOverlap) {
  EXPECT_TRUE(IsFloating(DataType::kFloat16));
  EXPECT_FALSE(IsFloating(DataType::kInt64));
  EXPECT_TRUE(IsInteger(DataType::kUInt8));
  EXPECT_TRUE(IsInteger(DataType::kInt64));
  EXPECT_TRUE(IsInteger(DataType::kUInt16));
  EXPECT_TRUE(IsInteger(DataType::kUInt64));
  EXPECT_TRUE(IsUnsigned(DataType::kUInt8));
  EXPECT_TRUE(IsUnsigned(DataType::kUInt32));
  EXPECT_FALSE(IsUnsigned(DataType::kInt64));
  EXPECT_FALSE(IsUnsigned(DataType::kBool));
  EXPECT_FALSE(IsUnsigned(DataType::kUInt4));
  EXPECT_FALSE(IsInteger(DataType::kBool));
  EXPECT_FALSE(IsInteger(DataType::kUndefined));
  for (int i = 0; i < kNumDataTypes; ++i) {
    const auto dtype = static_cast<DataType>(i);
    EXPECT_LE(IsFloating(dtype) + IsInteger(dtype) + IsComplex(dtype), 1)
        << Name(dtype);
  }
}

TEST(DataTypeTest, ComplexDtypesHaveRealOnes) {
  EXPECT_EQ(RealOf(DataType::kComplex64), DataType::kFloat32);
  EXPECT_EQ(RealOf(DataType::kComplex128), DataType::kFloat64);
  EXPECT_EQ(RealOf(DataType::kInt64), DataType::kInt64);
  EXPECT_EQ(ComplexOf(DataType::kFloat32), DataType::kComplex64);
  EXPECT_EQ(ComplexOf(DataType::kFloat64), DataType::kComplex128);
  EXPECT_EQ(ComplexOf(DataType::kInt64), DataType::kComplex64);
  for (const DataType dtype : {DataType::kComplex64, DataType::kComplex128}) {
    EXPECT_EQ(ComplexOf(dtype), dtype);
    EXPECT_EQ(ComplexOf(RealOf(dtype)), dtype);
  }
}

TEST(DataTypeTest, FloatingAndComplexDtypesHaveGradients) {
  EXPECT_TRUE(IsDifferentiable(DataType::kBFloat16));
  EXPECT_TRUE(IsDifferentiable(DataType::kComplex128));
  EXPECT_FALSE(IsDifferentiable(DataType::kInt16));
  EXPECT_FALSE(IsDifferentiable(DataType::kUndefined));
}

TEST(DataTypeTest, SetsAreConstants) {
  constexpr DataTypeSet kSet(DataType::kFloat32, DataType::kInt8);
  static_assert(kSet.contains(DataType::kInt8));
  static_assert(!kSet.contains(DataType::kInt16));
  static_assert(!DataTypeSet().contains(DataType::kBool));
  static_assert(!DataTypeSet::All().contains(DataType::kUndefined));
  for (int i = 1; i < kNumDataTypes; ++i) {
    EXPECT_TRUE(DataTypeSet::All().contains(static_cast<DataType>(i)));
  }
}

}  // namespace
}  // namespace switchyard
