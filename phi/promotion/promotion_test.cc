// SPDX-License-Identifier: Apache-2.0
#include "phi/promotion/promotion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace switchyard::phi::promotion {
namespace {

// A table of results, one row and one column a dtype; "-" is a TypeError.
constexpr char kShort[] = "b1 u1 i1 i2 i4 i8 f2 bf f4 f8";

DataType FromShort(const std::string& name) {
  static const std::map<std::string, DataType> kNames = {
      {"b1", DataType::kBool},     {"u1", DataType::kUInt8},
      {"i1", DataType::kInt8},     {"i2", DataType::kInt16},
      {"i4", DataType::kInt32},    {"i8", DataType::kInt64},
      {"f2", DataType::kFloat16},  {"bf", DataType::kBFloat16},
      {"f4", DataType::kFloat32},  {"f8", DataType::kFloat64},
      {"-", DataType::kUndefined},
  };
  return kNames.at(name);
}

std::vector<DataType> ParseRow(const std::string& text) {
  std::vector<DataType> row;
  std::istringstream words(text);
  for (std::string word; words >> word;) row.push_back(FromShort(word));
  return row;
}

struct Case {
  bool a_scalar;
  bool b_scalar;
  bool integer_to_float;
};

void ExpectTable(const Case& c, const std::vector<std::string>& rows) {
  const std::vector<DataType> dtypes = ParseRow(kShort);
  ASSERT_EQ(rows.size(), dtypes.size());
  for (size_t i = 0; i < dtypes.size(); ++i) {
    const std::vector<DataType> expected = ParseRow(rows[i]);
    ASSERT_EQ(expected.size(), dtypes.size());
    for (size_t j = 0; j < dtypes.size(); ++j) {
      const auto got =
          PromotePair({"x", dtypes[i], c.a_scalar},
                      {"y", dtypes[j], c.b_scalar}, c.integer_to_float);
      EXPECT_EQ(got.value_or(DataType::kUndefined), expected[j])
          << Name(dtypes[i]) << " with " << Name(dtypes[j]) << ": got "
          << Name(got.value_or(DataType::kUndefined));
      EXPECT_TRUE(got.ok() || IsTypeError(got.status()));
    }
  }
}

TEST(PromotePair, TensorWithTensor) {
  ExpectTable({false, false, false}, {
                                         "b1 - - - - - - - - -",
                                         "- u1 i2 i2 i4 i8 - - - -",
                                         "- i2 i1 i2 i4 i8 - - - -",
                                         "- i2 i2 i2 i4 i8 - - - -",
                                         "- i4 i4 i4 i4 i8 - - - -",
                                         "- i8 i8 i8 i8 i8 - - - -",
                                         "- - - - - - f2 f4 f4 f8",
                                         "- - - - - - f4 bf f4 f8",
                                         "- - - - - - f4 f4 f4 f8",
                                         "- - - - - - f8 f8 f8 f8",
                                     });
}

TEST(PromotePair, ScalarWithScalar) {
  ExpectTable({true, true, false}, {
                                       "b1 u1 i1 i2 i4 i8 f2 bf f4 f8",
                                       "u1 u1 i2 i2 i4 i8 f2 bf f4 f8",
                                       "i1 i2 i1 i2 i4 i8 f2 bf f4 f8",
                                       "i2 i2 i2 i2 i4 i8 f2 bf f4 f8",
                                       "i4 i4 i4 i4 i4 i8 f2 bf f4 f8",
                                       "i8 i8 i8 i8 i8 i8 f2 bf f4 f8",
                                       "f2 f2 f2 f2 f2 f2 f2 f4 f4 f8",
                                       "bf bf bf bf bf bf f4 bf f4 f8",
                                       "f4 f4 f4 f4 f4 f4 f4 f4 f4 f8",
                                       "f8 f8 f8 f8 f8 f8 f8 f8 f8 f8",
                                   });
}

TEST(PromotePair, TensorWithScalarKeepsItsDtypeInItsCategory) {
  ExpectTable({false, true, false}, {
                                        "b1 u1 i1 i2 i4 i8 f2 bf f4 f8",
                                        "u1 u1 u1 u1 u1 u1 f2 bf f4 f8",
                                        "i1 i1 i1 i1 i1 i1 f2 bf f4 f8",
                                        "i2 i2 i2 i2 i2 i2 f2 bf f4 f8",
                                        "i4 i4 i4 i4 i4 i4 f2 bf f4 f8",
                                        "i8 i8 i8 i8 i8 i8 f2 bf f4 f8",
                                        "f2 f2 f2 f2 f2 f2 f2 f2 f2 f2",
                                        "bf bf bf bf bf bf bf bf bf bf",
                                        "f4 f4 f4 f4 f4 f4 f4 f4 f4 f4",
                                        "f8 f8 f8 f8 f8 f8 f8 f8 f8 f8",
                                    });
}

// The table of the Array API standard: the smallest integers that hold both.
TEST(PromotePair, IntegersBecomeTheSmallestThatHoldBoth) {
  struct Range {
    DataType dtype;
    int low, high;  // From -2^low (0: from 0) to below 2^high.
  };
  constexpr Range kRanges[] = {
      {DataType::kUInt8, 0, 8},   {DataType::kInt8, 7, 7},
      {DataType::kUInt16, 0, 16}, {DataType::kInt16, 15, 15},
      {DataType::kUInt32, 0, 32}, {DataType::kInt32, 31, 31},
      {DataType::kUInt64, 0, 64}, {DataType::kInt64, 63, 63}};
  for (const Range& a : kRanges) {
    for (const Range& b : kRanges) {
      DataType expected = DataType::kUndefined;
      for (const Range& each : kRanges) {  // Those of one size follow.
        const bool holds = each.low >= std::max(a.low, b.low) &&
                           each.high >= std::max(a.high, b.high);
        if (holds && expected == DataType::kUndefined) expected = each.dtype;
      }
      const auto got =
          PromotePair({"x", a.dtype, false}, {"y", b.dtype, false}, false);
      EXPECT_EQ(got.value_or(DataType::kUndefined), expected)
          << Name(a.dtype) << " with " << Name(b.dtype);
      EXPECT_TRUE(got.ok() || IsTypeError(got.status()));
    }
  }
  EXPECT_EQ(PromotePair({"x", DataType::kUInt64, false},
                        {"y", DataType::kInt8, true}, false)
                .value(),
            DataType::kUInt64);
}

TEST(PromotePair, StorageTypesMixWithNoOther) {
  for (const DataType other :
       {DataType::kFloat32, DataType::kBool, DataType::kInt2}) {
    for (const bool scalar : {false, true}) {
      const auto got = PromotePair({"x", other, scalar},
                                   {"y", DataType::kFloat8E5M2, false}, false);
      EXPECT_TRUE(IsTypeError(got.status())) << Name(other);
    }
  }
}

TEST(PromotePair, IsSymmetric) {
  const std::vector<DataType> dtypes = ParseRow(kShort);
  for (const DataType a : dtypes) {
    for (const DataType b : dtypes) {
      for (const bool a_scalar : {false, true}) {
        for (const bool b_scalar : {false, true}) {
          const auto ab = PromotePair({"x", a, a_scalar}, {"y", b, b_scalar},
                                      /*integer_to_float=*/false);
          const auto ba = PromotePair({"y", b, b_scalar}, {"x", a, a_scalar},
                                      /*integer_to_float=*/false);
          EXPECT_EQ(ab.value_or(DataType::kUndefined),
                    ba.value_or(DataType::kUndefined));
        }
      }
    }
  }
}

TEST(PromotePair, IntegerToFloatDividesIntegersAsFloat32) {
  ExpectTable({false, false, true}, {
                                        "b1 - - - - - - - - -",
                                        "- f4 f4 f4 f4 f4 - - - -",
                                        "- f4 f4 f4 f4 f4 - - - -",
                                        "- f4 f4 f4 f4 f4 - - - -",
                                        "- f4 f4 f4 f4 f4 - - - -",
                                        "- f4 f4 f4 f4 f4 - - - -",
                                        "- - - - - - f2 f4 f4 f8",
                                        "- - - - - - f4 bf f4 f8",
                                        "- - - - - - f4 f4 f4 f8",
                                        "- - - - - - f8 f8 f8 f8",
                                    });
  const auto mixed =
      PromotePair({"x", DataType::kInt64, false}, {"y", DataType::kInt32, true},
                  /*integer_to_float=*/true);
  EXPECT_EQ(*mixed, DataType::kFloat32);
}

TEST(PromotePair, ComplexTakesEverythingIn) {
  const DataType c8 = DataType::kComplex64, c16 = DataType::kComplex128;
  const auto promote = [](DataType a, bool a_scalar, DataType b,
                          bool b_scalar) {
    const auto ab = PromotePair({"x", a, a_scalar}, {"y", b, b_scalar}, false);
    const auto ba = PromotePair({"y", b, b_scalar}, {"x", a, a_scalar}, false);
    EXPECT_EQ(ab.value_or(DataType::kUndefined),
              ba.value_or(DataType::kUndefined));
    return ab.value_or(DataType::kUndefined);
  };
  for (const DataType dtype : ParseRow(kShort)) {
    const DataType with_c8 = dtype == DataType::kFloat64 ? c16 : c8;
    for (const bool a_scalar : {false, true}) {
      for (const bool b_scalar : {false, true}) {
        EXPECT_EQ(promote(c8, a_scalar, dtype, b_scalar), with_c8);
        EXPECT_EQ(promote(c16, a_scalar, dtype, b_scalar), c16);
      }
    }
  }
  EXPECT_EQ(promote(c8, false, c16, false), c16);
  EXPECT_EQ(promote(c8, true, c16, true), c16);
  // A scalar of their own category gives way.
  EXPECT_EQ(promote(c8, false, c16, true), c8);
  EXPECT_EQ(promote(c16, false, c8, true), c16);
}

TEST(PromotePair, TheErrorNamesBothOperandsAndDtypes) {
  const auto bits =
      PromotePair({"x", DataType::kInt64, false}, {"y", DataType::kBool, false},
                  /*integer_to_float=*/false);
  EXPECT_EQ(std::string(bits.status().message()),
            "y must be int64 as x, got bool");
  const auto mixed =
      PromotePair({"x", DataType::kFloat32, false},
                  {"y", DataType::kInt32, false}, /*integer_to_float=*/false);
  EXPECT_EQ(std::string(mixed.status().message()),
            "y must be floating (x is float32), got int32");
}

TEST(Promote, ManyOperandsFromLeftToRight) {
  const auto promote = [](const std::vector<Operand>& operands) {
    return Promote(operands, /*integer_to_float=*/false)
        .value_or(DataType::kUndefined);
  };
  const DataType f4 = DataType::kFloat32, f8 = DataType::kFloat64;
  EXPECT_EQ(promote({}), DataType::kUndefined);
  EXPECT_EQ(promote({{"x", f4, false}}), f4);
  EXPECT_EQ(promote({{"x", f4, false}, {"y", f8, false}, {"z", f4, false}}),
            f8);
  // Two scalars make a scalar, which gives way to the tensor.
  EXPECT_EQ(promote({{"x", f8, true}, {"y", f4, true}, {"z", f4, false}}), f4);
  EXPECT_EQ(
      promote(
          {{"x", f4, false}, {"y", DataType::kInt32, false}, {"z", f4, false}}),
      DataType::kUndefined);
  EXPECT_EQ(*Promote({{"x", DataType::kInt8, false}},
                     /*integer_to_float=*/true),
            f4);
}

}  // namespace
}  // namespace switchyard::phi::promotion
