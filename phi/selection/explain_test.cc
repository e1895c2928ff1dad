// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/explain.h"

#include <string>
#include <vector>

#include "framework/testing/matchers.h"
#include "nlohmann/json.hpp"
#include "phi/core/owned_kernel_table.h"
#include "phi/core/testing/fake_backends.h"
#include "phi/selection/call_parser.h"
#include "phi/selection/testing/fake_ops.h"

namespace switchyard::phi::selection {
namespace {

// Explains a call, which lives as long as this.
class Explained {
 public:
  Explained(const char* op, const std::vector<std::string>& inputs,
            const Policy& policy = {},
            const std::vector<std::string>& attrs = {})
      : call_(*ParseCall(*FindFakeOp(op), inputs, attrs, Place::Cpu())),
        explanation_(Explain(*FakeTable().Find(op),
                             *call_.MakeQuery(Place::Cpu()), policy)) {}
  const Explanation& operator*() const { return explanation_; }
  const Explanation* operator->() const { return &explanation_; }

 private:
  ParsedCall call_;
  Explanation explanation_;
};

Policy NoGpu() {
  Policy policy;
  policy.backends = {&fake_cpu, &fake_onednn};
  return policy;
}

TEST(Explain, AnOutputOfAnotherKindIsAReason) {
  constexpr OutputInfo kOut[] = {{"out"}};
  OpInfo op = *FindFakeOp("softmax");
  op.outputs = kOut;
  ArgDef yields_rows;
  yields_rows.kind = TensorKind::kSelectedRows;
  // A legacy kernel, which describes no output, yields dense ones.
  KernelDef dense = *FakeTable().Find("softmax")->kernels.back();
  dense.key = {&fake_cpu, DataLayout::kStrided, DataType::kFloat32};
  KernelDef rows = dense;
  rows.kernel = "softmax_rows";
  rows.outputs = absl::MakeConstSpan(&yields_rows, 1);
  const auto table = MakeKernelTable({&dense, &rows});
  ASSERT_THAT(table, IsOk());
  const OpKernels& op_kernels = *(*table)->table().Find("softmax");
  const auto call = ParseCall(op, {"x=float32[2, 3]"}, {}, Place::Cpu());
  ASSERT_THAT(call, IsOk());
  Query query = *call->MakeQuery(Place::Cpu());
  TensorSpec out;
  const TensorSpec* const outputs[] = {&out};
  query.outputs = outputs;
  for (const TensorKind kind :
       {TensorKind::kDense, TensorKind::kSelectedRows}) {
    out.kind = kind;
    const bool dense_wanted = kind == TensorKind::kDense;
    const Explanation explained = Explain(op_kernels, query, {});
    ASSERT_THAT(explained.answer, IsOk());
    EXPECT_EQ(explained.answer->kernel, dense_wanted ? &dense : &rows);
    EXPECT_EQ(Select(op_kernels, query, {})->kernel, explained.answer->kernel);
  }
  const Explanation explained = Explain(op_kernels, query, {});
  EXPECT_EQ(explained.candidates[0].outcome, Explanation::Outcome::kRefused);
  const Mismatch& mismatch = explained.candidates[0].mismatch;
  EXPECT_EQ(mismatch.subject, "out");
  EXPECT_EQ(mismatch.expected, "dense");
  EXPECT_EQ(mismatch.actual, "selected_rows");
}

TEST(Explain, TextOfASuccess) {
  EXPECT_EQ(ToText(*Explained("softmax", {"x=float32[2, 3] strided"}, NoGpu())),
            R"(softmax float32[2, 3] axis=-1 on cpu
key dtype: float32 (x)
policy: backend=cpu,backend=onednn
candidates:
  1. gpudnn float32 (gpudnn/softmax.cc:10)
       refused: device must be cpu, got gpu
  2. gpu float32 (gpu/softmax.cc:10)
       refused: device must be cpu, got gpu
  3. onednn float32 (onednn/softmax.cc:10)
       refused: numel(x[0]) must be at least 512, got 3
  4. cpu float32 (cpu/softmax.cc:10)
       chosen
  5. fluid cpu float32 (cpu/softmax.cc:90)
       not asked
  6. reference float32 (reference/softmax.cc:10)
       not asked
chosen: cpu float32 (cpu/softmax.cc:10)
transforms: contiguous x
)");
}

TEST(Explain, TextAndJsonOfAPreferenceThatDecides) {
  Policy policy = NoGpu();
  const Preference guests[] = {{nullptr, KernelOrigin::kFluid}};
  policy.prefer = Preferences::Intern(guests);
  const Explained decided("softmax", {"x=float32[2, 3]"}, policy);
  EXPECT_EQ(ToText(*decided), R"(softmax float32[2, 3] axis=-1 on cpu
key dtype: float32 (x)
policy: backend=cpu,backend=onednn,prefer=legacy
candidates:
  1. fluid cpu float32 (cpu/softmax.cc:90)
       chosen
  2. gpudnn float32 (gpudnn/softmax.cc:10)
       not asked
  3. gpu float32 (gpu/softmax.cc:10)
       not asked
  4. onednn float32 (onednn/softmax.cc:10)
       not asked
  5. cpu float32 (cpu/softmax.cc:10)
       not asked
  6. reference float32 (reference/softmax.cc:10)
       not asked
chosen: fluid cpu float32 (cpu/softmax.cc:90)
transforms: none
preferred: as legacy, to cpu float32 (cpu/softmax.cc:10)
)");
  const auto json = nlohmann::json::parse(ToJson(*decided));
  EXPECT_EQ(json["preferred"]["as"], "legacy");
  EXPECT_EQ(json["preferred"]["to"]["backend"], "cpu");
  EXPECT_EQ(json["preferred"]["to"]["origin"], "phi");
  // It would have won anyway, or there is no such kernel.
  const Preference cpu[] = {{&fake_cpu}};
  policy.prefer = Preferences::Intern(cpu);
  for (const auto& [op, input] : {std::pair("softmax", "x=float32[2, 3]"),
                                  std::pair("softmax", "x=float64[2, 3]")}) {
    const Explained other(op, {input}, policy);
    EXPECT_EQ(ToText(*other).find("preferred:"), std::string::npos);
    EXPECT_TRUE(nlohmann::json::parse(ToJson(*other))["preferred"].is_null());
  }
}

TEST(Explain, TextOfAFailureHasTheSameForm) {
  EXPECT_EQ(ToText(*Explained(
                "add", {"x=float32[2] on gpu:0", "y=float32[2] on gpu:0"})),
            R"(add float32[2], float32[2] on gpu:0
key dtype: float32 (x)
policy: default
candidates:
  1. onednn float32 (onednn/add.cc:10)
       refused: device must be gpu, got cpu
  2. cpu float32 (cpu/add.cc:10)
       refused: device must be gpu, got cpu
chosen: none
error: add: no kernel for float32[2], float32[2] on gpu:0: none serves this place
)");
  EXPECT_EQ(ToText(*Explained("full", {}, {}, {"shape=2", "dtype=bool"})),
            R"(full shape=[2] dtype=bool place=cpu on cpu
key dtype: bool (attribute dtype)
policy: default
candidates: none
chosen: none
error: full: dtype must be int64 or float32, got bool
)");
}

TEST(Explain, TextOfAnUndecidedFallback) {
  Policy policy;
  policy.allow_fallback = true;
  policy.backends = {&fake_gpudnn, &fake_cpu};
  const std::string text =
      ToText(*Explained("softmax", {"x=float32[8, ?] on gpu:0"}, policy));
  EXPECT_THAT(text, testing::HasSubstr(
                        "undecided: extent(x, -1) must be at least 32, got ?"));
  EXPECT_THAT(text, testing::HasSubstr("cpu float32 (cpu/softmax.cc:10) as a "
                                       "fallback\n       chosen"));
  EXPECT_THAT(text, testing::HasSubstr("to ask again when shapes are known: "
                                       "gpudnn float32"));
  EXPECT_THAT(text, testing::HasSubstr("fallback: gpu:0 -> cpu\n"));
}

TEST(Explain, TextOfAViewOnADeviceWithoutKernelsOfIt) {
  EXPECT_EQ(ToText(*Explained("reshape", {"x=float32[2] on gpu:0"})),
            R"(reshape float32[2] on gpu:0
key dtype: float32 (x)
policy: default
candidates:
  1. cpu float32 (cpu/reshape.cc:10)
       refused: device must be gpu, got cpu
  2. fluid cpu float32 (cpu/reshape.cc:90)
       refused: device must be gpu, got cpu
  3. cpu float32 (cpu/reshape.cc:10) to make a view
       chosen
chosen: cpu float32 (cpu/reshape.cc:10)
transforms: none
view: it shares the memory of its input on gpu:0; no element is moved
)");
}

TEST(Explain, JsonHasTheSameFacts) {
  const auto json = nlohmann::json::parse(
      ToJson(*Explained("softmax", {"x=float32[?, 1000] strided"}, NoGpu())));
  EXPECT_EQ(json["op"], "softmax");
  EXPECT_EQ(json["dtype"], "float32");
  EXPECT_EQ(json["inputs"][0]["shape"], nlohmann::json::array({"?", 1000}));
  EXPECT_EQ(json["inputs"][0]["contiguous"], false);
  EXPECT_EQ(json["attrs"]["axis"], "-1");
  ASSERT_EQ(json["candidates"].size(), 6u);
  const auto& onednn = json["candidates"][2];
  EXPECT_EQ(onednn["outcome"], "undecided");
  EXPECT_EQ(onednn["subject"], "numel(x)");
  EXPECT_EQ(onednn["expected"], "at least 1");  // Not empty, before all else.
  EXPECT_EQ(onednn["actual"], "[?, 1000]");
  EXPECT_EQ(json["chosen"]["backend"], "cpu");
  EXPECT_EQ(json["chosen"]["file"], "cpu/softmax.cc");
  EXPECT_EQ(json["chosen"]["line"], 10);
  EXPECT_EQ(json["transforms"][0]["op"], "contiguous");
  EXPECT_EQ(json["transforms"][0]["input"], "x");
  EXPECT_EQ(json["residual"][0]["backend"], "onednn");
  EXPECT_EQ(json["fallback"], false);
  EXPECT_TRUE(json["error"].is_null());
}

TEST(Explain, JsonOfAFailure) {
  const auto json =
      nlohmann::json::parse(ToJson(*Explained("softmax", {"x=int32[2]"})));
  EXPECT_TRUE(json["chosen"].is_null());
  EXPECT_TRUE(json["candidates"].empty());
  EXPECT_EQ(json["error"], "softmax: x must be float32 or float64, got int32");
}

// The loop that was written down is the loop that chose.
TEST(Explain, AgreesWithSelect) {
  const Explained explained("softmax", {"x=float32[?, 1000]"});
  ASSERT_THAT(explained->answer, IsOk());
  size_t undecided = 0;
  for (const Explanation::Candidate& candidate : explained->candidates) {
    if (candidate.outcome == Explanation::Outcome::kChosen) {
      EXPECT_EQ(candidate.kernel, explained->answer->kernel);
    }
    if (candidate.outcome == Explanation::Outcome::kUndecided) {
      ASSERT_LT(undecided, explained->answer->residual.size());
      EXPECT_EQ(candidate.kernel, explained->answer->residual[undecided++]);
    }
  }
  EXPECT_EQ(undecided, explained->answer->residual.size());
}

}  // namespace
}  // namespace switchyard::phi::selection
