// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// Empty, scalar, around vector lengths, and large enough for threads.
const Shape kShapes[] = {Shape({0}),     Shape(),         Shape({7}),
                         Shape({16}),    Shape({33}),     Shape({2, 3, 5}),
                         Shape({70, 3}), Shape({3, 130}), Shape({130, 300})};

TEST(GeluTest, AgreesWithReference) {
  for (const bool approximate : {false, true}) {
    for (const Shape& shape : kShapes) {
      CheckAgainstReference(
          {"gelu", {RandomTensor<float>(shape, -8, 8)}, {approximate}},
          {2e-6, 2e-6});
      CheckAgainstReference(
          {"gelu", {RandomTensor<double>(shape, -8, 8)}, {approximate}},
          {1e-13, 1e-14});
      CheckAgainstReference({"gelu_grad",
                             {RandomTensor<float>(shape, -8, 8),
                              RandomTensor<float>(shape, -1, 1, /*seed=*/2)},
                             {approximate}},
                            {2e-6, 2e-6});
    }
  }
}

// Checks numbers whose powers leave the range, and those about where the
// density rounds to 0.
template <typename T>
void CheckGeluGradFarOut(double largest) {
  std::vector<T> x;
  for (double v = 1; v < largest; v *= 1.25) {
    x.push_back(static_cast<T>(v));
    x.push_back(static_cast<T>(-v));
  }
  const T inf = std::numeric_limits<T>::infinity();
  x.insert(x.end(), {inf, static_cast<T>(-inf)});
  const auto size = static_cast<int64_t>(x.size());
  const DenseTensor ones =
      MakeTensor<T>(Shape({size}), std::vector<T>(size, static_cast<T>(1)));
  for (const bool approximate : {false, true}) {
    const KernelCase call{
        "gelu_grad", {MakeTensor<T>(Shape({size}), x), ones}, {approximate}};
    CheckAgainstReference(call, {2e-6, 1e-3});
    const auto grads = RunKernel(call, "cpu");
    ASSERT_THAT(grads, IsOk());
    const std::vector<T> got = ToVector<T>((*grads)[0]);
    for (int64_t i = 0; i < size; ++i) {
      const auto v = static_cast<double>(x[i]), g = static_cast<double>(got[i]);
      if (v >= 20) {
        EXPECT_EQ(g, 1) << v;
      } else if (v <= -100) {
        EXPECT_EQ(g, 0) << v;
      }
    }
  }
}

TEST(GeluTest, GradientIsZeroOrOneFarOut) {
  CheckGeluGradFarOut<float>(3e38);
  CheckGeluGradFarOut<double>(1e308);
  CheckGeluGradFarOut<float16>(6e4);
  CheckGeluGradFarOut<bfloat16>(3e38);
}

TEST(ActivationTest, KeepsInfinityAndNaN) {
  const float inf = std::numeric_limits<float>::infinity();
  const DenseTensor x = MakeTensor<float>(
      Shape({9}), {0.f, -0.f, inf, -inf, NAN, 3e38f, -3e38f, 0.25f, -0.25f});
  const double one = 1, quarter = 0.25;
  for (const char* op : {"elu", "celu", "softshrink", "hardshrink"}) {
    CheckAgainstReference({op, {x}, {quarter}}, {1e-6, 1e-6});
  }
  for (const char* op : {"selu", "stanh", "thresholded_relu"}) {
    CheckAgainstReference({op, {x}, {one, quarter}}, {1e-6, 1e-6});
  }
  CheckAgainstReference({"mish", {x}, {quarter}}, {1e-6, 1e-6});
}

TEST(ActivationTest, WithAttributesAgreesWithReference) {
  const double kTwenty = 20, slope = 0.3, offset = 0.4, beta = 2, threshold = 5;
  for (const Shape& shape : kShapes) {
    const DenseTensor x = RandomTensor<float>(shape, -9, 9);
    const DenseTensor y = RandomTensor<double>(shape, -9, 9);
    for (const DenseTensor& v : {x, y}) {
      CheckAgainstReference({"leaky_relu", {v}, {slope}}, {1e-6, 1e-6});
      CheckAgainstReference({"hardsigmoid", {v}, {slope, offset}},
                            {1e-6, 1e-6});
      CheckAgainstReference({"softplus", {v}, {beta, threshold}}, {1e-6, 1e-6});
      for (const char* op : {"elu", "celu", "softshrink", "hardshrink"}) {
        CheckAgainstReference({op, {v}, {slope}}, {1e-6, 1e-6});
      }
      for (const char* op : {"selu", "stanh", "thresholded_relu"}) {
        CheckAgainstReference({op, {v}, {slope, beta}}, {1e-6, 1e-6});
      }
      for (const double* limit : {&slope, &kTwenty}) {
        CheckAgainstReference({"mish", {v}, {*limit}}, {1e-6, 1e-6});
      }
    }
  }
}

TEST(ActivationGradTest, AgreesWithReference) {
  for (const char* op : {"relu_grad", "sigmoid_grad", "tanh_grad"}) {
    for (const Shape& shape : kShapes) {
      CheckAgainstReference({op,
                             {RandomTensor<float>(shape, -1, 1),
                              RandomTensor<float>(shape, -2, 2, /*seed=*/2)}},
                            {1e-6, 1e-6});
      CheckAgainstReference({op,
                             {RandomTensor<double>(shape, -1, 1),
                              RandomTensor<double>(shape, -2, 2, /*seed=*/2)}},
                            {1e-15, 1e-15});
    }
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
