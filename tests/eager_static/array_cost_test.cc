// SPDX-License-Identifier: Apache-2.0
// Bounds what loops over tensor arrays cost: twice the steps, twice the heap
// memory that a run asks for, with gradients too. A list that is copied at each
// write or read would ask for four times as much.
#include <gtest/gtest.h>

#include "framework/testing/allocation_counter.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/autodiff/gradients.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/parser.h"
#include "static_graph/program/executable.h"

namespace switchyard {
namespace {

using static_graph::Executable;
namespace ir = static_graph::ir;

// The first loop fills an array, the second overwrites each element of it and
// sums what was there; the loss is what is in the array then and that sum.
constexpr char kLoops[] = R"(program @loops {
  ^entry(%x: feed "x" tensor<float64[1]>, %steps: feed "steps" tensor<int64[1]>):
    %zero = builtin.constant() {value = dense<int64[1]>[0]} : tensor<int64[1]>
    %none = op.create_array() {dtype = float64, element_shape = int64[1]} : tensor<float64[0, 1], kind tensor_array>
    %0, %filled = cf.while(%zero, %none) : tensor<int64[1]>, tensor<float64[?, 1], kind tensor_array> region {
      ^(%i: tensor<int64[1]>, %a: tensor<float64[?, 1], kind tensor_array>):
      %1 = op.less_than(%i, %steps) : tensor<bool[1]>
      cf.condition(%1)
    } region {
      ^(%j: tensor<int64[1]>, %b: tensor<float64[?, 1], kind tensor_array>):
      %2 = op.array_write(%x, %j, %b) {operand_segments = int32[1, 1, 1]} : tensor<float64[?, 1], kind tensor_array>
      %one = builtin.constant() {value = dense<int64[1]>[1]} : tensor<int64[1]>
      %3 = op.add(%j, %one) : tensor<int64[1]>
      cf.yield(%3, %2)
    }
    %4, %over, %sum = cf.while(%zero, %filled, %x) : tensor<int64[1]>, tensor<float64[?, 1], kind tensor_array>, tensor<float64[1]> region {
      ^(%k: tensor<int64[1]>, %c: tensor<float64[?, 1], kind tensor_array>, %s: tensor<float64[1]>):
      %5 = op.less_than(%k, %steps) : tensor<bool[1]>
      cf.condition(%5)
    } region {
      ^(%l: tensor<int64[1]>, %d: tensor<float64[?, 1], kind tensor_array>, %t: tensor<float64[1]>):
      %6 = op.array_read(%d, %l) : tensor<float64[1]>
      %7 = op.add(%t, %6) : tensor<float64[1]>
      %8 = op.array_write(%7, %l, %d) {operand_segments = int32[1, 1, 1]} : tensor<float64[?, 1], kind tensor_array>
      %more = builtin.constant() {value = dense<int64[1]>[1]} : tensor<int64[1]>
      %9 = op.add(%l, %more) : tensor<int64[1]>
      cf.yield(%9, %8, %7)
    }
    %joined, %sizes = op.array_to_tensor(%over) {axis = 0, use_stack = false} : tensor<float64[?]>, tensor<int32[?]>
    %10 = op.mean(%joined) : tensor<float64[]>
    %11 = op.mean(%sum) : tensor<float64[]>
    %loss = op.add(%10, %11) : tensor<float64[]>
    builtin.return("loss" = %loss)
}
)";

std::shared_ptr<const Executable> Compiled(bool gradient) {
  ir::Context context;
  EXPECT_THAT(
      static_graph::RegisterDialects(&context, static_graph::AllDialectOps()),
      IsOk());
  absl::StatusOr<ir::Program> program = ir::Parse(&context, kLoops);
  EXPECT_THAT(program, IsOk());
  if (!program.ok()) return nullptr;
  if (gradient) {
    ir::Builder builder(&context);
    builder.SetInsertionPoint(program->return_op());
    const ir::Value loss = program->fetches()[0].value;
    const auto gradients = static_graph::BuildGradients(
        builder, loss, {program->FindArgument(ir::ArgumentRole::kFeed, "x")});
    EXPECT_THAT(gradients, IsOk());
    if (!gradients.ok()) return nullptr;
    program->Return({{"loss", loss}, {"dx", (*gradients)[0]}}, {});
  }
  const auto compiled =
      Executable::Compile(*program, phi::KernelTables::Current());
  EXPECT_THAT(compiled, IsOk());
  return compiled.ok() ? *compiled : nullptr;
}

struct Ran {
  std::vector<double> values;
  int64_t bytes = 0;
};

Ran RunOnce(const Executable& program, int64_t steps) {
  Ran ran;
  const AllocationCounter counter;
  const auto fetches =
      program.Run({{"x", MakeTensor<double>({1}, {0.5})},
                   {"steps", MakeTensor<int64_t>({1}, {steps})}});
  ran.bytes = counter.bytes();
  EXPECT_THAT(fetches, IsOk());
  if (!fetches.ok()) return ran;
  for (const auto& fetch : *fetches) {
    ran.values.push_back(ToDoubles(fetch.tensor)[0]);
  }
  return ran;
}

TEST(ArrayCostTest, LoopsAreLinearInTheirSteps) {
  constexpr int64_t kSteps = 1000;
  for (const bool gradient : {false, true}) {
    const auto program = Compiled(gradient);
    ASSERT_NE(program, nullptr);
    RunOnce(*program, 1);  // Specializes.
    const Ran once = RunOnce(*program, kSteps);
    const Ran twice = RunOnce(*program, 2 * kSteps);
    EXPECT_LT(twice.bytes, 3 * once.bytes) << once.bytes;
    // x * (2 + ... + n + 1) / n, and x * (n + 1).
    const double n = kSteps;
    const double factor = (n + 3) / 2 + n + 1;
    ASSERT_EQ(once.values.size(), gradient ? 2u : 1u);
    EXPECT_NEAR(once.values[0], 0.5 * factor, 1e-9);
    for (size_t i = 1; i < once.values.size(); ++i) {
      EXPECT_NEAR(once.values[i], factor, 1e-9);
    }
  }
}

}  // namespace
}  // namespace switchyard
