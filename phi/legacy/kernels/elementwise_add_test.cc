// SPDX-License-Identifier: Apache-2.0
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "phi/core/testing/launch.h"

namespace switchyard::phi {

extern const KernelDef kernel_elementwise_add_fluid_cpu_float32;
extern const KernelDef kernel_elementwise_add_grad_fluid_cpu_float32;

namespace fluid {
namespace {

using Floats = std::vector<float>;

Floats Add(const DenseTensor& x, const DenseTensor& y, int axis,
           const Shape& shape) {
  DenseTensor out = EmptyTensor(DataType::kFloat32, shape);
  EXPECT_THAT(Launch(kernel_elementwise_add_fluid_cpu_float32, {&x, &y}, {axis},
                     {&out}),
              IsOk());
  return ToVector<float>(out);
}

TEST(FluidElementwiseAdd, AxisSaysWhereYStands) {
  const DenseTensor x = MakeTensor<float>({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  const DenseTensor y = MakeTensor<float>({2}, {10, 20});
  EXPECT_EQ(Add(x, y, 0, {2, 2, 2}), (Floats{10, 11, 12, 13, 24, 25, 26, 27}));
  EXPECT_EQ(Add(x, y, 1, {2, 2, 2}), (Floats{10, 11, 22, 23, 14, 15, 26, 27}));
  EXPECT_EQ(Add(x, y, -1, {2, 2, 2}), (Floats{10, 21, 12, 23, 14, 25, 16, 27}));
}

TEST(FluidElementwiseAdd, BroadcastsBothSidesWithoutAxis) {
  const DenseTensor x = MakeTensor<float>({2, 1}, {1, 2});
  const DenseTensor y = MakeTensor<float>({3}, {10, 20, 30});
  EXPECT_EQ(Add(x, y, -1, {2, 3}), (Floats{11, 21, 31, 12, 22, 32}));
}

TEST(FluidElementwiseAdd, MayWriteItsInput) {
  DenseTensor x = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
  const DenseTensor y = MakeTensor<float>({2}, {10, 20});
  ASSERT_THAT(
      Launch(kernel_elementwise_add_fluid_cpu_float32, {&x, &y}, {0}, {&x}),
      IsOk());
  EXPECT_EQ(ToVector<float>(x), (Floats{11, 12, 23, 24}));
}

TEST(FluidElementwiseAddGrad, SumsOverWhatWasRepeated) {
  const DenseTensor x = EmptyTensor(DataType::kFloat32, {2, 3});
  const DenseTensor y = EmptyTensor(DataType::kFloat32, {2});
  const DenseTensor out_grad = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  DenseTensor x_grad = EmptyTensor(DataType::kFloat32, {2, 3});
  DenseTensor y_grad = EmptyTensor(DataType::kFloat32, {2});
  ASSERT_THAT(Launch(kernel_elementwise_add_grad_fluid_cpu_float32,
                     {&x, &y, &out_grad}, {0}, {&x_grad, &y_grad}),
              IsOk());
  EXPECT_EQ(ToVector<float>(x_grad), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(ToVector<float>(y_grad), (Floats{6, 15}));
}

TEST(FluidElementwiseAddGrad, MakesOnlyWhatIsWanted) {
  const DenseTensor x = EmptyTensor(DataType::kFloat32, {1, 2});
  const DenseTensor y = EmptyTensor(DataType::kFloat32, {3, 1});
  const DenseTensor out_grad = MakeTensor<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  DenseTensor x_grad = EmptyTensor(DataType::kFloat32, {1, 2});
  ASSERT_THAT(Launch(kernel_elementwise_add_grad_fluid_cpu_float32,
                     {&x, &y, &out_grad}, {-1}, {&x_grad, nullptr}),
              IsOk());
  EXPECT_EQ(ToVector<float>(x_grad), (Floats{9, 12}));
}

}  // namespace
}  // namespace fluid
}  // namespace switchyard::phi
