// SPDX-License-Identifier: Apache-2.0
#include "phi/capi/signature.h"

#include "framework/testing/matchers.h"
#include "phi/core/signatures/leaky_relu.gen.h"

namespace switchyard::phi::capi {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Signature, ReadsInputsAttributesAndOutputs) {
  const auto signature = ParseSignature(
      "blend(Tensor x, Tensor y, double weight = 0.5, int64_t axis, "
      "bool flag=true, str mode = \"a, b\") -> (Tensor out, Tensor rest)");
  ASSERT_THAT(signature, IsOk());
  EXPECT_EQ(signature->name, "blend");
  EXPECT_THAT(signature->inputs, ElementsAre("x", "y"));
  EXPECT_THAT(signature->outputs, ElementsAre("out", "rest"));
  ASSERT_EQ(signature->attrs.size(), 4u);
  EXPECT_EQ(signature->attrs[0].type, AttrType::kDouble);
  EXPECT_EQ(signature->attrs[0].default_value->ref().Get<double>(), 0.5);
  EXPECT_EQ(signature->attrs[1].name, "axis");
  EXPECT_FALSE(signature->attrs[1].default_value.has_value());
  EXPECT_TRUE(signature->attrs[2].default_value->ref().Get<bool>());
  EXPECT_EQ(signature->attrs[3].default_value->ref().Get<std::string_view>(),
            "a, b");
}

TEST(Signature, OtherTextIsAnError) {
  const auto expect = [](const char* text, const char* message) {
    EXPECT_THAT(
        ParseSignature(text),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(message)))
        << text;
  };
  for (const char* text :
       {"", "f", "f(", "f)(", "->", "f(Tensor x)", "f(Tensor x) ->",
        "f(Tensor x) -> out", "f(Tensor x -> (Tensor out)", "-> (Tensor out)",
        "2f(Tensor x) -> (Tensor out)", "(Tensor x) -> (Tensor out)"}) {
    expect(text, "signature must be like");
  }
  expect("f() -> (Tensor out)", "with an input and an output");
  expect("f(Tensor x) -> ()", "with an input and an output");
  expect("f(Tensor x) -> (int64_t out)", "the type of an output");
  expect("f(Tensor x, int[] a) -> (Tensor out)", "Tensor, bool, int64_t");
  expect("f(Tensor x, ) -> (Tensor out)", "the type of an argument");
  expect("f(double a, Tensor x) -> (Tensor out)", "in front of the attributes");
  expect("f(Tensor x, double a = x) -> (Tensor out)", "the default of a");
  expect("f(Tensor x, double) -> (Tensor out)", "an identifier, got ''");
  expect("f(Tensor x, Tensor x) -> (Tensor out)", "'x' twice");
  expect("f(Tensor x) -> (Tensor x)", "'x' twice");
}

TEST(Signature, SplitsNames) {
  EXPECT_THAT(SplitNames("x,  out_grad"), ElementsAre("x", "out_grad"));
  EXPECT_THAT(SplitNames(""), IsEmpty());
}

TEST(ParseAttributes, TakesDefaultsForWhatIsNotGiven) {
  const auto given = ParseAttributes(info_leaky_relu, "negative_slope=0.25");
  ASSERT_THAT(given, IsOk());
  EXPECT_EQ((*given)[0].ref().Get<double>(), 0.25);
  EXPECT_EQ((*ParseAttributes(info_leaky_relu, ""))[0].ref().Get<double>(),
            0.02);
  const auto expect = [](const char* text, const char* message) {
    EXPECT_THAT(
        ParseAttributes(info_leaky_relu, text),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(message)));
  };
  expect("slope=1", "given as 'name=value', got 'slope=1'");
  expect("negative_slope", "given as 'name=value'");
  expect("negative_slope=x", "negative_slope must be of type double, got 'x'");
}

}  // namespace
}  // namespace switchyard::phi::capi
