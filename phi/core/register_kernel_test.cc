// SPDX-License-Identifier: Apache-2.0
#include "phi/core/register_kernel.h"

#include <gtest/gtest.h>

#include "phi/core/testing/registered_call.h"

namespace switchyard {
namespace phi {

Launched launched;  // The last launch.

namespace kernels::cpu {

constexpr int kSpecLine = __LINE__ + 2;
template <typename S>
inline constexpr SpecByDtype kMixedSpec = {
    DataTypeSet(DataType::kBFloat16),
    KernelSpec<S>()
        .Input(S::kMore, AnyStrides())
        .When(RankAtLeast(S::kX, 6))
        .When(ItemElementsAtLeast(S::kX, 2))
        .NoEmpty(),
    KernelSpec<S>()
        .When(RankAtLeast(S::kX, 1))
        .When(ItemElementsAtLeast(S::kX, 2))};
template <typename T>
absl::Status MixedKernel(const FakeContext&, double factor,
                         const DenseTensor& x, DenseList more, DenseTensor* out,
                         DenseOutputs rest) {
  launched = {factor, &x, more.size(), out, rest.size()};
  return absl::OkStatus();
}

}  // namespace kernels::cpu

SY_REGISTER_KERNEL(mixed, Mixed, cpu, FakeContext, float32);
SY_REGISTER_KERNEL(mixed, Mixed, cpu, FakeContext, bfloat16);

namespace {

TEST(RegisterKernel, MakesOneConstantRecordPerDtype) {
  const KernelDef& def = kernel_mixed_cpu_bfloat16;
  EXPECT_STREQ(def.op, "mixed");
  EXPECT_STREQ(def.kernel, "mixed");
  EXPECT_EQ(def.key.backend, &backend_cpu);
  EXPECT_EQ(def.key.dtype, DataType::kBFloat16);
  EXPECT_EQ(kernel_mixed_cpu_float32.key.dtype, DataType::kFloat32);
  EXPECT_EQ(def.origin, KernelOrigin::kPhi);
  EXPECT_TRUE(def.thread_invariant);
  EXPECT_FALSE(def.empty_ok);
  EXPECT_EQ(std::string_view(def.file), __FILE__);
  EXPECT_GT(def.line, kernels::cpu::kSpecLine);
  EXPECT_LT(def.line, kernel_mixed_cpu_float32.line);
  EXPECT_LT(kernel_mixed_cpu_float32.line, kernels::cpu::kSpecLine + 10);
}

TEST(RegisterKernel, KeepsArgDefsAndConditions) {
  const KernelDef& def = kernel_mixed_cpu_bfloat16;
  ASSERT_EQ(def.inputs.size(), 2u);
  EXPECT_FALSE(def.inputs[0].strided);
  EXPECT_TRUE(def.inputs[1].strided);
  ASSERT_EQ(def.conditions.size(), 2u);
  EXPECT_EQ(def.conditions[0].kind, Condition::Kind::kRankAtLeast);
  EXPECT_EQ(def.conditions[1].kind, Condition::Kind::kItemElementsAtLeast);
  EXPECT_EQ(def.conditions[1].value, 2);
}

TEST(RegisterKernel, TakesTheSpecOfTheDtype) {
  EXPECT_TRUE(kernel_mixed_cpu_float32.empty_ok);
  EXPECT_FALSE(kernel_mixed_cpu_float32.inputs[1].strided);
  EXPECT_EQ(kernel_mixed_cpu_float32.conditions[0].value, 1);
  EXPECT_EQ(kernel_mixed_cpu_bfloat16.conditions[0].value, 6);
}

TEST(RegisterKernel, TheThunkReachesTheKernel) {
  DenseTensor x[3], out, rest;
  ASSERT_TRUE(LaunchMixed(kernel_mixed_cpu_float32, 0.5, x, &out, &rest).ok());
  EXPECT_EQ(launched.factor, 0.5);
  EXPECT_EQ(launched.x, &x[0]);
  EXPECT_EQ(launched.more, 2u);
  EXPECT_EQ(launched.out, &out);
  EXPECT_EQ(launched.rest, 1u);
}

}  // namespace
}  // namespace phi
}  // namespace switchyard
