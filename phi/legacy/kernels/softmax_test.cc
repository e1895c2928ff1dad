// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "phi/core/testing/launch.h"

namespace switchyard::phi {

extern const KernelDef kernel_softmax_fluid_cpu_float32;
extern const KernelDef kernel_softmax_fluid_cpu_float64;
extern const KernelDef kernel_softmax_grad_fluid_cpu_float64;

namespace fluid {
namespace {

TEST(FluidSoftmax, KernelDefIsAnOrdinaryConstant) {
  const KernelDef& kernel = kernel_softmax_fluid_cpu_float32;
  EXPECT_EQ(kernel.origin, KernelOrigin::kFluid);
  EXPECT_STREQ(kernel.op, "softmax");
  EXPECT_EQ(kernel.key.backend, &backend_cpu);
  EXPECT_EQ(kernel.key.dtype, DataType::kFloat32);
  EXPECT_EQ(kernel.inputs.size(), 1u);
  EXPECT_EQ(kernel.outputs.size(), 1u);
}

TEST(FluidSoftmax, NormalisesAlongAnyAxis) {
  const DenseTensor x = MakeTensor<double>({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  for (const int axis : {0, 1, 2, -1, -2, -3}) {
    DenseTensor out = EmptyTensor(DataType::kFloat64, {2, 2, 2});
    ASSERT_THAT(Launch(kernel_softmax_fluid_cpu_float64, {&x}, {axis}, {&out}),
                IsOk());
    // Neighbours along an axis differ by its stride.
    const int from_front = axis < 0 ? axis + 3 : axis;
    const double step = from_front == 0 ? 4 : from_front == 1 ? 2 : 1;
    const double low = 1 / (1 + std::exp(step));
    const std::vector<double> values = ToVector<double>(out);
    EXPECT_NEAR(values[0], low, 1e-15) << axis;
    EXPECT_NEAR(values[7], 1 - low, 1e-15) << axis;
  }
}

TEST(FluidSoftmax, LargeInputsDoNotOverflow) {
  const DenseTensor x = MakeTensor<float>({1, 2}, {1000.0f, 1000.0f});
  DenseTensor out = EmptyTensor(DataType::kFloat32, {1, 2});
  ASSERT_THAT(Launch(kernel_softmax_fluid_cpu_float32, {&x}, {-1}, {&out}),
              IsOk());
  EXPECT_EQ(ToVector<float>(out), (std::vector<float>{0.5f, 0.5f}));
}

TEST(FluidSoftmax, ScalarsAndEmptyTensors) {
  const DenseTensor x = MakeScalarTensor<double>(3);
  DenseTensor out = EmptyTensor(DataType::kFloat64, {});
  ASSERT_THAT(Launch(kernel_softmax_fluid_cpu_float64, {&x}, {0}, {&out}),
              IsOk());
  EXPECT_EQ(ToVector<double>(out), std::vector<double>{1});
  const DenseTensor none = EmptyTensor(DataType::kFloat64, {2, 0});
  DenseTensor nothing = EmptyTensor(DataType::kFloat64, {2, 0});
  EXPECT_THAT(
      Launch(kernel_softmax_fluid_cpu_float64, {&none}, {1}, {&nothing}),
      IsOk());
}

TEST(FluidSoftmax, ReportsAnAxisOutOfRange) {
  const DenseTensor x = EmptyTensor(DataType::kFloat64, {2, 2});
  DenseTensor out = EmptyTensor(DataType::kFloat64, {2, 2});
  EXPECT_THAT(Launch(kernel_softmax_fluid_cpu_float64, {&x}, {2}, {&out}),
              StatusIs(absl::StatusCode::kOutOfRange));
}

TEST(FluidSoftmaxGrad, IsTheVectorJacobianProduct) {
  const DenseTensor out = MakeTensor<double>({1, 2}, {0.25, 0.75});
  const DenseTensor out_grad = MakeTensor<double>({1, 2}, {1, -1});
  DenseTensor x_grad = EmptyTensor(DataType::kFloat64, {1, 2});
  ASSERT_THAT(Launch(kernel_softmax_grad_fluid_cpu_float64, {&out, &out_grad},
                     {-1}, {&x_grad}),
              IsOk());
  EXPECT_EQ(ToVector<double>(x_grad), (std::vector<double>{0.375, -0.375}));
}

}  // namespace
}  // namespace fluid
}  // namespace switchyard::phi
