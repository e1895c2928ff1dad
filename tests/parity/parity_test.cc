// SPDX-License-Identifier: Apache-2.0
// docs/parity.md says what is measured today. To renew it:
// bazel run //tests/parity:update.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string_view>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "phi/kernels/testing/simd_levels.h"
#include "tests/parity/measure.h"

namespace switchyard {
namespace {

std::string Page() {
  std::ifstream in("docs/parity.md", std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

TEST(Parity, EveryPairPassesAndStandsOnThePage) {
  int levels = 0;
  phi::kernels::ForEachSimdLevel([&](const char* level) {
    SCOPED_TRACE(level);
    const auto rows = MeasureParity("tests/samples");
    ASSERT_THAT(rows, IsOk());
    std::printf("%s:\n%s", level, ParityFigures(*rows).c_str());
    EXPECT_FALSE(rows->empty());
    // It has no fused multiply-add: its exponentials are less exact.
    if (level == std::string_view("SSE4")) return;
    ++levels;
    for (const ParityRow& row : *rows) {
      EXPECT_TRUE(row.passes()) << ParityFigures({row});
    }
    EXPECT_EQ(Page(), ParityPage(*rows));
  });
  if (levels == 0) GTEST_SKIP() << "the page is about AVX2 and later";
}

TEST(Parity, RowsPassWithResultsWithinTheirBoundAlone) {
  ParityRow row{"softmax", DataType::kFloat32};
  EXPECT_FALSE(row.passes());
  row.results = 3;
  EXPECT_TRUE(row.passes());
  row.outside = 1;
  EXPECT_FALSE(row.passes());
  EXPECT_THAT(ParityPage({row}),
              testing::EndsWith("| softmax | float32 | 3 | axis | fails |\n"));
}

}  // namespace
}  // namespace switchyard
