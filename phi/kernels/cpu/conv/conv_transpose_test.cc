// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

struct TransposeCase {
  Shape x, filter;
  std::vector<int> strides, paddings, dilations = {1, 1};
  int groups = 1;
  std::vector<int> output_padding = {};
  std::vector<int64_t> output_size = {};
  const char* format = "NCHW";
  const char* algorithm = "EXPLICIT";
};

const TransposeCase kTransposeCases[] = {
    // Blocks that lie side by side.
    {Shape({2, 5, 6, 7}), Shape({5, 4, 2, 2}), {2, 2}, {0, 0}},
    {Shape({1, 24, 40, 50}), Shape({24, 1, 2, 2}), {2, 2}, {0, 0}},
    {Shape({2, 4, 5, 6}), Shape({4, 3, 2, 2}), {2, 2}, {0, 0}, {1, 1}, 2},
    {Shape({2, 4, 5, 6}), Shape({4, 3, 3, 2}), {3, 2}, {0, 0}},
    {Shape({2, 4, 5, 6}), Shape({4, 3, 2, 3}), {2, 3}, {0, 0}},
    {Shape({2, 5, 6, 4}),
     Shape({4, 3, 2, 2}),
     {2, 2},
     {0, 0},
     {1, 1},
     1,
     {},
     {},
     "NHWC"},
    // And such that do not.
    {Shape({2, 5, 6, 7}), Shape({5, 4, 2, 2}), {2, 2}, {1, 1}},
    {Shape({2, 5, 6, 7}),
     Shape({5, 4, 2, 2}),
     {2, 2},
     {0, 0},
     {1, 1},
     1,
     {1, 1}},
    {Shape({2, 3, 5, 20}), Shape({3, 6, 3, 3}), {1, 1}, {1, 1}},
    {Shape({2, 3, 5, 5}), Shape({3, 6, 3, 3}), {1, 1}, {1, 0, 1, 2}},
    {Shape({2, 3, 5, 9}), Shape({3, 6, 3, 3}), {1, 1}, {3, 3}},
    {Shape({2, 3, 7, 7}),
     Shape({3, 6, 5, 5}),
     {2, 2},
     {2, 2},
     {1, 1},
     1,
     {},
     {14, 13}},
    {Shape({4, 3, 8, 7}), Shape({3, 6, 4, 3}), {2, 1}, {1, 3, 2, 1}, {1, 2}},
    {Shape({1, 8, 4, 17}), Shape({8, 1, 4, 4}), {1, 1}, {1, 1}, {1, 1}, 8},
    {Shape({1, 8, 4, 4}), Shape({8, 1, 3, 3}), {2, 2}, {1, 1}, {1, 1}, 8},
    {Shape({2, 3, 4, 9}), Shape({3, 4, 1, 1}), {1, 1}, {0, 0}},
    // More elements than there are windows, by a dilation.
    {Shape({2, 3, 4, 9}),
     Shape({3, 4, 1, 1}),
     {1, 1},
     {0, 0},
     {2, 2},
     1,
     {1, 1}},
    {Shape({2, 3, 5, 4}),
     Shape({3, 2, 3, 2}),
     {2, 1},
     {0, 0},
     {2, 2},
     1,
     {},
     {},
     "NCHW",
     "SAME"},
    {Shape({2, 5, 4, 3}),
     Shape({3, 2, 3, 3}),
     {1, 1},
     {1, 1},
     {1, 1},
     1,
     {},
     {},
     "NHWC",
     "VALID"},
    {Shape({0, 3, 5, 4}), Shape({3, 2, 3, 2}), {2, 2}, {0, 0}},
    {Shape({2, 0, 5, 4}), Shape({0, 2, 3, 2}), {2, 2}, {0, 0}},
    {Shape({2, 3, 5, 4}), Shape({3, 0, 3, 2}), {2, 2}, {0, 0}},
};

template <typename T>
void CheckTranspose(const TransposeCase& c, Tolerance tolerance) {
  SCOPED_TRACE(ToString(c.x) + ToString(c.filter));
  const std::vector<AttrRef> attrs = {absl::MakeConstSpan(c.strides),
                                      absl::MakeConstSpan(c.paddings),
                                      absl::MakeConstSpan(c.output_padding),
                                      absl::MakeConstSpan(c.output_size),
                                      c.algorithm,
                                      c.groups,
                                      absl::MakeConstSpan(c.dilations),
                                      c.format};
  const DenseTensor x = RandomTensor<T>(c.x);
  const DenseTensor filter = RandomTensor<T>(c.filter, -1, 1, 2);
  const KernelCase forward{"conv2d_transpose", {x, filter}, attrs};
  CheckAgainstReference(forward, tolerance);
  const auto outputs = Outputs(forward);
  ASSERT_THAT(outputs, IsOk());
  CheckAgainstReference(
      {"conv2d_transpose_grad",
       {x, filter, RandomTensor<T>((*outputs)[0].shape(), -2, 2, 3)},
       attrs},
      tolerance);
}

TEST(ConvTransposeTest, AgreesWithReference) {
  for (const TransposeCase& c : kTransposeCases) {
    CheckTranspose<float>(c, {1e-4, 1e-4});
    CheckTranspose<double>(c, {1e-10, 1e-10});
  }
}

TEST(ConvTransposeTest, ReferenceGradientsAreDerivatives) {
  const TransposeCase& c = kTransposeCases[8];
  const std::vector<AttrRef> attrs = {absl::MakeConstSpan(c.strides),
                                      absl::MakeConstSpan(c.paddings),
                                      absl::MakeConstSpan(c.output_padding),
                                      absl::MakeConstSpan(c.output_size),
                                      c.algorithm,
                                      c.groups,
                                      absl::MakeConstSpan(c.dilations),
                                      c.format};
  const DenseTensor x = RandomTensor<double>(Shape({1, 3, 3, 4}));
  const DenseTensor filter = RandomTensor<double>(c.filter, -1, 1, 2);
  for (const int input : {0, 1}) {
    GradientCase gradient;
    gradient.forward = {"conv2d_transpose", {x, filter}, attrs};
    gradient.input = input;
    gradient.backward = {"conv2d_transpose_grad", {x, filter}, attrs};
    gradient.grad_input = 2;
    gradient.grad_output = input;
    CheckGradient(gradient);
  }
}

// Windows that lie side by side, two wide and not, rows that fill no vector, in
// strips; and windows that overlap.
TEST(ConvTransposeEpilogueTest, AgreesWithReference) {
  const TransposeCase cases[] = {
      {Shape({2, 5, 6, 7}), Shape({5, 4, 2, 2}), {2, 2}, {0, 0}},
      {Shape({1, 24, 40, 150}), Shape({24, 24, 2, 2}), {2, 2}, {0, 0}},
      {Shape({2, 4, 5, 37}), Shape({4, 3, 2, 3}), {2, 3}, {0, 0}, {1, 1}, 2},
      {Shape({2, 5, 6, 7}), Shape({5, 4, 3, 3}), {2, 2}, {1, 1}},
  };
  for (const TransposeCase& c : cases) {
    const Dim channels = Dim(c.filter[1].value() * c.groups);
    for (const std::string_view activation : {"", "relu", "sigmoid"}) {
      const auto call = [&](auto number) {
        using T = decltype(number);
        return KernelCase{
            "conv2d_transpose_epilogue",
            {RandomTensor<T>(c.x, -1, 1),
             RandomTensor<T>(c.filter, -1, 1, /*seed=*/2),
             activation == "sigmoid"
                 ? DenseTensor()
                 : RandomTensor<T>(Shape({channels}), -1, 1, /*seed=*/3)},
            {AttrRef(absl::MakeConstSpan(c.strides)),
             AttrRef(absl::MakeConstSpan(c.paddings)),
             AttrRef(std::string_view("EXPLICIT")), c.groups,
             AttrRef(absl::MakeConstSpan(c.dilations)),
             *ParsePostOps("post_ops", activation)}};
      };
      CheckAgainstReference(call(0.0f), {1e-5, 1e-5});
      CheckAgainstReference(call(0.0), {1e-7, 1e-7});
    }
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
