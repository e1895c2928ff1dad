// SPDX-License-Identifier: Apache-2.0
// The gradients of the generated operators, against central differences: the
// composites of phi/composite in both orders, gradient kernels in the first.
// The samples of every operator run through Python in tests/samples; here are
// the forms that composites branch on.
#include <cmath>
#include <string>
#include <vector>

#include "eager/autograd/engine.h"
#include "eager/autograd/grad_mode.h"
#include "eager/call/autograd_ops.h"
#include "eager/ops/autograd_ops.h"
#include "eager/testing/gradient_check.h"
#include "framework/base/op_error.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"
#include "switchyard/ops.h"

namespace switchyard::eager {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Irregular numbers without kinks nearby: |x| in [0.3, 1.3), signs alternate
// irregularly unless `positive`.
Tensor Numbers(const Shape& shape, int seed = 0, bool positive = false) {
  std::vector<double> values(shape.numel());
  for (size_t i = 0; i < values.size(); ++i) {
    const double size = 0.3 + std::fmod(0.618034 * (i + 1) + 0.3 * seed, 1.0);
    values[i] = positive || (i * 7 + seed) % 3 != 0 ? size : -size;
  }
  return Tensor(MakeTensor<double>(shape, absl::Span<const double>(values)));
}
Tensor Positive(const Shape& shape, int seed = 0) {
  return Numbers(shape, seed, true);
}

using In = absl::Span<const Tensor>;
using Function = std::vector<Tensor> (*)(In);

struct Case {
  const char* name;
  Function function;
  std::vector<Tensor> inputs;
  bool second_order = true;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class GradientsTest : public ::testing::TestWithParam<Case> {};

TEST_P(GradientsTest, AgreeWithDifferences) {
  GradientCheckOptions options;
  options.second_order = GetParam().second_order;
  const auto function = [](In inputs) -> absl::StatusOr<std::vector<Tensor>> {
    try {
      return GetParam().function(inputs);
    } catch (const OpError& error) {
      return error.status();
    }
  };
  EXPECT_THAT(CheckGradients(function, GetParam().inputs, options), IsOk());
}

using V = std::vector<Tensor>;

INSTANTIATE_TEST_SUITE_P(
    Elementwise, GradientsTest,
    ::testing::ValuesIn(std::vector<Case>{
        {"add",
         [](In x) { return V{add(x[0], x[1])}; },
         {Numbers({2, 3}), Numbers({3}, 1)}},
        {"subtract",
         [](In x) { return V{subtract(x[0], x[1])}; },
         {Numbers({2, 1}), Numbers({2, 3}, 1)}},
        {"multiply",
         [](In x) { return V{multiply(x[0], x[1])}; },
         {Numbers({2, 3}), Numbers(Shape(), 1)}},
        {"divide",
         [](In x) { return V{divide(x[0], x[1])}; },
         {Numbers({2, 3}), Positive({3}, 1)}},
        {"maximum",
         [](In x) { return V{maximum(x[0], x[1])}; },
         {Numbers({2, 3}), Numbers({3}, 4)}},
        {"exp", [](In x) { return V{eager::exp(x[0])}; }, {Numbers({3})}},
        {"log", [](In x) { return V{eager::log(x[0])}; }, {Positive({3})}},
        {"sqrt", [](In x) { return V{eager::sqrt(x[0])}; }, {Positive({3})}},
        {"square", [](In x) { return V{square(x[0])}; }, {Numbers({3})}},
        {"scale",
         [](In x) { return V{scale(x[0], -2.5, 3.0, false)}; },
         {Numbers({3})}},
        {"relu", [](In x) { return V{relu(x[0])}; }, {Numbers({5})}},
        {"sigmoid", [](In x) { return V{sigmoid(x[0])}; }, {Numbers({5})}},
        {"tanh", [](In x) { return V{eager::tanh(x[0])}; }, {Numbers({5})}},
        {"gelu", [](In x) { return V{gelu(x[0])}; }, {Numbers({5})}, false}}));

constexpr int64_t kAxes01[] = {0, 1};
constexpr int64_t kAxis1[] = {-2};

INSTANTIATE_TEST_SUITE_P(
    Reductions, GradientsTest,
    ::testing::ValuesIn(std::vector<Case>{
        {"softmax",
         [](In x) { return V{softmax(x[0], 0)}; },
         {Numbers({3, 2})}},
        {"log_softmax",
         [](In x) { return V{log_softmax(x[0])}; },
         {Numbers({2, 3})}},
        {"sum_all", [](In x) { return V{sum(x[0])}; }, {Numbers({2, 3})}},
        {"sum_axis",
         [](In x) { return V{sum(x[0], kAxis1)}; },
         {Numbers({2, 3, 2})}},
        {"sum_keepdim",
         [](In x) { return V{sum(x[0], kAxes01, DataType::kUndefined, true)}; },
         {Numbers({2, 3, 2})}},
        {"mean",
         [](In x) { return V{mean(x[0], kAxis1)}; },
         {Numbers({2, 3, 2})}},
        {"max",
         [](In x) { return V{max(x[0], kAxis1)}; },
         {Numbers({2, 3, 2})}},
        {"reduce_as",
         [](In x) { return V{reduce_as(x[0], x[1])}; },
         {Numbers({2, 3}), Numbers({1, 3})}}}));

INSTANTIATE_TEST_SUITE_P(
    Matmul, GradientsTest,
    ::testing::ValuesIn(std::vector<Case>{
        {"plain",
         [](In x) { return V{matmul(x[0], x[1])}; },
         {Numbers({2, 3}), Numbers({3, 4}, 1)}},
        {"transpose_x",
         [](In x) { return V{matmul(x[0], x[1], true)}; },
         {Numbers({3, 2}), Numbers({3, 4}, 1)}},
        {"transpose_y",
         [](In x) { return V{matmul(x[0], x[1], false, true)}; },
         {Numbers({2, 3}), Numbers({4, 3}, 1)}},
        {"transpose_both",
         [](In x) { return V{matmul(x[0], x[1], true, true)}; },
         {Numbers({3, 2}), Numbers({4, 3}, 1)}},
        {"batches_broadcast",
         [](In x) { return V{matmul(x[0], x[1])}; },
         {Numbers({2, 1, 2, 3}), Numbers({2, 3, 1}, 1)}},
        {"stack_times_matrix",
         [](In x) { return V{matmul(x[0], x[1])}; },
         {Numbers({2, 2, 3}), Numbers({3, 4}, 1)}},
        {"stack_times_transposed",
         [](In x) { return V{matmul(x[0], x[1], false, true)}; },
         {Numbers({2, 2, 3}), Numbers({4, 3}, 1)}},
        {"vector_vector",
         [](In x) { return V{matmul(x[0], x[1])}; },
         {Numbers({3}), Numbers({3}, 1)}},
        {"matrix_vector",
         [](In x) { return V{matmul(x[0], x[1])}; },
         {Numbers({2, 4, 3}), Numbers({3}, 1)}},
        {"vector_matrix",
         [](In x) { return V{matmul(x[0], x[1])}; },
         {Numbers({3}), Numbers({2, 3, 2}, 1)}},
        {"mul",
         [](In x) { return V{mul(x[0], x[1], 2, 1)}; },
         {Numbers({2, 1, 3}), Numbers({3, 2}, 1)}}}));

constexpr int64_t kSix[] = {6};
constexpr int64_t kThreeOne[] = {3, 1};
constexpr int64_t kTwoThreeTwo[] = {2, 3, 2};
constexpr int kPerm[] = {2, 0, -2};
constexpr int64_t kOne[] = {1};
constexpr int64_t kTwo[] = {2};

INSTANTIATE_TEST_SUITE_P(
    Moving, GradientsTest,
    ::testing::ValuesIn(std::vector<Case>{
        {"reshape",
         [](In x) { return V{reshape(x[0], kSix)}; },
         {Numbers({2, 3})}},
        {"transpose",
         [](In x) { return V{transpose(x[0], kPerm)}; },
         {Numbers({2, 3, 2})}},
        {"concat",
         [](In x) { return V{concat(x, 1)}; },
         {Numbers({2, 3}), Numbers({2, 1}, 1)}},
        {"split",
         [](In x) { return V{split(x[0], kThreeOne, 0)[0]}; },
         {Numbers({4, 2})}},
        {"slice",
         [](In x) { return V{slice(x[0], kOne, kOne, kTwo)}; },
         {Numbers({2, 3})}},
        {"expand",
         [](In x) { return V{expand(x[0], kTwoThreeTwo)}; },
         {Numbers({3, 1})}},
        {"expand_as",
         [](In x) { return V{expand_as(x[0], x[1])}; },
         {Numbers({3, 1}), Numbers({2, 3, 2}, 1)}},
        {"assign", [](In x) { return V{assign(x[0])}; }, {Numbers({3})}},
        {"contiguous",
         [](In x) { return V{contiguous(transpose(x[0], kPerm))}; },
         {Numbers({2, 3, 2})}},
        {"copy",
         [](In x) { return V{copy(x[0], Place::Cpu())}; },
         {Numbers({3})}}}));

Tensor Labels() { return Tensor(MakeTensor<int64_t>({2, 1}, {2, 0})); }

INSTANTIATE_TEST_SUITE_P(
    Losses, GradientsTest,
    ::testing::ValuesIn(std::vector<Case>{
        {"cross_entropy",
         [](In x) { return V{cross_entropy_with_softmax(x[0], x[1]).loss}; },
         {Numbers({2, 3}), Labels()},
         false},
        {"embedding",
         [](In x) { return V{embedding(x[0], x[1])}; },
         {Tensor(MakeTensor<int64_t>({4}, {1, 0, 1, 2})), Numbers({3, 2})}}}));

constexpr int kStride[] = {2, 1};
constexpr int kPadding[] = {1, 0};
constexpr int kUnits[] = {1, 1};
constexpr int64_t kWindow[] = {2, 2};
constexpr int kNone[] = {0, 0};

V BatchNorm(In x, bool is_test) {
  const Tensor mean = Numbers({2}, 3), variance = Positive({2}, 4);
  return {batch_norm(x[0], mean, variance, x[1], x[2], is_test).out};
}

Tensor Pool(const Tensor& x, const char* type) {
  return pool2d(x, kWindow, kUnits, kNone, false, true, "NCHW", type);
}

INSTANTIATE_TEST_SUITE_P(
    Images, GradientsTest,
    ::testing::ValuesIn(std::vector<Case>{
        {"conv2d",
         [](In x) { return V{conv2d(x[0], x[1], kStride, kPadding)}; },
         {Numbers({2, 2, 3, 3}), Numbers({2, 2, 2, 2}, 1)}},
        {"depthwise_conv2d",
         [](In x) {
           return V{
               depthwise_conv2d(x[0], x[1], kUnits, kPadding, "EXPLICIT", 2)};
         },
         {Numbers({1, 2, 3, 3}), Numbers({2, 1, 2, 2}, 1)}},
        {"max_pool2d",
         [](In x) { return V{Pool(multiply(x[0], x[0]), "max")}; },
         {Numbers({1, 2, 3, 3})}},
        {"avg_pool2d",
         [](In x) { return V{Pool(multiply(x[0], x[0]), "avg")}; },
         {Numbers({1, 2, 3, 3})}},
        {"batch_norm",
         [](In x) { return BatchNorm(x, false); },
         {Numbers({3, 2, 2}), Numbers({2}, 1), Numbers({2}, 2)}},
        {"batch_norm_in_test",
         [](In x) { return BatchNorm(x, true); },
         {Numbers({3, 2, 2}), Numbers({2}, 1), Numbers({2}, 2)}},
        {"layer_norm",
         [](In x) { return V{layer_norm(x[0], x[1], x[2])}; },
         {Numbers({2, 2, 2}), Numbers({4}, 1), Numbers({4}, 2)}}}));

// The gradient of a function that kernels compute must be the composite's.
TEST(CreateGraphTest, GivesTheSameGradientAsTheKernels) {
  Tensor x = Numbers({2, 3});
  ASSERT_THAT(x.set_requires_grad(true), IsOk());
  const Tensor y = sum(sigmoid(softmax(eager::tanh(x))));
  GradOptions keep;
  keep.retain_graph = true;
  GradOptions create;
  create.create_graph = true;
  const auto kernels = Grad({y}, {x}, {}, keep);
  const auto composites = Grad({y}, {x}, {}, create);
  ASSERT_THAT(kernels, IsOk());
  ASSERT_THAT(composites, IsOk());
  EXPECT_FALSE((*kernels)[0].requires_grad());
  EXPECT_TRUE((*composites)[0].requires_grad());
  const auto expected = ToVector<double>((*kernels)[0].dense());
  const auto got = ToVector<double>((*composites)[0].dense());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], 1e-14);
  }
}

TEST(CreateGraphTest, RefusesAGradientThatHasNone) {
  Tensor x = Numbers({2, 3});
  ASSERT_THAT(x.set_requires_grad(true), IsOk());
  GradOptions create;
  create.create_graph = true;
  const Tensor loss = digamma(x);
  // The gradient is no constant even where that of the loss is one.
  for (const Tensor& objective : {sum(square(loss)), sum(loss)}) {
    EXPECT_THAT(Grad({objective}, {x}, {}, create),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         HasSubstr("digamma: create_graph must be")));
  }
}

// Indices 1, 0, 1, 2 with 0 as padding, twice, beside a dense use.
TEST(SelectedRowsTest, SparseGradientsAddUpToTheDenseOnes) {
  const Tensor index(MakeTensor<int64_t>({4}, {1, 0, 1, 2}));
  const auto gradient = [&](bool sparse, bool dense_use) {
    Tensor weight = Numbers({3, 2});
    EXPECT_THAT(weight.set_requires_grad(true), IsOk());
    Tensor loss = sum(square(embedding(index, weight, 0, sparse)));
    loss = add(loss, sum(embedding(index, weight, -1, sparse)));
    if (dense_use) loss = add(loss, sum(square(weight)));
    EXPECT_THAT(Backward({loss}), IsOk());
    return weight.grad();
  };
  for (const bool dense_use : {false, true}) {
    const Tensor expected = gradient(false, dense_use);
    const Tensor got = gradient(true, dense_use);
    EXPECT_EQ(got.kind(),
              dense_use ? TensorKind::kDense : TensorKind::kSelectedRows);
    EXPECT_EQ(got.shape(), expected.shape());
    const auto dense = autograd_ops.Densify(got);
    ASSERT_THAT(dense, IsOk());
    EXPECT_THAT(dense->dense(), TensorNear(expected.dense(), Within(1e-12)));
  }
}

TEST(SelectedRowsTest, FlowOnAsDenseOnes) {
  const Tensor index(MakeTensor<int64_t>({4}, {1, 0, 1, 2}));
  const auto gradient = [&](bool sparse) {
    Tensor x = Numbers({3, 2});
    EXPECT_THAT(x.set_requires_grad(true), IsOk());
    const Tensor rows = embedding(index, square(x), -1, sparse);
    EXPECT_THAT(Backward({sum(square(rows))}), IsOk());
    return x.grad();
  };
  const Tensor got = gradient(true);
  ASSERT_EQ(got.kind(), TensorKind::kDense);
  EXPECT_THAT(got.dense(), TensorNear(gradient(false).dense(), Within(1e-12)));
}

TEST(SelectedRowsTest, AreSavedForAGradient) {
  SelectedRows rows(3, {2, 0}, MakeTensor<double>({2, 1}, {1, 2}));
  Tensor x(std::move(rows));
  Tensor y = Numbers({3, 1});
  EXPECT_THAT(x.set_requires_grad(true), IsOk());
  EXPECT_THAT(y.set_requires_grad(true), IsOk());
  const Tensor out = add(x, y);
  EXPECT_EQ(out.kind(), TensorKind::kDense);
  ASSERT_THAT(Backward({sum(square(out))}), IsOk());
  for (const Tensor& leaf : {x, y}) {
    EXPECT_THAT(leaf.grad().dense(),
                TensorNear(scale(out, 2.0).dense(), Within(1e-12)));
  }
}

TEST(SelectedRowsTest, AreWhatSgdSteps) {
  const Tensor index(MakeTensor<int64_t>({2}, {2, 2}));
  Tensor weight(MakeTensor<float>({3, 1}, {1, 2, 3}));
  ASSERT_THAT(weight.set_requires_grad(true), IsOk());
  ASSERT_THAT(Backward({sum(embedding(index, weight, -1, true))}), IsOk());
  const Tensor grad = weight.grad();
  ASSERT_EQ(grad.kind(), TensorKind::kSelectedRows);
  EXPECT_THAT(grad.selected_rows().rows(), ElementsAre(2, 2));
  NoGradGuard guard;
  sgd_(weight, Tensor(MakeTensor<float>({1}, {0.5f})), grad);
  EXPECT_THAT(ToVector<float>(weight.dense()), ElementsAre(1, 2, 2));
}

TEST(RandomTest, DropoutDrawsItsStateAndHasAGradient) {
  Tensor x = Positive({64});
  ASSERT_THAT(x.set_requires_grad(true), IsOk());
  const Tensor a = dropout(x, std::nullopt, 0.5), b = dropout(x, std::nullopt);
  EXPECT_NE(ToVector<double>(a.dense()), ToVector<double>(b.dense()));
  ASSERT_THAT(Backward({sum(a)}), IsOk());
  const auto out = ToVector<double>(a.dense());
  const auto grad = ToVector<double>(x.grad().dense());
  for (size_t i = 0; i < out.size(); ++i) EXPECT_EQ(grad[i] != 0, out[i] != 0);
}

TEST(InplaceTest, GeneratedInplaceFunctionIsTheSameTensor) {
  Tensor x = Numbers({3}), y = Numbers({3}, 1);
  const Tensor expected = add(x, y);
  EXPECT_EQ(add_(x, y), x);
  EXPECT_EQ(ToVector<double>(x.dense()), ToVector<double>(expected.dense()));
  ASSERT_THAT(y.set_requires_grad(true), IsOk());
  EXPECT_THROW(add_(y, x), OpError);
}

}  // namespace
}  // namespace switchyard::eager
