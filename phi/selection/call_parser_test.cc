// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/call_parser.h"

#include <string>
#include <utility>
#include <vector>

#include "framework/testing/matchers.h"
#include "phi/selection/testing/fake_ops.h"

namespace switchyard::phi::selection {
namespace {

absl::StatusOr<ParsedCall> Parse(const char* op,
                                 const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& attrs = {}) {
  return ParseCall(*FindFakeOp(op), inputs, attrs, Place::Cpu());
}

// Returns the parsed call as text, or the error's message.
std::string Text(absl::StatusOr<ParsedCall> call) {
  if (!call.ok()) return std::string(call.status().message());
  const ParsedCall moved = *std::move(call);  // Nothing in it dangles.
  return CallText(*moved.MakeQuery(Place::Cpu()));
}

TEST(ParseCall, TensorsAndAttributes) {
  EXPECT_EQ(Text(Parse("softmax", {"x=float32[8,?]"}, {"axis=1"})),
            "softmax float32[8, ?] axis=1");
  EXPECT_EQ(Text(Parse("softmax", {" x = float32[ ] "})),
            "softmax float32[] axis=-1");
  EXPECT_EQ(Text(Parse("full", {}, {"shape={2, 3}", "dtype=int64"})),
            "full shape=[2, 3] dtype=int64 place=cpu");
  EXPECT_EQ(Text(Parse("full", {}, {"shape=4"})),
            "full shape=[4] dtype=float32 place=cpu");
  EXPECT_EQ(Text(Parse("matmul", {"y=float64[2]", "x=float64[2]"},
                       {"transpose_y=true"})),
            "matmul float64[2], float64[2], none transpose_y=true");
  EXPECT_EQ(Text(Parse("concat", {"x=float32[2]", "x=float32[3]"})),
            "concat {float32[2], float32[3]} axis=-1");
}

TEST(ParseCall, PlacesStridesAndKinds) {
  auto call = Parse("gather", {"x=float32[2] strided on gpu:1",
                               "index=selected_rows int32[2] on cpu"});
  ASSERT_THAT(call, IsOk());
  const InputMetas tensors = call->tensors();
  EXPECT_FALSE(tensors[0]->contiguous);
  EXPECT_EQ(tensors[0]->place, Place::Gpu(1));
  EXPECT_EQ(tensors[1]->kind, TensorKind::kSelectedRows);
  EXPECT_TRUE(tensors[1]->contiguous);
  EXPECT_EQ(tensors[1]->place, Place::Cpu());
}

TEST(ParseCall, StridesAreTakenAsTheyAre) {
  auto call = Parse("add", {"x=float32[2, 3] strides [1, 2]",
                            "y=float32[2, 3] strides [3, 1] on gpu:0"});
  ASSERT_THAT(call, IsOk());
  EXPECT_FALSE(call->tensors()[0]->contiguous);
  EXPECT_EQ((*call->strides()[0])[1], 2);
  EXPECT_TRUE(call->tensors()[1]->contiguous);
  EXPECT_EQ(call->tensors()[1]->place, Place::Gpu(0));
  call = Parse("add", {"x=float32[2, 3] strided", "y=float32[2, 3]"});
  ASSERT_THAT(call, IsOk());
  EXPECT_FALSE(call->strides()[0].has_value());
  EXPECT_EQ((*call->strides()[1])[0], 3);
}

TEST(ParseCall, ListsAreWrittenAsInPythonOrInYaml) {
  for (const char* text : {"shape=[2, 3]", "shape={2, 3}", "shape=2, 3"}) {
    const auto call = Parse("full", {}, {text});
    ASSERT_THAT(call, IsOk()) << text;
    EXPECT_EQ(ToString(call->attrs()[0]), "[2, 3]");
  }
  EXPECT_THAT(Parse("full", {}, {"shape=[]"}), IsOk());
  for (const char* text : {"shape=[2, 3", "shape=[2, 3}", "shape=[2 3]"}) {
    EXPECT_FALSE(Parse("full", {}, {text}).ok()) << text;
  }
}

TEST(ParseCall, NamesWhatIsWrong) {
  EXPECT_EQ(Text(Parse("softmax", {})), "x must be given, got none");
  EXPECT_EQ(Text(Parse("softmax", {"x=float32[2]", "x=float32[2]"})),
            "x must be given once, got more");
  EXPECT_EQ(Text(Parse("softmax", {"y=float32[2]"})),
            "input must be <name>=<dtype>[<extents>] with a name of: x, got "
            "'y=float32[2]'");
  EXPECT_EQ(Text(Parse("softmax", {"x=float32[2]"}, {"axes=1"})),
            "attr must be <name>=<value> with a name of: axis, got 'axes=1'");
  EXPECT_EQ(Text(Parse("softmax", {"x=float32[2]"}, {"axis=last"})),
            "axis must be of type int, got 'last'");
  EXPECT_EQ(Text(Parse("full", {})), "shape must be given, got none");
  EXPECT_EQ(Text(Parse("full", {"x=float32[2]"}, {"shape=2"})),
            "input must be <name>=<dtype>[<extents>] with a name of: none: "
            "there are none, got 'x=float32[2]'");
}

TEST(ParseCall, RefusesMoreTensorsThanSlotsCount) {
  EXPECT_EQ(
      Text(Parse("concat", std::vector<std::string>(65536, "x=float32[1]"))),
      "x must be at most 65535 tensors, got more");
}

TEST(ParseCall, RefusesWhatIsNoTensor) {
  for (const char* text :
       {"", "float32", "float32[", "float32]2[", "float33[2]", "undefined[2]",
        "float32[-1]", "float32[two]", "float32[1,2,3,4,5,6,7,8,9,10]",
        "float32[2] loose", "float32[2] on mars", "float32[2] strides",
        "float32[2] strides [1", "float32[2] strides []",
        "float32[2] strides [-1]", "float32[2] strides [1, 1]",
        "float32[?] strides [1]", "odd float32[2]",
        "float32[99999999999999999999]"}) {
    EXPECT_THAT(
        Parse("softmax", {std::string("x=") + text}),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 testing::HasSubstr("x must be a tensor like float32[8, ?]")))
        << text;
  }
}

}  // namespace
}  // namespace switchyard::phi::selection
