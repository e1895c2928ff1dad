// SPDX-License-Identifier: Apache-2.0
// The kernels of matching, on batches whose images are sequences. The
// expected values are worked out by hand from the operators' formulas.
#include <memory>
#include <vector>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "phi/core/testing/launch.h"

namespace switchyard::phi {

extern const KernelDef kernel_bipartite_match_cpu_float32;
extern const KernelDef kernel_target_assign_cpu_float32;
extern const KernelDef kernel_mine_hard_examples_cpu_float32;

namespace kernels::cpu {
namespace {

using Ints = std::vector<int32_t>;
using Floats = std::vector<float>;
using Offsets = std::vector<int64_t>;

DenseTensor WithLod(DenseTensor tensor, Offsets offsets) {
  tensor.SetLod(std::make_shared<const LoD>(LoD{{std::move(offsets)}}));
  return tensor;
}

// Image 0 has rows 0 and 1. 0.9 is the best pair of all, then row 1 takes the
// best column that is left. Image 1 has no row, image 2 has row 2.
TEST(BipartiteMatch, MatchesWithinEachImage) {
  const DenseTensor dist = WithLod(
      MakeTensor<float>({3, 3},
                        {0.9f, 0.8f, 0.1f, 0.7f, 0.2f, 0.6f, 0.0f, 0.3f, 0.5f}),
      {0, 2, 2, 3});
  DenseTensor indices, dists;
  ASSERT_THAT(Launch(kernel_bipartite_match_cpu_float32, {&dist},
                     {"bipartite", 0.5f}, {&indices, &dists}),
              IsOk());
  EXPECT_EQ(indices.shape(), Shape({3, 3}));
  EXPECT_EQ(ToVector<int32_t>(indices),
            (Ints{0, -1, 1, -1, -1, -1, -1, -1, 0}));
  EXPECT_EQ(ToVector<float>(dists),
            (Floats{0.9f, 0, 0.6f, 0, 0, 0, 0, 0, 0.5f}));

  // Column 1 of image 0 is left, and row 0 is like enough for it.
  DenseTensor more, more_dists;
  ASSERT_THAT(Launch(kernel_bipartite_match_cpu_float32, {&dist},
                     {"per_prediction", 0.5f}, {&more, &more_dists}),
              IsOk());
  EXPECT_EQ(ToVector<int32_t>(more), (Ints{0, 0, 1, -1, -1, -1, -1, -1, 0}));
}

TEST(BipartiteMatch, RefusesSequencesOfOtherRows) {
  const DenseTensor dist =
      WithLod(MakeTensor<float>({2, 1}, {0.9f, 0.8f}), {0, 3});
  DenseTensor indices, dists;
  EXPECT_THAT(Launch(kernel_bipartite_match_cpu_float32, {&dist},
                     {"bipartite", 0.5f}, {&indices, &dists}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

// x: [3 true boxes, 1, 2]; image 0 has rows 0 and 1, image 1 has row 2.
TEST(TargetAssign, GivesRowsOfTheImage) {
  const DenseTensor x =
      WithLod(MakeTensor<float>({3, 1, 2}, {1, 2, 3, 4, 5, 6}), {0, 2, 3});
  const DenseTensor match = MakeTensor<int32_t>({2, 3}, {1, -1, 0, -1, 0, -1});
  const DenseTensor negative =
      WithLod(MakeTensor<int32_t>({2, 1}, {2, 0}), {0, 1, 2});
  DenseTensor out = EmptyTensor(DataType::kFloat32, {2, 3, 2});
  DenseTensor weight = EmptyTensor(DataType::kFloat32, {2, 3, 1});
  ASSERT_THAT(Launch(kernel_target_assign_cpu_float32, {&x, &match, nullptr},
                     {9}, {&out, &weight}),
              IsOk());
  EXPECT_EQ(ToVector<float>(out), (Floats{3, 4, 9, 9, 1, 2, 9, 9, 5, 6, 9, 9}));
  EXPECT_EQ(ToVector<float>(weight), (Floats{1, 0, 1, 0, 1, 0}));

  // Prior 2 of image 0 and prior 0 of image 1 are negative.
  ASSERT_THAT(Launch(kernel_target_assign_cpu_float32, {&x, &match, &negative},
                     {9}, {&out, &weight}),
              IsOk());
  EXPECT_EQ(ToVector<float>(out), (Floats{3, 4, 9, 9, 9, 9, 9, 9, 5, 6, 9, 9}));
  EXPECT_EQ(ToVector<float>(weight), (Floats{1, 0, 1, 1, 1, 0}));
}

// Column prior % 2 of a row.
TEST(TargetAssign, TakesTheColumnOfThePrior) {
  const DenseTensor x = MakeTensor<float>({1, 2, 1}, {7, 8});
  const DenseTensor match = MakeTensor<int32_t>({1, 4}, {0, 0, -1, 0});
  DenseTensor out = EmptyTensor(DataType::kFloat32, {1, 4, 1});
  DenseTensor weight = EmptyTensor(DataType::kFloat32, {1, 4, 1});
  ASSERT_THAT(Launch(kernel_target_assign_cpu_float32, {&x, &match, nullptr},
                     {0}, {&out, &weight}),
              IsOk());
  EXPECT_EQ(ToVector<float>(out), (Floats{7, 8, 0, 8}));
}

TEST(TargetAssign, ChecksRowsBeforeItWrites) {
  const DenseTensor x =
      WithLod(MakeTensor<float>({3, 1, 1}, {1, 2, 3}), {0, 2, 3});
  const DenseTensor match = MakeTensor<int32_t>({2, 1}, {0, 1});
  DenseTensor out = MakeTensor<float>({2, 1, 1}, {5, 5});
  DenseTensor weight = MakeTensor<float>({2, 1, 1}, {5, 5});
  EXPECT_THAT(Launch(kernel_target_assign_cpu_float32, {&x, &match, nullptr},
                     {0}, {&out, &weight}),
              StatusIs(absl::StatusCode::kOutOfRange,
                       testing::HasSubstr("match_indices must be in [-1, 1)")));
  EXPECT_EQ(ToVector<float>(out), (Floats{5, 5}));
}

// Image 0: one prior matches, so two of the others are chosen: 3 and 1, for 2
// is too much like a true box. Image 1: none matches, none is chosen.
TEST(MineHardExamples, TakesTheDearestNegatives) {
  const DenseTensor loss = MakeTensor<float>({2, 4}, {9, 2, 8, 3, 1, 2, 3, 4});
  const DenseTensor match =
      MakeTensor<int32_t>({2, 4}, {0, -1, -1, -1, -1, -1, -1, -1});
  const DenseTensor dist =
      MakeTensor<float>({2, 4}, {0.9f, 0.1f, 0.6f, 0.2f, 0, 0, 0, 0});
  DenseTensor negative;
  DenseTensor updated = EmptyTensor(DataType::kInt32, {2, 4});
  ASSERT_THAT(Launch(kernel_mine_hard_examples_cpu_float32,
                     {&loss, nullptr, &match, &dist},
                     {2.0f, 0.5f, 0, "max_negative"}, {&negative, &updated}),
              IsOk());
  EXPECT_EQ(ToVector<int32_t>(negative), (Ints{1, 3}));
  ASSERT_NE(negative.lod(), nullptr);
  EXPECT_EQ(negative.lod()->offsets, (std::vector<Offsets>{{0, 2, 2}}));
  EXPECT_EQ(ToVector<int32_t>(updated), ToVector<int32_t>(match));
}

// The sums are 3, 7, 6 and 4: priors 1 and 2 are chosen; 1 has a match and
// keeps it, 2 has none, and 0 loses its match.
TEST(MineHardExamples, TakesTheDearestOfAll) {
  const DenseTensor loss = MakeTensor<float>({1, 4}, {1, 5, 2, 4});
  const DenseTensor loc = MakeTensor<float>({1, 4}, {2, 2, 4, 0});
  const DenseTensor match = MakeTensor<int32_t>({1, 4}, {0, 1, -1, -1});
  const DenseTensor dist = MakeTensor<float>({1, 4}, {1, 1, 1, 1});
  DenseTensor negative;
  DenseTensor updated = EmptyTensor(DataType::kInt32, {1, 4});
  ASSERT_THAT(Launch(kernel_mine_hard_examples_cpu_float32,
                     {&loss, &loc, &match, &dist},
                     {1.0f, 0.5f, 2, "hard_example"}, {&negative, &updated}),
              IsOk());
  EXPECT_EQ(ToVector<int32_t>(negative), (Ints{2}));
  EXPECT_EQ(ToVector<int32_t>(updated), (Ints{-1, 1, -1, -1}));
}

}  // namespace
}  // namespace kernels::cpu
}  // namespace switchyard::phi
