// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/conversion/narrow_dtypes.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "framework/types/float16.h"
#include "gtest/gtest.h"
#include "phi/kernels/testing/simd_levels.h"

namespace switchyard::phi::kernels::cpu {
namespace {

uint32_t BitsOf(float v) {
  uint32_t bits;
  std::memcpy(&bits, &v, sizeof(bits));
  return bits;
}

float FloatOf(uint32_t bits) {
  float v;
  std::memcpy(&v, &bits, sizeof(v));
  return v;
}

template <typename Half>
class HalfSpanTest : public ::testing::Test {};
using Halves = ::testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(HalfSpanTest, Halves);

// All 65,536 values, and one that leaves a rest after the last vector.
TYPED_TEST(HalfSpanTest, WidensEveryValueExactly) {
  std::vector<uint16_t> in(65537);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint16_t>(i);
  ForEachSimdLevel([&](const char* level) {
    SCOPED_TRACE(level);
    std::vector<float> out(in.size(), 7.f);
    Widen(DataTypeOf<TypeParam>::value, in.data(), in.size(), out.data());
    for (size_t i = 0; i < in.size(); ++i) {
      const float want = TypeParam::FromBits(in[i]);
      if (std::isnan(want)) {
        ASSERT_TRUE(std::isnan(out[i])) << i;
      } else {
        ASSERT_EQ(BitsOf(out[i]), BitsOf(want)) << i;
      }
    }
  });
}

// Around every value, and the points halfway to the next one, which are ties.
TYPED_TEST(HalfSpanTest, NarrowsToNearestEven) {
  std::vector<float> in;
  for (uint32_t i = 0; i < 65536; ++i) {
    const float v = TypeParam::FromBits(static_cast<uint16_t>(i));
    const float next = TypeParam::FromBits(static_cast<uint16_t>(i + 1));
    for (const float at : {v, v + (next - v) / 2}) {
      in.push_back(at);
      in.push_back(FloatOf(BitsOf(at) + 1));
      in.push_back(FloatOf(BitsOf(at) - 1));
    }
  }
  for (uint64_t bits = 0; bits < 1ull << 32; bits += 65521) {
    in.push_back(FloatOf(static_cast<uint32_t>(bits)));
  }
  ForEachSimdLevel([&](const char* level) {
    SCOPED_TRACE(level);
    std::vector<uint16_t> out(in.size(), 7);
    Narrow(DataTypeOf<TypeParam>::value, in.data(), in.size(), out.data());
    for (size_t i = 0; i < in.size(); ++i) {
      if (std::isnan(in[i])) {
        ASSERT_TRUE(std::isnan(float(TypeParam::FromBits(out[i])))) << in[i];
      } else {
        ASSERT_EQ(out[i], TypeParam(in[i]).bits()) << in[i];
      }
    }
  });
}

TEST(ByteSpanTest, WidensAndLosesUpperBits) {
  std::vector<int32_t> numbers;
  for (int32_t i = -1000; i < 1003; ++i) numbers.push_back(i);
  ForEachSimdLevel([&](const char* level) {
    SCOPED_TRACE(level);
    std::vector<int8_t> narrow(numbers.size());
    std::vector<int32_t> wide(numbers.size());
    Narrow(DataType::kInt8, numbers.data(), numbers.size(), narrow.data());
    Widen(DataType::kInt8, narrow.data(), narrow.size(), wide.data());
    for (size_t i = 0; i < numbers.size(); ++i) {
      ASSERT_EQ(wide[i], static_cast<int8_t>(numbers[i]));
    }
    Widen(DataType::kUInt8, narrow.data(), narrow.size(), wide.data());
    for (size_t i = 0; i < numbers.size(); ++i) {
      ASSERT_EQ(wide[i], static_cast<uint8_t>(numbers[i]));
    }
  });
}

TEST(Int16SpanTest, WidensAndLosesTheUpperHalf) {
  std::vector<int32_t> numbers = {INT32_MIN, INT32_MAX, 32767, 32768,
                                  -32768,    -32769,    65535, -65536};
  for (int32_t i = -100000; i < 100003; i += 37) numbers.push_back(i);
  ForEachSimdLevel([&](const char* level) {
    SCOPED_TRACE(level);
    std::vector<int16_t> narrow(numbers.size());
    std::vector<int32_t> wide(numbers.size());
    Narrow(DataType::kInt16, numbers.data(), numbers.size(), narrow.data());
    Widen(DataType::kInt16, narrow.data(), narrow.size(), wide.data());
    for (size_t i = 0; i < numbers.size(); ++i) {
      ASSERT_EQ(narrow[i], static_cast<int16_t>(numbers[i])) << numbers[i];
      ASSERT_EQ(wide[i], narrow[i]);
    }
  });
}

TEST(UnsignedSpanTest, WidensAndLosesUpperBits) {
  std::vector<int64_t> numbers = {INT64_MIN, INT64_MAX, UINT32_MAX,
                                  -1,        1ll << 32, 1ll << 31,
                                  65535,     65536,     -(1ll << 31)};
  for (int64_t i = -1000; i < 1003; ++i) numbers.push_back(i * 5000011);
  const size_t count = numbers.size();
  const std::vector<int32_t> low(numbers.begin(), numbers.end());
  ForEachSimdLevel([&](const char* level) {
    SCOPED_TRACE(level);
    std::vector<uint32_t> narrow(count);
    std::vector<int64_t> wide(count);
    Narrow(DataType::kUInt32, numbers.data(), count, narrow.data());
    Widen(DataType::kUInt32, narrow.data(), count, wide.data());
    std::vector<uint16_t> short_narrow(count);
    std::vector<int32_t> short_wide(count);
    Narrow(DataType::kUInt16, low.data(), count, short_narrow.data());
    Widen(DataType::kUInt16, short_narrow.data(), count, short_wide.data());
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(narrow[i], static_cast<uint32_t>(numbers[i])) << numbers[i];
      ASSERT_EQ(wide[i], int64_t{narrow[i]});
      ASSERT_EQ(short_narrow[i], static_cast<uint16_t>(low[i])) << low[i];
      ASSERT_EQ(short_wide[i], int32_t{short_narrow[i]});
    }
  });
}

TEST(ComputeDtypeTest, WideDtypesStayThemselves) {
  EXPECT_EQ(ComputeDtype(DataType::kFloat64), DataType::kFloat64);
  EXPECT_EQ(ComputeDtype(DataType::kInt64), DataType::kInt64);
  EXPECT_EQ(ComputeDtype(DataType::kComplex64), DataType::kComplex64);
  EXPECT_EQ(ComputeDtype(DataType::kBool), DataType::kInt32);
  EXPECT_EQ(ComputeDtype(DataType::kInt16), DataType::kInt32);
  EXPECT_EQ(ComputeDtype(DataType::kUInt16), DataType::kInt32);
  EXPECT_EQ(ComputeDtype(DataType::kUInt32), DataType::kInt64);
  EXPECT_EQ(ComputeDtype(DataType::kUInt64), DataType::kUInt64);
  EXPECT_EQ(ComputeDtype(DataType::kBFloat16), DataType::kFloat32);
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
