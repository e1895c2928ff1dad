// SPDX-License-Identifier: Apache-2.0
#include "phi/core/register_kernel.h"

#include <gtest/gtest.h>

#include "framework/device/cpu/cpu_device.h"

namespace switchyard {
namespace {}  // namespace

class FakeContext : public DeviceContext {
 public:
  FakeContext() : DeviceContext(Place::Cpu(), nullptr) {}
  static const ContextProvider kContexts;
};

const ContextProvider FakeContext::kContexts = {};
constexpr BackendInfo backend_cpu = {"cpu", &device_cpu, 100, true,
                                     &FakeContext::kContexts};

namespace phi {

// As ops_gen writes it, for `scale_by: {param: [factor, x]}`.
struct ScaleBySignature {
  static constexpr const char* kOp = "scale_by";
  using Function = absl::Status(const DeviceContext&, double factor,
                                const DenseTensor& x, DenseList more,
                                DenseTensor* out, DenseOutputs rest);
  static constexpr Param kParams[] = {{Param::Kind::kAttr, 0},
                                      {Param::Kind::kInput, 0},
                                      {Param::Kind::kInput, 1},
                                      {Param::Kind::kOutput, 0},
                                      {Param::Kind::kOutput, 1}};
  static constexpr int kNumInputs = 2;
  static constexpr int kNumOutputs = 2;
  static constexpr std::array<TensorKind, 2> kInputKinds = {};
  static constexpr std::array<TensorKind, 2> kOutputKinds = {};
  static constexpr int kX = 0;
  static constexpr int kMore = 1;
};

// The arguments of the last launch.
struct Launched {
  double factor;
  const DenseTensor* x;
  size_t more;
  DenseTensor* out;
  size_t rest;
} launched;

namespace kernels::cpu {

constexpr int kSpecLine = __LINE__ + 2;
template <typename S>
inline constexpr SpecByDtype kScaleBySpec = {
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
absl::Status ScaleByKernel(const FakeContext&, double factor,
                           const DenseTensor& x, DenseList more,
                           DenseTensor* out, DenseOutputs rest) {
  launched = {factor, &x, more.size(), out, rest.size()};
  return absl::OkStatus();
}

}  // namespace kernels::cpu

SY_REGISTER_KERNEL(scale_by, ScaleBy, cpu, FakeContext, float32);
SY_REGISTER_KERNEL(scale_by, ScaleBy, cpu, FakeContext, bfloat16);

namespace {

TEST(RegisterKernel, MakesOneConstantRecordPerDtype) {
  const KernelDef& def = kernel_scale_by_cpu_bfloat16;
  EXPECT_STREQ(def.op, "scale_by");
  EXPECT_STREQ(def.kernel, "scale_by");
  EXPECT_EQ(def.key.backend, &backend_cpu);
  EXPECT_EQ(def.key.dtype, DataType::kBFloat16);
  EXPECT_EQ(kernel_scale_by_cpu_float32.key.dtype, DataType::kFloat32);
  EXPECT_EQ(def.origin, KernelOrigin::kPhi);
  EXPECT_TRUE(def.thread_invariant);
  EXPECT_FALSE(def.empty_ok);
  EXPECT_EQ(std::string_view(def.file), __FILE__);
  EXPECT_GT(def.line, kernels::cpu::kSpecLine);
  EXPECT_LT(def.line, kernel_scale_by_cpu_float32.line);
  EXPECT_LT(kernel_scale_by_cpu_float32.line, kernels::cpu::kSpecLine + 10);
}

TEST(RegisterKernel, KeepsArgDefsAndConditions) {
  const KernelDef& def = kernel_scale_by_cpu_bfloat16;
  ASSERT_EQ(def.inputs.size(), 2u);
  EXPECT_FALSE(def.inputs[0].strided);
  EXPECT_TRUE(def.inputs[1].strided);
  ASSERT_EQ(def.conditions.size(), 2u);
  EXPECT_EQ(def.conditions[0].kind, Condition::Kind::kRankAtLeast);
  EXPECT_EQ(def.conditions[1].kind, Condition::Kind::kItemElementsAtLeast);
  EXPECT_EQ(def.conditions[1].value, 2);
}

TEST(RegisterKernel, TakesTheSpecOfTheDtype) {
  EXPECT_TRUE(kernel_scale_by_cpu_float32.empty_ok);
  EXPECT_FALSE(kernel_scale_by_cpu_float32.inputs[1].strided);
  EXPECT_EQ(kernel_scale_by_cpu_float32.conditions[0].value, 1);
  EXPECT_EQ(kernel_scale_by_cpu_bfloat16.conditions[0].value, 6);
}

TEST(RegisterKernel, TheThunkReachesTheKernel) {
  const KernelDef& def = kernel_scale_by_cpu_float32;
  const FakeContext context;
  DenseTensor x, a, b, out, rest;
  const TensorBase* inputs[] = {&x, &a, &b};
  TensorBase* outputs[] = {&out, &rest};
  const uint16_t begins[] = {0, 1, 3};
  const AttrRef attrs[] = {0.5};
  KernelContext launch(context,
                       {{inputs, ArgSegments(begins, 2)}, attrs, outputs});
  ASSERT_TRUE(def.thunk(launch).ok());
  EXPECT_EQ(launched.factor, 0.5);
  EXPECT_EQ(launched.x, &x);
  EXPECT_EQ(launched.more, 2u);
  EXPECT_EQ(launched.out, &out);
  EXPECT_EQ(launched.rest, 1u);
}

}  // namespace
}  // namespace phi
}  // namespace switchyard
