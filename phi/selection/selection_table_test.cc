// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/testing/selection_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace switchyard::phi::selection {
namespace {

TEST(SelectionTable, TheAnswersAreThoseOfTheTable) {
  std::ifstream in("phi/selection/testdata/selection_table.txt");
  ASSERT_TRUE(in.good());
  const std::string table((std::istreambuf_iterator<char>(in)),
                          std::istreambuf_iterator<char>());
  EXPECT_EQ(WithAnswers(table), table)
      << "If this is what you want: bazel run "
         "//phi/selection:selection_table_update";
}

}  // namespace
}  // namespace switchyard::phi::selection
