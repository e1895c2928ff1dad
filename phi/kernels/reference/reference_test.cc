// SPDX-License-Identifier: Apache-2.0
// Reference kernels against values computed by hand.
#include <cmath>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels {
namespace {

using Ints = std::vector<int64_t>;
using ::testing::ElementsAre;

AttrRef Attr(const Ints& values) {
  return AttrRef(absl::Span<const int64_t>(values));
}

// The first output, as doubles.
std::vector<double> Values(const KernelCase& call, int output = 0) {
  const auto outputs = RunKernel(call, "reference");
  EXPECT_THAT(outputs, IsOk());
  return outputs.ok() ? ToDoubles((*outputs)[output]) : std::vector<double>();
}

const DenseTensor kX = MakeTensor<double>(Shape({2, 3}), {-1, 0, 2, 3, -4, 5});

TEST(ReferenceTest, Elementwise) {
  EXPECT_THAT(Values({"relu", {kX}}), ElementsAre(0, 0, 2, 3, 0, 5));
  EXPECT_THAT(Values({"square", {kX}}), ElementsAre(1, 0, 4, 9, 16, 25));
  EXPECT_THAT(Values({"sign", {kX}}), ElementsAre(-1, 0, 1, 1, -1, 1));
  EXPECT_THAT(Values({"logical_not", {kX}}), ElementsAre(0, 1, 0, 0, 0, 0));
  const DenseTensor row = MakeTensor<double>(Shape({3}), {1, 2, -2});
  EXPECT_THAT(Values({"add", {kX, row}}), ElementsAre(0, 2, 0, 4, -2, 3));
  EXPECT_THAT(Values({"subtract", {kX, row}}),
              ElementsAre(-2, -2, 4, 2, -6, 7));
  EXPECT_THAT(Values({"multiply", {kX, row}}),
              ElementsAre(-1, 0, -4, 3, -8, -10));
  EXPECT_THAT(Values({"divide", {kX, row}}),
              ElementsAre(-1, 0, -1, 3, -2, -2.5));
  EXPECT_THAT(Values({"maximum", {kX, row}}), ElementsAre(1, 2, 2, 3, 2, 5));
  EXPECT_THAT(Values({"less_than", {kX, row}}), ElementsAre(1, 1, 0, 0, 1, 0));
  EXPECT_THAT(Values({"equal", {kX, kX}}), ElementsAre(1, 1, 1, 1, 1, 1));
  const Scalar two(2), three(3);
  EXPECT_THAT(Values({"scale", {kX}, {two, three, true}}),
              ElementsAre(1, 3, 7, 9, -5, 13));
  EXPECT_THAT(Values({"scale", {kX}, {two, three, false}}),
              ElementsAre(4, 6, 10, 12, -2, 16));
  const DenseTensor one = MakeTensor<double>(Shape({1}), {1});
  EXPECT_NEAR(Values({"sigmoid", {one}})[0], 0.7310585786300049, 1e-15);
  EXPECT_NEAR(Values({"tanh", {one}})[0], 0.7615941559557649, 1e-15);
  EXPECT_NEAR(Values({"gelu", {one}, {false}})[0], 0.8413447460685429, 1e-15);
  EXPECT_NEAR(Values({"gelu", {one}, {true}})[0], 0.8411919906082768, 1e-15);
}

TEST(ReferenceTest, Products) {
  const DenseTensor y = MakeTensor<double>(Shape({3, 2}), {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(Values({"matmul", {kX, y}, {false, false}}),
              ElementsAre(9, 10, 16, 20));
  EXPECT_THAT(Values({"matmul", {kX, kX}, {false, true}}),
              ElementsAre(5, 7, 7, 50));
  EXPECT_THAT(Values({"mul", {kX, y}, {1, 1}}), ElementsAre(9, 10, 16, 20));
}

TEST(ReferenceTest, Softmax) {
  const double half = std::log(0.5);
  const DenseTensor x = MakeTensor<double>(Shape({1, 2}), {1000, 1000});
  EXPECT_THAT(Values({"softmax", {x}, {1}}), ElementsAre(0.5, 0.5));
  EXPECT_THAT(Values({"softmax", {x}, {0}}), ElementsAre(1, 1));
  EXPECT_THAT(Values({"log_softmax", {x}, {-1}}), ElementsAre(half, half));
  const DenseTensor label = MakeTensor<int64_t>(Shape({1}), {1});
  EXPECT_THAT(Values({"cross_entropy_with_softmax",
                      {x, label},
                      {false, true, true, -100, -1}},
                     1),
              ElementsAre(-half));
}

TEST(ReferenceTest, Reductions) {
  const Ints rows = {1}, all = {};
  EXPECT_THAT(Values({"sum", {kX}, {Attr(rows), DataType::kUndefined, false}}),
              ElementsAre(1, 4));
  EXPECT_THAT(Values({"mean", {kX}, {Attr(all), true}}), ElementsAre(5. / 6));
  EXPECT_THAT(Values({"max", {kX}, {Attr(rows), false}}), ElementsAre(2, 5));
  EXPECT_THAT(
      Values({"argmax", {kX}, {int64_t{0}, false, false, DataType::kInt64}}),
      ElementsAre(1, 0, 1));
  const DenseTensor target = MakeTensor<double>(Shape({3}), {0, 0, 0});
  EXPECT_THAT(Values({"reduce_as", {kX, target}}), ElementsAre(2, -4, 7));
  const DenseTensor none = RandomTensor<double>(Shape({0, 2}));
  EXPECT_TRUE(std::isnan(Values({"mean", {none}, {Attr(all), false}})[0]));
  EXPECT_THAT(Values({"sum", {none}, {Attr(all), DataType::kUndefined, false}}),
              ElementsAre(0));
}

TEST(ReferenceTest, Optimizers) {
  const DenseTensor p = MakeTensor<double>(Shape({2}), {1, 2});
  const DenseTensor g = MakeTensor<double>(Shape({2}), {0.5, -1});
  const DenseTensor rate = MakeTensor<double>(Shape({1}), {0.1});
  EXPECT_THAT(Values({"sgd_", {p, rate, g}}), ElementsAre(0.95, 2.1));
  const auto momentum = [&](bool nesterov) {
    return Values(
        {"momentum_", {p, g, g, rate}, {0.5f, nesterov, "", 0.f, 1.f}});
  };
  EXPECT_THAT(momentum(false), ElementsAre(1 - 0.075, 2.15));
  EXPECT_THAT(momentum(true), ElementsAre(1 - 0.1 * 0.875, 2.175));
  // The first step of Adam is the rate, in the direction of the gradient.
  const DenseTensor zero = MakeTensor<double>(Shape({2}), {0, 0});
  const DenseTensor pow1 = MakeTensor<double>(Shape({1}), {0.5});
  const DenseTensor pow2 = MakeTensor<double>(Shape({1}), {0.25});
  const KernelCase adam{"adam_",
                        {p, g, rate, zero, zero, pow1, pow2, DenseTensor(),
                         DenseTensor(), DenseTensor()},
                        {0.5f, 0.25f, 0.f, false, false, false, false}};
  const auto stepped = Values(adam);
  EXPECT_NEAR(stepped[0], 0.9, 1e-12);
  EXPECT_NEAR(stepped[1], 2.1, 1e-12);
  EXPECT_THAT(Values(adam, 1), ElementsAre(0.25, -0.5));
  EXPECT_THAT(Values(adam, 4), ElementsAre(0.0625));
}

TEST(ReferenceTest, Moves) {
  const DenseTensor y = MakeTensor<double>(Shape({2, 1}), {7, 8});
  EXPECT_THAT(Values({"concat", {kX, y}, {1}}),
              ElementsAre(-1, 0, 2, 7, 3, -4, 5, 8));
  EXPECT_THAT(Values({"cast", {kX}, {DataType::kBool}}),
              ElementsAre(1, 0, 1, 1, 1, 1));
  const DenseTensor weight =
      MakeTensor<double>(Shape({3, 2}), {1, 2, 3, 4, 5, 6});
  const DenseTensor index = MakeTensor<int32_t>(Shape({2}), {2, 0});
  EXPECT_THAT(Values({"embedding", {index, weight}, {int64_t{0}, false}}),
              ElementsAre(5, 6, 0, 0));
  EXPECT_THAT(Values({"elementwise_add",
                      {kX, MakeTensor<double>(Shape({2}), {10, 20})},
                      {0}}),
              ElementsAre(9, 10, 12, 23, 16, 25));
}

}  // namespace
}  // namespace switchyard::phi::kernels
