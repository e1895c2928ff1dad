// SPDX-License-Identifier: Apache-2.0
// The kernels of oneDNN against the reference ones, on shapes that their
// conditions admit. CheckAgainstReference compares 1 and 3 threads bit by bit
// where the kernel promises the same, as conv2d does.
#include <algorithm>

#include "gtest/gtest.h"
#include "phi/kernels/onednn/conv_int8.h"
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

TEST(ConvInt8Test, AgreesWithReference) {
  if (!onednn::HasVnni()) GTEST_SKIP() << "the CPU has no VNNI";
  struct Case {
    Shape input, filter;
    int stride, padding, groups;
    bool bias, residual, to_int8;
    const char* post_ops;
  };
  const Case cases[] = {
      {Shape({2, 32, 12, 13}), Shape({24, 32, 3, 3}), 1, 1, 1, true, true,
       false, "hard_swish"},
      {Shape({1, 48, 17, 19}), Shape({96, 48, 1, 1}), 1, 0, 1, true, false,
       true, "relu"},
      {Shape({1, 19, 9, 10}), Shape({21, 19, 5, 3}), 2, 1, 1, false, true, true,
       "hard_sigmoid(0.2, 0.5)"},
      {Shape({3, 40, 14, 14}), Shape({40, 1, 3, 3}), 1, 1, 40, true, false,
       true, "clip(-1, 1)"},
      {Shape({1, 512, 7, 7}), Shape({16, 512, 3, 3}), 1, 1, 1, false, false,
       false, ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(ToString(c.input) + ToString(c.filter));
    const std::vector<int> strides(2, c.stride), paddings(2, c.padding),
        ones(2, 1);
    const Shape channels({c.filter[0]});
    const auto extent = [&](int axis) {
      return (c.input.extent(axis) + 2 * c.padding - c.filter.extent(axis)) /
                 c.stride +
             1;
    };
    const Shape out({c.input[0], c.filter[0], extent(2), extent(3)});
    KernelCase call = {
        "conv2d_int8",
        {RandomTensor<int8_t>(c.input, -127, 128),
         RandomTensor<int8_t>(c.filter, -127, 128, /*seed=*/2),
         RandomTensor<float>(channels, 1e-5, 2e-5, /*seed=*/3),
         c.bias ? RandomTensor<float>(channels, -1, 1, /*seed=*/4)
                : DenseTensor(),
         c.residual ? RandomTensor<float>(out, -1, 1, /*seed=*/5)
                    : DenseTensor(),
         c.to_int8 ? RandomTensor<float>(Shape({1}), 40, 60, /*seed=*/6)
                   : DenseTensor()},
        {absl::MakeConstSpan(strides), absl::MakeConstSpan(paddings),
         "EXPLICIT", absl::MakeConstSpan(ones), c.groups,
         *ParsePostOps("post_ops", c.post_ops)}};
    // Integers may be the other neighbour of a number in the middle of both.
    CheckAgainstReference(call, c.to_int8 ? Within(1) : Within(1e-5, 1e-5));
  }
}

TEST(ConvInt8Test, PacksAFilterAgainThatWasWritten) {
  if (!onednn::HasVnni()) GTEST_SKIP() << "the CPU has no VNNI";
  const std::vector<int> ones(2, 1), zeros(2, 0);
  DenseTensor filter = RandomTensor<int8_t>(Shape({16, 16, 1, 1}), 1, 2);
  const KernelCase call = {
      "conv2d_int8",
      {RandomTensor<int8_t>(Shape({1, 16, 5, 5}), 1, 2), filter,
       RandomTensor<float>(Shape({16}), 1, 1), DenseTensor(), DenseTensor(),
       DenseTensor()},
      {absl::MakeConstSpan(ones), absl::MakeConstSpan(zeros), "EXPLICIT",
       absl::MakeConstSpan(ones), 1, ""}};
  for (const int8_t number : {1, 3, 3, 5}) {
    std::fill_n(filter.mutable_data<int8_t>(), filter.numel(), number);
    filter.buffer()->BumpVersion();
    const auto results = RunKernel(call, "onednn");
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_EQ((*results)[0].data<float>()[0],
              16.0f * static_cast<float>(number));
  }
}

TEST(ConvEpilogueTest, AgreesWithReference) {
  struct Case {
    Shape input, filter;
    int stride, padding, groups;
    bool bias, residual, numbers;
    const char* post_ops;
  };
  const Case cases[] = {
      {Shape({2, 32, 12, 13}), Shape({24, 32, 3, 3}), 1, 1, 1, true, true, true,
       "hard_swish"},
      {Shape({1, 48, 17, 19}), Shape({96, 48, 1, 1}), 1, 0, 1, true, true,
       false, "relu"},
      {Shape({2, 32, 14, 14}), Shape({16, 32, 1, 1}), 2, 0, 1, false, false,
       true, "swish(1)"},
      {Shape({1, 3, 32, 40}), Shape({16, 3, 3, 3}), 2, 1, 1, true, false, false,
       "relu6"},
      {Shape({3, 40, 18, 18}), Shape({40, 1, 5, 5}), 1, 2, 40, true, true, true,
       "hard_sigmoid(0.2, 0.5)"},
      {Shape({1, 24, 33, 16}), Shape({24, 1, 3, 3}), 2, 1, 24, true, false,
       true, "leaky_relu(0.1)"},
      // Fewer channels than fill a vector.
      {Shape({1, 8, 16, 17}), Shape({8, 1, 3, 3}), 2, 1, 8, true, false, false,
       "relu"},
      {Shape({1, 12, 9, 9}), Shape({12, 1, 5, 5}), 1, 2, 12, true, false, true,
       "relu6"},
      {Shape({1, 64, 9, 9}), Shape({32, 32, 3, 3}), 1, 1, 2, true, false, false,
       "sigmoid"},
      {Shape({1, 16, 9, 9}), Shape({16, 16, 2, 2}), 1, 0, 1, true, false, true,
       "tanh"},
      {Shape({1, 16, 9, 9}), Shape({16, 16, 2, 2}), 1, 0, 1, false, false,
       false, "clip(-1, 1)"},
  };
  const DenseTensor absent;
  for (const Case& c : cases) {
    SCOPED_TRACE(ToString(c.input) + ToString(c.filter) + c.post_ops);
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
          "EXPLICIT", absl::MakeConstSpan(dilations), c.groups,
          *ParsePostOps("post_ops", c.post_ops)}},
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
