// SPDX-License-Identifier: Apache-2.0
// Gradients through cf.while: the bits of the same loop, run and differentiated
// by the eager executor, and central differences of the program itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "eager/autograd/engine.h"
#include "eager/ops/add.gen.h"
#include "eager/ops/mean.gen.h"
#include "eager/ops/multiply.gen.h"
#include "eager/ops/tanh.gen.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/autodiff/gradients.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/parser.h"
#include "static_graph/program/executable.h"

namespace switchyard {
namespace {

using static_graph::Executable;
using static_graph::Feed;
using static_graph::Fetch;
namespace ir = static_graph::ir;

// h = tanh(h * w) + x, `steps` times; both the first value and what the body
// captures have gradients.
constexpr char kCounted[] = R"(program @counted {
  ^entry(
      %x: feed "x" tensor<float64[3]>,
      %w: feed "w" tensor<float64[3]>,
      %steps: feed "steps" tensor<int64[]>):
    %zero = builtin.constant() {value = dense<int64[]>[0]} : tensor<int64[]>
    %0, %1 = cf.while(%zero, %x) : tensor<int64[]>, tensor<float64[3]> region {
      ^(%i: tensor<int64[]>, %h: tensor<float64[3]>):
      %2 = op.less_than(%i, %steps) : tensor<bool[]>
      cf.condition(%2)
    } region {
      ^(%j: tensor<int64[]>, %g: tensor<float64[3]>):
      %3 = op.multiply(%g, %w) : tensor<float64[3]>
      %4 = op.tanh(%3) : tensor<float64[3]>
      %5 = op.add(%4, %x) : tensor<float64[3]>
      %one = builtin.constant() {value = dense<int64[]>[1]} : tensor<int64[]>
      %6 = op.add(%j, %one) : tensor<int64[]>
      cf.yield(%6, %5)
    }
    %7 = op.mean(%1) : tensor<float64[]>
    builtin.return("loss" = %7)
}
)";

// Data decide how often it runs and which branch it takes; two values that
// change places; a loop in the loop.
constexpr char kTangled[] = R"(program @tangled {
  ^entry(
      %x: feed "x" tensor<float64[]>,
      %w: feed "w" tensor<float64[]>,
      %steps: feed "steps" tensor<int64[]>):
    %limit = builtin.constant() {value = dense<float64[]>[40.0]} : tensor<float64[]>
    %a, %b = cf.while(%x, %w) : tensor<float64[]>, tensor<float64[]> region {
      ^(%c: tensor<float64[]>, %d: tensor<float64[]>):
      %0 = op.less_than(%c, %limit) : tensor<bool[]>
      cf.condition(%0)
    } region {
      ^(%e: tensor<float64[]>, %f: tensor<float64[]>):
      %zero = builtin.constant() {value = dense<int64[]>[0]} : tensor<int64[]>
      %1, %inner = cf.while(%zero, %f) : tensor<int64[]>, tensor<float64[]> region {
        ^(%i: tensor<int64[]>, %h: tensor<float64[]>):
        %2 = op.less_than(%i, %steps) : tensor<bool[]>
        cf.condition(%2)
      } region {
        ^(%j: tensor<int64[]>, %g: tensor<float64[]>):
        %3 = op.tanh(%g) : tensor<float64[]>
        %4 = op.add(%3, %w) : tensor<float64[]>
        %one = builtin.constant() {value = dense<int64[]>[1]} : tensor<int64[]>
        %5 = op.add(%j, %one) : tensor<int64[]>
        cf.yield(%5, %4)
      }
      %6 = op.less_than(%e, %inner) : tensor<bool[]>
      %7 = cf.if(%6) : tensor<float64[]> region {
        %8 = op.multiply(%inner, %e) : tensor<float64[]>
        cf.yield(%8)
      } region {
        %9 = op.add(%e, %inner) : tensor<float64[]>
        cf.yield(%9)
      }
      cf.yield(%7, %e)
    }
    %10 = op.multiply(%a, %b) : tensor<float64[]>
    builtin.return("loss" = %10)
}
)";

// Fetches "loss", "dx" and "dw"; further "ddx" and "ddw", the gradients of the
// sum of dw's elements, if `twice`.
std::shared_ptr<const Executable> Differentiated(const char* text, bool twice) {
  ir::Context context;
  EXPECT_THAT(
      static_graph::RegisterDialects(&context, static_graph::AllDialectOps()),
      IsOk());
  absl::StatusOr<ir::Program> program = ir::Parse(&context, text);
  EXPECT_THAT(program, IsOk());
  if (!program.ok()) return nullptr;
  ir::Builder builder(&context);
  builder.SetInsertionPoint(program->return_op());
  const ir::Value loss = program->fetches()[0].value;
  const std::vector<ir::Value> wrt = {
      program->FindArgument(ir::ArgumentRole::kFeed, "x"),
      program->FindArgument(ir::ArgumentRole::kFeed, "w")};
  const auto first = static_graph::BuildGradients(builder, loss, wrt);
  EXPECT_THAT(first, IsOk());
  if (!first.ok()) return nullptr;
  std::vector<ir::NamedValue> fetches = {
      {"loss", loss}, {"dx", (*first)[0]}, {"dw", (*first)[1]}};
  if (twice) {
    static_graph::GradientOptions options;
    const Scalar one(1.0);
    options.target_gradient = *static_graph::BuildOp(
        builder, *static_graph::FindOperator(context, "full_like"),
        {(*first)[1]}, {AttrRef(one)});
    const auto second =
        static_graph::BuildGradients(builder, (*first)[1], wrt, options);
    EXPECT_THAT(second, IsOk());
    if (!second.ok()) return nullptr;
    fetches.push_back({"ddx", (*second)[0]});
    fetches.push_back({"ddw", (*second)[1]});
  }
  program->Return(fetches, {});
  const auto compiled =
      Executable::Compile(*program, phi::KernelTables::Current());
  EXPECT_THAT(compiled, IsOk());
  return compiled.ok() ? *compiled : nullptr;
}

std::vector<DenseTensor> RunOnce(const Executable& program,
                                 const DenseTensor& x, const DenseTensor& w,
                                 int64_t steps) {
  const auto fetches = program.Run(
      {{"x", x}, {"w", w}, {"steps", MakeScalarTensor<int64_t>(steps)}});
  EXPECT_THAT(fetches, IsOk());
  std::vector<DenseTensor> values;
  if (!fetches.ok()) return values;
  for (const Fetch& fetch : *fetches) values.push_back(fetch.tensor);
  return values;
}

double SumOf(const DenseTensor& tensor) {
  double sum = 0;
  for (double value : ToDoubles(tensor)) sum += value;
  return sum;
}

// The central differences of the sum of fetch number `fetch` for each element
// of x (argument 0) or w (1).
std::vector<double> Differences(const Executable& program, int fetch,
                                const DenseTensor& x, const DenseTensor& w,
                                int64_t steps, int argument) {
  constexpr double kStep = 1e-5;
  std::vector<double> differences;
  const DenseTensor& varied = argument == 0 ? x : w;
  for (int64_t i = 0; i < varied.numel(); ++i) {
    double sums[2];
    for (int side = 0; side < 2; ++side) {
      std::vector<double> values = ToDoubles(varied);
      values[static_cast<size_t>(i)] += side == 0 ? -kStep : kStep;
      const DenseTensor moved = MakeTensor<double>(varied.shape(), values);
      sums[side] = SumOf(RunOnce(program, argument == 0 ? moved : x,
                                 argument == 1 ? moved : w, steps)[fetch]);
    }
    differences.push_back((sums[1] - sums[0]) / (2 * kStep));
  }
  return differences;
}

void ExpectNear(const DenseTensor& tensor, const std::vector<double>& values,
                double tolerance) {
  const std::vector<double> got = ToDoubles(tensor);
  ASSERT_EQ(got.size(), values.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], values[i], tolerance * (1 + std::abs(values[i])));
  }
}

eager::Tensor Leaf(const DenseTensor& tensor) {
  eager::Tensor leaf(tensor);
  EXPECT_THAT(leaf.set_requires_grad(true), IsOk());
  return leaf;
}

eager::Tensor CountedLoss(const eager::Tensor& x, const eager::Tensor& w,
                          int64_t steps) {
  eager::Tensor h = x;
  for (int64_t i = 0; i < steps; ++i) {
    h = eager::add(eager::tanh(eager::multiply(h, w)), x);
  }
  return eager::mean(h);
}

eager::Tensor TangledLoss(const eager::Tensor& x, const eager::Tensor& w,
                          int64_t steps) {
  const auto number = [](const eager::Tensor& t) {
    return *t.dense().data<double>();
  };
  eager::Tensor a = x;
  eager::Tensor b = w;
  while (number(a) < 40) {
    eager::Tensor inner = b;
    for (int64_t i = 0; i < steps; ++i) {
      inner = eager::add(eager::tanh(inner), w);
    }
    b = std::exchange(a, number(a) < number(inner) ? eager::multiply(inner, a)
                                                   : eager::add(a, inner));
  }
  return eager::multiply(a, b);
}

// Static loss, dx and dw against eager's.
template <typename Loss>
void ExpectEagersBits(const Executable& program, Loss loss,
                      const DenseTensor& x, const DenseTensor& w,
                      int64_t steps) {
  const std::vector<DenseTensor> got = RunOnce(program, x, w, steps);
  const eager::Tensor x_leaf = Leaf(x);
  const eager::Tensor w_leaf = Leaf(w);
  const eager::Tensor expected = loss(x_leaf, w_leaf, steps);
  ASSERT_THAT(eager::Backward({expected}), IsOk());
  EXPECT_THAT(got[0], TensorIdentical(expected.dense())) << steps;
  EXPECT_THAT(got[1], TensorIdentical(x_leaf.grad().dense())) << steps;
  if (w_leaf.grad().defined()) {
    EXPECT_THAT(got[2], TensorIdentical(w_leaf.grad().dense())) << steps;
  } else {
    EXPECT_EQ(SumOf(got[2]), 0) << steps;
  }
}

const DenseTensor& CountedX() {
  static const auto* x =
      new DenseTensor(MakeTensor<double>({3}, {0.3, -0.7, 1.1}));
  return *x;
}
const DenseTensor& CountedW() {
  static const auto* w =
      new DenseTensor(MakeTensor<double>({3}, {0.9, 1.2, -0.4}));
  return *w;
}

TEST(LoopGradient, HasEagersBits) {
  const auto program = Differentiated(kCounted, false);
  ASSERT_NE(program, nullptr);
  // None, one, a square and its neighbours, many.
  for (int64_t steps : {0, 1, 2, 3, 8, 9, 10, 50}) {
    ExpectEagersBits(*program, CountedLoss, CountedX(), CountedW(), steps);
  }
}

TEST(LoopGradient, HasEagersBitsThroughNestedControlFlow) {
  const auto program = Differentiated(kTangled, false);
  ASSERT_NE(program, nullptr);
  for (int64_t steps : {0, 1, 4}) {
    for (double x : {0.8, 3.0, 50.0}) {
      ExpectEagersBits(*program, TangledLoss, MakeScalarTensor<double>(x),
                       MakeScalarTensor<double>(1.3), steps);
    }
  }
}

TEST(LoopGradient, AgreesWithDifferences) {
  const auto counted = Differentiated(kCounted, false);
  const auto tangled = Differentiated(kTangled, false);
  ASSERT_TRUE(counted != nullptr && tangled != nullptr);
  const auto check = [](const Executable& program, const DenseTensor& x,
                        const DenseTensor& w, int64_t steps) {
    const std::vector<DenseTensor> got = RunOnce(program, x, w, steps);
    ExpectNear(got[1], Differences(program, 0, x, w, steps, 0), 1e-7);
    ExpectNear(got[2], Differences(program, 0, x, w, steps, 1), 1e-7);
  };
  for (int64_t steps : {0, 1, 7}) {
    check(*counted, CountedX(), CountedW(), steps);
  }
  check(*tangled, MakeScalarTensor<double>(0.8), MakeScalarTensor<double>(1.3),
        2);
}

TEST(LoopGradient, HasAGradientOfItsOwn) {
  const auto program = Differentiated(kCounted, true);
  ASSERT_NE(program, nullptr);
  for (int64_t steps : {1, 5}) {
    const std::vector<DenseTensor> got =
        RunOnce(*program, CountedX(), CountedW(), steps);
    ASSERT_EQ(got.size(), 5u);
    ExpectNear(got[3],
               Differences(*program, 2, CountedX(), CountedW(), steps, 0),
               1e-6);
    ExpectNear(got[4],
               Differences(*program, 2, CountedX(), CountedW(), steps, 1),
               1e-6);
  }
}

}  // namespace
}  // namespace switchyard
