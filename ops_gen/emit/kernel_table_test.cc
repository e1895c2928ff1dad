// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/kernel_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace switchyard::ops_gen {
namespace {

const std::vector<std::string>& Lines() {
  static const auto* lines = new std::vector<std::string>{
      "softmax",
      "softmax softmax cpu float32 0",
      "softmax softmax cpu float64 0",
      "softmax softmax onednn float32 0",
      "softmax softmax fluid/cpu float32 0",
      "softmax softmax gpudnn float32 0",
      "softmax softmax reference float32 0",
      "sgd_",
      "sgd_ sgd cpu float32 1",
      "sgd_ sgd_selected_rows cpu float32 0",
      "relu",
  };
  return *lines;
}

// Backends are ordered by their ranks when the table is made.
TEST(KernelTable, KernelsStandByDtypeThenPlaceThenSymbol) {
  const auto files = EmitKernelTable(Lines());
  ASSERT_TRUE(files.ok()) << files.status();
  const std::string& text = files->front().text;
  EXPECT_NE(text.find("    &kernel_softmax_cpu_float32,\n"
                      "    &kernel_softmax_fluid_cpu_float32,\n"
                      "    &kernel_softmax_gpudnn_float32,\n"
                      "    &kernel_softmax_onednn_float32,\n"
                      "    &kernel_softmax_reference_float32,\n"
                      "    &kernel_softmax_cpu_float64,\n"),
            std::string::npos)
      << text;
}

TEST(KernelTable, OneBackendsKernelsStandInTheEntrysOrder) {
  const auto files = EmitKernelTable(Lines());
  ASSERT_TRUE(files.ok()) << files.status();
  const std::string& text = files->front().text;
  // Sorted by name they would be the other way round.
  EXPECT_NE(text.find("    &kernel_sgd_selected_rows_cpu_float32,\n"
                      "    &kernel_sgd_cpu_float32,\n"),
            std::string::npos)
      << text;
}

TEST(KernelTable, AnOperatorWithoutKernelsHasASlot) {
  const auto files = EmitKernelTable({"relu"});
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_NE(files->front().text.find("OpSlot kernels_relu(\n"
                                     "    \"relu\", {}, "
                                     "&KernelTables::FindOpKernels);\n"),
            std::string::npos)
      << files->front().text;
}

TEST(KernelTable, TheOrderOfTheListMeansNothing) {
  const auto expected = EmitKernelTable(Lines());
  ASSERT_TRUE(expected.ok()) << expected.status();
  std::mt19937 random(7);
  std::vector<std::string> lines = Lines();
  for (int round = 0; round < 1000; ++round) {
    std::shuffle(lines.begin(), lines.end(), random);
    const auto files = EmitKernelTable(lines);
    ASSERT_TRUE(files.ok()) << files.status();
    ASSERT_EQ(files->front().text, expected->front().text);
  }
}

TEST(KernelTable, RefusesWhatItCannotRead) {
  const struct {
    std::vector<std::string> lines;
    const char* message;
  } cases[] = {
      {{"relu relu cpu float32 0", "relu relu cpu float32 0"},
       "kernel set must be each kernel once, got kernel_relu_cpu_float32 "
       "twice"},
      {{"relu relu a-b float32 0"},
       "kernel set must be 'op kernel backend dtype place', got relu relu a-b "
       "float32 0"},
      {{"relu relu cpu float31 0"},
       "kernel set must be 'op kernel backend dtype place', got relu relu cpu "
       "float31 0"},
      {{"relu relu cpu float32 first"},
       "kernel set must be 'op kernel backend dtype place', got relu relu cpu "
       "float32 first"},
      {{"relu cpu"},
       "kernel set must be 'op kernel backend dtype place', got relu cpu"},
  };
  for (const auto& bad : cases) {
    const auto files = EmitKernelTable(bad.lines);
    ASSERT_FALSE(files.ok());
    EXPECT_EQ(std::string(files.status().message()), bad.message);
  }
}

}  // namespace
}  // namespace switchyard::ops_gen
