// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/translator.h"

#include <functional>
#include <string>
#include <vector>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/printer.h"
#include "static_graph/translate/testing.h"

namespace switchyard::static_graph {
namespace {

using testing::HasSubstr;
using translate::BlockDesc;
using translate::OpDesc;
using translate::ProgramDesc;

class TranslatorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(RegisterDialects(&context_, AllDialectOps()), IsOk());
  }
  // SmallProgram() with a change is refused with this sentence.
  void ExpectRefused(const std::function<void(BlockDesc*)>& change,
                     absl::StatusCode code, const std::string& text) {
    ProgramDesc desc = translate::SmallProgram();
    change(desc.mutable_blocks(0));
    EXPECT_THAT(TranslateProgram(desc, "main", &context_),
                StatusIs(code, HasSubstr(text)));
  }

  ir::Context context_;
};

TEST_F(TranslatorTest, Item7RenamesAndMakesValuesOfWrites) {
  const auto translated =
      TranslateProgram(translate::SmallProgram(), "main", &context_);
  ASSERT_THAT(translated, IsOk());
  ASSERT_EQ(translated->states.size(), 2u);
  EXPECT_EQ(translated->states[0].name, "w");
  EXPECT_EQ(translated->states[1].spec.shape, Shape{3});
  const std::string text = ir::Print(translated->program);
  for (const char* part :
       {"op.mul", "op.elementwise_add", "axis = 1", "op.relu", "op.softmax",
        "op.scale", "scale = scalar(2.0)", "\"image\"", "\"prob\""}) {
    EXPECT_THAT(text, HasSubstr(part)) << text;
  }
  EXPECT_EQ(translated->program.fetches().size(), 1u);
  EXPECT_EQ(translated->program.fetches()[0].name, "prob");
  EXPECT_TRUE(translated->program.new_states().empty());
}

TEST_F(TranslatorTest, WrittenPersistablesAreNewStates) {
  ProgramDesc desc = translate::SmallProgram();
  BlockDesc* block = desc.mutable_blocks(0);
  translate::AddOperator(block, "relu", {{"X", "b"}}, {{"Out", "b"}});
  const auto translated = TranslateProgram(desc, "main", &context_);
  ASSERT_THAT(translated, IsOk());
  ASSERT_EQ(translated->program.new_states().size(), 1u);
  EXPECT_EQ(translated->program.new_states()[0].name, "b");
}

TEST_F(TranslatorTest, UnreadPersistablesOfOtherShapesAreLeftAlone) {
  ProgramDesc desc = translate::SmallProgram();
  BlockDesc* block = desc.mutable_blocks(0);
  translate::AddVariable(block, "scratch", {7}, /*persistable=*/true);
  translate::AddOperator(block, "relu", {{"X", "b"}}, {{"Out", "scratch"}});
  const auto translated = TranslateProgram(desc, "main", &context_);
  ASSERT_THAT(translated, IsOk());
  EXPECT_TRUE(translated->program.new_states().empty());
}

TEST_F(TranslatorTest, PortsAreOrderedByColumn) {
  ProgramDesc desc = translate::SmallProgram();
  BlockDesc* block = desc.mutable_blocks(0);
  translate::SetInt(translate::AddOperator(block, "fetch", {{"X", "image"}},
                                           {{"Out", "fetch"}}),
                    "col", -1);
  const auto translated = TranslateProgram(desc, "main", &context_);
  ASSERT_THAT(translated, IsOk());
  ASSERT_EQ(translated->program.fetches().size(), 2u);
  EXPECT_EQ(translated->program.fetches()[0].name, "image");
}

TEST_F(TranslatorTest, NamesTheOperatorThatItCannotTranslate) {
  ExpectRefused(
      [](BlockDesc* block) { block->mutable_ops(3)->set_type("no_such_op"); },
      absl::StatusCode::kUnimplemented,
      "block 0, operator 3, no_such_op: no operator has a legacy form of this "
      "type");
  ExpectRefused(
      [](BlockDesc* block) {
        OpDesc::Attr* attr = block->mutable_ops(3)->add_attrs();
        attr->set_name("sub_block");
        attr->set_type(8);
      },
      absl::StatusCode::kUnimplemented, "got a block of operators");
  ExpectRefused(
      [](BlockDesc* block) {
        OpDesc::Var* slot = block->mutable_ops(5)->add_inputs();
        slot->set_parameter("ScaleTensor");
        slot->add_arguments("b");
      },
      absl::StatusCode::kInvalidArgument,
      "scale must be supplied by one element");
}

// PROGRAMS.md, item 15.
TEST_F(TranslatorTest, Item15ListsAllOperatorsThatItCannotTranslate) {
  ProgramDesc desc = translate::SmallProgram();
  BlockDesc* const block = desc.mutable_blocks(0);
  block->mutable_ops(3)->set_type("softmx");
  translate::SetInt(block->mutable_ops(4), "fuse", 1);
  BlockDesc* const other = desc.add_blocks();
  other->set_idx(1);
  other->set_parent_idx(0);
  translate::AddOperator(other, "no_such_op", {}, {});
  EXPECT_THAT(
      TranslateProgram(desc, "main", &context_),
      StatusIs(absl::StatusCode::kUnimplemented,
               "3 operators can't be translated:\n"
               "block 0, operator 3, softmx: no operator has a legacy form of "
               "this type; the nearest is softmax\n"
               "block 0, operator 4, softmax: fuse must be absent or neutral "
               "(the form has axis), got 1\n"
               "block 1, operator 0, no_such_op: no operator has a legacy form "
               "of this type"));
}

TEST_F(TranslatorTest, TensorsSupplyAttributes) {
  ProgramDesc desc = translate::SmallProgram();
  BlockDesc* block = desc.mutable_blocks(0);
  constexpr int kInt32 = 2;
  translate::AddVariable(block, "n", {2})
      ->mutable_type()
      ->mutable_dense_tensor()
      ->mutable_tensor()
      ->set_data_type(kInt32);
  translate::AddVariable(block, "flat", {-1, -1});
  translate::AddOperator(block, "shape", {{"Input", "prob"}}, {{"Out", "n"}});
  translate::AddOperator(block, "reshape2", {{"X", "prob"}, {"Shape", "n"}},
                         {{"Out", "flat"}});
  const auto translated = TranslateProgram(desc, "main", &context_);
  ASSERT_THAT(translated, IsOk());
  EXPECT_THAT(ir::Print(translated->program),
              HasSubstr("op.reshape(%prob, %n) {operand_segments = int32[1, "
                        "1]} : tensor<float32[?, ?]>"));
}

TEST_F(TranslatorTest, ArraysAreWrittenInPlace) {
  const auto translated =
      TranslateProgram(translate::ArrayProgram(), "main", &context_);
  ASSERT_THAT(translated, IsOk());
  const std::string text = ir::Print(translated->program);
  for (const char* part :
       {// What the variable holds before the first write; and b for ever.
        "op.create_array() {dtype = float32, element_shape = int64[-1, 2]}",
        "op.create_array() {dtype = float32, element_shape = int64[]}",
        "%a = op.array_write(%image, %i, %0)",
        "= op.array_write(%twice, %j, %a)"}) {
    EXPECT_THAT(text, HasSubstr(part)) << text;
  }
}

// Descriptions of elements may be wrong.
TEST_F(TranslatorTest, BeginsAnArrayLikeWhatIsWrittenFirst) {
  ProgramDesc desc = translate::ArrayProgram();
  for (translate::VarDesc& described :
       *desc.mutable_blocks(0)->mutable_vars()) {
    if (described.name() != "a") continue;
    described.mutable_type()
        ->mutable_tensor_array()
        ->mutable_tensor()
        ->set_dims(1, 3);
  }
  const auto translated = TranslateProgram(desc, "main", &context_);
  ASSERT_THAT(translated, IsOk());
  EXPECT_THAT(ir::Print(translated->program),
              HasSubstr("element_shape = int64[-1, -1]"));
}

TEST_F(TranslatorTest, RefusesArraysThatContradictTheirDescription) {
  const auto refused = [&](const std::function<void(BlockDesc*)>& change,
                           const std::string& text) {
    ProgramDesc desc = translate::ArrayProgram();
    change(desc.mutable_blocks(0));
    EXPECT_THAT(TranslateProgram(desc, "main", &context_),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(text)));
  };
  const auto variable = [](BlockDesc* block, std::string_view name) {
    for (translate::VarDesc& described : *block->mutable_vars()) {
      if (described.name() == name) return &described;
    }
    return block->add_vars();
  };
  refused([&](BlockDesc* b) { variable(b, "a")->set_persistable(true); },
          "variable 'a' must be a dense tensor, since it is persistable, got a "
          "tensor array");
  refused(
      [&](BlockDesc* b) {
        b->mutable_ops(3)->mutable_outputs(0)->set_arguments(0, "twice");
      },
      "operator 3, write_to_array: variable 'twice' must be a tensor array of "
      "the program, got another");
  refused(
      [&](BlockDesc* b) {
        b->mutable_ops(4)->mutable_outputs(0)->set_arguments(0, "a");
      },
      "variable 'a' must be a dense tensor of the program, got another");
  refused(
      [&](BlockDesc* b) {
        translate::TensorDesc* elements = variable(b, "a")
                                              ->mutable_type()
                                              ->mutable_tensor_array()
                                              ->mutable_tensor();
        while (elements->dims_size() < kMaxRank) elements->add_dims(1);
      },
      "variable 'a' must be of elements of rank up to");
  refused(
      [&](BlockDesc* b) {
        variable(b, "b")->mutable_type()->clear_tensor_array();
      },
      "variable 'b' must be of a known element type, got none");
}

TEST_F(TranslatorTest, RefusesContradictions) {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  ExpectRefused(
      [](BlockDesc* b) {
        b->mutable_ops(3)->mutable_inputs(0)->set_arguments(0, "nothing");
      },
      kInvalid, "variable 'nothing' is read before it is written");
  ExpectRefused([](BlockDesc* b) { b->mutable_ops(3)->clear_inputs(); },
                kInvalid, "operator 3, relu: X must be given, got none");
  ExpectRefused(
      [](BlockDesc* b) { translate::SetInt(b->mutable_ops(3), "slope", 1); },
      kInvalid, "relu: slope must be absent or neutral");
  ExpectRefused(
      [](BlockDesc* b) { b->mutable_ops(4)->mutable_attrs(0)->clear_i(); },
      kInvalid, "attribute 'axis' must be of some value, got none");
  ExpectRefused(
      [](BlockDesc* b) {
        b->mutable_ops(3)->mutable_outputs(0)->set_parameter("Y");
      },
      kInvalid, "outputs must be those of the operator, got Y");
  ExpectRefused(
      [](BlockDesc* b) {
        b->mutable_ops(3)->mutable_outputs(0)->add_arguments("image");
      },
      kInvalid, "Out must be at most 1 variables, got 2");
  ExpectRefused(
      [](BlockDesc* b) { translate::AddVariable(b, "huge", {-1}, true); },
      kInvalid, "of known shape, since it is persistable");
  ExpectRefused(
      [](BlockDesc* b) {
        translate::VarDesc* image = b->mutable_vars(2);
        image->set_persistable(true);
        image->mutable_type()
            ->mutable_dense_tensor()
            ->mutable_tensor()
            ->set_dims(0, 1);
      },
      kInvalid, "either fed or persistable");
  ExpectRefused([](BlockDesc* b) { *b->add_ops() = b->ops(0); }, kInvalid,
                "feed: col must be another for each variable, got 0 twice");
}

// Old versions inferred shapes that their runs did not have.
TEST_F(TranslatorTest, DoesNotHoldResultsAgainstTheirDescription) {
  ProgramDesc desc = translate::SmallProgram();
  translate::VarDesc* result = desc.mutable_blocks(0)->mutable_vars(6);
  result->mutable_type()->mutable_dense_tensor()->mutable_tensor()->set_dims(1,
                                                                             7);
  EXPECT_THAT(TranslateProgram(desc, "main", &context_), IsOk());
}

TEST_F(TranslatorTest, KeepsWhereAnOperatorShallRun) {
  ProgramDesc desc = translate::SmallProgram();
  BlockDesc* block = desc.mutable_blocks(0);
  translate::SetText(block->mutable_ops(2), "op_device", "");
  translate::SetText(block->mutable_ops(3), "op_device", "gpu:1");
  translate::SetText(block->mutable_ops(4), "op_device", "all");
  const auto translated = TranslateProgram(desc, "main", &context_);
  ASSERT_THAT(translated, IsOk());
  const std::string text = ir::Print(translated->program);
  EXPECT_THAT(text, testing::ContainsRegex("op.relu.*op_device = \"gpu:1\""));
  EXPECT_EQ(text.find("op_device"), text.rfind("op_device"));
}

TEST_F(TranslatorTest, KeepsTheLibrariesOfACallWhereTheyCount) {
  ProgramDesc desc = translate::SmallProgram();
  BlockDesc* block = desc.mutable_blocks(0);
  translate::SetBool(block->mutable_ops(3), "use_mkldnn", true);
  translate::SetBool(block->mutable_ops(3), "use_cudnn", false);
  translate::SetBool(block->mutable_ops(4), "use_mkldnn", false);
  const auto text_with = [&](const std::vector<std::string>& libraries) {
    const auto translated =
        TranslateProgram(desc, "main", &context_, libraries);
    return translated.ok() ? ir::Print(translated->program)
                           : translated.status().ToString();
  };
  EXPECT_THAT(text_with({}), testing::Not(HasSubstr("policy")));
  const std::string one = text_with({"onednn"});
  EXPECT_THAT(one,
              testing::ContainsRegex("op.relu.*policy = \"library=onednn\""));
  EXPECT_THAT(
      one, testing::ContainsRegex("op.softmax.*policy = \"declined=onednn\""));
  EXPECT_THAT(text_with({"onednn", "gpudnn"}),
              testing::ContainsRegex(
                  "op.relu.*policy = \"library=onednn,declined=gpudnn\""));
}

TEST_F(TranslatorTest, RefusesAttributesThatWouldChangeAResult) {
  const auto refused = [&](const char* name, const char* value,
                           const std::string& text) {
    ExpectRefused(
        [&](BlockDesc* b) { SetText(b->mutable_ops(3), name, value); },
        absl::StatusCode::kInvalidArgument, "operator 3, relu: " + text);
  };
  refused("op_device", "gpu:all", "op_device must be \"\", \"all\" or a place");
  refused("mkldnn_data_type", "bfloat16",
          "mkldnn_data_type must be \"\", \"float32\", got \"bfloat16\"");
}

TEST_F(TranslatorTest, ReadsAGradientThatShallBeSparseAsRows) {
  ProgramDesc desc = translate::SmallProgram();
  BlockDesc* block = desc.mutable_blocks(0);
  constexpr int kInt64 = 3;
  translate::AddVariable(block, "ids", {3, 1}, true)
      ->mutable_type()
      ->mutable_dense_tensor()
      ->mutable_tensor()
      ->set_data_type(kInt64);
  translate::AddVariable(block, "rows", {3, 3});
  translate::AddVariable(block, "w_grad", {2, 3});
  OpDesc* lookup = translate::AddOperator(
      block, "lookup_table", {{"W", "w"}, {"Ids", "ids"}}, {{"Out", "rows"}});
  translate::SetBool(lookup, "is_sparse", true);
  EXPECT_THAT(TranslateProgram(desc, "main", &context_), IsOk());
  OpDesc* grad =
      translate::AddOperator(block, "lookup_table_grad",
                             {{"W", "w"}, {"Ids", "ids"}, {"Out@GRAD", "rows"}},
                             {{"W@GRAD", "w_grad"}});
  EXPECT_THAT(TranslateProgram(desc, "main", &context_), IsOk());
  translate::SetBool(grad, "is_sparse", true);
  EXPECT_THAT(TranslateProgram(desc, "main", &context_), IsOk());
}

TEST_F(TranslatorTest, Item12ReadsListsOfTexts) {
  for (const bool empty : {true, false}) {
    ProgramDesc desc = translate::SmallProgram();
    BlockDesc* block = desc.mutable_blocks(0);
    constexpr int kInt64 = 3;
    translate::AddVariable(block, "ids", {3, 1}, true)
        ->mutable_type()
        ->mutable_dense_tensor()
        ->mutable_tensor()
        ->set_data_type(kInt64);
    translate::AddVariable(block, "rows", {3, 3});
    OpDesc* op = translate::AddOperator(
        block, "lookup_table", {{"W", "w"}, {"Ids", "ids"}}, {{"Out", "rows"}});
    OpDesc::Attr* servers = op->add_attrs();
    servers->set_name("epmap");
    servers->set_type(static_cast<int>(AttributeKind::kStrings));
    if (!empty) servers->add_strings("10.0.0.1:80");
    const auto translated = TranslateProgram(desc, "main", &context_);
    if (empty) {
      EXPECT_THAT(translated, IsOk());
    } else {
      EXPECT_THAT(translated,
                  StatusIs(absl::StatusCode::kInvalidArgument,
                           HasSubstr("lookup_table: epmap must be ")));
    }
  }
}

TEST_F(TranslatorTest, ReportsWhatInferMetaRefuses) {
  ExpectRefused(
      [](BlockDesc* b) { b->mutable_ops(4)->mutable_attrs(0)->set_i(5); },
      absl::StatusCode::kOutOfRange,
      "operator 4, softmax: softmax: axis must be in [-2, 2), got 5");
}

}  // namespace
}  // namespace switchyard::static_graph
