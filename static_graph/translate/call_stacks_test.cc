// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/call_stacks.h"

#include <string>

#include "gtest/gtest.h"
#include "static_graph/translate/program_desc.h"

namespace switchyard::static_graph {
namespace {

using translate::OpDesc;
using translate::ProgramDesc;

OpDesc::Attr* AddAttribute(const std::string& name, AttributeKind kind,
                           OpDesc* op) {
  OpDesc::Attr* const attribute = op->add_attrs();
  attribute->set_name(name);
  attribute->set_type(static_cast<int32_t>(kind));
  return attribute;
}

void AddCallStack(OpDesc* op) {
  OpDesc::Attr* const stack =
      AddAttribute("op_callstack", AttributeKind::kStrings, op);
  stack->add_strings("  File \"train.py\", line 12, in main");
  stack->add_strings(std::string(300, 'x'));
}

// Two blocks of operators, with call stacks or without.
ProgramDesc Program(bool stacks) {
  ProgramDesc program;
  program.mutable_version()->set_version(2006000);
  for (int b = 0; b < 2; ++b) {
    translate::BlockDesc* const block = program.add_blocks();
    block->set_idx(b);
    block->set_parent_idx(b - 1);
    block->add_vars()->set_name("x");
    for (int i = 0; i < 3; ++i) {
      OpDesc* const op = block->add_ops();
      op->set_type("scale");
      op->add_inputs()->set_parameter("X");
      AddAttribute("scale", AttributeKind::kFloat, op)->set_f(0.5f);
      if (stacks && i != 1) AddCallStack(op);
      AddAttribute("bias", AttributeKind::kDouble, op)->set_float64(0.25);
    }
  }
  return program;
}

TEST(WithoutCallStacks, LeavesTheRestAsItIs) {
  const std::string bare = Program(false).SerializeAsString();
  const std::string full = Program(true).SerializeAsString();
  EXPECT_GT(full.size(), bare.size() + 4 * 300);
  EXPECT_EQ(WithoutCallStacks(full), bare);
  EXPECT_EQ(WithoutCallStacks(bare), bare);
  EXPECT_EQ(WithoutCallStacks(""), "");
}

TEST(WithoutCallStacks, KeepsWhatIsNoListOfTexts) {
  ProgramDesc program = Program(false);
  OpDesc* const op = program.mutable_blocks(0)->mutable_ops(0);
  AddAttribute("op_callstack", AttributeKind::kBlock, op)->set_block_idx(1);
  AddAttribute("op_callstack_", AttributeKind::kStrings, op)->add_strings("x");
  op->add_attrs()->add_strings("without a name");
  const std::string bytes = program.SerializeAsString();
  EXPECT_EQ(WithoutCallStacks(bytes), bytes);
}

// Bytes that are no message stay none, and those that are one mean the same.
TEST(WithoutCallStacks, ChangesNoVerdict) {
  const std::string full = Program(true).SerializeAsString();
  const auto parses = [](const std::string& bytes, ProgramDesc* program) {
    return program->ParseFromString(bytes);
  };
  for (size_t size = 0; size < full.size(); ++size) {
    const std::string cut = full.substr(0, size);
    ProgramDesc before, after;
    EXPECT_EQ(parses(cut, &before), parses(WithoutCallStacks(cut), &after))
        << size;
  }
  for (size_t at = 0; at < full.size(); ++at) {
    std::string flipped = full;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x12);
    ProgramDesc before, after;
    const bool sound = parses(WithoutCallStacks(flipped), &after);
    if (!parses(flipped, &before)) {
      EXPECT_FALSE(sound) << at;
    } else {
      EXPECT_TRUE(sound) << at;
      EXPECT_EQ(after.blocks_size(), before.blocks_size()) << at;
    }
  }
}

}  // namespace
}  // namespace switchyard::static_graph
