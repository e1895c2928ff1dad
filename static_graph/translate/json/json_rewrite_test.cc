// SPDX-License-Identifier: Apache-2.0
// Calls whose names, attributes or results differ from those of our operators.
#include "static_graph/translate/json/json_rewrite.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/testing/matchers.h"
#include "framework/types/attribute.h"
#include "gtest/gtest.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/translate/json/json_call.h"

namespace switchyard::static_graph {
namespace {

JsonAttr Attr(const char* name, AttrRef value) {
  return {name, Attribute(value), ""};
}

// A call of that many tensors, whose first result is of `dtype`.
JsonOperator Call(const char* name, size_t operands, DataType dtype,
                  std::vector<JsonAttr> attrs = {}) {
  JsonOperator op;
  op.name = name;
  for (size_t i = 0; i < operands; ++i) {
    op.operands.push_back(static_cast<int64_t>(i + 1));
  }
  op.results.resize(1);
  op.results[0].type.kind = JsonType::Kind::kTensor;
  op.results[0].type.spec->dtype = dtype;
  op.attrs = std::move(attrs);
  return op;
}

class JsonRewriteTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(RegisterDialects(&context_, AllDialectOps()), IsOk());
  }
  // Returns the operator of ours that the call is of.
  const phi::OpInfo& InfoOf(const JsonOperator& op) {
    const DialectOp* const ours = FindFunctional(context_, op.name);
    EXPECT_NE(ours, nullptr) << op.name;
    return *ours->info;
  }
  // Expects that the call is one of `ours`, whose attribute `attr` has that
  // text; an empty name stands for none.
  void ExpectCalls(const JsonOperator& written, const std::string& ours,
                   const std::string& attr = "", const std::string& text = "") {
    SCOPED_TRACE(written.name);
    const JsonOperator op = AsOurs(written).value_or(written);
    const phi::OpInfo& info = InfoOf(op);
    EXPECT_EQ(info.name, ours);
    const std::vector<size_t> counts(op.operands.size(), 1);
    const auto call = MapJsonOperator(op, info, counts);
    ASSERT_THAT(call, IsOk());
    if (attr.empty()) return;
    const int index = info.attr_index(attr);
    ASSERT_GE(index, 0);
    EXPECT_EQ(ToString(call->attributes[index].ref()), text);
  }

  ir::Context context_;
};

TEST_F(JsonRewriteTest, AttributesThatHaveOtherNames) {
  const DataType real = DataType::kFloat32;
  const int64_t axes[] = {0, 1};
  ExpectCalls(Call("distribute_fpn_proposals", 2, real,
                   {Attr("min_level", 2), Attr("max_level", 5),
                    Attr("refer_level", 4), Attr("refer_scale", 224)}),
              "distribute_fpn_proposals", "levels", "[2, 3, 4, 5]");
  ExpectCalls(Call("eigh", 1, real, {Attr("UPLO", "U")}), "eigh", "uplo",
              ToString(AttrRef("U")));
  const JsonAttr axis = Attr("axis", AttrRef(absl::MakeConstSpan(axes)));
  ExpectCalls(Call("frobenius_norm", 1, real, {axis, Attr("keep_dim", true)}),
              "frobenius_norm", "keepdim", ToString(AttrRef(true)));
  ExpectCalls(Call("frobenius_norm", 1, real,
                   {axis, Attr("keep_dim", false), Attr("reduce_all", true)}),
              "frobenius_norm", "axis", "[]");
  ExpectCalls(Call("lu", 1, real, {Attr("pivot", true)}), "lu");
}

TEST_F(JsonRewriteTest, LevelsThatAreNoneStay) {
  for (const auto& [least, most] :
       std::vector<std::pair<int, int>>{{5, 2}, {0, 64}, {-2147483647, 5}}) {
    const auto ours =
        AsOurs(Call("distribute_fpn_proposals", 2, DataType::kFloat32,
                    {Attr("min_level", least), Attr("max_level", most)}));
    ASSERT_TRUE(ours.has_value());
    EXPECT_NE(ours->attr("min_level"), nullptr) << least;
    EXPECT_EQ(ours->attr("levels"), nullptr) << least;
  }
  // There is no decomposition without pivots.
  EXPECT_FALSE(AsOurs(Call("lu", 1, DataType::kFloat32, {Attr("pivot", false)}))
                   .has_value());
}

TEST_F(JsonRewriteTest, OperatorsThatDependOnTheDtype) {
  ExpectCalls(Call("add", 2, DataType::kBool), "logical_or");
  ExpectCalls(Call("multiply", 2, DataType::kBool), "logical_and");
  ExpectCalls(Call("conj", 1, DataType::kFloat32), "assign");
  ExpectCalls(Call("add", 2, DataType::kFloat32), "add");
  ExpectCalls(Call("multiply", 2, DataType::kInt32), "multiply");
  ExpectCalls(Call("conj", 1, DataType::kComplex64), "conj");
}

TEST_F(JsonRewriteTest, OperandsAndResultsThatHaveOtherPlaces) {
  const DataType real = DataType::kFloat32;
  const JsonOperator proposals = Call("distribute_fpn_proposals", 2, real);
  const phi::OpInfo& levels = InfoOf(proposals);
  EXPECT_EQ(ResultOf(levels, proposals, 0), 0);
  EXPECT_EQ(ResultOf(levels, proposals, 1), 2);  // Counts are before the order.
  EXPECT_EQ(ResultOf(levels, proposals, 2), 1);
  EXPECT_EQ(ResultOf(levels, proposals, 3), -1);

  ExpectCalls(Call("sync_batch_norm_", 5, real), "batch_norm");
  // Weights of tags are no operand of ours.
  ExpectCalls(Call("auc", 5, real,
                   {Attr("curve", "ROC"), Attr("num_thresholds", 7),
                    Attr("slide_steps", 0)}),
              "auc", "num_thresholds", "7");
}

}  // namespace
}  // namespace switchyard::static_graph
