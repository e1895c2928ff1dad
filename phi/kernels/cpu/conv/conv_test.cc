// SPDX-License-Identifier: Apache-2.0
#include "framework/types/float16.h"
#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"
#include "phi/kernels/testing/simd_levels.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// `input` in NCHW order, `out` in the format.
struct ConvCase {
  Shape input, filter, out;
  std::vector<int> strides, paddings, dilations;
  int groups = 1;
  const char* format = "NCHW";
  const char* algorithm = "EXPLICIT";
};

const ConvCase kConvCases[] = {
    {Shape({2, 3, 7, 6}),
     Shape({4, 3, 3, 2}),
     Shape({2, 4, 7, 7}),
     {1, 1},
     {1, 1},
     {1, 1}},
    {Shape({3, 1, 28, 28}),
     Shape({6, 1, 5, 5}),
     Shape({3, 6, 28, 28}),
     {1, 1},
     {2, 2},
     {1, 1}},
    {Shape({1, 4, 9, 11}),
     Shape({6, 2, 3, 3}),
     Shape({1, 6, 3, 10}),
     {2, 1},
     {0, 1, 1, 2},
     {2, 2},
     2},
    {Shape({2, 5, 6, 6}),
     Shape({7, 5, 1, 1}),
     Shape({2, 7, 6, 6}),
     {1, 1},
     {0, 0},
     {1, 1}},
    {Shape({2, 5, 6, 7}),
     Shape({7, 5, 1, 1}),
     Shape({2, 7, 3, 4}),
     {2, 2},
     {0, 0},
     {1, 1}},
    {Shape({2, 6, 5, 4}),
     Shape({4, 3, 2, 3}),
     Shape({2, 5, 4, 4}),
     {1, 1},
     {0, 0},
     {1, 1},
     2,
     "NHWC",
     "SAME"},
    {Shape({2, 4, 8, 9}),
     Shape({4, 1, 3, 3}),
     Shape({2, 4, 8, 9}),
     {1, 1},
     {1, 1},
     {1, 1},
     4},
    {Shape({2, 4, 8, 9}),
     Shape({8, 1, 5, 3}),
     Shape({2, 8, 3, 5}),
     {2, 2},
     {1, 1},
     {1, 1},
     4},
    {Shape({1, 1, 2, 2}),
     Shape({1, 1, 3, 3}),
     Shape({1, 1, 6, 6}),
     {1, 1},
     {3, 3},
     {1, 1}},
    {Shape({0, 3, 7, 6}),
     Shape({4, 3, 3, 2}),
     Shape({0, 4, 7, 7}),
     {1, 1},
     {1, 1},
     {1, 1}},
    {Shape({2, 0, 4, 4}),
     Shape({3, 0, 2, 2}),
     Shape({2, 3, 3, 3}),
     {1, 1},
     {0, 0},
     {1, 1}},
    // A plane by a filter: whole tiles of rows, overlapping ones, and less.
    {Shape({1, 3, 19, 21}),
     Shape({3, 1, 5, 5}),
     Shape({1, 3, 19, 21}),
     {1, 1},
     {2, 2},
     {1, 1},
     3},
    {Shape({2, 2, 8, 12}),
     Shape({2, 1, 7, 3}),
     Shape({2, 2, 6, 12}),
     {1, 1},
     {2, 1},
     {1, 1},
     2},
    {Shape({1, 2, 5, 70}),
     Shape({2, 1, 3, 5}),
     Shape({1, 2, 3, 66}),
     {1, 1},
     {0, 0},
     {1, 1},
     2},
    // Phases of strides: two that are wide, some that no tap falls on.
    {Shape({1, 3, 12, 71}),
     Shape({4, 3, 3, 3}),
     Shape({1, 4, 6, 36}),
     {2, 2},
     {1, 1},
     {1, 1}},
    {Shape({1, 2, 13, 50}),
     Shape({3, 2, 2, 2}),
     Shape({1, 3, 3, 17}),
     {5, 3},
     {1, 1},
     {1, 1}},
    {Shape({20, 16, 14, 14}),
     Shape({60, 16, 3, 3}),
     Shape({20, 60, 14, 14}),
     {1, 1},
     {1, 1},
     {1, 1}},
    // Small planes, of which several make a product, and the rest another.
    {Shape({9, 16, 6, 5}),
     Shape({36, 16, 3, 3}),
     Shape({9, 36, 6, 5}),
     {1, 1},
     {1, 1},
     {1, 1}},
    {Shape({21, 8, 8, 8}),
     Shape({32, 8, 4, 4}),
     Shape({21, 32, 4, 4}),
     {2, 2},
     {1, 1},
     {1, 1}},
    {Shape({35, 16, 3, 3}),
     Shape({20, 16, 1, 1}),
     Shape({35, 20, 3, 3}),
     {1, 1},
     {0, 0},
     {1, 1}},
    {Shape({5, 16, 4, 4}),
     Shape({16, 16, 4, 4}),
     Shape({5, 16, 1, 1}),
     {1, 1},
     {0, 0},
     {1, 1}},
    {Shape({7, 17, 4, 4}),
     Shape({16, 17, 2, 2}),
     Shape({7, 16, 2, 2}),
     {2, 2},
     {0, 0},
     {1, 1}},
    // Strides and dilations of a plane by a filter, in either format.
    {Shape({2, 20, 13, 14}),
     Shape({20, 1, 3, 3}),
     Shape({2, 20, 7, 7}),
     {2, 2},
     {1, 1},
     {1, 1},
     20},
    {Shape({1, 9, 12, 20}),
     Shape({9, 1, 4, 3}),
     Shape({1, 12, 20, 9}),
     {1, 1},
     {0, 0},
     {2, 3},
     9,
     "NHWC",
     "SAME"},
    {Shape({2, 0, 4, 4}),
     Shape({3, 0, 1, 1}),
     Shape({2, 3, 4, 4}),
     {1, 1},
     {0, 0},
     {1, 1}},
    {Shape({1, 8, 2, 0}),
     Shape({8, 1, 3, 3}),
     Shape({1, 8, 6, 4}),
     {1, 1},
     {3, 3},
     {1, 1},
     8},
    // A product of several blocks of depth, and one of fewer pixels than a
    // tile.
    {Shape({2, 700, 5, 7}),
     Shape({20, 700, 1, 1}),
     Shape({2, 20, 5, 7}),
     {1, 1},
     {0, 0},
     {1, 1}},
    {Shape({3, 24, 1, 5}),
     Shape({40, 24, 1, 1}),
     Shape({3, 1, 5, 40}),
     {1, 1},
     {0, 0},
     {1, 1},
     1,
     "NHWC"},
};

// `depthwise_conv2d` has its groups before its dilations.
std::vector<AttrRef> AttrsOf(const ConvCase& c, bool depthwise) {
  std::vector<AttrRef> attrs = {absl::MakeConstSpan(c.strides),
                                absl::MakeConstSpan(c.paddings),
                                c.algorithm,
                                absl::MakeConstSpan(c.dilations),
                                c.groups,
                                c.format};
  if (depthwise) std::swap(attrs[3], attrs[4]);
  return attrs;
}

template <typename T>
KernelCase ForwardOf(const ConvCase& c, bool depthwise) {
  Shape in = c.input;
  if (std::string_view(c.format) == "NHWC") {
    in = Shape({c.input[0], c.input[2], c.input[3], c.input[1]});
  }
  return {depthwise ? "depthwise_conv2d" : "conv2d",
          {RandomTensor<T>(in, -1, 1),
           RandomTensor<T>(c.filter, -1, 1, /*seed=*/2)},
          AttrsOf(c, depthwise)};
}

template <typename T>
void CheckForward(const ConvCase& c, bool depthwise, Tolerance tolerance) {
  CheckAgainstReference(ForwardOf<T>(c, depthwise), tolerance);
}

template <typename T>
void CheckConv(const ConvCase& c, bool depthwise, Tolerance tolerance) {
  const char* grad = depthwise ? "depthwise_conv2d_grad" : "conv2d_grad";
  const KernelCase forward = ForwardOf<T>(c, depthwise);
  CheckAgainstReference(forward, tolerance);
  const auto outputs = RunKernel(forward, "reference");
  ASSERT_THAT(outputs, IsOk());
  EXPECT_EQ((*outputs)[0].shape(), c.out);
  const DenseTensor out_grad = RandomTensor<T>(c.out, -1, 1, /*seed=*/3);
  CheckAgainstReference(
      {grad, {forward.inputs[0], forward.inputs[1], out_grad}, forward.attrs},
      tolerance);
}

// Depthwise and of 1 x 1, whose bits CheckAgainstReference() compares with
// those of blocked channels.
TEST(ConvTest, AgreesWithReferenceAtEverySimdLevel) {
  ForEachSimdLevel([](const char* level) {
    SCOPED_TRACE(level);
    for (const ConvCase& c : kConvCases) {
      const bool one_tap = c.filter[2] == 1 && c.filter[3] == 1;
      if (!one_tap && c.filter[1] != 1) continue;
      SCOPED_TRACE(ToString(c.input) + ToString(c.filter));
      CheckForward<float>(c, true, {1e-4, 1e-4});
      CheckForward<double>(c, false, {1e-11, 1e-11});
    }
  });
}

TEST(ConvTest, AgreesWithReference) {
  for (const ConvCase& c : kConvCases) {
    SCOPED_TRACE(ToString(c.input) + ToString(c.filter));
    CheckConv<float>(c, false, {1e-4, 1e-4});
    CheckConv<double>(c, false, {1e-11, 1e-11});
    CheckConv<float>(c, true, {1e-4, 1e-4});
  }
}

// float16 and bfloat16 are computed in float, some images at a time.
template <typename T>
void CheckHalf(const Shape& images, const Shape& filter, const Shape& result,
               Tolerance tolerance) {
  const std::vector<int> ones = {1, 1}, none = {0, 0};
  const std::vector<AttrRef> attrs = {absl::MakeConstSpan(ones),
                                      absl::MakeConstSpan(none),
                                      "EXPLICIT",
                                      absl::MakeConstSpan(ones),
                                      1,
                                      "NCHW"};
  const DenseTensor input = RandomTensor<T>(images);
  const DenseTensor weights = RandomTensor<T>(filter, -2, 2, 2);
  CheckAgainstReference({"conv2d", {input, weights}, attrs}, tolerance);
  CheckAgainstReference(
      {"conv2d_grad",
       {input, weights, RandomTensor<T>(result, -0.25, 0.25, 3)},
       attrs},
      tolerance);
}

TEST(ConvTest, HalvesAreRoundedOnce) {
  const Tolerance half{2e-3, 2e-3}, brain{2e-2, 2e-2};
  CheckHalf<float16>(Shape({2, 5, 6, 7}), Shape({16, 5, 3, 3}),
                     Shape({2, 16, 4, 5}), half);
  CheckHalf<bfloat16>(Shape({2, 16, 6, 7}), Shape({8, 16, 3, 2}),
                      Shape({2, 8, 4, 6}), brain);
  CheckHalf<bfloat16>(Shape({0, 3, 6, 7}), Shape({8, 3, 3, 2}),
                      Shape({0, 8, 4, 6}), brain);
  // Four images at a time, then one.
  CheckHalf<float16>(Shape({5, 1, 256, 256}), Shape({1, 1, 2, 2}),
                     Shape({5, 1, 255, 255}), half);
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
