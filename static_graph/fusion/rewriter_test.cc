// SPDX-License-Identifier: Apache-2.0
// Each rewrite fires on every alternative of its own pattern and on none of its
// negative cases. The results are in testdata.
#include "static_graph/fusion/rewriter.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/dialect/scale.gen.h"
#include "static_graph/ir/verifier.h"

namespace switchyard::static_graph {
namespace {

using Kind = RewriteTerm::Kind;

// A program that a pattern describes.
class PatternProgram {
 public:
  // Takes alternative number `choice`, or the last, of each term that has some.
  PatternProgram(ir::Context* context, const Rewrite& rewrite, int choice)
      : program_(context, "p"),
        builder_(context, &program_.entry()),
        choice_(choice) {
    for (int i = 0; i < kRewriteNames; ++i) {
      const Shape shape = i == rewrite.spread ? Shape({2, 1}) : Shape({2, 3});
      values_.push_back(
          program_.AddFeed("v" + std::to_string(i),
                           context->GetTensorType(DataType::kFloat32, shape)));
    }
  }

  ir::Program& Finish(const RewriteTerm& pattern) {
    program_.Return({{"out", Make(pattern)}}, {});
    EXPECT_THAT(ir::Verify(program_), IsOk());
    return program_;
  }

 private:
  ir::Value Make(const RewriteTerm& term) {
    switch (term.kind) {
      case Kind::kValue:
        return values_[term.value];
      case Kind::kNumber:
        return Constant(static_cast<float>(term.number));
      case Kind::kEither:
        return Make(term.operands[std::min(choice_, term.count - 1)]);
      case Kind::kFactored: {
        const ir::Value product = Make(term.operands[0]);
        if (term.number == 1) return product;
        return ScaleOp::Build(builder_, product, Scalar(term.number))->out();
      }
      case Kind::kCall:
        return Call(term);
    }
    return ir::Value();
  }

  ir::Value Constant(float number) {
    ir::Context* const context = builder_.context();
    const std::string bytes(reinterpret_cast<const char*>(&number),
                            sizeof(number));
    return builder_.Constant(*context->GetConstant(
        context->GetTensorType(DataType::kFloat32, Shape({1})), bytes));
  }

  ir::Value Call(const RewriteTerm& term) {
    const DialectOp* const op =
        FindOperator(*builder_.context(), term.op->name);
    std::vector<ir::Value> operands;
    for (int i = 0; i < term.count; ++i) {
      operands.push_back(Make(term.operands[i]));
    }
    std::vector<Scalar> scalars(op->info->attrs.size());
    std::vector<AttrRef> attrs;
    for (size_t i = 0; i < op->info->attrs.size(); ++i) {
      const phi::AttrInfo& info = op->info->attrs[i];
      attrs.push_back(info.default_value);
      for (int k = 0; k < term.num_attrs; ++k) {
        const RewriteAttr& attr = term.attrs[k];
        if (attr.name != info.name) continue;
        const double number = attr.variable < 0 ? attr.number : 2.0;
        scalars[i] = Scalar(number);
        attrs[i] = info.type == AttrType::kScalar ? AttrRef(scalars[i])
                   : info.type == AttrType::kBool ? AttrRef(number != 0)
                                                  : AttrRef(number);
      }
    }
    return *BuildOp(builder_, *op, operands, attrs);
  }

  ir::Program program_;
  ir::Builder builder_;
  const int choice_;
  std::vector<ir::Value> values_;
};

class RewriterTest : public ::testing::Test {
 protected:
  RewriterTest() {
    EXPECT_THAT(RegisterDialects(&context_, AllDialectOps()), IsOk());
  }

  ir::Context context_;
};

TEST_F(RewriterTest, EachFiresOnItsPattern) {
  for (const Rewrite& rewrite : AllRewrites()) {
    for (int choice = 0; choice < 3; ++choice) {
      PatternProgram made(&context_, rewrite, choice);
      ir::Program& program = made.Finish(rewrite.pattern);
      const auto changed =
          ApplyRewrites(program, rewrite.pass, rewrite.exactness, nullptr);
      ASSERT_THAT(changed, IsOk());
      EXPECT_TRUE(*changed) << rewrite.name << " " << choice;
      EXPECT_THAT(ir::Verify(program), IsOk());
      if (rewrite.replacement.kind != Kind::kCall) continue;
      const ir::Value out = program.fetches()[0].value;
      EXPECT_EQ(out.defining_op()->name(),
                "op." + std::string(rewrite.replacement.op->name));
    }
  }
}

TEST_F(RewriterTest, NoneFiresOnItsNegativeCases) {
  for (const Rewrite& rewrite : AllRewrites()) {
    ASSERT_GT(rewrite.num_negatives, 0) << rewrite.name;
    for (int i = 0; i < rewrite.num_negatives; ++i) {
      PatternProgram made(&context_, rewrite, /*choice=*/0);
      const auto changed =
          ApplyRewrites(made.Finish(rewrite.negatives[i]), rewrite.pass,
                        rewrite.exactness, nullptr);
      ASSERT_THAT(changed, IsOk());
      EXPECT_FALSE(*changed) << rewrite.name << " " << i;
    }
  }
}

TEST_F(RewriterTest, AnExactPassAppliesNoRelaxedOne) {
  for (const Rewrite& rewrite : AllRewrites()) {
    if (rewrite.exactness == Exactness::kExact) continue;
    PatternProgram made(&context_, rewrite, /*choice=*/0);
    const auto changed = ApplyRewrites(
        made.Finish(rewrite.pattern), rewrite.pass, Exactness::kExact, nullptr);
    ASSERT_THAT(changed, IsOk());
    EXPECT_FALSE(*changed) << rewrite.name;
  }
}

TEST_F(RewriterTest, APolicyMayForbidThem) {
  const ReplaceRule never = [](const auto&, const auto&) { return false; };
  for (const Rewrite& rewrite : AllRewrites()) {
    if (rewrite.pass != "activation_fusion") continue;
    PatternProgram made(&context_, rewrite, /*choice=*/0);
    const auto changed = ApplyRewrites(made.Finish(rewrite.pattern),
                                       rewrite.pass, rewrite.exactness, never);
    ASSERT_THAT(changed, IsOk());
    EXPECT_FALSE(*changed) << rewrite.name;
  }
}

}  // namespace
}  // namespace switchyard::static_graph
