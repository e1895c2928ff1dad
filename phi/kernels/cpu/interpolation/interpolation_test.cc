// SPDX-License-Identifier: Apache-2.0
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
                                bool recompute) {
  return {absl::MakeConstSpan(c.out_size),
          0,
          0,
          0,
          absl::MakeConstSpan(c.scale),
          c.format,
          align_corners,
          recompute};
}

template <typename T>
void CheckNearest(const ResamplingCase& c, bool align_corners, bool recompute) {
  SCOPED_TRACE(ToString(c.x));
  const auto attrs = Attributes(c, align_corners, recompute);
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

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
