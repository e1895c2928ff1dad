// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/onnx_node.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace switchyard::static_graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ForeignAttr& AddAttr(ForeignOperator* op, const char* name, ForeignKind kind) {
  ForeignAttr& attr = op->attrs.Add();
  attr.name = name;
  attr.kind = kind;
  attr.present = true;
  return attr;
}

ForeignOperator Gemm() {
  ForeignOperator op;
  op.type = "Gemm";
  ForeignSlot& inputs = op.inputs.Add();
  inputs.variables.Add() = "a";
  inputs.variables.Add() = "";
  inputs.variables.Add() = "c";
  op.outputs.Add().variables.Add() = "y";
  return op;
}

TEST(OnnxNode, KnowsInputsAndOutputsByPosition) {
  const ForeignOperator op = Gemm();
  const OnnxNode node(op, 13);
  EXPECT_EQ(node.type(), "Gemm");
  EXPECT_EQ(node.version(), 13);
  EXPECT_EQ(node.inputs(), 3);
  EXPECT_EQ(node.InputName(2), "c");
  EXPECT_TRUE(node.Has(0));
  EXPECT_FALSE(node.Has(1)) << "it has no name";
  EXPECT_FALSE(node.Has(3)) << "it is after the last";
  EXPECT_EQ(node.outputs(), 1);
  EXPECT_EQ(node.OutputName(0), "y");
  EXPECT_TRUE(node.Wants(0));
  EXPECT_FALSE(node.Wants(1));
}

TEST(OnnxNode, ReadsAttributes) {
  ForeignOperator op = Gemm();
  AddAttr(&op, "transA", ForeignKind::kLong).SetInteger(1);
  AddAttr(&op, "alpha", ForeignKind::kFloat).SetNumber(0.5);
  AddAttr(&op, "mode", ForeignKind::kText).SetText("linear");
  ForeignAttr& axes = AddAttr(&op, "axes", ForeignKind::kLongs);
  axes.Add(int64_t{1});
  axes.Add(int64_t{-1});
  AddAttr(&op, "scales", ForeignKind::kFloats).Add(2.5f);
  const OnnxNode node(op, 13);
  EXPECT_TRUE(node.HasAttr("mode"));
  EXPECT_EQ(node.Int("transA", 0), 1);
  EXPECT_TRUE(node.Flag("transA", false));
  EXPECT_EQ(node.Float("alpha", 1), 0.5);
  EXPECT_EQ(node.Text("mode", "nearest"), "linear");
  EXPECT_THAT(node.Ints("axes"), ElementsAre(1, -1));
  EXPECT_THAT(node.Floats("scales"), ElementsAre(2.5f));
}

TEST(OnnxNode, ReturnsTheDefaultWhereAnAttributeIsAbsent) {
  ForeignOperator op = Gemm();
  AddAttr(&op, "axes", ForeignKind::kLong).SetInteger(1);
  const OnnxNode node(op, 13);
  EXPECT_FALSE(node.HasAttr("mode"));
  EXPECT_EQ(node.Int("transA", 7), 7);
  EXPECT_TRUE(node.Flag("transA", true));
  EXPECT_EQ(node.Float("alpha", 1.5), 1.5);
  EXPECT_EQ(node.Text("mode", "nearest"), "nearest");
  EXPECT_THAT(node.Floats("scales"), IsEmpty());
  // One integer is no list of integers.
  EXPECT_THAT(node.Ints("axes", {4}), ElementsAre(4));
}

}  // namespace
}  // namespace switchyard::static_graph
