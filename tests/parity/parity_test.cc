// SPDX-License-Identifier: Apache-2.0
// docs/parity.md says what is measured today. To write it anew:
// bazel run //tests/parity:update.
#include <fstream>
#include <iterator>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "tests/parity/measure.h"

namespace switchyard {
namespace {

std::string Page() {
  std::ifstream in("docs/parity.md", std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

TEST(Parity, PageHoldsForWhatIsMeasured) {
  const auto rows = MeasureParity(".");
  ASSERT_THAT(rows, IsOk());
  for (const ParityRow& row : *rows) {
    SCOPED_TRACE(row.op + " " + std::string(Name(row.dtype)));
    EXPECT_TRUE(row.passes());
    EXPECT_GT(row.results, 0);
    const auto written = FindRow(Page(), row.op, row.dtype);
    ASSERT_THAT(written, IsOk());
    EXPECT_EQ(row.results, written->results);
    EXPECT_EQ(row.same_meta, written->same_meta);
    EXPECT_LE(row.ulps, written->ulps);
    EXPECT_LE(row.difference, written->difference);
  }
}

TEST(Parity, PageReadsBack) {
  ParityRow row{"softmax", DataType::kFloat32};
  row.results = 3;
  row.ulps = 3;
  row.difference = 0.3;
  const auto read = FindRow(ParityPage({row}), "softmax", DataType::kFloat32);
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->results, 3);
  EXPECT_EQ(read->ulps, 4);
  EXPECT_EQ(read->difference, 0.5);
  EXPECT_TRUE(read->same_meta);
  EXPECT_THAT(FindRow(ParityPage({row}), "softmax", DataType::kFloat64),
              StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(
      FindRow("| softmax | float32 | x |", "softmax", DataType::kFloat32),
      StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace switchyard
