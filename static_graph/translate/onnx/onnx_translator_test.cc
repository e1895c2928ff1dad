// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/onnx_translator.h"

#include <string>

#include "framework/testing/matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "phi/core/signatures/every_operator.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/foreign/onnx/onnx_fields.h"
#include "static_graph/foreign/onnx/testing.h"
#include "static_graph/ir/printer.h"

namespace switchyard::static_graph {
namespace {

using onnx_testing::Bytes;
using onnx_testing::FloatInput;
using onnx_testing::FloatTensor;
using onnx_testing::Graph;
using onnx_testing::IntAttribute;
using onnx_testing::Model;
using onnx_testing::Node;
using onnx_testing::Number;
using onnx_testing::Written;
using ::testing::HasSubstr;
using ::testing::Not;

// The program's text, or the error.
std::string Translated(const std::string& bytes) {
  ir::Context context;
  const absl::Status registered = RegisterDialects(&context, AllDialectOps());
  if (!registered.ok()) return registered.ToString();
  const auto model = ReadOnnxBytes(bytes);
  if (!model.ok()) return model.status().ToString();
  const auto translated = TranslateOnnxProgram(**model, "m", &context);
  if (!translated.ok()) return translated.status().ToString();
  return ir::Print(translated->program);
}

Graph Of(const std::vector<Node>& nodes) {
  Graph graph;
  graph.inputs = {FloatInput("x", {-1, 2})};
  graph.tensors = {FloatTensor("w", {2}, {3, 4}),
                   FloatTensor("unread", {2}, {3, 4})};
  graph.nodes = nodes;
  graph.outputs = {"y"};
  return graph;
}

TEST(OnnxTranslator, MakesFeedsStatesAndFetches) {
  const std::string text = Translated(Model(
      Of({{"Add", {"x", "w"}, {"sum"}, {}}, {"Relu", {"sum"}, {"y"}, {}}})));
  EXPECT_THAT(text, HasSubstr("feed \"x\" tensor<float32[?, 2]>"));
  EXPECT_THAT(text, HasSubstr("state \"w\" tensor<float32[2]>"));
  EXPECT_THAT(text, HasSubstr("op.add(%x, %w)"));
  EXPECT_THAT(text, HasSubstr("op.relu(%sum)"));
  EXPECT_THAT(text, HasSubstr("\"y\" = %y"));
  // A tensor that nothing reads is no state.
  EXPECT_THAT(text, Not(HasSubstr("unread")));
}

TEST(OnnxTranslator, KnowsOldVersions) {
  // Until opset 7 operands broadcast by attributes, until 13 softmax flattened.
  const std::string text = Translated(
      Model(Of({{"Add", {"x", "w"}, {"sum"}, {IntAttribute("broadcast", 1)}},
                {"Softmax", {"sum"}, {"y"}, {}}}),
            6));
  EXPECT_THAT(text, HasSubstr("op.add(%x, %w)"));
  EXPECT_THAT(text, HasSubstr("op.softmax(%sum) {axis = 1}"));
}

TEST(OnnxTranslator, ListsAllThatIsWrong) {
  const std::string text =
      Translated(Model(Of({{"Relo", {"x"}, {"a"}, {}, "", "first"},
                           {"Relu", {"a"}, {"b"}, {IntAttribute("axis", 1)}},
                           {"Relu", {"b", "b"}, {"c"}, {}},
                           {"Add", {"c"}, {"d"}, {}},
                           {"ImageDecoder", {"d"}, {"e"}, {}},
                           {"Foo", {"e"}, {"y"}, {}, "some.domain"}}),
                       20));
  EXPECT_THAT(text, HasSubstr("6 operators"));
  EXPECT_THAT(text, HasSubstr("node 0 'first' (Relo): opset 20 of ai.onnx has "
                              "no operator of this name; the nearest is Relu"));
  EXPECT_THAT(text, HasSubstr("node 1 (Relu): attributes must be those of "
                              "version 14, got 'axis'"));
  EXPECT_THAT(text,
              HasSubstr("node 2 (Relu): inputs must be at most 1, got 2"));
  EXPECT_THAT(text, HasSubstr("node 3 (Add): input B must be given, got none"));
  EXPECT_THAT(text, HasSubstr("node 4 (ImageDecoder): no operator here "
                              "computes ai.onnx.ImageDecoder of version 20"));
  EXPECT_THAT(text, HasSubstr("node 5 (Foo): domain must be one that the model "
                              "imports, got some.domain"));
}

// Operators of its own that nothing computes are named.
TEST(OnnxTranslator, ListsOperatorsOfOnnxRuntime) {
  const std::string text = Translated(
      Model(Of({{"FusedCon", {"x"}, {"a"}, {}, "com.microsoft"},
                {"EPContext", {"a"}, {"b"}, {}, "com.microsoft"},
                {"Conv", {"b", "b"}, {"c"}, {}, "com.microsoft.nchwc"},
                {"QuickGelu",
                 {"c"},
                 {"d"},
                 {IntAttribute("axis", 1)},
                 "com.microsoft"},
                {"QLinearSigmoid", {"d"}, {"e"}, {}, "com.microsoft"},
                {"Attention", {"e", "e", "e"}, {"y"}, {}}}),
            17, 8, {"com.microsoft", "com.microsoft.nchwc"}));
  EXPECT_THAT(text, HasSubstr("6 operators"));
  EXPECT_THAT(text,
              HasSubstr("node 0 (FusedCon): no operator here computes "
                        "com.microsoft.FusedCon; the nearest is FusedConv"));
  EXPECT_THAT(text,
              HasSubstr("com.microsoft.EPContext of version 1: it holds what"));
  EXPECT_THAT(text, HasSubstr("com.microsoft.nchwc.Conv: its tensors lie"));
  EXPECT_THAT(text, HasSubstr("node 3 (QuickGelu): attributes must be those of "
                              "version 1, got 'axis'"));
  EXPECT_THAT(text, HasSubstr("node 4 (QLinearSigmoid): input X_scale must be "
                              "given, got none"));
  // It came with opset 23.
  EXPECT_THAT(text, HasSubstr("node 5 (Attention): opset 17 of ai.onnx has no "
                              "operator of this name"));
}

TEST(OnnxTranslator, RefusesWhatContradictsItself) {
  EXPECT_THAT(Translated(Model(Of({{"Relu", {"none"}, {"y"}, {}}}))),
              HasSubstr("node 0 (Relu): variable 'none' must be written before "
                        "it is read, got no value"));
  EXPECT_THAT(Translated(Model(Of(
                  {{"Relu", {"x"}, {"y"}, {}}, {"Relu", {"x"}, {"y"}, {}}}))),
              HasSubstr("node 1 (Relu): variable 'y' must be written once, got "
                        "twice"));
  // A cycle reads a value that is written later.
  EXPECT_THAT(Translated(Model(Of(
                  {{"Relu", {"z"}, {"y"}, {}}, {"Relu", {"y"}, {"z"}, {}}}))),
              HasSubstr("variable 'z' must be written before"));
  EXPECT_THAT(Translated(Model(Of({{"Relu", {"x"}, {"z"}, {}}}))),
              HasSubstr("output: variable 'y' must be written"));
  EXPECT_THAT(Translated(Model(Of({{"Relu", {"x"}, {"y"}, {}}}), 29)),
              HasSubstr("the opset of ai.onnx must be in [1, 28], got 29"));
  // Version 1 of an operator that is another in opset 6.
  EXPECT_THAT(Translated(Model(Of({{"Relu", {"x"}, {"y"}, {}}}), 5)),
              HasSubstr("version 1 must be that of opset 6"));
}

// A function with an attribute that its body refers to, called twice.
TEST(OnnxTranslator, PutsFunctionsInThePlaceOfCalls) {
  const std::string refers =
      Bytes(onnx::AttributeField::kName, "alpha") +
      Bytes(onnx::AttributeField::kReference, "slope") +
      Number(onnx::AttributeField::kType, onnx::AttributeType::kFloat);
  const std::string function =
      Bytes(onnx::Function::kName, "Leaky") +
      Bytes(onnx::Function::kDomain, "mine") +
      Bytes(onnx::Function::kInput, "a") + Bytes(onnx::Function::kOutput, "b") +
      Bytes(onnx::Function::kOpsetImport,
            Number(onnx::OperatorSetId::kVersion, 17)) +
      Bytes(onnx::Function::kNode,
            Written(Node{"LeakyRelu", {"a"}, {"b"}, {refers}}));
  // 0.5, as an attribute of four bytes.
  const std::string half =
      Bytes(onnx::AttributeField::kName, "slope") +
      std::string("\x15\x00\x00\x00\x3f", 5) +
      Number(onnx::AttributeField::kType, onnx::AttributeType::kFloat);
  const Graph graph = Of({{"Leaky", {"x"}, {"z"}, {half}, "mine"},
                          {"Leaky", {"z"}, {"y"}, {}, "mine"}});
  const std::string text =
      Translated(Model(graph) + Bytes(onnx::Model::kFunctions, function));
  EXPECT_THAT(text, HasSubstr("{negative_slope = 0.5 : float64}"));
  // Without the attribute the operator's own default holds.
  EXPECT_THAT(text, HasSubstr("{negative_slope = 0.0099999"));
}

TEST(OnnxTranslator, EndsFunctionsThatCallThemselves) {
  const std::string function =
      Bytes(onnx::Function::kName, "F") + Bytes(onnx::Function::kDomain, "m") +
      Bytes(onnx::Function::kInput, "a") + Bytes(onnx::Function::kOutput, "b") +
      Bytes(onnx::Function::kNode, Written(Node{"F", {"a"}, {"b"}, {}, "m"}));
  const Graph graph = Of({{"F", {"x"}, {"y"}, {}, "m"}});
  EXPECT_THAT(
      Translated(Model(graph) + Bytes(onnx::Model::kFunctions, function)),
      HasSubstr("functions must be nested at most 32 deep, got more"));
}

}  // namespace
}  // namespace switchyard::static_graph
