// SPDX-License-Identifier: Apache-2.0
// Runs the kernels of detection on sequences (LoD), which samples do not
// have.
#include <memory>
#include <vector>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "phi/core/arg_buffer.h"
#include "phi/core/testing/launch.h"

namespace switchyard::phi {

extern const KernelDef kernel_box_clip_cpu_float32;
extern const KernelDef kernel_box_coder_cpu_float32;
extern const KernelDef kernel_collect_fpn_proposals_cpu_float32;
extern const KernelDef kernel_distribute_fpn_proposals_cpu_float32;
extern const KernelDef kernel_multiclass_nms_lod_cpu_float32;

namespace kernels::cpu {
namespace {

using Ints = std::vector<int32_t>;
using Floats = std::vector<float>;
using Offsets = std::vector<int64_t>;
using Levels = std::vector<Offsets>;

DenseTensor WithLod(DenseTensor tensor, Offsets offsets) {
  tensor.SetLod(std::make_shared<const LoD>(LoD{{std::move(offsets)}}));
  return tensor;
}

Levels LevelsOf(const DenseTensor& tensor) {
  return tensor.lod() == nullptr ? Levels() : tensor.lod()->offsets;
}

TEST(BoxClip, ClipsToTheImageOfTheSequence) {
  const DenseTensor boxes = WithLod(
      MakeTensor<float>({2, 4}, {-1, 2, 30, 40, -1, 2, 30, 40}), {0, 1, 2});
  // 20 x 10 pixels, and 30 x 50 of an image twice as large.
  const DenseTensor info = MakeTensor<float>({2, 3}, {20, 10, 1, 30, 50, 2});
  DenseTensor out = EmptyTensor(DataType::kFloat32, {2, 4});
  ASSERT_THAT(Launch(kernel_box_clip_cpu_float32, {&boxes, &info}, {}, {&out}),
              IsOk());
  EXPECT_EQ(ToVector<float>(out), (Floats{0, 2, 9, 19, 0, 2, 24, 14}));
  EXPECT_EQ(LevelsOf(out), (Levels{{0, 1, 2}}));

  const DenseTensor one = MakeTensor<float>({1, 3}, {20, 10, 1});
  EXPECT_THAT(Launch(kernel_box_clip_cpu_float32, {&boxes, &one}, {}, {&out}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       testing::HasSubstr("im_info must be of 2 rows")));
}

TEST(BoxCoder, HasTheSequencesOfWhatItsRowsAre) {
  const DenseTensor priors =
      WithLod(MakeTensor<float>({2, 4}, {0, 0, 2, 2, 1, 1, 3, 3}), {0, 1, 2});
  const DenseTensor codes =
      MakeTensor<float>({2, 1, 4}, {0, 0, 0, 0, 0.5f, 0, 0, 0});
  DenseTensor out = EmptyTensor(DataType::kFloat32, {2, 1, 4});
  ASSERT_THAT(Launch(kernel_box_coder_cpu_float32, {&priors, nullptr, &codes},
                     {"decode_center_size", true, 1, absl::Span<const float>()},
                     {&out}),
              IsOk());
  EXPECT_EQ(ToVector<float>(out), (Floats{0, 0, 2, 2, 2, 1, 4, 3}));
  EXPECT_EQ(LevelsOf(out), (Levels{{0, 1, 2}}));
}

// Two images of one and two boxes, of two classes each with boxes of its own.
class FluidMulticlassNms : public testing::Test {
 protected:
  absl::Status Run(float score_threshold, bool mark_none) {
    return Launch(kernel_multiclass_nms_lod_cpu_float32, {&boxes_, &scores_},
                  {score_threshold, -1, -1, 0.5f, true, 1.0f, 0, mark_none},
                  {&out_, &index_});
  }

  DenseTensor boxes_ = WithLod(
      MakeTensor<float>({3, 2, 4}, {0, 0, 1, 1, 0, 0, 2, 2, 0, 0, 1, 1,
                                    5, 5, 6, 6, 0, 0, 1, 1, 7, 7, 8, 8}),
      {0, 1, 3});
  DenseTensor scores_ =
      MakeTensor<float>({3, 2}, {0.9f, 0.1f, 0.9f, 0.4f, 0.9f, 0.8f});
  DenseTensor out_, index_;
};

TEST_F(FluidMulticlassNms, KeepsTheOrderOfAClassWithBoxesOfItsOwn) {
  ASSERT_THAT(Run(0.2f, true), IsOk());
  EXPECT_EQ(ToVector<float>(out_), (Floats{1, 0.4f, 5, 5, 6, 6,  //
                                           1, 0.8f, 7, 7, 8, 8}));
  EXPECT_EQ(ToVector<int32_t>(index_), (Ints{3, 5}));
  EXPECT_EQ(LevelsOf(out_), (Levels{{0, 0, 2}}));
  EXPECT_EQ(LevelsOf(index_), (Levels{{0, 0, 2}}));
}

TEST_F(FluidMulticlassNms, MarksThatNoBoxStays) {
  ASSERT_THAT(Run(1.0f, true), IsOk());
  EXPECT_EQ(out_.shape(), Shape({1, 1}));
  EXPECT_EQ(ToVector<float>(out_), (Floats{-1}));
  EXPECT_EQ(LevelsOf(out_), (Levels{{0, 1}}));
}

TEST_F(FluidMulticlassNms, IsEmptyWithoutAMark) {
  ASSERT_THAT(Run(1.0f, false), IsOk());
  EXPECT_EQ(out_.shape(), Shape({0, 6}));
  EXPECT_EQ(index_.shape(), Shape({0, 1}));
  EXPECT_EQ(LevelsOf(out_), (Levels{{0, 0, 0}}));
}

// Sides of 10 are of level 3, sides of 20 of level 4; 40 is over the last.
TEST(Pyramid, DistributesByImageAndCollectsByScore) {
  const DenseTensor rois = WithLod(
      MakeTensor<float>(
          {4, 4}, {0, 0, 20, 20, 0, 0, 10, 10, 1, 1, 11, 11, 0, 0, 40, 40}),
      {0, 1, 4});
  DenseTensor low, high, restore = EmptyTensor(DataType::kInt32, {4, 1});
  DenseTensor low_num, high_num;
  const int levels[] = {3, 4};
  const DeviceContext& device = kernel_distribute_fpn_proposals_cpu_float32.key
                                    .backend->contexts->current(Place::Cpu());
  const TensorBase* inputs[] = {&rois, nullptr};
  const AttrRef attrs[] = {absl::MakeConstSpan(levels), 3, 10, false};
  TensorBase* outputs[] = {&low, &high, &restore, &low_num, &high_num};
  ArgLayout layout;
  layout.Add(2);
  layout.Add(1);
  layout.Add(2);
  KernelContext launch(device, {inputs, attrs, {outputs, layout.segments()}});
  ASSERT_THAT(kernel_distribute_fpn_proposals_cpu_float32.thunk(launch),
              IsOk());
  EXPECT_EQ(ToVector<float>(low), (Floats{0, 0, 10, 10, 1, 1, 11, 11}));
  EXPECT_EQ(ToVector<float>(high), (Floats{0, 0, 20, 20, 0, 0, 40, 40}));
  EXPECT_EQ(ToVector<int32_t>(restore), (Ints{2, 0, 1, 3}));
  EXPECT_EQ(ToVector<int32_t>(low_num), (Ints{0, 2}));
  EXPECT_EQ(ToVector<int32_t>(high_num), (Ints{1, 1}));
  EXPECT_EQ(LevelsOf(low), (Levels{{0, 0, 2}}));
  EXPECT_EQ(LevelsOf(high), (Levels{{0, 1, 2}}));

  // The best three of all four: by image, then by score.
  const DenseTensor low_scores = MakeTensor<float>({2, 1}, {0.3f, 0.9f});
  const DenseTensor high_scores = MakeTensor<float>({2, 1}, {0.5f, 0.6f});
  const TensorBase* collected[] = {&low, &high, &low_scores, &high_scores};
  ArgLayout in;
  in.Add(2);
  in.Add(2);
  in.Add(0);
  DenseTensor best, count;
  const AttrRef most[] = {3};
  TensorBase* results[] = {&best, &count};
  KernelContext collect(device, {{collected, in.segments()}, most, results});
  ASSERT_THAT(kernel_collect_fpn_proposals_cpu_float32.thunk(collect), IsOk());
  EXPECT_EQ(ToVector<float>(best),
            (Floats{0, 0, 20, 20, 1, 1, 11, 11, 0, 0, 40, 40}));
  EXPECT_EQ(ToVector<int32_t>(count), (Ints{1, 2}));
  EXPECT_EQ(LevelsOf(best), (Levels{{0, 1, 3}}));
}

}  // namespace
}  // namespace kernels::cpu
}  // namespace switchyard::phi
