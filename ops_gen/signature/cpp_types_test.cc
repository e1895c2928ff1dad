// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/signature/cpp_types.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace switchyard::ops_gen {
namespace {

TEST(CppTypes, NumbersSayTheirType) {
  EXPECT_EQ(CppItem(ValueType::kInt, "-1"), "-1");
  EXPECT_EQ(CppItem(ValueType::kInt64, "-1"), "int64_t{-1}");
  EXPECT_EQ(CppItem(ValueType::kFloat, "1"), "1.0f");
  EXPECT_EQ(CppItem(ValueType::kFloat, "1e-5"), "1e-5f");
  EXPECT_EQ(CppItem(ValueType::kDouble, "-inf"),
            "-std::numeric_limits<double>::infinity()");
  EXPECT_EQ(CppItem(ValueType::kScalar, "true"), "Scalar(true)");
  EXPECT_EQ(CppItem(ValueType::kScalar, "2"), "Scalar(int64_t{2})");
  EXPECT_EQ(CppItem(ValueType::kScalar, "2.0"), "Scalar(2.0)");
}

TEST(CppTypes, NamesBecomeEnumerators) {
  EXPECT_EQ(CppItem(ValueType::kDataType, "float32"), "DataType::kFloat32");
  EXPECT_EQ(CppItem(ValueType::kDataType, "undefined"), "DataType::kUndefined");
  EXPECT_EQ(CppItem(ValueType::kPlace, "cpu"), "Place::Cpu()");
  EXPECT_EQ(CppItem(ValueType::kPlace, "gpu:1"), "Place::Gpu(1)");
  EXPECT_EQ(CppItem(ValueType::kPostOps, "[]"), "PostOps()");
}

TEST(CppTypes, TheLeastInteger) {
  static_assert(int64_t{-9223372036854775807 - 1} ==
                std::numeric_limits<int64_t>::min());
  const char item[] = "-9223372036854775808";
  EXPECT_EQ(CppItem(ValueType::kInt64, item),
            "int64_t{-9223372036854775807 - 1}");
  EXPECT_EQ(CppItem(ValueType::kScalar, item),
            "Scalar(int64_t{-9223372036854775807 - 1})");
  EXPECT_EQ(CppDefault(ValueType::kInt64, {false, {item}}),
            "-9223372036854775807 - 1");
}

TEST(CppTypes, DefaultsOfLists) {
  EXPECT_EQ(CppDefault(ValueType::kInt64s, {true, {"0", "-1"}}), "{0, -1}");
  EXPECT_EQ(CppDefault(ValueType::kFloats, {true, {"0.5"}}), "{0.5f}");
  EXPECT_EQ(CppDefault(ValueType::kInts, {true, {}}), "{}");
}

}  // namespace
}  // namespace switchyard::ops_gen
