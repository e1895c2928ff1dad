// SPDX-License-Identifier: Apache-2.0
#include "library/caller_buffer.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::library {
namespace {

using Extents = std::vector<int64_t>;

absl::StatusOr<CallerBuffer> Make(DataType dtype, const Extents& extents,
                                  const Extents& strides, const void* data,
                                  size_t bytes) {
  return MakeCallerBuffer(
      dtype, static_cast<int32_t>(extents.size()), extents.data(),
      strides.empty() ? nullptr : strides.data(), data, bytes);
}

std::vector<float> Values(const DenseTensor& tensor) {
  EXPECT_TRUE(tensor.contiguous());
  return {tensor.data<float>(), tensor.data<float>() + tensor.numel()};
}

TEST(CallerBufferTest, WhatKernelsCanReadIsNotCopied) {
  const float data[6] = {1, 2, 3, 4, 5, 6};
  const auto buffer = Make(DataType::kFloat32, {2, 3}, {}, data, sizeof(data));
  ASSERT_THAT(buffer, IsOk());
  const auto tensor = TensorOver(*buffer);
  ASSERT_THAT(tensor, IsOk());
  EXPECT_EQ(tensor->raw_data(), data);
  EXPECT_NE(TensorOf(*buffer)->raw_data(), data);
}

TEST(CallerBufferTest, StridesAndCrookedAddressesAreCopied) {
  const float data[6] = {1, 2, 3, 4, 5, 6};
  const auto transposed =
      Make(DataType::kFloat32, {3, 2}, {4, 12}, data, sizeof(data));
  ASSERT_THAT(transposed, IsOk());
  EXPECT_EQ(Values(*TensorOver(*transposed)),
            (std::vector<float>{1, 4, 2, 5, 3, 6}));
  // Rows that are one in memory.
  const auto expanded =
      Make(DataType::kFloat32, {2, 3}, {0, 4}, data, 3 * sizeof(float));
  ASSERT_THAT(expanded, IsOk());
  EXPECT_EQ(Values(*TensorOver(*expanded)),
            (std::vector<float>{1, 2, 3, 1, 2, 3}));
  char bytes[sizeof(data) + 1];
  std::memcpy(bytes + 1, data, sizeof(data));
  const auto crooked =
      Make(DataType::kFloat32, {6}, {}, bytes + 1, sizeof(data));
  ASSERT_THAT(crooked, IsOk());
  EXPECT_EQ(Values(*TensorOver(*crooked)),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(CallerBufferTest, WhatCannotBeIsNamed) {
  const float data[6] = {};
  const int64_t huge = std::numeric_limits<int64_t>::max();
  struct Case {
    Extents extents;
    Extents strides;
    const void* data;
    size_t bytes;
    const char* says;
  };
  for (const Case& wrong : {
           Case{{2, 3}, {}, data, 23, "bytes must be at least 24 for [2, 3]"},
           Case{{2, 3}, {12, 8}, data, 24, "bytes must be at least 32"},
           Case{{2, 3}, {}, nullptr, 24, "data must be a pointer, got null"},
           Case{{2, 3}, {-12, 4}, data, 24, "byte_strides must be at least 0"},
           Case{{-1}, {}, data, 24, ""},
           Case{{huge, huge}, {}, data, 24, ""},
           Case{{3}, {huge}, data, 24, "byte_strides must be such that"},
           Case{Extents(10, 1), {}, data, 24, "rank must be in [0, 9], got 10"},
       }) {
    const auto made = Make(DataType::kFloat32, wrong.extents, wrong.strides,
                           wrong.data, wrong.bytes);
    ASSERT_FALSE(made.ok()) << wrong.says;
    EXPECT_THAT(std::string(made.status().message()),
                ::testing::HasSubstr(wrong.says));
  }
  EXPECT_FALSE(
      MakeCallerBuffer(DataType::kFloat32, 1, nullptr, nullptr, data, 24).ok());
  EXPECT_FALSE(
      MakeCallerBuffer(DataType::kFloat32, -2, nullptr, nullptr, data, 24)
          .ok());
}

TEST(CallerBufferTest, NoElementsNeedNoMemory) {
  const auto none = Make(DataType::kFloat32, {0, 3}, {}, nullptr, 0);
  ASSERT_THAT(none, IsOk());
  EXPECT_EQ(TensorOver(*none)->numel(), 0);
  EXPECT_THAT(CheckElementsApart(*none), IsOk());
}

TEST(CallerBufferTest, ABoolIsZeroOrOne) {
  const uint8_t data[3] = {0, 1, 2};
  EXPECT_THAT(TensorOver(*Make(DataType::kBool, {2}, {}, data, 2)), IsOk());
  EXPECT_EQ(
      TensorOver(*Make(DataType::kBool, {3}, {}, data, 3)).status().message(),
      "data must be 0 or 1 in each byte of bool, got 2");
}

TEST(CallerBufferTest, ElementsOfAnOutputLieApart) {
  float data[24] = {};
  const auto apart = [&](const Extents& extents, const Extents& strides) {
    const auto made =
        Make(DataType::kFloat32, extents, strides, data, sizeof(data));
    EXPECT_THAT(made, IsOk());
    return CheckElementsApart(*made).ok();
  };
  EXPECT_TRUE(apart({2, 3}, {12, 4}));
  EXPECT_TRUE(apart({3, 2}, {4, 12}));
  EXPECT_TRUE(apart({2, 3}, {40, 8}));
  EXPECT_TRUE(apart({1, 3}, {0, 4}));
  EXPECT_FALSE(apart({2, 3}, {0, 4}));
  EXPECT_FALSE(apart({2, 3}, {8, 4}));
  EXPECT_FALSE(apart({3}, {2}));
}

TEST(CallerBufferTest, MemoryThatOverlaps) {
  float data[8] = {};
  const auto at = [&](int first, int64_t count) {
    return *Make(DataType::kFloat32, {count}, {}, data + first,
                 static_cast<size_t>(count) * sizeof(float));
  };
  EXPECT_TRUE(Overlap(at(0, 4), at(3, 1)));
  EXPECT_TRUE(Overlap(at(3, 1), at(0, 4)));
  EXPECT_FALSE(Overlap(at(0, 4), at(4, 4)));
  EXPECT_FALSE(Overlap(at(2, 0), at(0, 4)));
}

TEST(CallerBufferTest, ResultsAreWrittenByTheirStrides) {
  const float data[6] = {1, 2, 3, 4, 5, 6};
  const DenseTensor tensor =
      *TensorOf(*Make(DataType::kFloat32, {2, 3}, {}, data, sizeof(data)));
  float out[12] = {};
  const auto gaps = Make(DataType::kFloat32, {2, 3}, {24, 8}, out, sizeof(out));
  ASSERT_THAT(gaps, IsOk());
  ASSERT_TRUE(Fits(tensor.shape(), *gaps));
  CopyTo(tensor, *gaps);
  EXPECT_EQ(std::vector<float>(out, out + 12),
            (std::vector<float>{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0}));
  CallerBuffer any = *gaps;
  any.any_shape = true;
  CopyTo(tensor, any);
  EXPECT_EQ(std::vector<float>(out, out + 6),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
  any.bytes = 23;
  EXPECT_FALSE(Fits(tensor.shape(), any));
  EXPECT_FALSE(Fits({3, 2}, *gaps));
}

}  // namespace
}  // namespace switchyard::library
