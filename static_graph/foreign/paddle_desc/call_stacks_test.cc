// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_desc/call_stacks.h"

#include <string>

#include "gtest/gtest.h"
#include "static_graph/foreign/paddle_desc/program_desc.h"

namespace switchyard::static_graph {
namespace {

using translate::OpDesc;

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

// An operator, with call stacks or without.
OpDesc Operator(bool stacks) {
  OpDesc op;
  if (stacks) AddCallStack(&op);
  op.set_type("scale");
  op.add_inputs()->set_parameter("X");
  AddAttribute("scale", AttributeKind::kFloat, &op)->set_f(0.5f);
  if (stacks) AddCallStack(&op);
  AddAttribute("bias", AttributeKind::kDouble, &op)->set_float64(0.25);
  return op;
}

std::string Stripped(const std::string& bytes) {
  std::string rest;
  return std::string(WithoutCallStack(bytes, &rest));
}

TEST(WithoutCallStack, LeavesTheRestAsItIs) {
  const std::string bare = Operator(false).SerializeAsString();
  const std::string full = Operator(true).SerializeAsString();
  EXPECT_GT(full.size(), bare.size() + 2 * 300);
  EXPECT_EQ(Stripped(full), bare);
  EXPECT_EQ(Stripped(""), "");
  std::string rest;
  EXPECT_EQ(WithoutCallStack(bare, &rest).data(), bare.data());
  EXPECT_EQ(rest, "");
}

TEST(WithoutCallStack, KeepsWhatIsNoListOfTexts) {
  OpDesc op = Operator(false);
  AddAttribute("op_callstack", AttributeKind::kBlock, &op)->set_block_idx(1);
  AddAttribute("op_callstack_", AttributeKind::kStrings, &op)->add_strings("x");
  op.add_attrs()->add_strings("without a name");
  const std::string bytes = op.SerializeAsString();
  EXPECT_EQ(Stripped(bytes), bytes);
}

// Bytes that are no message stay none, and those that are one mean the same.
TEST(WithoutCallStack, ChangesNoVerdict) {
  const std::string full = Operator(true).SerializeAsString();
  const auto parses = [](const std::string& bytes, OpDesc* op) {
    return op->ParseFromString(bytes);
  };
  for (size_t size = 0; size < full.size(); ++size) {
    const std::string cut = full.substr(0, size);
    OpDesc before, after;
    EXPECT_EQ(parses(cut, &before), parses(Stripped(cut), &after)) << size;
  }
  for (size_t at = 0; at < full.size(); ++at) {
    std::string flipped = full;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x12);
    OpDesc before, after;
    const bool sound = parses(Stripped(flipped), &after);
    if (!parses(flipped, &before)) {
      EXPECT_FALSE(sound) << at;
    } else {
      EXPECT_TRUE(sound) << at;
      EXPECT_EQ(after.inputs_size(), before.inputs_size()) << at;
    }
  }
}

}  // namespace
}  // namespace switchyard::static_graph
