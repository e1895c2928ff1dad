// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

struct ResamplingCase {
  Shape x;
  std::vector<int64_t> out_size;
  std::vector<float> scale;
  const char* format = "NCHW";
};

const ResamplingCase kCases[] = {
    {Shape({2, 3, 8, 9}), {}, {2.0f}},
    {Shape({2, 3, 8, 9}), {}, {3.0f, 1.0f}},
    {Shape({2, 3, 7, 5}), {}, {0.6f, 2.3f}},
    {Shape({1, 2, 64, 48}), {}, {2.0f}},
    {Shape({1, 2, 40, 50}), {33, 77}, {}},
    {Shape({2, 3, 4, 5}), {1, 1}, {}},
    {Shape({2, 3, 1, 1}), {4, 3}, {}},
    {Shape({2, 5, 6, 3}), {}, {2.0f}, "NHWC"},
    {Shape({2, 5, 6, 1}), {}, {2.0f}, "NHWC"},
    {Shape({1, 20, 6, 5}), {}, {2.0f}},
    {Shape({2, 5, 6, 17}), {11, 4}, {}, "NHWC"},
    {Shape({0, 3, 4, 4}), {}, {2.0f}},
    {Shape({2, 0, 4, 4}), {}, {2.0f}},
    // Sizes that the factors do not lead to.
    {Shape({2, 3, 4, 5}), {20, 3}, {2.0f}},
};

const ResamplingCase kVolumes[] = {
    {Shape({2, 3, 4, 5, 6}), {}, {2.0f}},
    {Shape({1, 2, 3, 5, 4}), {5, 2, 9}, {}},
    {Shape({2, 3, 4, 5, 2}), {}, {1.5f, 2.0f, 1.0f}, "NDHWC"},
};

// The attributes of nearest_interp; they refer to the case.
std::vector<AttrRef> Attributes(const ResamplingCase& c, bool align_corners,
                                bool recompute, bool half_pixel = false) {
  return {absl::MakeConstSpan(c.out_size),
          0,
          0,
          0,
          absl::MakeConstSpan(c.scale),
          c.format,
          align_corners,
          recompute,
          half_pixel};
}

template <typename T>
void CheckNearest(const ResamplingCase& c, bool align_corners, bool recompute,
                  bool half_pixel = false) {
  SCOPED_TRACE(ToString(c.x));
  const auto attrs = Attributes(c, align_corners, recompute, half_pixel);
  const KernelCase forward{"nearest_interp", {RandomTensor<T>(c.x)}, attrs};
  CheckAgainstReference(forward, {0, 0});
  const auto outputs = Outputs(forward);
  ASSERT_THAT(outputs, IsOk());
  if constexpr (!std::is_integral_v<T>) {
    CheckAgainstReference(
        {"nearest_interp_grad",
         {forward.inputs[0], RandomTensor<T>((*outputs)[0].shape())},
         attrs},
        {1e-5, 1e-5});
  }
}

TEST(NearestTest, AgreesWithReference) {
  for (const bool align_corners : {false, true}) {
    for (const bool recompute : {false, true}) {
      for (const ResamplingCase& c : kCases) {
        CheckNearest<float>(c, align_corners, recompute);
        CheckNearest<uint8_t>(c, align_corners, recompute);
      }
      for (const ResamplingCase& c : kVolumes) {
        CheckNearest<double>(c, align_corners, recompute);
      }
    }
  }
}

TEST(NearestTest, TakesTheElementsAtCentres) {
  for (const ResamplingCase& c : kCases) {
    CheckNearest<float>(c, true, false, true);
    CheckNearest<int8_t>(c, false, true, true);
  }
  const ResamplingCase c{Shape({1, 1, 1, 5}), {1, 2}, {}};
  const DenseTensor x = MakeTensor<float>(c.x, {0, 1, 2, 3, 4});
  const auto outputs = RunKernel(
      {"nearest_interp", {x}, Attributes(c, true, false, true)}, "cpu");
  ASSERT_THAT(outputs, IsOk());
  EXPECT_THAT(ToVector<float>((*outputs)[0]), testing::ElementsAre(1, 3));
}

TEST(NearestTest, FactorsAreRatiosUnlessRecomputed) {
  const ResamplingCase c{Shape({1, 1, 1, 10}), {}, {1.0f, 0.35f}};
  const DenseTensor x = MakeTensor<float>(c.x, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto exact =
      RunKernel({"nearest_interp", {x}, Attributes(c, false, false)}, "cpu");
  ASSERT_THAT(exact, IsOk());
  EXPECT_THAT(ToVector<float>((*exact)[0]), testing::ElementsAre(0, 2, 5));
  const auto recomputed =
      RunKernel({"nearest_interp", {x}, Attributes(c, false, true)}, "cpu");
  ASSERT_THAT(recomputed, IsOk());
  EXPECT_THAT(ToVector<float>((*recomputed)[0]), testing::ElementsAre(0, 3, 6));
}

// Rows for linear_interp.
const ResamplingCase kRows[] = {
    {Shape({2, 3, 100}), {50}, {}},
    {Shape({2, 3, 9}), {}, {2.3f}},
    {Shape({2, 9, 3}), {}, {0.4f}, "NWC"},
    {Shape({2, 3, 1}), {1}, {}},
    // Sizes that the factors do not lead to.
    {Shape({2, 3, 9}), {40}, {2.0f}},
};

// How positions are found.
struct Positions {
  bool align_corners;
  int align_mode;
  bool recompute;
};

template <typename T>
void CheckWeighted(std::string_view op, std::string_view grad_op,
                   const ResamplingCase& c, Positions positions,
                   Tolerance tolerance) {
  SCOPED_TRACE(ToString(c.x));
  auto attrs = Attributes(c, positions.align_corners, positions.recompute);
  attrs.pop_back();  // half_pixel.
  const int after = op == "bicubic_interp" ? 0 : 1;
  attrs.insert(attrs.end() - after, positions.align_mode);
  const bool integer = std::is_integral_v<T>;
  const KernelCase forward{
      op, {RandomTensor<T>(c.x, integer ? 0 : -2, integer ? 255 : 2)}, attrs};
  CheckAgainstReference(forward, tolerance);
  const auto outputs = Outputs(forward);
  ASSERT_THAT(outputs, IsOk());
  if constexpr (!std::is_integral_v<T>) {
    CheckAgainstReference(
        {grad_op,
         {forward.inputs[0], RandomTensor<T>((*outputs)[0].shape())},
         attrs},
        tolerance);
  }
}

constexpr Positions kPositions[] = {{false, 0, false}, {false, 1, false},
                                    {true, 1, false},  {false, 0, true},
                                    {false, 3, false}, {true, 3, false}};

TEST(LinearTest, AgreesWithReference) {
  constexpr Tolerance kClose{1e-5, 1e-5};
  for (const Positions& p : kPositions) {
    for (const ResamplingCase& c : kCases) {
      CheckWeighted<float>("bilinear_interp", "bilinear_interp_grad", c, p,
                           kClose);
      CheckWeighted<double>("bilinear_interp", "bilinear_interp_grad", c, p,
                            {1e-10, 1e-10});
      CheckWeighted<uint8_t>("bilinear_interp", "", c, p, {0, 0});
    }
    for (const ResamplingCase& c : kVolumes) {
      CheckWeighted<float>("trilinear_interp", "trilinear_interp_grad", c, p,
                           kClose);
    }
    for (const ResamplingCase& c : kRows) {
      CheckWeighted<float>("linear_interp", "linear_interp_grad", c, p, kClose);
    }
  }
}

TEST(CubicTest, AgreesWithReference) {
  for (const Positions& p : kPositions) {
    for (const ResamplingCase& c : kCases) {
      CheckWeighted<float>("bicubic_interp", "bicubic_interp_grad", c, p,
                           {1e-4, 1e-4});
      CheckWeighted<double>("bicubic_interp", "bicubic_interp_grad", c, p,
                            {1e-10, 1e-10});
    }
  }
}

TEST(ShuffleTest, AgreesWithReference) {
  for (const char* format : {"NCHW", "NHWC"}) {
    for (const Shape& shape :
         {Shape({2, 12, 6, 24}), Shape({1, 36, 12, 12}), Shape({0, 4, 2, 4})}) {
      SCOPED_TRACE(ToString(shape));
      const DenseTensor x = RandomTensor<float>(shape);
      for (const char* op : {"pixel_shuffle", "pixel_unshuffle",
                             "channel_shuffle", "channel_shuffle_grad"}) {
        CheckAgainstReference({op, {x}, {2, format}}, {0, 0});
      }
    }
  }
}

template <typename T>
void CheckSampling(const Shape& x, const Shape& grid, Tolerance tolerance) {
  SCOPED_TRACE(ToString(x));
  const DenseTensor image = RandomTensor<T>(x);
  const DenseTensor where = RandomTensor<T>(grid, -3, 3, 2);
  for (const char* mode : {"bilinear", "nearest"}) {
    for (const char* padding : {"zeros", "border", "reflection"}) {
      for (const bool align_corners : {false, true}) {
        const std::vector<AttrRef> attrs = {mode, padding, align_corners};
        const KernelCase forward{"grid_sample", {image, where}, attrs};
        CheckAgainstReference(forward, tolerance);
        const auto outputs = Outputs(forward);
        ASSERT_THAT(outputs, IsOk());
        CheckAgainstReference(
            {"grid_sample_grad",
             {image, where, RandomTensor<T>((*outputs)[0].shape(), -2, 2, 3)},
             attrs},
            tolerance);
      }
    }
  }
}

TEST(GridSampleTest, AgreesWithReference) {
  CheckSampling<float>(Shape({2, 3, 5, 6}), Shape({2, 9, 8, 2}), {1e-5, 1e-5});
  CheckSampling<double>(Shape({2, 3, 5, 1}), Shape({2, 9, 8, 2}),
                        {1e-10, 1e-10});
  CheckSampling<double>(Shape({1, 2, 4, 5, 6}), Shape({1, 3, 9, 4, 3}),
                        {1e-10, 1e-10});
  CheckSampling<float>(Shape({0, 3, 5, 6}), Shape({0, 9, 8, 2}), {});
  CheckSampling<float>(Shape({2, 0, 5, 6}), Shape({2, 9, 8, 2}), {});
}

TEST(GridSampleTest, NumbersThatAreNonePickNothing) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const DenseTensor x = MakeTensor<double>(Shape({1, 1, 1, 2}), {1, 2});
  const DenseTensor grid = MakeTensor<double>(
      Shape({1, 1, 4, 2}), {kNan, 0, kInf, 0, -kInf, 0, 0, 0});
  for (const char* mode : {"bilinear", "nearest"}) {
    for (const char* backend : {"reference", "cpu"}) {
      const auto out =
          RunKernel({"grid_sample", {x, grid}, {mode, "zeros", true}}, backend);
      ASSERT_THAT(out, IsOk());
      EXPECT_THAT(ToVector<double>((*out)[0]),
                  testing::ElementsAre(0, 0, 0, testing::Gt(1)));
    }
  }
}

template <typename T>
void CheckPadding(std::string_view op, std::string_view grad_op, const Shape& x,
                  const std::vector<int64_t>& paddings, std::string_view mode,
                  std::string_view format) {
  SCOPED_TRACE(ToString(x));
  const AttrRef pads = absl::MakeConstSpan(paddings);
  const KernelCase forward{
      op, {RandomTensor<T>(x)}, {pads, mode, 1.5f, format}};
  CheckAgainstReference(forward, {0, 0});
  const auto outputs = Outputs(forward);
  ASSERT_THAT(outputs, IsOk());
  CheckAgainstReference(
      {grad_op,
       {forward.inputs[0], RandomTensor<T>((*outputs)[0].shape())},
       {pads, mode, format}},
      {1e-5, 1e-5});
}

TEST(ImagePaddingTest, AgreesWithReference) {
  for (const char* mode : {"constant", "reflect", "edge"}) {
    CheckPadding<float>("pad2d", "pad2d_grad", Shape({2, 3, 5, 40}),
                        {1, 4, 30, 2}, mode, "NCHW");
    CheckPadding<double>("pad2d", "pad2d_grad", Shape({2, 5, 4, 3}),
                         {0, 4, 3, 2}, mode, "NHWC");
    CheckPadding<float>("pad2d", "pad2d_grad", Shape({0, 3, 5, 4}),
                        {1, 4, 3, 2}, mode, "NCHW");
  }
  for (const char* mode : {"constant", "reflect", "replicate", "circular"}) {
    CheckPadding<float>("pad3d", "pad3d_grad", Shape({2, 2, 3, 5, 7}),
                        {6, 1, 0, 4, 2, 1}, mode, "NCDHW");
    CheckPadding<double>("pad3d", "pad3d_grad", Shape({2, 4, 3, 5, 2}),
                         {4, 1, 2, 0, 3, 1}, mode, "NDHWC");
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
