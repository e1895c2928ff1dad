// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/foreign/paddle_desc/parsed_program.h"
#include "static_graph/foreign/paddle_desc/testing.h"

namespace switchyard::static_graph {
namespace {

using testing::HasSubstr;
using translate::ProgramDesc;

void ExpectRefused(const ProgramDesc& program, const std::string& text) {
  EXPECT_THAT(ParseProgramDesc(program.SerializeAsString()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(text)));
}

TEST(ParseProgramDesc, TakesASoundOne) {
  ProgramDesc program = translate::SmallProgram();
  program.mutable_version()->set_version(2'000'000);
  program.mutable_blocks(0)->set_forward_block_idx(-1);
  const auto parsed = ParseProgramDesc(program.SerializeAsString());
  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(AsMessage(**parsed).SerializeAsString(),
            program.SerializeAsString());
}

// Stacks may be so long that an operator takes fewer bytes for its length
// without them.
TEST(ParseProgramDesc, CutsCallStacksOut) {
  ProgramDesc program = translate::SmallProgram();
  program.mutable_version()->set_version(2'000'000);
  program.mutable_blocks(0)->set_forward_block_idx(-1);
  for (const size_t size : {1, 100, 1000, 20'000}) {
    ProgramDesc stacked = program;
    for (translate::OpDesc& op : *stacked.mutable_blocks(0)->mutable_ops()) {
      translate::OpDesc::Attr* const stack = op.add_attrs();
      stack->set_name("op_callstack");
      stack->set_type(static_cast<int32_t>(AttributeKind::kStrings));
      stack->add_strings(std::string(size, 'x'));
    }
    const auto parsed = ParseProgramDesc(stacked.SerializeAsString());
    ASSERT_THAT(parsed, IsOk());
    EXPECT_EQ((*parsed)->blocks(0).TypeOf(1), program.blocks(0).ops(1).type());
    EXPECT_EQ(AsMessage(**parsed).SerializeAsString(),
              program.SerializeAsString());
  }
}

TEST(ParseProgramDesc, RefusesOtherBytes) {
  EXPECT_THAT(ParseProgramDesc("no program"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "10 bytes are not a program description"));
  ExpectRefused(ProgramDesc(), "at least one block");
}

TEST(ParseProgramDesc, ChecksStructure) {
  ProgramDesc program = translate::SmallProgram();
  program.mutable_version()->set_version(-1);
  ExpectRefused(program,
                "version of the program must be in [0, 4000000), got -1");
  program.mutable_version()->set_version(1'000'000'000);
  ExpectRefused(program, "got 1000000000");

  program = translate::SmallProgram();
  program.mutable_blocks(0)->set_idx(1);
  ExpectRefused(program, "blocks must be numbered in order");

  program = translate::SmallProgram();
  *program.add_blocks() = program.blocks(0);
  program.mutable_blocks(1)->set_idx(1);
  program.mutable_blocks(1)->set_parent_idx(1);
  ExpectRefused(program,
                "each after its parent, got number 1 with the parent 1 at "
                "position 1");

  program = translate::SmallProgram();
  program.mutable_blocks(0)->mutable_vars(1)->set_name("feed");
  ExpectRefused(program, "variable must be described once, got 'feed' twice");

  program = translate::SmallProgram();
  program.mutable_blocks(0)->mutable_vars(1)->clear_name();
  ExpectRefused(program, "variable must be named");

  program = translate::SmallProgram();
  program.mutable_blocks(0)->mutable_ops(1)->clear_type();
  ExpectRefused(program, "operator must be of some type");

  program = translate::SmallProgram();
  program.mutable_blocks(0)
      ->mutable_ops(1)
      ->mutable_inputs(0)
      ->clear_parameter();
  ExpectRefused(program, "slots of mul must be named");
}

// Little in the file, much in memory.
TEST(ParseProgramDesc, LimitsWhatMessagesTake) {
  constexpr int kMany = 1 << 17;
  ProgramDesc program = translate::SmallProgram();
  translate::OpDesc* const op = program.mutable_blocks(0)->mutable_ops(1);
  for (int i = 0; i < 2 * kMany; ++i) op->add_attrs();
  ExpectRefused(program, "block 0, operator 1 must be of at most ");
  op->clear_attrs();
  for (int i = 0; i < kMany; ++i) op->add_outputs();
  ExpectRefused(program, "slots of mul must be named");
  op->clear_outputs();
  for (int i = 0; i < 8 * kMany; ++i) op->add_outputs()->set_parameter("s");
  ExpectRefused(program, "block 0, operator 1 must be of at most ");

  program = translate::SmallProgram();
  program.mutable_blocks(0)->mutable_vars(2)->set_name(
      std::string(1 << 14, 'n'));
  ExpectRefused(program,
                "variable 2 must be described in at most 16384 bytes, got ");

  program = translate::SmallProgram();
  for (int i = 0; i < 1 << 14; ++i) {
    program.mutable_op_version_map()->add_pair();
  }
  EXPECT_THAT(ParseProgramDesc(program.SerializeAsString()), IsOk());
  program.mutable_op_version_map()->add_pair();
  ExpectRefused(program,
                "versions of operators must be at most 32768 bytes, got 32770");

  program = translate::SmallProgram();
  for (int i = 1; i < 1 << 14; ++i) translate::AddBlock(&program, 0);
  EXPECT_THAT(ParseProgramDesc(program.SerializeAsString()), IsOk());
  translate::AddBlock(&program, 0);
  ExpectRefused(program, "blocks must be at most 16384, got more");
}

// The types that have no number of their own are read again.
TEST(ParseProgramDesc, TellsTheTypesOfManyOperators) {
  constexpr int kMany = (1 << 16) + 16;
  ProgramDesc program;
  translate::BlockDesc* const block = translate::AddBlock(&program, -1);
  for (int i = 0; i < kMany; ++i) {
    block->add_ops()->set_type("type" + std::to_string(i));
  }
  block->add_ops()->set_type("type7");
  const auto parsed = ParseProgramDesc(program.SerializeAsString());
  ASSERT_THAT(parsed, IsOk());
  for (const int i : {0, 1, 7, (1 << 16) - 2, (1 << 16) - 1, kMany - 1}) {
    EXPECT_EQ((*parsed)->blocks(0).TypeOf(i), "type" + std::to_string(i));
  }
  EXPECT_EQ((*parsed)->blocks(0).TypeOf(kMany), "type7");
}

// Protobuf takes the last of several; so do the readers of parts.
TEST(ParseProgramDesc, TakesTheLastOfSeveral) {
  translate::BlockDesc first;
  first.set_idx(7);
  translate::BlockDesc block = translate::SmallProgram().blocks(0);
  ProgramDesc program;
  program.add_blocks();
  std::string op = block.ops(1).SerializeAsString();
  op = std::string("\x1a\x04", 2) + "tanh" + op;
  block.clear_ops();
  const std::string contents = first.SerializeAsString() +
                               block.SerializeAsString() + std::string("\x22") +
                               static_cast<char>(op.size()) + op;
  // A length of more bytes than it needs.
  const std::string bytes = std::string("\x0a") +
                            static_cast<char>(0x80 | (contents.size() & 0x7f)) +
                            static_cast<char>(0x80 | (contents.size() >> 7)) +
                            std::string("\x00", 1) + contents;
  const auto parsed = ParseProgramDesc(bytes);
  ASSERT_THAT(parsed, IsOk());
  ASSERT_EQ((*parsed)->blocks(0).ops_size(), 1);
  EXPECT_EQ((*parsed)->blocks(0).ops(0).type, "mul");
  EXPECT_EQ((*parsed)->blocks(0).TypeOf(0), "mul");
}

TEST(SpecOfVariable, ChecksWhatAVariableIs) {
  translate::BlockDesc block;
  translate::VarDesc* variable = translate::AddVariable(&block, "x", {-1, 3});
  const auto spec = SpecOfVariable(*variable);
  ASSERT_THAT(spec, IsOk());
  EXPECT_EQ(spec->dtype, DataType::kFloat32);
  EXPECT_EQ(spec->shape, (Shape{Dim(), 3}));

  const auto refused = [&](const std::string& text) {
    EXPECT_THAT(SpecOfVariable(*variable),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(text)));
  };
  translate::DenseTensorDesc* dense =
      variable->mutable_type()->mutable_dense_tensor();
  dense->set_lod_level(100);
  refused("levels of detail, got 100");
  dense->set_lod_level(0);
  dense->mutable_tensor()->set_dims(0, -2);
  refused("of extents from -1 up, got -2");
  dense->mutable_tensor()->set_dims(0, 1);
  dense->mutable_tensor()->set_data_type(99);
  refused("of a known element type, got number 99");
  dense->mutable_tensor()->set_data_type(5);
  for (int i = 0; i < kMaxRank; ++i) dense->mutable_tensor()->add_dims(1);
  refused("of rank up to 9");
  variable->mutable_type()->set_type(17);
  refused("variable 'x' must be a dense tensor or a tensor array, got type 17");
}

TEST(SpecOfTensor, NoticesSizesThatDoNotFit) {
  translate::TensorDesc desc;
  desc.set_data_type(5);
  desc.add_dims(int64_t{1} << 40);
  desc.add_dims(int64_t{1} << 40);
  EXPECT_THAT(SpecOfTensor("w", desc),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace switchyard::static_graph
