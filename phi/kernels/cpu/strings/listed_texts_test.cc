// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "framework/memory/memory_meter.h"
#include "framework/testing/matchers.h"
#include "phi/kernels/cpu/strings/whole_tensors.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// 20,000 rows of as many pieces as the one text has: 12.8 GB of empty texts, of
// 40 KB.
TEST(SplitTexts, AsksForRoomBeforeItFillsRowsUp) {
  constexpr int64_t kRows = 20000;
  std::vector<std::string> texts(kRows);
  texts.front() = std::string(kRows - 1, '-');
  const StringTensor x(Shape({kRows}), texts);
  std::vector<int64_t> counts(kRows);
  StringTensor out;
  MemoryMeter meter(1 << 20);
  const MeterScope scope(&meter);
  const absl::Status status = SplitTexts(x, {"-", -1}, &out, counts.data());
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("texts of 12800000000 bytes must fit in the "
                                 "limit of 1048576 bytes, got 0 in use"));
  EXPECT_EQ(meter.peak(), 0);
}

TEST(ConcatTexts, AsksForRoomBeforeItMakesThePairs) {
  constexpr int64_t kTexts = 100000;
  const std::vector<std::string> texts(kTexts);
  const StringTensor column(Shape({kTexts, 1}), texts);
  const StringTensor row(Shape({kTexts}), texts);
  StringTensor out;
  MemoryMeter meter(1 << 20);
  const MeterScope scope(&meter);
  const absl::Status status = ConcatTexts(column, row, &out);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
