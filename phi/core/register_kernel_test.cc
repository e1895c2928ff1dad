// SPDX-License-Identifier: Apache-2.0
#include "phi/core/register_kernel.h"

#include <gtest/gtest.h>

namespace switchyard {
namespace {

class FakeContext : public DeviceContext {
 public:
  FakeContext() : DeviceContext(Backend::kCpu, Place::Cpu(), nullptr) {}
  static const ContextProvider kContexts;
};

}  // namespace

const ContextProvider FakeContext::kContexts = {};

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

// What the last launch was handed.
struct Launched {
  double factor;
  const DenseTensor* x;
  size_t more;
  DenseTensor* out;
  size_t rest;
} launched;

template <typename T, typename Context>
absl::Status ScaleByKernel(const Context&, double factor, const DenseTensor& x,
                           DenseList more, DenseTensor* out,
                           DenseOutputs rest) {
  launched = {factor, &x, more.size(), out, rest.size()};
  return absl::OkStatus();
}

constexpr auto kSpec = KernelSpec<ScaleBySignature>()
                           .Input(ScaleBySignature::kMore, AnyStrides())
                           .When(RankAtMost(ScaleBySignature::kX, 6))
                           .When(ElementsAtLeast(ScaleBySignature::kX, 2))
                           .NoEmpty();
SY_REGISTER_KERNEL(scale_by, cpu, ScaleByKernel, FakeContext, kSpec, float32,
                   bfloat16);

namespace {

TEST(RegisterKernel, MakesOneConstantRecordPerDtype) {
  const KernelDef& def = kernel_scale_by_cpu_bfloat16;
  EXPECT_STREQ(def.op, "scale_by");
  EXPECT_STREQ(def.kernel, "scale_by");
  EXPECT_EQ(def.key.backend, Backend::kCpu);
  EXPECT_EQ(def.key.dtype, DataType::kBFloat16);
  EXPECT_EQ(kernel_scale_by_cpu_float32.key.dtype, DataType::kFloat32);
  EXPECT_EQ(def.form, Form::kPhi);
  EXPECT_TRUE(def.thread_invariant);
  EXPECT_FALSE(def.empty_ok);
  EXPECT_EQ(def.contexts, &FakeContext::kContexts);
  EXPECT_EQ(std::string_view(def.file), __FILE__);
  EXPECT_GT(def.line, 0);
}

TEST(RegisterKernel, KeepsArgDefsAndConditions) {
  const KernelDef& def = kernel_scale_by_cpu_float32;
  ASSERT_EQ(def.inputs.size(), 2u);
  EXPECT_FALSE(def.inputs[0].strided);
  EXPECT_TRUE(def.inputs[1].strided);
  ASSERT_EQ(def.conditions.size(), 2u);
  EXPECT_EQ(def.conditions[0].kind, Condition::Kind::kRankAtMost);
  EXPECT_EQ(def.conditions[1].kind, Condition::Kind::kElementsAtLeast);
  EXPECT_EQ(def.conditions[1].value, 2);
}

TEST(RegisterKernel, BothEntryPointsReachTheKernel) {
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

  const auto& typed =
      static_cast<const TypedFunction<ScaleBySignature>&>(*def.typed);
  ASSERT_TRUE(
      typed.function(context, 2.0, a, DenseList({}), &rest, DenseOutputs({}))
          .ok());
  EXPECT_EQ(launched.factor, 2.0);
  EXPECT_EQ(launched.x, &a);
  EXPECT_EQ(launched.more, 0u);
  EXPECT_EQ(launched.out, &rest);
}

}  // namespace
}  // namespace phi
}  // namespace switchyard
