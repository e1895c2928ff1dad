// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/infer_meta.h"

#include <string>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "ops_gen/parser/family_parser.h"

namespace switchyard::ops_gen {
namespace {

using testing::HasSubstr;

constexpr char kForward[] = R"(- op: mix
  args: (Tensor x, Tensor bias, int axis = -1, float c = 0.5)
  output: Tensor(out), Tensor(mask)
  infer_meta: {func: MixInferMeta, header: arithmetic/mix}
  kernel: {func: mix}
  kernels:
    cpu: [float32]
  optional: [bias]
  backward: mix_grad
  result: {out: as x, mask: as x}

)";
constexpr char kGradient[] = R"(- backward_op: mix_grad
  args: (Tensor x, Tensor bias, Tensor out, Tensor out_grad, int axis)
  output: Tensor(x_grad), Tensor(bias_grad)
  infer_meta: gradient
  kernel: {func: mix_grad}
  kernels:
    cpu: [float32]
  optional: [bias]
)";

std::string Replaced(std::string text, const std::string& from,
                     const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(InferMetaTest, AGradientByRuleCallsTheForwardFunction) {
  const auto family =
      ParseFamily("ops_gen/ops/f.yaml", std::string(kForward) + kGradient);
  ASSERT_THAT(family, IsOk());
  EXPECT_EQ(InferMetaThunk(*family, family->ops[1]),
            R"(absl::Status InferMixGrad(const InferMetaContext& c) {
  TensorSpec out;
  SY_RETURN_IF_ERROR(MixInferMeta(c.inputs.one(0), c.inputs.optional(1),
                                  c.attr<int>(0), 0.5f, &out, nullptr));
  SY_RETURN_IF_ERROR(CheckInferred("out", c.inputs.one(2), out));
  SY_RETURN_IF_ERROR(CheckInferred("out_grad", c.inputs.one(3), out));
  SY_RETURN_IF_ERROR(SetGradient(c.inputs.one(0), c.outputs.optional(0)));
  SY_RETURN_IF_ERROR(SetGradient(c.inputs.optional(1), c.outputs.optional(1)));
  return absl::OkStatus();
}

)");
  EXPECT_EQ(InferMetaPointer(family->ops[1]), "&InferMixGrad");
  EXPECT_THAT(InferMetaIncludes(family->ops[1]),
              testing::ElementsAre("phi/core/infer_meta_context.h",
                                   "phi/infermeta/arithmetic/mix.h",
                                   "phi/infermeta/gradient.h"));
}

TEST(InferMetaTest, AnotherEntryHasAFunctionOfItsOwn) {
  const auto family =
      ParseFamily("ops_gen/ops/f.yaml", std::string(kForward) + kGradient);
  ASSERT_THAT(family, IsOk());
  EXPECT_EQ(InferMetaThunk(*family, family->ops[0]),
            R"(absl::Status InferMix(const InferMetaContext& c) {
  return MixInferMeta(c.inputs.one(0), c.inputs.optional(1), c.attr<int>(0),
                      c.attr<float>(1), c.outputs.optional(0),
                      c.outputs.optional(1));
}

)");
}

TEST(InferMetaTest, TheRuleNeedsWhatTheForwardFunctionTakes) {
  const auto error = [](const std::string& forward,
                        const std::string& gradient) {
    return ParseFamily("ops_gen/ops/f.yaml", forward + gradient).status();
  };
  EXPECT_THAT(
      std::string(error(kForward,
                        Replaced(Replaced(Replaced(kGradient,
                                                   "  optional: [bias]\n", ""),
                                          "Tensor bias, ", ""),
                                 ", Tensor(bias_grad)", ""))
                      .message()),
      HasSubstr("mix_grad: infer_meta: expected 'bias' in args, which "
                "MixInferMeta takes, got none"));
  EXPECT_THAT(
      std::string(error(Replaced(kForward, "int axis = -1", "int axis"),
                        Replaced(kGradient, ", int axis", ""))
                      .message()),
      HasSubstr("expected 'axis' in args, which MixInferMeta takes, got none"));
  EXPECT_THAT(
      std::string(error(Replaced(kForward,
                                 "infer_meta: {func: MixInferMeta, header: "
                                 "arithmetic/mix}",
                                 "infer_meta: gradient"),
                        kGradient)
                      .message()),
      HasSubstr("mix: infer_meta: expected a map, got 'gradient'"));
}

}  // namespace
}  // namespace switchyard::ops_gen
