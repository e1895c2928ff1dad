// SPDX-License-Identifier: Apache-2.0
// An eager call, a backward, a lowering and a static run with the n-th
// allocation refused, for every n: ResourceExhausted, no block more in use than
// before, and the inputs have the bits that they had. Every operator's samples
// go the same way through Python in python_test.py.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "eager/autograd/engine.h"
#include "eager/autograd/grad_mode.h"
#include "eager/ops/add.gen.h"
#include "eager/ops/dropout.gen.h"
#include "eager/ops/log_softmax.gen.h"
#include "eager/ops/matmul.gen.h"
#include "eager/ops/mean.gen.h"
#include "eager/ops/multiply.gen.h"
#include "eager/ops/sum.gen.h"
#include "eager/ops/tanh.gen.h"
#include "eager/ops/transpose.gen.h"
#include "framework/base/op_error.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/autodiff/gradients.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/parser.h"
#include "static_graph/program/executable.h"
#include "tests/faults/fault_injection.h"

namespace switchyard {
namespace {

using static_graph::Executable;
using static_graph::State;
namespace ir = static_graph::ir;

DenseTensor Copy(const DenseTensor& tensor) {
  const std::vector<double> values = ToDoubles(tensor);
  return tensor.dtype() == DataType::kFloat32
             ? MakeTensor<float>(
                   tensor.shape(),
                   std::vector<float>(values.begin(), values.end()))
             : MakeTensorOf(tensor.dtype(), tensor.shape(), values);
}

DenseTensor Numbers(const Shape& shape, int seed) {
  const int64_t count = *shape.NumElements();
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>((i * 37 + seed * 11) % 41) / 20 - 1);
  }
  return MakeTensor<float>(shape, values);
}

// Runs `action` with its first allocation refused, then its second, and so on
// to the end, and once whole. Returns how many there are.
int64_t RefuseEach(const std::vector<DenseTensor>& inputs,
                   const std::function<absl::Status()>& action) {
  EXPECT_THAT(action(), IsOk());  // Fills caches that stay.
  std::vector<DenseTensor> before;
  for (const DenseTensor& input : inputs) before.push_back(Copy(input));
  for (int64_t n = 0;; ++n) {
    const int64_t blocks = SyLiveBlocks();
    SyRefuseAllocationAfter(n);
    const absl::Status status = action();
    if (!SyStopRefusing()) {
      EXPECT_THAT(status, IsOk());
      return n;
    }
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted)
        << n << ": " << status;
    // A frame that failed is dropped.
    EXPECT_LE(SyLiveBlocks(), blocks) << n;
    for (size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_THAT(inputs[i], TensorIdentical(before[i])) << n;
    }
    if (::testing::Test::HasFailure()) return n;
  }
}

absl::Status StatusOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const OpError& error) {
    return error.status();
  }
  return absl::OkStatus();
}

int64_t RefuseEachOf(const std::vector<DenseTensor>& inputs,
                     const std::function<void()>& call) {
  return RefuseEach(inputs, [&] { return StatusOf(call); });
}

TEST(Allocation, RefusedInAnEagerCall) {
  const eager::Tensor x(Numbers({2, 3}, 1));
  const eager::Tensor y(Numbers({3, 4}, 2));
  const eager::Tensor wide(MakeTensor<double>({2, 3}, {1, 2, 3, 4, 5, 6}));
  const std::vector<DenseTensor> inputs = {x.dense(), y.dense(), wide.dense()};
  EXPECT_EQ(RefuseEachOf(inputs, [&] { eager::add(x, x); }), 1);
  EXPECT_EQ(RefuseEachOf(inputs, [&] { eager::add(x, wide); }), 2);  // A cast.
  // A view has no memory of its own; a kernel that wants none gets a copy.
  EXPECT_EQ(RefuseEachOf(inputs, [&] { eager::transpose(x, {1, 0}); }), 0);
  EXPECT_GE(RefuseEachOf(inputs,
                         [&] {
                           eager::log_softmax(eager::transpose(x, {1, 0}));
                         }),
            1);
  EXPECT_GE(RefuseEachOf(inputs, [&] { eager::matmul(x, y); }), 1);
  EXPECT_GE(RefuseEachOf(inputs, [&] { eager::dropout(x); }), 3);
}

TEST(Allocation, RefusedInACallInPlace) {
  eager::Tensor x(MakeTensor<double>({2, 3}, {1, 2, 3, 4, 5, 6}));
  const eager::Tensor narrow(Numbers({2, 3}, 1));
  const DenseTensor before = Copy(x.dense());
  SyRefuseAllocationAfter(0);  // The cast's.
  const absl::Status status = StatusOf([&] { eager::add_(x, narrow); });
  ASSERT_TRUE(SyStopRefusing()) << status;
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(x.dense(), TensorIdentical(before));
}

TEST(Allocation, RefusedInABackward) {
  const DenseTensor x = Numbers({4, 3}, 1);
  const DenseTensor w = Numbers({3, 5}, 2);
  const int64_t count = RefuseEach({x, w}, [&]() -> absl::Status {
    eager::Tensor leaf(w);
    SY_RETURN_IF_ERROR(leaf.set_requires_grad(true));
    absl::Status status;
    eager::Tensor loss;
    SY_RETURN_IF_ERROR(StatusOf([&] {
      const eager::Tensor h = eager::matmul(eager::Tensor(x), leaf);
      // Two uses: gradients are added.
      loss =
          eager::mean(eager::multiply(eager::tanh(h), eager::log_softmax(h)));
    }));
    return eager::Backward({loss});
  });
  EXPECT_GE(count, 8);
}

TEST(Allocation, RefusedInADoubleBackward) {
  const DenseTensor x = MakeTensor<float>({2}, {0.5f, -1.5f});
  const int64_t count = RefuseEach({x}, [&]() -> absl::Status {
    eager::Tensor leaf(x);
    SY_RETURN_IF_ERROR(leaf.set_requires_grad(true));
    absl::Status status = StatusOf([&] {
      const eager::Tensor out = eager::sum(eager::multiply(leaf, leaf));
      eager::BackwardOptions options;
      options.create_graph = true;
      ThrowIfError(eager::Backward({out}, {}, options));
      ThrowIfError(eager::Backward({eager::sum(leaf.grad())}));
    });
    // It leads back to the leaf.
    status.Update(leaf.set_grad({}));
    return status;
  });
  EXPECT_GE(count, 4);
}

constexpr char kStep[] = R"(program @step {
  ^entry(
      %x: feed "x" tensor<float32[?, 3]>,
      %c: feed "c" tensor<bool[]>,
      %w: state "w" tensor<float32[3, 2]>,
      %rate: state "rate" tensor<float32[1]>):
    %t = builtin.constant() {value = dense<float32[2]>[0.5, 2.0]} : tensor<float32[2]>
    %0 = op.matmul(%x, %w) : tensor<float32[?, 2]>
    %1 = cf.if(%c) : tensor<float32[?, 2]> region {
      %2 = op.tanh(%0) : tensor<float32[?, 2]>
      cf.yield(%2)
    } region {
      %3 = op.multiply(%0, %t) : tensor<float32[?, 2]>
      cf.yield(%3)
    }
    %4 = op.mean(%1) : tensor<float32[]>
    builtin.return("loss" = %4)
}
)";

// kStep with the update of w.
absl::StatusOr<ir::Program> Training(ir::Context* context) {
  SY_ASSIGN_OR_RETURN(ir::Program program, ir::Parse(context, kStep));
  const ir::Value w = program.FindArgument(ir::ArgumentRole::kState, "w");
  const ir::Value rate = program.FindArgument(ir::ArgumentRole::kState, "rate");
  const std::vector<ir::NamedValue> fetches = program.fetches();
  ir::Builder builder(context);
  builder.SetInsertionPoint(program.return_op());
  SY_ASSIGN_OR_RETURN(
      const std::vector<ir::Value> gradients,
      static_graph::BuildGradients(builder, fetches[0].value, {w}));
  SY_ASSIGN_OR_RETURN(
      const ir::Value updated,
      static_graph::BuildOp(builder,
                            *static_graph::FindOperator(*context, "sgd_"),
                            {w, rate, gradients[0]}));
  program.Return(fetches, {{"w", updated}});
  return program;
}

TEST(Allocation, RefusedInALoweringAndARun) {
  const DenseTensor x = Numbers({4, 3}, 1);
  const DenseTensor w = Numbers({3, 2}, 2);
  const DenseTensor rate = MakeTensor<float>({1}, {0.1f});
  const DenseTensor yes = MakeTensor<bool>({}, {true});
  const int64_t count = RefuseEach({x, w, rate}, [&]() -> absl::Status {
    ir::Context context;
    SY_RETURN_IF_ERROR(static_graph::RegisterDialects(
        &context, static_graph::AllDialectOps()));
    SY_ASSIGN_OR_RETURN(const ir::Program graph, Training(&context));
    SY_ASSIGN_OR_RETURN(
        const auto program,
        Executable::Compile(graph, phi::KernelTables::Current()));
    State state;
    SY_RETURN_IF_ERROR(state.Set("w", w));
    SY_RETURN_IF_ERROR(state.Set("rate", rate));
    return program->Run({{"x", x}, {"c", yes}}, &state).status();
  });
  EXPECT_GE(count, 3);
}

TEST(Allocation, RefusedInAWarmRun) {
  const DenseTensor x = Numbers({4, 3}, 1);
  const DenseTensor w = Numbers({3, 2}, 2);
  const DenseTensor rate = MakeTensor<float>({1}, {0.1f});
  const DenseTensor yes = MakeTensor<bool>({}, {true});
  ir::Context context;
  ASSERT_THAT(
      static_graph::RegisterDialects(&context, static_graph::AllDialectOps()),
      IsOk());
  const absl::StatusOr<ir::Program> graph = Training(&context);
  ASSERT_THAT(graph, IsOk());
  const auto program =
      Executable::Compile(*graph, phi::KernelTables::Current());
  ASSERT_THAT(program, IsOk());
  State state;
  ASSERT_THAT(state.Set("w", w), IsOk());
  ASSERT_THAT(state.Set("rate", rate), IsOk());
  // A frame is there; a fetched tensor is given away and allocated again.
  RefuseEach({x, w, rate}, [&] {
    return (*program)->Run({{"x", x}, {"c", yes}}, &state).status();
  });
}

}  // namespace
}  // namespace switchyard
