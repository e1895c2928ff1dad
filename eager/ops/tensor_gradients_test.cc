// SPDX-License-Identifier: Apache-2.0
// The gradients of operators that move, choose, reduce and order elements,
// against central differences in both orders: the forms that their composites
// branch on. Arithmetic is in eager/ops/gradients_test.cc.
#include <cmath>
#include <vector>

#include "eager/autograd/engine.h"
#include "eager/ops/argsort.gen.h"
#include "eager/ops/bmm.gen.h"
#include "eager/ops/cumsum.gen.h"
#include "eager/ops/flatten.gen.h"
#include "eager/ops/flip.gen.h"
#include "eager/ops/gather.gen.h"
#include "eager/ops/index_add.gen.h"
#include "eager/ops/index_select.gen.h"
#include "eager/ops/max.gen.h"
#include "eager/ops/min.gen.h"
#include "eager/ops/pad.gen.h"
#include "eager/ops/prod.gen.h"
#include "eager/ops/put_along_axis.gen.h"
#include "eager/ops/scatter.gen.h"
#include "eager/ops/squeeze.gen.h"
#include "eager/ops/stack.gen.h"
#include "eager/ops/sum.gen.h"
#include "eager/ops/take_along_axis.gen.h"
#include "eager/ops/tile.gen.h"
#include "eager/ops/topk.gen.h"
#include "eager/ops/trace.gen.h"
#include "eager/ops/tril.gen.h"
#include "eager/ops/triu.gen.h"
#include "eager/ops/unsqueeze.gen.h"
#include "eager/testing/gradient_check.h"
#include "framework/base/op_error.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"

namespace switchyard::eager {
namespace {

using ::testing::ElementsAre;
using In = absl::Span<const Tensor>;
using V = std::vector<Tensor>;
using Ints = std::vector<int64_t>;

// Irregular numbers, no two of them equal or near 0.
Tensor Numbers(const Shape& shape, int seed = 0) {
  std::vector<double> values(shape.numel());
  for (size_t i = 0; i < values.size(); ++i) {
    const double size = 0.3 + std::fmod(0.618034 * (i + 1) + 0.3 * seed, 1.0);
    values[i] = (i * 7 + seed) % 3 != 0 ? size : -size;
  }
  return Tensor(MakeTensor<double>(shape, absl::Span<const double>(values)));
}

Tensor Indices(const Shape& shape, std::initializer_list<int64_t> values) {
  return Tensor(MakeTensor<int64_t>(shape, values));
}

// Both orders. `function` may throw OpError.
void Check(V (*function)(In), const V& inputs) {
  GradientCheckOptions options;
  options.second_order = true;
  const auto checked = [&](In x) -> absl::StatusOr<V> {
    try {
      return function(x);
    } catch (const OpError& error) {
      return error.status();
    }
  };
  EXPECT_THAT(CheckGradients(checked, inputs, options), IsOk());
}

TEST(TensorGradientsTest, Arrangement) {
  Check([](In x) { return V{flatten(x[0], 0, 1)}; }, {Numbers({2, 3, 2})});
  Check([](In x) { return V{squeeze(x[0], Ints{1})}; }, {Numbers({2, 1, 3})});
  Check([](In x) { return V{unsqueeze(x[0], Ints{0, -1})}; }, {Numbers({3})});
  Check([](In x) { return V{stack(x, -1)}; },
        {Numbers({2, 3}), Numbers({2, 3}, 1)});
  Check([](In x) { return V{stack(x)}; }, {Numbers({}), Numbers({}, 1)});
  Check([](In x) { return V{tile(x[0], Ints{2, 1, 3})}; }, {Numbers({2, 2})});
  Check([](In x) { return V{tile(x[0], Ints{2})}; }, {Numbers({2, 3})});
  Check([](In x) { return V{tile(x[0], Ints{3, 2})}; }, {Numbers({})});
  Check(
      [](In x) {
        return V{pad(x[0], Ints{1, 0, 0, 2}, 0.5)};
      },
      {Numbers({2, 2})});
  const auto flipped = [](In x) {
    const int axes[] = {-1, 0};
    return V{flip(x[0], axes)};
  };
  Check(flipped, {Numbers({2, 3})});
  Check([](In x) { return V{tril(x[0], 1)}; }, {Numbers({3, 3})});
  Check([](In x) { return V{triu(x[0], -1)}; }, {Numbers({2, 3, 2})});
  Check([](In x) { return V{trace(x[0], 1, -1, 0)}; }, {Numbers({2, 2, 3})});
  Check([](In x) { return V{bmm(x[0], x[1])}; },
        {Numbers({2, 2, 3}), Numbers({2, 3, 1}, 1)});
}

TEST(TensorGradientsTest, Indexing) {
  const Tensor index = Indices({3}, {2, 0, 2});
  Check([](In x) { return V{gather(x[1], x[0], 1)}; },
        {index, Numbers({2, 3})});
  Check([](In x) { return V{gather(x[1], x[0], -1)}; },
        {Indices({}, {1}), Numbers({2, 3})});
  Check([](In x) { return V{index_select(x[1], x[0])}; },
        {Indices({2}, {-1, 0}), Numbers({3, 2})});
  Check([](In x) { return V{index_add(x[1], x[0], x[2], 1)}; },
        {index, Numbers({2, 3}), Numbers({2, 3}, 1)});
  Check([](In x) { return V{scatter(x[1], x[0], x[2], false)}; },
        {index, Numbers({4, 2}), Numbers({3, 2}, 1)});
  Check([](In x) { return V{scatter(x[1], x[0], x[2])}; },
        {Indices({2}, {3, 0}), Numbers({4, 2}), Numbers({2, 2}, 1)});
  const Tensor along = Indices({2, 3}, {1, 0, 1, -1, 0, 0});
  Check([](In x) { return V{take_along_axis(x[1], x[0], 0)}; },
        {along, Numbers({2, 3})});
  Check([](In x) { return V{put_along_axis(x[1], x[0], x[2], 0, "add")}; },
        {along, Numbers({2, 3}), Numbers({2, 3}, 1)});
  Check([](In x) { return V{put_along_axis(x[1], x[0], x[2], 0)}; },
        {Indices({1, 3}, {1, 0, 1}), Numbers({2, 3}), Numbers({1, 3}, 1)});
}

TEST(TensorGradientsTest, Reductions) {
  Check([](In x) { return V{sum(x[0], Ints{1}, DataType::kFloat64)}; },
        {Numbers({2, 3})});
  Check([](In x) { return V{min(x[0], Ints{0}, true)}; }, {Numbers({2, 3})});
  Check([](In x) { return V{prod(x[0], Ints{1})}; }, {Numbers({2, 3})});
  Check([](In x) { return V{prod(x[0])}; }, {Numbers({2, 2})});
  Check([](In x) { return V{cumsum(x[0], 0, false, true, true)}; },
        {Numbers({3, 2})});
  Check([](In x) { return V{cumsum(x[0], -1, true)}; }, {Numbers({2, 2})});
  Check([](In x) { return V{topk(x[0], 2, 0).out}; }, {Numbers({4, 2})});
  Check([](In x) { return V{argsort(x[0], 1, true).out}; }, {Numbers({2, 3})});
}

std::vector<double> GradientOf(Tensor (*function)(const Tensor&),
                               std::initializer_list<double> values) {
  Tensor x(
      MakeTensor<double>(Shape({static_cast<int64_t>(values.size())}), values));
  EXPECT_THAT(x.set_requires_grad(true), IsOk());
  EXPECT_THAT(Backward({function(x)}), IsOk());
  return ToVector<double>(x.grad().dense());
}

TEST(TensorGradientsTest, EveryLargestElementGetsTheWholeGradient) {
  EXPECT_THAT(GradientOf([](const Tensor& x) { return max(x); }, {1, 3, 3, 2}),
              ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(GradientOf([](const Tensor& x) { return min(x); }, {1, 3, 1, 2}),
              ElementsAre(1, 0, 1, 0));
}

TEST(TensorGradientsTest, ProductsWithZeros) {
  const auto product = [](const Tensor& x) { return prod(x); };
  EXPECT_THAT(GradientOf(product, {2, 0, 5}), ElementsAre(0, 10, 0));
  EXPECT_THAT(GradientOf(product, {2, 0, 0}), ElementsAre(0, 0, 0));
  EXPECT_THAT(GradientOf(product, {2, 3, 5}), ElementsAre(15, 10, 6));
}

TEST(TensorGradientsTest, GradientOfASumTakesTheDtypeOfItsInput) {
  Tensor x(MakeTensor<float>(Shape({3}), {1, 2, 3}));
  ASSERT_THAT(x.set_requires_grad(true), IsOk());
  ASSERT_THAT(Backward({sum(x, {}, DataType::kFloat64)}), IsOk());
  EXPECT_EQ(x.grad().dtype(), DataType::kFloat32);
  EXPECT_THAT(ToVector<float>(x.grad().dense()), ElementsAre(1, 1, 1));
}

}  // namespace
}  // namespace switchyard::eager
