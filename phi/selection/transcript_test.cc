// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/transcript.h"

#include <gtest/gtest.h>

#include "phi/core/testing/fake_backends.h"
#include "phi/selection/call_parser.h"
#include "phi/selection/testing/fake_ops.h"

namespace switchyard::phi::selection {
namespace {

std::string Line(const char* op, const std::vector<std::string>& inputs,
                 const Policy& policy = {}) {
  const ParsedCall call = *ParseCall(*FindFakeOp(op), inputs, {}, Place::Cpu());
  const Query query = *call.MakeQuery(Place::Cpu());
  return TranscriptLine(query, *Select(*FakeTable().Find(op), query, policy));
}

TEST(TranscriptLine, NamesCallKernelAndTransforms) {
  EXPECT_EQ(Line("softmax", {"x=float32[8, 1000]"}),
            "softmax float32[8, 1000] axis=-1 -> onednn float32 "
            "(onednn/softmax.cc:10) transforms: none");
  EXPECT_EQ(Line("sgd", {"param=float32[2]", "grad=float32[2] strided",
                         "rate=float64[1]"}),
            "sgd float32[2], float32[2], float64[1] -> cpu float32 "
            "(cpu/sgd.cc:10) transforms: contiguous grad, cast rate to "
            "float32");
}

TEST(TranscriptLine, NamesGuestsAndFallbacks) {
  Policy fluid;
  fluid.origin = KernelOrigin::kFluid;
  EXPECT_EQ(Line("softmax", {"x=float32[8, 1000]"}, fluid),
            "softmax float32[8, 1000] axis=-1 -> fluid cpu float32 "
            "(cpu/softmax.cc:90) transforms: none");
  Policy fallback;
  fallback.allow_fallback = true;
  EXPECT_EQ(
      Line("add", {"x=float32[1] on gpu:0", "y=float32[3] on gpu:0"}, fallback),
      "add float32[1], float32[3] -> cpu float32 (cpu/add.cc:10) "
      "transforms: copy x to cpu, copy y to cpu fallback: gpu:0 -> cpu");
}

TEST(KernelText, NamesFilesAlikeInEveryConfiguration) {
  KernelDef def{};
  def.op = "add";
  def.kernel = "add";
  def.key = {&fake_cpu, DataLayout::kStrided, DataType::kFloat32};
  def.line = 12;
  for (const char* file :
       {"phi/kernels/cpu/add.gen.cc", "./phi/kernels/cpu/add.gen.cc",
        "bazel-out/k8-opt/bin/phi/kernels/cpu/add.gen.cc",
        "bazel-out/k8-sanitizer-opt/bin/phi/kernels/cpu/add.gen.cc"}) {
    def.file = file;
    EXPECT_EQ(KernelText(def), "cpu float32 (phi/kernels/cpu/add.gen.cc:12)");
  }
  def.kernel = "flat_add";  // One of several functions.
  EXPECT_EQ(KernelText(def),
            "cpu float32 flat_add (phi/kernels/cpu/add.gen.cc:12)");
}

}  // namespace
}  // namespace switchyard::phi::selection
