// SPDX-License-Identifier: Apache-2.0
// The rows of docs/parity.md are the same on the simulated device.
#include <fstream>
#include <string>
#include <vector>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "phi/core/kernel_tables.h"
#include "tests/parity/measure.h"

namespace switchyard {
namespace {

TEST(ParityOnSim, RowsAreTheSame) {
  phi::KernelTables::Current();  // Gives the devices their numbers.
  const auto sim = ParsePlace("sim:0");
  ASSERT_TRUE(sim.has_value());
  const auto rows = MeasureParity({"tests/samples", *sim});
  ASSERT_THAT(rows, IsOk());
  EXPECT_FALSE(rows->empty());
  std::vector<std::string> hashes;
  for (const ParityRow& row : *rows) {
    EXPECT_TRUE(row.passes()) << ParityDetail(row, "");
    const auto hash = SourceHash(".", row);
    ASSERT_THAT(hash, IsOk());
    hashes.push_back(*hash);
  }
  // A library's kernels are the host's alone.
  std::ifstream in("docs/parity.md", std::ios::binary);
  std::string page;
  for (std::string line; std::getline(in, line);) {
    const size_t name_end = line.find(" | ");
    const bool row = line.rfind("| ", 0) == 0;
    if (row && line[name_end - 1] == ')') continue;
    page += line + "\n";
  }
  EXPECT_TRUE(page == ParityPage(*rows, hashes))
      << "the rows on sim:0 are not those of docs/parity.md";
}

}  // namespace
}  // namespace switchyard
