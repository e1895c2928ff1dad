// SPDX-License-Identifier: Apache-2.0
// Conditions about lists of post-operations.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "framework/types/post_ops.h"
#include "phi/core/kernel_spec.h"
#include "phi/selection/conditions.h"

namespace switchyard::phi::selection {
namespace {

constexpr std::array<AttrInfo, 1> kAttrs = {{{"post_ops", AttrType::kPostOps}}};

// A call of an operator with one attribute, a list of post-operations.
class PostOpsConditionsTest : public testing::Test {
 protected:
  PostOpsConditionsTest() {
    op_.name = "op";
    op_.attrs = kAttrs;
    query_.op = &op_;
  }

  const Query& Call(const char* text) {
    attrs_ = {*ParsePostOps("post_ops", text)};
    query_.attrs = attrs_;
    return query_;
  }

  std::string Sentence(const Condition& condition, const char* text) {
    const Mismatch mismatch = Describe(condition, Call(text));
    return mismatch.subject + " must be " + mismatch.expected + ", got " +
           mismatch.actual;
  }

  OpInfo op_{};
  std::array<AttrRef, 1> attrs_;
  Query query_{};
};

TEST_F(PostOpsConditionsTest, KindsAndTheirNumber) {
  const Condition two = PostOpsAmong(
      0, {PostOpKind::kRelu, PostOpKind::kClip, PostOpKind::kTanh}, 2);
  for (const char* text : {"", "relu", "clip(0, 1)", "[tanh, relu]"}) {
    EXPECT_EQ(Evaluate(two, Call(text)), Tristate::kTrue) << text;
  }
  for (const char* text : {"gelu", "[relu, gelu]", "[relu, relu, relu]"}) {
    EXPECT_EQ(Evaluate(two, Call(text)), Tristate::kFalse) << text;
  }
  EXPECT_EQ(Sentence(two, "[leaky_relu(0.1)]"),
            "post_ops must be at most 2 of relu, tanh or clip, got "
            "[leaky_relu(0.1)]");
}

TEST_F(PostOpsConditionsTest, None) {
  EXPECT_EQ(Evaluate(PostOpsAmong(0, PostOpKinds::All(), 1), Call("")),
            Tristate::kTrue);
  const Condition none = AttrEquals(0, PostOps().number());
  EXPECT_EQ(Evaluate(none, Call("")), Tristate::kTrue);
  EXPECT_EQ(Evaluate(none, Call("relu")), Tristate::kFalse);
  EXPECT_EQ(Sentence(none, "relu"), "post_ops must be [], got [relu]");
}

}  // namespace
}  // namespace switchyard::phi::selection
