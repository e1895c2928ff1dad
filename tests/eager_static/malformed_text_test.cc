// SPDX-License-Identifier: Apache-2.0
// Programs hit by flipped bits, all the way: whatever still reads as a program
// is verified, lowered and run. Each step gives a result or an error with a
// code and a sentence; nothing crashes and nothing is Internal. The IR's parser
// alone is tested in static_graph/ir.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/verifier.h"
#include "static_graph/program/executable.h"

namespace switchyard {
namespace {

using static_graph::Executable;
using static_graph::State;
namespace ir = static_graph::ir;

constexpr char kText[] = R"(program @p {
  ^entry(
      %x: feed "x" tensor<float32[?, 6]>,
      %i: feed "i" tensor<int64[2, 1]>,
      %c: feed "c" tensor<bool[]>,
      %w: state "w" tensor<float32[6, 4]>,
      %g: state "g" tensor<int64[2]>):
    %0 = op.matmul(%x, %w) {transpose_x = false, transpose_y = false} : tensor<float32[?, 4]>
    %1 = op.softmax(%0) {axis = -1} : tensor<float32[?, 4]>
    %2 = op.reshape(%1) {shape = int64[-1, 2, 2]} : tensor<float32[?, 2, 2]>
    %3 = op.transpose(%2) {perm = int32[2, 0, 1]} : tensor<float32[2, ?, 2]>
    %4 = op.slice(%3) {axes = int64[0], ends = int64[2], starts = int64[1]} : tensor<float32[1, ?, 2]>
    %5 = op.concat(%4, %4) {axis = 2, operand_segments = int32[2]} : tensor<float32[1, ?, 4]>
    %6 = op.embedding(%i, %w) {padding_idx = 1 : int64} : tensor<float32[2, 1, 4]>
    %7 = op.full() {dtype = float32, shape = int64[2, 4], value = scalar(0.5)} : tensor<float32[2, 4]>
    %8 = op.scale(%7) {bias = scalar(1.0), scale = scalar(2.0)} : tensor<float32[2, 4]>
    %9 = op.expand(%8) {shape = int64[3, 2, 4]} : tensor<float32[3, 2, 4]>
    %10, %11 = op.split(%9) {axis = 2, result_segments = int32[2], sections = int64[1, 3]} : tensor<float32[3, 2, 1]>, tensor<float32[3, 2, 3]>
    %12, %13 = op.dropout(%1, %g) {p = 0.5 : float64} : tensor<float32[?, 4]>, tensor<uint8[?, 4]>
    %14 = cf.if(%c) : tensor<float32[?, 4]> region {
      %15 = op.cast(%13) {dtype = float32} : tensor<float32[?, 4]>
      cf.yield(%15)
    } region {
      cf.yield(%12)
    }
    %16 = op.mean(%14) : tensor<float32[]>
    %17 = op.cast(%i) {dtype = float64} : tensor<float64[2, 1]>
    %18 = op.reshape(%7, %g) {operand_segments = int32[1, 1]} : tensor<float32[?, ?]>
    %19 = op.extent(%x) {axis = 0} : tensor<int64[]>
    %20 = op.expand(%16, %19, %19) {operand_segments = int32[1, 2]} : tensor<float32[?, ?]>
    %21 = op.nonzero(%18) : tensor<int64[?, 2]>
    %22 = op.relu(%18) : tensor<float32[?, ?]>
    builtin.return("a" = %5, "b" = %6, "c" = %10, "d" = %11, "e" = %16, "f" = %17, "g" = %21, "h" = %22, "i" = %20)
}
)";

constexpr int kFlips = 10000;
// A context keeps every type that was ever made in it.
constexpr int kProgramsPerContext = 500;
// Larger ones are not run.
constexpr int64_t kMaxElements = 1 << 16;

void ExpectSound(const absl::Status& status, const std::string& text) {
  if (status.ok()) return;
  EXPECT_NE(status.code(), absl::StatusCode::kInternal) << status << "\n"
                                                        << text;
  EXPECT_NE(status.code(), absl::StatusCode::kUnknown) << status << "\n"
                                                       << text;
  EXPECT_FALSE(status.message().empty());
}

// Zeros of the port's type, its unknown extents 2. A default tensor if that is
// much, or nothing that a feed can be.
DenseTensor ZerosOf(const TensorSpec& meta) {
  Shape shape = meta.shape;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!shape[axis].known()) shape[axis] = Dim(2);
  }
  const absl::StatusOr<int64_t> count = shape.NumElements();
  if (meta.kind != TensorKind::kDense || !count.ok() || *count > kMaxElements ||
      ElementSize(meta.dtype) == 0) {
    return DenseTensor();
  }
  DenseTensor tensor = EmptyTensor(meta.dtype, shape);
  if (*count > 0) {
    std::memset(tensor.mutable_data<void>(), 0,
                *count * ElementSize(meta.dtype));
  }
  return tensor;
}

// True if it came as far as a run.
bool RunToTheEnd(ir::Context* context, const std::string& text) {
  const absl::StatusOr<ir::Program> graph = ir::Parse(context, text);
  ExpectSound(graph.status(), text);
  if (!graph.ok()) return false;
  const absl::Status valid = ir::Verify(*graph);
  ExpectSound(valid, text);
  if (!valid.ok()) return false;
  const auto program =
      Executable::Compile(*graph, phi::KernelTables::Current());
  ExpectSound(program.status(), text);
  if (!program.ok()) return false;
  State state;
  for (const auto& port : (*program)->states()) {
    // Refused for a tensor without memory; then the run is.
    state.Set(port.name, ZerosOf(port.meta)).IgnoreError();
  }
  std::vector<static_graph::RunValue> feeds;
  for (const auto& port : (*program)->feeds()) {
    feeds.emplace_back(ZerosOf(port.meta));
  }
  std::vector<static_graph::RunValue> fetches;
  ExpectSound((*program)->RunInOrder(feeds, &state, &fetches), text);
  return true;
}

TEST(MalformedText, IsRefusedOrRuns) {
  std::unique_ptr<ir::Context> context;
  const auto renew = [&] {
    context = std::make_unique<ir::Context>();
    ASSERT_THAT(static_graph::RegisterDialects(context.get(),
                                               static_graph::AllDialectOps()),
                IsOk());
  };
  renew();
  ASSERT_TRUE(RunToTheEnd(context.get(), kText));
  uint64_t random = 99;
  int ran = 0;
  for (int i = 0; i < kFlips && !HasFailure(); ++i) {
    if (i % kProgramsPerContext == 0) renew();
    // A linear congruence: the same flips on every machine.
    random = random * 6364136223846793005u + 1442695040888963407u;
    const uint64_t bit = (random >> 20) % ((sizeof(kText) - 1) * 8);
    std::string text = kText;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    ran += RunToTheEnd(context.get(), text) ? 1 : 0;
  }
  // Flips in names and numbers leave programs.
  EXPECT_GT(ran, 100);
}

// A result would have memory for one byte an element, and get eight.
TEST(MalformedText, GradientOfAnotherDtypeIsRefused) {
  ir::Context context;
  ASSERT_THAT(
      static_graph::RegisterDialects(&context, static_graph::AllDialectOps()),
      IsOk());
  const auto graph = ir::Parse(&context, R"(program @p {
  ^entry(%x: feed "x" tensor<bool[2, 3, 4]>, %g: feed "g" tensor<float64[2, 1, 4]>):
    %0 = op.mean_grad(%x, %g) {axis = int64[1], keepdim = true} : tensor<bool[2, 3, 4]>
    builtin.return("o" = %0)
}
)");
  ASSERT_THAT(graph, IsOk());
  EXPECT_THAT(Executable::Compile(*graph, phi::KernelTables::Current()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       testing::HasSubstr(
                           "mean_grad: out_grad must be bool, got float64")));
}

}  // namespace
}  // namespace switchyard
