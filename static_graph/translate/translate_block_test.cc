// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/translate_block.h"

#include <functional>
#include <string>
#include <vector>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/printer.h"
#include "static_graph/translate/testing.h"
#include "static_graph/translate/translator.h"

namespace switchyard::static_graph {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using translate::AddOperator;
using translate::AddScale;
using translate::AddVariable;
using translate::BlockDesc;
using translate::OpDesc;
using translate::ProgramDesc;

constexpr int kLoop = 3;    // Of LoopProgram().
constexpr int kBranch = 1;  // Of BranchProgram().
constexpr int kSelect = 4;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

class TranslateBlockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(RegisterDialects(&context_, LoadableOps()), IsOk());
  }
  std::string Text(const ProgramDesc& program) {
    const auto translated = TranslateProgram(program, "main", &context_);
    EXPECT_THAT(translated, IsOk());
    return translated.ok() ? ir::Print(translated->program) : "";
  }
  // `program` with a change is refused with this sentence.
  void ExpectRefused(ProgramDesc program,
                     const std::function<void(ProgramDesc*)>& change,
                     const std::string& text,
                     absl::StatusCode code = kInvalid) {
    change(&program);
    EXPECT_THAT(TranslateProgram(program, "main", &context_),
                StatusIs(code, HasSubstr(text)));
  }

  ir::Context context_;
};

OpDesc* Op(ProgramDesc* program, int block, int index) {
  return program->mutable_blocks(block)->mutable_ops(index);
}

void AddFull(BlockDesc* block, const std::string& name,
             const std::vector<int>& extents) {
  OpDesc* full = AddOperator(block, "fill_constant", {}, {{"Out", name}});
  OpDesc::Attr* shape = full->add_attrs();
  shape->set_name("shape");
  shape->set_type(static_cast<int>(AttributeKind::kInts));
  for (const int extent : extents) shape->add_ints(extent);
}

TEST_F(TranslateBlockTest, ALoopCarriesWhatItsBlockWritesForOthers) {
  const std::string text = Text(translate::LoopProgram());
  EXPECT_THAT(
      text,
      ContainsRegex("%total_1, %last, %i_1, %go_1 = cf.while\\(%total, %0, %i, "
                    "%go\\) : tensor<float32\\[\\?, 2\\]>"));
  EXPECT_THAT(text, HasSubstr("\"total\" = %total_1, \"i\" = %i_1, \"last\" = "
                              "%last"));
  // For last, if the block never runs.
  EXPECT_THAT(text, HasSubstr("%0 = op.full() {dtype = float32, "));
}

TEST_F(TranslateBlockTest, ALoopDoesNotCarryWhatIsOnlyDeclaredAndNotRead) {
  ProgramDesc program = translate::LoopProgram();
  program.mutable_blocks(0)->mutable_ops()->RemoveLast();  // fetch of last
  EXPECT_THAT(Text(program),
              HasSubstr("%total_1, %i_1, %go_1 = cf.while(%total, %i, %go)"));
}

TEST_F(TranslateBlockTest, AValueMayChangeItsExtents) {
  ProgramDesc program = translate::LoopProgram();
  BlockDesc* block = program.mutable_blocks(1);
  BlockDesc* main = program.mutable_blocks(0);
  AddVariable(main, "grown", {2, 2});
  AddVariable(block, "joined", {2, 4});
  OpDesc* concat =
      AddOperator(block, "concat", {{"X", "grown"}}, {{"Out", "joined"}});
  concat->mutable_inputs(0)->add_arguments("grown");
  translate::SetInt(concat, "axis", 1);
  AddScale(block, "joined", "grown", 1);
  AddFull(main, "grown", {2, 2});
  for (int i = main->ops_size() - 1; i > 0; --i) {
    main->mutable_ops()->SwapElements(i, i - 1);
  }
  EXPECT_THAT(Text(program), HasSubstr("tensor<float32[2, ?]>"));
}

TEST_F(TranslateBlockTest, ANumberMayBeAListOfOne) {
  ProgramDesc program = translate::LoopProgram();
  BlockDesc* block = program.mutable_blocks(1);
  AddVariable(program.mutable_blocks(0), "sum", {1});
  OpDesc* sum =
      AddOperator(block, "reduce_sum", {{"X", "twice"}}, {{"Out", "sum"}});
  translate::SetBool(sum, "reduce_all", true);
  translate::SetInt(AddOperator(program.mutable_blocks(0), "fetch",
                                {{"X", "sum"}}, {{"Out", "fetch"}}),
                    "col", 3);
  EXPECT_THAT(Text(program), HasSubstr("op.reshape"));
}

TEST_F(TranslateBlockTest, ABranchThatIsNotTakenKeepsWhatWasThere) {
  const std::string text = Text(translate::BranchProgram());
  EXPECT_THAT(text, ContainsRegex("%made, %kept_1 = cf.if\\(%flag\\)"));
  EXPECT_THAT(text,
              ContainsRegex("= op.full.*\n *cf.yield\\(%[0-9]+, %kept\\)"));
  EXPECT_THAT(text, HasSubstr("\"kept\" = %kept_1"));
}

TEST_F(TranslateBlockTest, Item7ABlockWritesForTheBlocksAround) {
  ProgramDesc program = translate::LoopProgram();
  BlockDesc* inner = translate::AddBlock(&program, 1);
  OpDesc* branch = AddOperator(program.mutable_blocks(1), "conditional_block",
                               {{"Cond", "go"}}, {});
  translate::SetBlock(branch, "sub_block", 2);
  translate::SetBool(branch, "is_scalar_condition", true);
  AddScale(inner, "twice", "last", 5);
  const std::string text = Text(program);
  EXPECT_THAT(text, HasSubstr("%total_1, %last, %i_1, %go_1 = cf.while"));
  EXPECT_THAT(text, ContainsRegex("%last_[0-9] = cf.if"));
}

TEST_F(TranslateBlockTest, ArraysBeginEmptyAndAreCarried) {
  ProgramDesc program = translate::LoopProgram();
  BlockDesc* block = program.mutable_blocks(1);
  translate::AddArray(program.mutable_blocks(0), "steps", {-1, 2});
  translate::AddArray(block, "own", {-1, 2});
  for (const char* array : {"steps", "own"}) {
    AddOperator(block, "write_to_array", {{"X", "twice"}, {"I", "i"}},
                {{"Out", array}});
  }
  const std::string text = Text(program);
  EXPECT_THAT(text, ContainsRegex("%[a-z0-9_]*steps.* = cf.while"));
  // That of the block, within the loop, for each time that it runs.
  EXPECT_THAT(text, ContainsRegex("      %[0-9]+ = op.create_array"));
}

TEST_F(TranslateBlockTest, SelectsOfSeveral) {
  ProgramDesc program = translate::BranchProgram();
  OpDesc* select = Op(&program, 0, kSelect);
  select->mutable_inputs(1)->add_arguments("x");
  EXPECT_THAT(Text(program), ContainsRegex("op.equal(.|\n)*op.equal"));
  select->mutable_inputs(1)->clear_arguments();
  select->mutable_inputs(1)->add_arguments("x");
  EXPECT_THAT(Text(program), HasSubstr("\"chosen\" = %"));
}

TEST_F(TranslateBlockTest, RefusesConditionsThatAreNone) {
  const auto refuse = [&](const ProgramDesc& program, int index,
                          const char* variable, const std::string& text) {
    ExpectRefused(
        program,
        [&](ProgramDesc* changed) {
          Op(changed, 0, index)->mutable_inputs(0)->set_arguments(0, variable);
        },
        text);
  };
  refuse(translate::LoopProgram(), kLoop, "i",
         "condition must be a bool tensor of one element, got "
         "tensor<int64[1]>");
  refuse(translate::LoopProgram(), kLoop, "x",
         "block 0, operator 3, while: Condition must be a variable that the "
         "block writes, or the loop would never end, got 'x'");
  refuse(translate::LoopProgram(), kLoop, "last",
         "variable 'last' is read before it is written");
  refuse(
      translate::BranchProgram(), kBranch, "x",
      "operator 1, conditional_block: cf.if: condition must be a bool tensor "
      "of one element, got tensor<float32[?, 2]>");
}

TEST_F(TranslateBlockTest, RefusesBlocksThatNoOperatorCanRun) {
  const auto refuse = [&](int block, const std::string& text) {
    ExpectRefused(
        translate::LoopProgram(),
        [&](ProgramDesc* program) {
          Op(program, 0, kLoop)->mutable_attrs(0)->set_block_idx(block);
        },
        "block 0, operator 3, while: sub_block must be " + text);
  };
  refuse(2, "in [0, 2), got 2");
  refuse(-1, "in [0, 2), got -1");
  refuse(0, "a block that does not contain itself, got 0");
  const auto add_loop = [](ProgramDesc* program, int block, int sub_block) {
    *program->mutable_blocks(block)->add_ops() = program->blocks(0).ops(kLoop);
    Op(program, block, program->blocks(block).ops_size() - 1)
        ->mutable_attrs(0)
        ->set_block_idx(sub_block);
  };
  ExpectRefused(
      translate::LoopProgram(),
      [&](ProgramDesc* program) { add_loop(program, 1, 1); },
      "block 1, operator 5, while: sub_block must be a block that does not "
      "contain itself, got 1");
  ExpectRefused(
      translate::LoopProgram(),
      [&](ProgramDesc* program) { add_loop(program, 0, 1); },
      "sub_block must be a block that no other operator runs, got 1, as of "
      "block 0, operator 3");
  ExpectRefused(
      translate::LoopProgram(),
      [&](ProgramDesc* program) {
        for (int block = 1; block <= 32; ++block) {
          translate::AddBlock(program, block);
          add_loop(program, block, block + 1);
        }
      },
      "block 32, operator 0, while: sub_block must be at most 32 blocks deep "
      "inside the main block, got a deeper one");
}

TEST_F(TranslateBlockTest, RefusesLoopsThatAreTranslatedOverAndOver) {
  ProgramDesc program = translate::LoopProgram();
  AddVariable(program.mutable_blocks(0), "grown", {-1, 2});
  // Each level widens its carried values, so the inner levels are translated
  // again.
  for (int level = 1; level <= 24; ++level) {
    BlockDesc* block = program.mutable_blocks(level);
    const std::string name = "grown" + std::to_string(level);
    AddVariable(program.mutable_blocks(0), name, {2, 2});
    AddFull(block, name, {2});
    translate::AddBlock(&program, level);
    OpDesc* loop = AddOperator(program.mutable_blocks(level), "while",
                               {{"Condition", "go"}}, {});
    translate::SetBlock(loop, "sub_block", level + 1);
    BlockDesc* inner = program.mutable_blocks(level + 1);
    AddOperator(inner, "less_than", {{"X", "i"}, {"Y", "n"}}, {{"Out", "go"}});
    OpDesc* concat =
        AddOperator(inner, "concat", {{"X", name}}, {{"Out", name}});
    concat->mutable_inputs(0)->add_arguments(name);
    translate::SetInt(concat, "axis", 0);
  }
  EXPECT_THAT(TranslateProgram(program, "main", &context_),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("loops must be nested less deeply, or change "
                                 "fewer extents")));
}

TEST_F(TranslateBlockTest, RefusesWhatIsReadBehindAndNotDescribed) {
  ExpectRefused(
      translate::LoopProgram(),
      [](ProgramDesc* program) {
        BlockDesc* block = program->mutable_blocks(0);
        for (int i = 0; i < block->vars_size(); ++i) {
          if (block->vars(i).name() == "last") {
            block->mutable_vars()->DeleteSubrange(i, 1);
            return;
          }
        }
      },
      "block 0, operator 3, while: variable 'last' must be described, since it "
      "is read after the block that writes it, got no description");
}

TEST_F(TranslateBlockTest, RefusesBranchesThatDisagree) {
  ExpectRefused(
      translate::BranchProgram(),
      [](ProgramDesc* program) {
        Op(program, 0, kSelect)->mutable_inputs(1)->set_arguments(0, "flag");
      },
      "select_input: cf.if: value yielded by the else branch");
}

TEST_F(TranslateBlockTest, NamesTheOperatorInsideABlock) {
  ExpectRefused(
      translate::LoopProgram(),
      [](ProgramDesc* program) {
        Op(program, 1, 1)->mutable_inputs(0)->set_arguments(0, "nothing");
      },
      "block 0, operator 3, while: cf.while: block 1, operator 1, assign: "
      "variable 'nothing' is read before it is written");
}

// Adds a while_grad of LoopProgram()'s loop, after it; its block of gradients
// counts `i` down, and holds an unknown operator.
ProgramDesc GradientProgram() {
  ProgramDesc program = translate::LoopProgram();
  BlockDesc* const inner = translate::AddBlock(&program, 0);
  inner->set_forward_block_idx(1);
  AddOperator(inner, "unknown_grad", {{"X", "total"}}, {{"Out", "t"}});
  AddOperator(inner, "increment", {{"X", "i"}}, {{"Out", "i"}});
  BlockDesc* const main = program.mutable_blocks(0);
  AddVariable(main, "total@GRAD", {-1, 2});
  AddOperator(main, "while_grad", {{"X", "total"}, {"Out@GRAD", "last"}},
              {{"X@GRAD", "total@GRAD"}});
  OpDesc* const added = main->mutable_ops(main->ops_size() - 1);
  translate::SetBlock(added, "sub_block", 2);
  OpDesc::Attr* const names = added->add_attrs();
  names->set_name("original_output_grad");
  names->set_type(5);
  names->add_strings("last@GRAD");
  // Before the fetches.
  for (int i = main->ops_size() - 1; main->ops(i - 1).type() == "fetch"; --i) {
    main->mutable_ops()->SwapElements(i, i - 1);
  }
  return program;
}

OpDesc* Gradient(ProgramDesc* program) {
  for (OpDesc& op : *program->mutable_blocks(0)->mutable_ops()) {
    if (op.type() == "while_grad") return &op;
  }
  return nullptr;
}

TEST_F(TranslateBlockTest, RefuseGradientsOfBlocks) {
  const auto refuse = [&](const std::function<void(ProgramDesc*)>& change,
                          const std::string& text) {
    ExpectRefused(GradientProgram(), change, text);
  };
  refuse(
      [](ProgramDesc* p) {
        translate::SetBlock(Gradient(p), "other", 1);
        Gradient(p)->mutable_attrs()->DeleteSubrange(0, 1);
      },
      "attribute 'sub_block' must be the number of a block, got none");
  refuse(
      [](ProgramDesc* p) { Gradient(p)->mutable_attrs(0)->set_block_idx(7); },
      "sub_block must be in [1, 3), got 7");
  refuse(
      [](ProgramDesc* p) { Gradient(p)->mutable_attrs(0)->set_block_idx(1); },
      "sub_block must be the gradient of another block, got block 1");
  refuse(
      [](ProgramDesc* p) {
        Gradient(p)->mutable_outputs(0)->add_arguments("more");
      },
      "X@GRAD must be 1 variables, as X has, got 2");
  refuse(
      [](ProgramDesc* p) {
        Gradient(p)->mutable_inputs(0)->set_arguments(0, "nothing");
      },
      "must be the gradient of what the block reads, got of 'nothing'");
  refuse(
      [](ProgramDesc* p) {
        translate::SetBlock(Op(p, 0, kLoop), "sub_block", 2);
        Op(p, 0, kLoop)->mutable_attrs()->DeleteSubrange(0, 1);
      },
      "sub_block must be other than a block of gradients, got 2");
}

TEST_F(TranslateBlockTest, RefuseSelectOutput) {
  const auto refuse = [&](const translate::SlotList& inputs,
                          const translate::SlotList& outputs,
                          const std::string& text) {
    ExpectRefused(
        translate::BranchProgram(),
        [&](ProgramDesc* p) {
          AddOperator(p->mutable_blocks(0), "select_output", inputs, outputs);
        },
        text);
  };
  refuse({{"Mask", "mask"}}, {{"Out", "made"}},
         "X must be one variable, got 0");
  refuse({{"X", "x"}}, {{"Out", "made"}}, "Mask must be one variable, got 0");
  refuse({{"X", "x"}, {"Mask", "mask"}}, {{"Out", "made"}},
         "Out must be two variables, got 1");
}

}  // namespace
}  // namespace switchyard::static_graph
