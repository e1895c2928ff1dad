// SPDX-License-Identifier: Apache-2.0
// The memory that a program says it plans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "framework/testing/matchers.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/ir/parser.h"
#include "static_graph/program/executable.h"

namespace switchyard::static_graph {
namespace {

using ::testing::HasSubstr;

TEST(PlannedMemoryTest, HasTheResultsBetweenSteps) {
  const std::unique_ptr<ir::Context> context =
      static_graph::testing::ToyContext();
  const auto graph = ir::Parse(context.get(), R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?]>):
    %0 = op.relu(%x) : tensor<float32[?]>
    %1 = op.add(%0, %x) : tensor<float32[?]>
    %2 = op.add(%0, %1) : tensor<float32[?]>
    builtin.return("out" = %2)
}
)");
  ASSERT_THAT(graph, IsOk());
  const auto compiled =
      Executable::Compile(*graph, static_graph::testing::ToyKernels());
  ASSERT_THAT(compiled, IsOk());
  const Executable& program = **compiled;
  const auto memory = program.Memory({Shape{100}});
  ASSERT_THAT(memory, IsOk());
  ASSERT_TRUE(memory->has_value());
  EXPECT_EQ((*memory)->steps.size(), 3);
  ASSERT_EQ((*memory)->places.size(), 1);
  // The result of the program is not in it.
  const std::vector<PlannedMemory::Block>& blocks = (*memory)->blocks;
  ASSERT_EQ(blocks.size(), 2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(blocks[i].bytes, 400);
    EXPECT_EQ(blocks[i].first, i);
    EXPECT_EQ(blocks[i].last, 2);
    EXPECT_LE(blocks[i].offset + 400, (*memory)->places[0].bytes);
  }
  EXPECT_GE(std::abs(blocks[0].offset - blocks[1].offset), 400);
  const auto open = program.Memory({Shape{Dim::Unknown()}});
  ASSERT_THAT(open, IsOk());
  EXPECT_FALSE(open->has_value());
  EXPECT_THAT(program.Memory({Shape{2, 3}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("feed x must be [?], got [2, 3]")));
}

}  // namespace
}  // namespace switchyard::static_graph
