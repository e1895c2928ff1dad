// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/rewrites/rewritten_program.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/foreign/paddle_desc/testing.h"

namespace switchyard::static_graph {
namespace {

using testing::ElementsAre;
using translate::ProgramDesc;

// A program of that version that takes x[3:-1:-1, 3:-1:1].
ProgramDesc SliceProgram(const std::string& type, int64_t version) {
  ProgramDesc program;
  program.mutable_version()->set_version(version);
  translate::OpDesc* op = translate::AddOperator(
      translate::AddBlock(&program, -1), type, {{"Input", "x"}}, {});
  const std::string strides = type == "set_value" ? "steps" : "strides";
  for (const auto& [name, numbers] :
       {std::make_pair(std::string("ends"), std::vector<int>{-1, -1}),
        std::make_pair(strides, std::vector<int>{-1, 1})}) {
    translate::OpDesc::Attr* const attr = op->add_attrs();
    attr->set_name(name);
    if (type == "set_value") {
      attr->set_type(static_cast<int>(AttributeKind::kLongs));
      attr->mutable_longs()->Add(numbers.begin(), numbers.end());
    } else {
      attr->set_type(static_cast<int>(AttributeKind::kInts));
      attr->mutable_ints()->Add(numbers.begin(), numbers.end());
    }
  }
  return program;
}

TEST(RewrittenProgram, ReadsOldEndsOfSlices) {
  const auto ends = [](const std::string& type, int64_t version) {
    const auto program =
        ParseProgramDesc(SliceProgram(type, version).SerializeAsString());
    EXPECT_THAT(program, IsOk());
    const ForeignOperator op = RewrittenProgram(**program).blocks(0).ops(0);
    const ForeignAttr& attr = op.attrs[0];
    std::vector<int64_t> numbers;
    if (attr.kind == ForeignKind::kInts) {
      const auto list = attr.list<int32_t>();
      numbers.assign(list.begin(), list.end());
    } else {
      const auto list = attr.list<int64_t>();
      numbers.assign(list.begin(), list.end());
    }
    return numbers;
  };
  constexpr int64_t kNone = std::numeric_limits<int32_t>::min();
  for (const char* type :
       {"strided_slice", "strided_slice_grad", "set_value"}) {
    EXPECT_THAT(ends(type, 0), ElementsAre(kNone, -1)) << type;
    EXPECT_THAT(ends(type, 2'006'002), ElementsAre(kNone, -1)) << type;
    EXPECT_THAT(ends(type, 3'000'000), ElementsAre(-1, -1)) << type;
  }
}

// The gradient of an embedding in rows, which `reader` reads.
ProgramDesc SparseProgram(const std::string& reader) {
  ProgramDesc program;
  translate::BlockDesc* const block = translate::AddBlock(&program, -1);
  translate::SetBool(translate::AddOperator(block, "lookup_table_v2_grad",
                                            {{"Ids", "ids"}, {"W", "w"}},
                                            {{"W@GRAD", "w@GRAD"}}),
                     "is_sparse", true);
  translate::SetFloat(
      translate::AddOperator(
          block, reader,
          {{"Param", "w"},
           {"Grad", "w@GRAD"},
           {"Beta1Pow", "p1"},
           {"Beta2Pow", "p2"}},
          {{"ParamOut", "w"}, {"Beta1PowOut", "p1"}, {"Beta2PowOut", "p2"}}),
      "beta1", 0.75f);
  return program;
}

// Returns the types of the main block's operators, read either way.
std::vector<std::string> TypesOf(const ForeignProgram& program) {
  std::vector<std::string> types;
  const ForeignBlock& block = program.blocks(0);
  for (int i = 0; i < block.ops_size(); ++i) {
    types.push_back(block.ops(i).type);
    EXPECT_EQ(block.TypeOf(i), types.back());
  }
  return types;
}

TEST(RewrittenProgram, AdamWithRowsReadsPowersThatHaveAdvanced) {
  const auto written =
      ParseProgramDesc(SparseProgram("adam").SerializeAsString());
  ASSERT_THAT(written, IsOk());
  const RewrittenProgram program(**written);
  EXPECT_THAT(TypesOf(program),
              ElementsAre("lookup_table_v2_grad", "scale", "scale", "adam"));
  const ForeignBlock& block = program.blocks(0);
  EXPECT_TRUE(block.ops(0).attr("is_sparse")->flag());
  EXPECT_EQ(OnlyVariable(block.ops(1).inputs, "X"), "p1");
  EXPECT_EQ(OnlyVariable(block.ops(1).outputs, "Out"), "p1");
  EXPECT_EQ(block.ops(1).attr("scale")->number(), 0.75);
  EXPECT_EQ(OnlyVariable(block.ops(2).inputs, "X"), "p2");
  EXPECT_EQ(block.ops(2).attr("scale")->number(), 0.999f);
  EXPECT_TRUE(block.ops(3).attr("use_global_beta_pow")->flag());
  EXPECT_GT(program.held(), (*written)->held());
  // The parts are operators of their own, for code that counts them by place.
  OperatorSet set(program);
  set.Add(0, 3);
  EXPECT_TRUE(set.Contains(0, 3));
}

TEST(RewrittenProgram, GradientsThatOthersReadAreDense) {
  const auto sparse = [](const std::string& reader) {
    const auto written =
        ParseProgramDesc(SparseProgram(reader).SerializeAsString());
    EXPECT_THAT(written, IsOk());
    const RewrittenProgram program(**written);
    EXPECT_THAT(TypesOf(program), ElementsAre("lookup_table_v2_grad", reader));
    return program.blocks(0).ops(0).attr("is_sparse")->flag();
  };
  EXPECT_TRUE(sparse("sgd"));
  EXPECT_TRUE(sparse("adamw"));
  EXPECT_FALSE(sparse("momentum"));
}

TEST(RewrittenProgram, ReadsOthersAsTheyAre) {
  const ProgramDesc desc = translate::SmallProgram();
  const auto written = ParseProgramDesc(desc.SerializeAsString());
  ASSERT_THAT(written, IsOk());
  const RewrittenProgram program(**written);
  EXPECT_EQ(TypesOf(program), TypesOf(**written));
  const ForeignBlock& block = program.blocks(0);
  EXPECT_EQ(&block.program(), &program);
  ASSERT_EQ(block.vars_size(), desc.blocks(0).vars_size());
  for (int i = 0; i < block.vars_size(); ++i) {
    EXPECT_EQ(block.NameOf(i), desc.blocks(0).vars(i).name());
    EXPECT_EQ(block.IndexOf(block.NameOf(i)), i);
  }
}

}  // namespace
}  // namespace switchyard::static_graph
