// SPDX-License-Identifier: Apache-2.0
// Gradient kernels against central differences of their forward kernels.
#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels {
namespace {

using Ints = std::vector<int64_t>;

AttrRef Attr(const Ints& values) {
  return AttrRef(absl::Span<const int64_t>(values));
}

DenseTensor Numbers(const Shape& shape, uint64_t seed = 1) {
  return RandomTensor<double>(shape, -2, 2, seed);
}

// Output number i of the forward kernel.
DenseTensor OutputOf(const KernelCase& forward, int i = 0) {
  const auto outputs = RunKernel(forward, "reference");
  EXPECT_THAT(outputs, IsOk());
  return (*outputs)[i];
}

TEST(GradientTest, Activations) {
  const DenseTensor x = Numbers(Shape({3, 5}));
  for (const char* op : {"relu", "sigmoid", "tanh"}) {
    const KernelCase forward{op, {x}};
    const std::string backward = op + std::string("_grad");
    CheckGradient(
        {forward, 0, 0, {backward, {OutputOf(forward)}}, /*grad_input=*/1});
  }
  for (const bool approximate : {false, true}) {
    CheckGradient({{"gelu", {x}, {approximate}},
                   0,
                   0,
                   {"gelu_grad", {x}, {approximate}},
                   /*grad_input=*/1});
  }
}

TEST(GradientTest, Softmax) {
  for (const char* op : {"softmax", "log_softmax"}) {
    for (const int axis : {0, -1}) {
      const KernelCase forward{op, {Numbers(Shape({3, 4}))}, {axis}};
      const std::string backward = op + std::string("_grad");
      CheckGradient({forward,
                     0,
                     0,
                     {backward, {OutputOf(forward)}, {axis}},
                     /*grad_input=*/1});
    }
  }
}

TEST(GradientTest, Reductions) {
  const DenseTensor x = Numbers(Shape({2, 3, 4}));
  for (const Ints& axis : {Ints{}, Ints{1}, Ints{0, 2}}) {
    const std::vector<AttrRef> attrs = {Attr(axis), false};
    const KernelCase sum{"sum", {x}, {Attr(axis), DataType::kUndefined, false}};
    CheckGradient({sum, 0, 0, {"sum_grad", {x}, attrs}, 1});
    CheckGradient({{"mean", {x}, attrs}, 0, 0, {"mean_grad", {x}, attrs}, 1});
  }
}

TEST(GradientTest, Mul) {
  const DenseTensor x = Numbers(Shape({2, 3, 2}));
  const DenseTensor y = Numbers(Shape({6, 2, 2}), 2);
  const std::vector<AttrRef> attrs = {1, 1};
  for (const int i : {0, 1}) {
    CheckGradient({{"mul", {x, y}, attrs},
                   i,
                   0,
                   {"mul_grad", {x, y}, attrs},
                   /*grad_input=*/2,
                   /*grad_output=*/i});
  }
}

TEST(GradientTest, Moves) {
  const DenseTensor a = Numbers(Shape({2, 3}));
  const DenseTensor b = Numbers(Shape({2, 1}), 2);
  for (const int i : {0, 1}) {
    CheckGradient({{"concat", {a, b}, {1}},
                   i,
                   0,
                   {"concat_grad", {a, b}, {1}},
                   /*grad_input=*/2,
                   /*grad_output=*/i});
  }
  const Ints axes = {1, 0}, starts = {-2, 0}, ends = {9, 1};
  const std::vector<AttrRef> attrs = {Attr(axes), Attr(starts), Attr(ends)};
  const DenseTensor out = OutputOf({"slice", {a}, attrs});
  EXPECT_EQ(ToDoubles(out),
            (std::vector<double>{ToDoubles(a)[1], ToDoubles(a)[2]}));
}

TEST(GradientTest, CrossEntropy) {
  const DenseTensor input = RandomTensor<double>(Shape({4, 3}), 0.2, 2);
  const DenseTensor hard = MakeTensor<int64_t>(Shape({4}), {2, 0, 1, -100});
  const DenseTensor soft = RandomTensor<double>(Shape({4, 3}), 0, 1, 5);
  for (const bool use_softmax : {true, false}) {
    for (const bool soft_label : {false, true}) {
      const std::vector<AttrRef> attrs = {soft_label, use_softmax, true, -100,
                                          -1};
      const DenseTensor& label = soft_label ? soft : hard;
      const KernelCase forward{
          "cross_entropy_with_softmax", {input, label}, attrs};
      CheckGradient({forward,
                     0,
                     /*output=*/1,
                     {"cross_entropy_with_softmax_grad",
                      {label, OutputOf(forward), input},
                      attrs},
                     /*grad_input=*/2});
    }
  }
}

TEST(GradientTest, DropoutAndEmbedding) {
  const DenseTensor rng = MakeTensor<int64_t>(Shape({2}), {3, 4});
  for (const char* mode : {"upscale_in_train", "downgrade_in_infer"}) {
    const KernelCase forward{"dropout",
                             {Numbers(Shape({20})), rng},
                             {0.4f, false, mode, int64_t{0}}};
    CheckGradient(
        {forward,
         0,
         0,
         {"dropout_grad", {OutputOf(forward, 1)}, {0.4f, false, mode}},
         /*grad_input=*/1});
  }
  const DenseTensor x = MakeTensor<int64_t>(Shape({4}), {0, 2, 2, 1});
  const DenseTensor weight = Numbers(Shape({3, 2}));
  CheckGradient({{"embedding", {x, weight}, {int64_t{1}, false}},
                 /*input=*/1,
                 0,
                 {"embedding_grad", {x, weight}, {int64_t{1}, false}},
                 /*grad_input=*/2});
}

TEST(GradientTest, ElementwiseAdd) {
  const DenseTensor x = Numbers(Shape({2, 3, 2}));
  const DenseTensor y = Numbers(Shape({3}), 2);
  for (const int i : {0, 1}) {
    CheckGradient({{"elementwise_add", {x, y}, {1}},
                   i,
                   0,
                   {"elementwise_add_grad", {x, y}, {1}},
                   /*grad_input=*/2,
                   /*grad_output=*/i});
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels
