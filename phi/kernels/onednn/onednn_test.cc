// SPDX-License-Identifier: Apache-2.0
// The kernels of oneDNN against the reference ones, on shapes that their
// conditions admit. CheckAgainstReference compares 1 and 3 threads bit by bit
// where the kernel promises the same, as conv2d does.
#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels {
namespace {

TEST(MatmulTest, AgreesWithReference) {
  struct Case {
    Shape x, y;
    bool transpose_x, transpose_y;
  };
  const Case cases[] = {
      {Shape({64, 784}), Shape({784, 128}), false, false},
      {Shape({784, 64}), Shape({784, 128}), true, false},
      {Shape({64, 128}), Shape({784, 128}), false, true},
      {Shape({100, 200}), Shape({150, 100}), true, true},
      {Shape({1500}), Shape({1500, 1400}), false, false},
      {Shape({6, 50, 120}), Shape({120, 80}), false, false},
      {Shape({2, 1, 60, 150}), Shape({3, 150, 121}), false, false},
  };
  for (const Case& c : cases) {
    CheckAgainstReference({"matmul",
                           {RandomTensor<float>(c.x, -1, 1),
                            RandomTensor<float>(c.y, -1, 1, /*seed=*/2)},
                           {c.transpose_x, c.transpose_y}},
                          {1e-3, 1e-5});
  }
}

TEST(ConvTest, AgreesWithReference) {
  struct Case {
    Shape input, filter;
    int stride, padding, dilation, groups;
    const char* format;
  };
  const Case cases[] = {
      {Shape({2, 32, 28, 30}), Shape({24, 32, 3, 3}), 1, 1, 1, 1, "NCHW"},
      {Shape({1, 32, 56, 57}), Shape({32, 32, 5, 3}), 2, 2, 1, 1, "NCHW"},
      {Shape({2, 32, 17, 17}), Shape({16, 32, 2, 2}), 2, 0, 1, 1, "NCHW"},
      {Shape({2, 64, 24, 24}), Shape({32, 32, 3, 3}), 1, 2, 2, 2, "NCHW"},
      {Shape({2, 20, 30, 32}), Shape({16, 32, 3, 3}), 1, 1, 1, 1, "NHWC"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(ToString(c.input) + ToString(c.filter));
    const std::vector<int> strides(2, c.stride), paddings(2, c.padding),
        dilations(2, c.dilation);
    CheckAgainstReference(
        {"conv2d",
         {RandomTensor<float>(c.input, -1, 1),
          RandomTensor<float>(c.filter, -1, 1, /*seed=*/2)},
         {absl::MakeConstSpan(strides), absl::MakeConstSpan(paddings),
          "EXPLICIT", absl::MakeConstSpan(dilations), c.groups, c.format}},
        {1e-4, 1e-4});
  }
  const std::vector<int> ones(2, 1);
  CheckAgainstReference(
      {"depthwise_conv2d",
       {RandomTensor<float>(Shape({3, 40, 28, 28}), -1, 1),
        RandomTensor<float>(Shape({40, 1, 3, 3}), -1, 1, /*seed=*/2)},
       {absl::MakeConstSpan(ones), absl::MakeConstSpan(ones), "EXPLICIT", 40,
        absl::MakeConstSpan(ones), "NCHW"}},
      {1e-4, 1e-4});
}

TEST(ConvEpilogueTest, AgreesWithReference) {
  struct Case {
    Shape input, filter;
    int stride, padding, groups;
    bool bias, residual, numbers;
    const char* activation;
    float alpha, beta;
  };
  const Case cases[] = {
      {Shape({2, 32, 12, 13}), Shape({24, 32, 3, 3}), 1, 1, 1, true, true, true,
       "hard_swish", 0, 0},
      {Shape({1, 48, 17, 19}), Shape({96, 48, 1, 1}), 1, 0, 1, true, true,
       false, "relu", 0, 0},
      {Shape({2, 32, 14, 14}), Shape({16, 32, 1, 1}), 2, 0, 1, false, false,
       true, "swish", 1, 0},
      {Shape({1, 3, 32, 40}), Shape({16, 3, 3, 3}), 2, 1, 1, true, false, false,
       "relu6", 0, 0},
      {Shape({3, 40, 18, 18}), Shape({40, 1, 5, 5}), 1, 2, 40, true, true, true,
       "hard_sigmoid", 0.2f, 0.5f},
      {Shape({1, 24, 33, 16}), Shape({24, 1, 3, 3}), 2, 1, 24, true, false,
       true, "leaky_relu", 0.1f, 0},
      {Shape({1, 64, 9, 9}), Shape({32, 32, 3, 3}), 1, 1, 2, true, false, false,
       "sigmoid", 0, 0},
      {Shape({1, 16, 9, 9}), Shape({16, 16, 2, 2}), 1, 0, 1, true, false, true,
       "tanh", 0, 0},
      {Shape({1, 16, 9, 9}), Shape({16, 16, 2, 2}), 1, 0, 1, false, false,
       false, "clip", -1, 1},
  };
  const DenseTensor absent;
  for (const Case& c : cases) {
    SCOPED_TRACE(ToString(c.input) + ToString(c.filter) + c.activation);
    const std::vector<int> strides(2, c.stride), paddings(2, c.padding),
        dilations(2, 1);
    const auto extent = [&](int axis) {
      return (c.input.extent(axis) + 2 * c.padding - c.filter.extent(axis)) /
                 c.stride +
             1;
    };
    const Shape out({c.input[0], c.filter[0], Dim(extent(2)), Dim(extent(3))});
    const Shape one({1});
    CheckAgainstReference(
        {"conv2d_epilogue",
         {RandomTensor<float>(c.input, -1, 1),
          RandomTensor<float>(c.filter, -0.2, 0.2, /*seed=*/2),
          c.bias ? RandomTensor<float>(Shape({c.filter[0]}), -1, 1) : absent,
          c.residual ? RandomTensor<float>(out, -1, 1, /*seed=*/3) : absent,
          c.numbers ? RandomTensor<float>(one, 0.5, 2) : absent,
          c.numbers ? RandomTensor<float>(one, -1, 1) : absent},
         {absl::MakeConstSpan(strides), absl::MakeConstSpan(paddings),
          "EXPLICIT", absl::MakeConstSpan(dilations), c.groups, c.activation,
          c.alpha, c.beta}},
        {1e-4, 1e-4});
  }
}

TEST(ReorderTest, AgreesWithReference) {
  for (const char* layout :
       {"strided", "adbc", "acdb", "aBcd8b", "aDbc16d", "ABcd8b8a", "Acdb8a"}) {
    for (const Shape& shape :
         {Shape({2, 16, 3, 16}), Shape({3, 5, 1, 18}), Shape({16, 16, 2, 4})}) {
      CheckAgainstReference(
          {"reorder", {RandomTensor<float>(shape)}, {layout}});
    }
  }
  CheckAgainstReference(
      {"reorder", {RandomTensor<float>(Shape({40, 3}))}, {"ba"}});
}

TEST(PoolTest, AgreesWithReference) {
  const std::vector<int64_t> kernel = {3, 2};
  const std::vector<int> strides = {2, 2}, paddings = {1, 0, 1, 1};
  for (const char* format : {"NCHW", "NHWC"}) {
    CheckAgainstReference(
        {"pool2d",
         {RandomTensor<float>(Shape({4, 33, 25, 21}))},
         {absl::MakeConstSpan(kernel), absl::MakeConstSpan(strides),
          absl::MakeConstSpan(paddings), false, true, format, "avg", false,
          false, "EXPLICIT"}},
        {1e-5, 1e-5});
  }
}

TEST(NormTest, AgreesWithReference) {
  const DenseTensor absent;
  const Shape width({300});
  for (const bool parameters : {true, false}) {
    CheckAgainstReference(
        {"layer_norm",
         {RandomTensor<float>(Shape({10, 15, 300})),
          parameters ? RandomTensor<float>(width, 0.5, 2) : absent,
          parameters ? RandomTensor<float>(width, -1, 1) : absent},
         {1e-5f, 2}},
        {1e-4, 1e-4});
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels
