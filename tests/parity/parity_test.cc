// SPDX-License-Identifier: Apache-2.0
// docs/parity.md says what is measured today. To renew it: ./sy ledger
// --update.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/testing/matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "phi/kernels/testing/simd_levels.h"
#include "tests/parity/measure.h"

namespace switchyard {
namespace {

std::string Page() {
  std::ifstream in("docs/parity.md", std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// The page of today's rows. Where a row alone differs from the checked-in page,
// a failure says which; it is stale if its sources have changed.
void ExpectOnPage(const std::vector<ParityRow>& rows) {
  std::vector<std::string> hashes;
  for (const ParityRow& row : rows) {
    EXPECT_TRUE(row.passes()) << ParityDetail(row, "");
    const auto hash = SourceHash(".", row);
    ASSERT_THAT(hash, IsOk());
    hashes.push_back(*hash);
    const std::string own = ParityPage({row}, {*hash});
    const std::string line = own.substr(own.rfind("| " + row.name() + " |"));
    EXPECT_NE(Page().find(line), std::string::npos)
        << line << "the row is stale: a source of " << row.op
        << ", or its samples, changed since docs/parity.md was written; "
           "read what changed, then run ./sy ledger --update";
  }
  EXPECT_TRUE(Page() == ParityPage(rows, hashes))
      << "docs/parity.md has other rows or another text: ./sy ledger --update";
}

TEST(Parity, EveryPairPassesAndStandsOnThePage) {
  int levels = 0;
  phi::kernels::ForEachSimdLevel([&](const char* level) {
    SCOPED_TRACE(level);
    const auto rows = MeasureParity({"tests/samples"});
    ASSERT_THAT(rows, IsOk());
    std::printf("%s:\n%s", level, ParityFigures(*rows).c_str());
    EXPECT_FALSE(rows->empty());
    // It has no fused multiply-add: its exponentials are less exact.
    if (level == std::string_view("SSE4")) return;
    ++levels;
    ExpectOnPage(*rows);
  });
  if (levels == 0) GTEST_SKIP() << "the page is about AVX2 and later";
}

// In every element of every result of all real operators with both kinds of
// kernels.
TEST(Parity, AFaultOfOneUlpBeyondTheLimitIsFoundInEveryElement) {
  for (const auto origin :
       {phi::KernelOrigin::kPhi, phi::KernelOrigin::kFluid}) {
    SCOPED_TRACE(origin == phi::KernelOrigin::kPhi ? "phi" : "fluid");
    ParityOptions options{"tests/samples"};
    options.faults_in = origin;
    const auto rows = MeasureParity(options);
    ASSERT_THAT(rows, IsOk());
    for (const ParityRow& row : *rows) {
      EXPECT_GT(row.results, 0) << row.name();
      EXPECT_EQ(row.unnoticed, 0) << ParityDetail(row, "");
    }
  }
}

// One with a kernel of a library, one whose operator says what it expects of
// kernels, one that leaves ids as they are, one that changes tensors in place.
TEST(Parity, LivingExamplesHaveBothForms) {
  const std::string page = Page();
  for (const char* row : {"softmax", "softmax (onednn)", "elementwise_add",
                          "lookup_table", "adam_"}) {
    EXPECT_NE(page.find(absl::StrCat("\n| ", row, " | float32 | ")),
              std::string::npos)
        << row;
  }
}

TEST(Parity, RowsPassWithResultsWithinTheirBoundAlone) {
  ParityRow row;
  row.op = "softmax";
  row.dtype = DataType::kFloat32;
  EXPECT_FALSE(row.passes());
  row.results = 3;
  EXPECT_TRUE(row.passes());
  row.outside = 1;
  EXPECT_FALSE(row.passes());
  EXPECT_THAT(ParityPage({row}, {"0badcafe"}),
              testing::EndsWith(
                  "| softmax | float32 | 3 | axis | 0badcafe | fails |\n"));
}

TEST(Parity, DetailShowsTheFirstDifference) {
  ParityRow row;
  row.op = "softmax";
  row.dtype = DataType::kFloat32;
  row.source = "phi/kernels/cpu/softmax/softmax.h";
  row.legacy_source = "phi/legacy/kernels/softmax.cc";
  row.first_difference =
      Difference{"softmax {x: float32[2]}", "out float32[2]", 1, 0.5, 0.25};
  EXPECT_THAT(ParityDetail(row, "0badcafe"),
              testing::EndsWith("first difference: softmax {x: float32[2]}: "
                                "out float32[2] at element 1: 0.5 against "
                                "0.25\n"));
}

TEST(Parity, TheHashIsOfBothSources) {
  ParityRow row;
  row.source = "phi/kernels/cpu/softmax/softmax.h";
  row.legacy_source = "phi/legacy/kernels/softmax.cc";
  const auto hash = SourceHash(".", row);
  ASSERT_THAT(hash, IsOk());
  EXPECT_EQ(hash->size(), 8u);
  row.legacy_source = "phi/legacy/kernels/softmax_grad.cc";
  EXPECT_NE(*SourceHash(".", row), *hash);
  row.legacy_source = "phi/legacy/kernels/nothing.cc";
  EXPECT_EQ(SourceHash(".", row).status().message(),
            "cannot read ./phi/legacy/kernels/nothing.cc");
}

}  // namespace
}  // namespace switchyard
