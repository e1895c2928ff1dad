// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// Boxes that cross all edges of the image, small ones, and one upside down.
template <typename T>
DenseTensor Boxes() {
  return MakeTensor<T>({6, 4}, {T(1.3),  T(0.7), T(9.1), T(7.9),  //
                                T(-5),   T(-3),  T(30),  T(25),   //
                                T(2.1),  T(2.2), T(2.4), T(2.5),  //
                                T(9),    T(8),   T(3.3), T(4.4),  //
                                T(14.2), T(3),   T(40),  T(9),    //
                                T(0),    T(0),   T(0),   T(0)});
}

template <typename T>
void CheckRoiAlign(bool aligned, int sampling_ratio, double bound) {
  const Shape x({3, 5, 9, 11});
  const std::vector<AttrRef> attrs = {3, 2, 0.75f, sampling_ratio, aligned};
  const DenseTensor counts = MakeTensor<int32_t>({3}, {2, 0, 4});
  CheckAgainstReference(
      {"roi_align", {RandomTensor<T>(x), Boxes<T>(), counts}, attrs},
      {bound, bound});
  CheckAgainstReference({"roi_align_grad",
                         {RandomTensor<T>(x), Boxes<T>(), counts,
                          RandomTensor<T>(Shape({6, 5, 3, 2}))},
                         attrs},
                        {bound, bound});
}

TEST(RoiAlignTest, AgreesWithReference) {
  for (const bool aligned : {false, true}) {
    for (const int sampling_ratio : {-1, 1, 3}) {
      CheckRoiAlign<float>(aligned, sampling_ratio, 2e-5);
      CheckRoiAlign<double>(aligned, sampling_ratio, 1e-12);
    }
  }
}

// A box of 1e30 pixels has as many samples; those in the image are few.
TEST(RoiAlignTest, HugeAndMeaninglessBoxesEnd) {
  constexpr float kHuge = 1e30f;
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const DenseTensor boxes =
      MakeTensor<float>({4, 4}, {-kHuge, -kHuge, kHuge, kHuge,  //
                                 0, 0, kHuge, 5,                //
                                 -kInf, 0, kInf, kInf,          //
                                 kNan, 1, 5, kNan});
  const KernelCase huge = {"roi_align",
                           {RandomTensor<float>(Shape({1, 2, 5, 6})), boxes,
                            MakeTensor<int32_t>({1}, {4})},
                           {2, 2, 1.0f, -1, false}};
  EXPECT_THAT(RunKernel(huge, "cpu"), IsOk());
  const KernelCase pooled = {"roi_pool", huge.inputs, {2, 2, 1.0f}};
  EXPECT_THAT(RunKernel(pooled, "cpu"), IsOk());
}

TEST(RoiPoolTest, AgreesWithReference) {
  const Shape x({3, 5, 9, 11});
  const DenseTensor counts = MakeTensor<int32_t>({3}, {2, 0, 4});
  const std::vector<AttrRef> attrs = {3, 2, 0.75f};
  const KernelCase forward = {
      "roi_pool", {RandomTensor<double>(x), Boxes<double>(), counts}, attrs};
  CheckAgainstReference(forward, {0, 0});
  const auto outputs = RunKernel(forward, "cpu");
  ASSERT_THAT(outputs, IsOk());
  CheckAgainstReference(
      {"roi_pool_grad",
       {forward.inputs[0], Boxes<double>(), counts, (*outputs)[1],
        RandomTensor<double>(Shape({6, 5, 3, 2}))},
       attrs},
      {1e-12, 1e-12});
}

// Two groups, two deformable groups, no two attributes alike along both axes.
template <typename T>
void CheckDeformableConv(bool masked, double bound) {
  const int strides[] = {2, 1}, paddings[] = {1, 2}, dilations[] = {1, 2};
  const std::vector<AttrRef> attrs = {absl::MakeConstSpan(strides),
                                      absl::MakeConstSpan(paddings),
                                      absl::MakeConstSpan(dilations), 2, 2};
  const DenseTensor mask =
      masked ? RandomTensor<T>(Shape({2, 12, 4, 8})) : DenseTensor();
  KernelCase call = {"deformable_conv",
                     {RandomTensor<T>(Shape({2, 4, 7, 6})),
                      RandomTensor<T>(Shape({2, 24, 4, 8}), -3, 3),
                      RandomTensor<T>(Shape({6, 2, 3, 2})), mask},
                     attrs};
  CheckAgainstReference(call, {bound, bound});
  call.op = "deformable_conv_grad";
  call.inputs.push_back(RandomTensor<T>(Shape({2, 6, 4, 8})));
  CheckAgainstReference(call, {bound, bound});
}

TEST(DeformableConvTest, AgreesWithReference) {
  for (const bool masked : {false, true}) {
    CheckDeformableConv<float>(masked, 1e-4);
    CheckDeformableConv<double>(masked, 1e-12);
  }
}

TEST(DeformableConvTest, PlacesThatMeanNothingReadZeros) {
  const int ones[] = {1, 1}, none[] = {0, 0};
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const KernelCase call = {
      "deformable_conv",
      {RandomTensor<float>(Shape({1, 1, 1, 3})),
       MakeTensor<float>({1, 2, 1, 3}, {kInf, kNan, 0, 0, 0, -1e30f}),
       MakeTensor<float>({1, 1, 1, 1}, {1}), DenseTensor()},
      {absl::MakeConstSpan(ones), absl::MakeConstSpan(none),
       absl::MakeConstSpan(ones), 1, 1}};
  const auto outputs = RunKernel(call, "cpu");
  ASSERT_THAT(outputs, IsOk());
  EXPECT_EQ(ToVector<float>((*outputs)[0]), (std::vector<float>{0, 0, 0}));
}

template <typename T, typename Number>
void CheckPrroiPool(double bound) {
  const Shape x({3, 5, 9, 11});
  const std::vector<AttrRef> attrs = {3, 2, 0.75};
  const DenseTensor counts = MakeTensor<Number>({3}, {2, 0, 4});
  CheckAgainstReference(
      {"prroi_pool", {RandomTensor<T>(x), Boxes<T>(), counts}, attrs},
      {bound, bound});
  CheckAgainstReference({"prroi_pool_grad",
                         {RandomTensor<T>(x), Boxes<T>(), counts,
                          RandomTensor<T>(Shape({6, 5, 3, 2}))},
                         attrs},
                        {bound, bound});
}

TEST(PrroiPoolTest, AgreesWithReference) {
  CheckPrroiPool<float, int32_t>(2e-5);
  CheckPrroiPool<double, int64_t>(1e-12);
}

TEST(PrroiPoolTest, HugeAndMeaninglessBoxesEnd) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const DenseTensor boxes =
      MakeTensor<float>({3, 4}, {-1e30f, -1e30f, 1e30f, 1e30f,  //
                                 -kInf, 0, kInf, kInf,          //
                                 kNan, 1, 5, kNan});
  const DenseTensor x = RandomTensor<float>(Shape({1, 2, 5, 6}));
  EXPECT_THAT(
      RunKernel({"prroi_pool", {x, boxes, DenseTensor()}, {2, 2, 1.0}}, "cpu"),
      IsOk());
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
