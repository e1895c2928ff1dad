// SPDX-License-Identifier: Apache-2.0
// Recorded writes to tensors that share memory: values, gradients, errors.
#include "eager/call/view_graph.h"

#include <vector>

#include "eager/autograd/engine.h"
#include "eager/autograd/grad_mode.h"
#include "eager/call/region.h"
#include "eager/testing/toy_ops.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"

namespace switchyard::eager {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using toy::Call;
using toy::Constant;
using toy::Leaf;
using toy::Multiply;
using toy::Reshape;
using toy::Scale;
using toy::Split;
using toy::Sum;
using toy::Values;

constexpr auto kPrecondition = absl::StatusCode::kFailedPrecondition;

TEST(ViewGraphTest, BaseFollowsItsView) {
  const Tensor w = Leaf({4}, {1, 2, 3, 4}), v = Leaf({2}, {10, 20});
  const Tensor base = Scale(w, 2);
  const std::vector<Tensor> parts = Split(base, {2, 2});
  ASSERT_THAT(Call(toy::multiply_, {&parts[1], &v}), IsOk());
  EXPECT_THAT(Values(base), ElementsAre(2, 4, 60, 160));
  ASSERT_THAT(Backward({Sum(base)}), IsOk());
  EXPECT_THAT(Values(w.grad()), ElementsAre(2, 2, 20, 40));
  EXPECT_THAT(Values(v.grad()), ElementsAre(6, 8));
}

TEST(ViewGraphTest, ViewsFollowTheirBaseAndOneAnother) {
  const Tensor w = Leaf({4}, {1, 2, 3, 4}), v = Leaf({2, 2}, {1, 2, 3, 4});
  const Tensor base = Scale(w, 1);
  const Tensor square = Reshape(base, {2, 2});
  const std::vector<Tensor> parts = Split(base, {1, 3});
  ASSERT_THAT(Call(toy::multiply_, {&square, &v}), IsOk());
  EXPECT_THAT(Values(parts[1]), ElementsAre(4, 9, 16));
  ASSERT_THAT(Call(toy::multiply_, {&base, &w}), IsOk());
  EXPECT_THAT(Values(parts[1]), ElementsAre(8, 27, 64));
  // The parts are w * v * w by now.
  ASSERT_THAT(Backward({Sum(parts[1])}), IsOk());
  EXPECT_THAT(Values(w.grad()), ElementsAre(0, 8, 18, 32));
  EXPECT_THAT(Values(v.grad()), ElementsAre(0, 4, 9, 16));
}

TEST(ViewGraphTest, ABaseWithoutGradientGetsOne) {
  const Tensor base = Constant({2}, {1, 2}), leaf = Leaf({1}, {3});
  const std::vector<Tensor> parts = Split(base, {1, 1});
  ASSERT_THAT(Call(toy::multiply_, {&parts[1], &leaf}), IsOk());
  EXPECT_TRUE(base.requires_grad());
  EXPECT_FALSE(parts[0].requires_grad());  // Lies beside what was written.
  ASSERT_THAT(Backward({Sum(base)}), IsOk());
  EXPECT_THAT(Values(leaf.grad()), ElementsAre(2));
}

TEST(ViewGraphTest, ViewsOfABaseThatIsGone) {
  const Tensor w = Leaf({4}, {1, 2, 3, 4}), v = Leaf({4}, {5, 6, 7, 8});
  Tensor base = Scale(w, 1);
  const Tensor square = Reshape(base, {2, 2}), flat = Reshape(base, {4});
  base = Tensor();
  ASSERT_THAT(Call(toy::multiply_, {&flat, &v}), IsOk());
  const Tensor product = Multiply(square, square);
  ASSERT_THAT(Call(toy::multiply_, {&flat, &v}), IsOk());
  ASSERT_THAT(Backward({Sum(square)}), IsOk());  // w * v * v.
  EXPECT_THAT(Values(w.grad()), ElementsAre(25, 36, 49, 64));
  EXPECT_THAT(Values(v.grad()), ElementsAre(10, 24, 42, 64));
  EXPECT_THAT(Backward({Sum(product)}),
              StatusIs(kPrecondition, HasSubstr("multiply: x must be at")));
}

TEST(ViewGraphTest, AnotherViewIsReadAfterTheBaseIsGone) {
  const Tensor w = Leaf({2}, {1, 2}), v = Leaf({2}, {5, 6});
  Tensor base = Scale(w, 3);
  const Tensor column = Reshape(base, {2, 1}), flat = Reshape(base, {2});
  base = Tensor();
  ASSERT_THAT(Call(toy::add_, {&flat, &v}), IsOk());
  EXPECT_THAT(Values(column), ElementsAre(8, 12));
  ASSERT_THAT(Backward({Sum(Multiply(column, column))}), IsOk());
  EXPECT_THAT(Values(w.grad()), ElementsAre(48, 72));
  EXPECT_THAT(Values(v.grad()), ElementsAre(16, 24));
}

TEST(ViewGraphTest, GradientsOfGradients) {
  const Tensor w = Leaf({2}, {2, 3}), v = Leaf({2, 1}, {5, 0});
  const Tensor base = Multiply(w, w);
  const Tensor column = Reshape(base, {2, 1});
  ASSERT_THAT(Call(toy::add_, {&column, &v}), IsOk());
  GradOptions options;
  options.create_graph = true;
  // The function is (w^2 + v)^2.
  const auto first = Grad({Sum(Multiply(base, base))}, {w}, {}, options);
  ASSERT_THAT(first.status(), IsOk());
  EXPECT_THAT(Values((*first)[0]), ElementsAre(72, 108));
  const auto second = Grad({Sum((*first)[0])}, {w, v});
  ASSERT_THAT(second.status(), IsOk());
  EXPECT_THAT(Values((*second)[0]), ElementsAre(68, 108));
  EXPECT_THAT(Values((*second)[1]), ElementsAre(8, 12));
}

TEST(ViewGraphTest, ViewsMadeUnderNoGradAreRefusedOrStale) {
  const Tensor w = Leaf({2}, {1, 2});
  const Tensor base = Scale(w, 2);
  Tensor view;
  {
    NoGradGuard no_grad;
    view = Reshape(base, {2, 1});
  }
  const Tensor column = Constant({2, 1}, {1, 1});
  EXPECT_THAT(Call(toy::add_, {&view, &column}),
              StatusIs(kPrecondition,
                       HasSubstr("a view that was made under no_grad()")));
  ASSERT_THAT(Call(toy::add_, {&base, &w}), IsOk());
  EXPECT_THAT(Backward({Sum(view)}),
              StatusIs(kPrecondition, HasSubstr("made under no_grad()")));
  ASSERT_THAT(Backward({Sum(base)}), IsOk());
  EXPECT_THAT(Values(w.grad()), ElementsAre(3, 3));
}

TEST(ViewGraphTest, LeavesAmongTheViewsAreRefused) {
  const Tensor base = Constant({2}, {1, 2}), other = Leaf({2}, {3, 4});
  Tensor view = Reshape(base, {2, 1});
  ASSERT_THAT(view.set_requires_grad(true), IsOk());
  EXPECT_THAT(Call(toy::add_, {&base, &other}),
              StatusIs(kPrecondition, HasSubstr("add: x shares memory with a "
                                                "leaf that requires grad")));
  EXPECT_THAT(Values(base), ElementsAre(1, 2));
}

TEST(ViewGraphTest, StridedTensorsAreWritten) {
  const Tensor matrix = Constant({2, 2}, {1, 2, 3, 4});
  const Tensor column = Constant({2, 2}, {10, 20, 30, 40});
  const Tensor transposed(TransposedView(matrix.dense(), {1, 0}));
  ASSERT_THAT(Call(toy::add_, {&transposed, &column}), IsOk());
  EXPECT_THAT(Values(matrix), ElementsAre(11, 32, 23, 44));
  EXPECT_EQ(matrix.version(), 1u);
}

TEST(RegionTest, ElementsOfOneMemoryAddUp) {
  const DenseTensor base = MakeTensor<double>({3}, {1, 2, 3});
  DenseTensor view;
  Strides strides = {};
  strides[1] = 2;
  view.SetView(base, {3, 2}, strides, 0);  // [[1, 3]] three times.
  EXPECT_TRUE(OverlapsItself(view));
  const auto region = Region::Of(base.meta(), view);
  ASSERT_TRUE(region.has_value());
  const DenseTensor grad = MakeTensor<double>({3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(ToVector<double>(*region->Put(grad)), ElementsAre(9, 0, 12));
  EXPECT_THAT(ToVector<double>(*region->Take(base)),
              ElementsAre(1, 3, 1, 3, 1, 3));
  EXPECT_THAT(ToVector<double>(*region->Clear(base)), ElementsAre(0, 2, 0));
}

TEST(RegionTest, OverlapIsFoundByWhatLiesBetween) {
  const DenseTensor base = MakeTensor<double>({4}, {1, 2, 3, 4});
  const auto part = [&base](int64_t begin, int64_t count) {
    DenseTensor view;
    view.SetView(base, {count}, ContiguousStrides({count}), begin);
    return view;
  };
  EXPECT_FALSE(MayOverlap(part(0, 2), part(2, 2)));
  EXPECT_TRUE(MayOverlap(part(0, 3), part(2, 2)));
  EXPECT_FALSE(MayOverlap(part(0, 0), part(0, 4)));
  EXPECT_FALSE(Region::Of(part(0, 2).meta(), part(1, 2)).has_value());
}

}  // namespace
}  // namespace switchyard::eager
