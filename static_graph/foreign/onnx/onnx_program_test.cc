// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/onnx/onnx_program.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "framework/testing/matchers.h"
#include "framework/types/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "static_graph/foreign/onnx/onnx_fields.h"
#include "static_graph/foreign/onnx/testing.h"

namespace switchyard::static_graph {
namespace {

using onnx_testing::Bytes;
using onnx_testing::FloatInput;
using onnx_testing::FloatTensor;
using onnx_testing::Graph;
using onnx_testing::GraphAttribute;
using onnx_testing::Model;
using onnx_testing::Number;
using onnx_testing::Written;
using ::testing::HasSubstr;

Graph Sum() {
  Graph graph;
  graph.inputs = {FloatInput("x", {-1, 2})};
  graph.tensors = {FloatTensor("w", {2}, {3, 4})};
  graph.nodes = {{"Add", {"x", "w"}, {"y"}, {}, "", "sum"}};
  graph.outputs = {"y"};
  return graph;
}

std::string ErrorOf(const std::string& bytes) {
  const auto program = ReadOnnxBytes(bytes);
  return program.ok() ? "" : std::string(program.status().message());
}

TEST(OnnxProgram, ReadsAGraph) {
  const auto program = ReadOnnxBytes(Model(Sum()));
  ASSERT_TRUE(program.ok()) << program.status();
  const OnnxBlock& graph = (*program)->blocks(0);
  ASSERT_EQ(graph.ops_size(), 1);
  const ForeignOperator op = graph.ops(0);
  EXPECT_EQ(op.type, "Add");
  EXPECT_EQ(op.label, "sum");
  EXPECT_EQ(op.inputs[0].variables[1], "w");
  EXPECT_EQ(graph.DomainVersion(""), 17);
  EXPECT_EQ(graph.DomainVersion("ai.onnx"), 17);
  EXPECT_EQ(graph.DomainVersion("other"), -1);
  ASSERT_EQ(graph.inputs().size(), 1u);
  const auto spec = (*program)->SpecOf(graph.facts(graph.IndexOf("x")));
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_FALSE(spec->shape[0].known());
  EXPECT_EQ(spec->shape[1], Dim(2));
  const auto tensor = (*program)->TensorOf(graph.facts(graph.IndexOf("w")));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->data<float>()[1], 4);
}

// A graph in an attribute is a block that the attribute names.
TEST(OnnxProgram, ReadsGraphsInside) {
  Graph inner;
  inner.outputs = {"x"};
  Graph outer = Sum();
  outer.nodes[0] = {"If",
                    {"x"},
                    {"y"},
                    {GraphAttribute("then_branch", Written(inner)),
                     GraphAttribute("else_branch", Written(inner))}};
  const auto program = ReadOnnxBytes(Model(outer));
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ((*program)->blocks_size(), 3);
  const ForeignOperator op = (*program)->blocks(0).ops(0);
  EXPECT_EQ(op.attr("then_branch")->integer(), 1);
  EXPECT_EQ(op.attr("else_branch")->integer(), 2);
}

TEST(OnnxProgram, RefusesWhatIsNoModel) {
  EXPECT_THAT(ErrorOf("\xff\xff"), HasSubstr("cut off or damaged"));
  EXPECT_EQ(ErrorOf(Number(onnx::Model::kIrVersion, 8)),
            "model must be one with a graph, got none");
  EXPECT_EQ(ErrorOf(Model(Sum(), 17, 15)),
            "ir_version must be in [3, 14], got 15");
  EXPECT_EQ(ErrorOf(Model(Sum(), 17, 2)),
            "ir_version must be in [3, 14], got 2");
  Graph untyped = Sum();
  untyped.nodes[0].type = "";
  EXPECT_EQ(ErrorOf(Model(untyped)),
            "block 0, node 0 must be of some type, got none");
  Graph twice = Sum();
  twice.tensors.push_back(twice.tensors[0]);
  EXPECT_EQ(ErrorOf(Model(twice)),
            "variable must be described once, got 'w' twice");
}

// A model of graphs one inside another, written from its end, since each length
// counts all that follows.
std::string Nested(int depth) {
  std::string reversed;
  const auto add = [&](const std::string& bytes) {
    reversed.append(bytes.rbegin(), bytes.rend());
  };
  const auto hold = [&](int field) {
    constexpr char kBytes = 2;  // The wire type of what has a length.
    std::string head = Number(field, static_cast<int64_t>(reversed.size()));
    head[0] = static_cast<char>(head[0] | kBytes);
    add(head);
  };
  for (int i = 0; i < depth; ++i) {
    hold(onnx::AttributeField::kGraph);
    add(Bytes(onnx::AttributeField::kName, "then_branch"));
    hold(onnx::Node::kAttribute);
    add(Bytes(onnx::Node::kOpType, "If"));
    hold(onnx::Graph::kNode);
  }
  hold(onnx::Model::kGraph);
  add(Number(onnx::Model::kIrVersion, 8));
  return {reversed.rbegin(), reversed.rend()};
}

TEST(OnnxProgram, RefusesDeepGraphs) {
  constexpr int kDeep = 10000;
  EXPECT_EQ(ErrorOf(Nested(kDeep)),
            "graphs must be nested at most 32 deep, got more");
}

// Every beginning of a file is an error or another model, and no crash.
TEST(OnnxProgram, ReadsBeginnings) {
  const std::string whole = Model(Sum());
  int refused = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    refused += ReadOnnxBytes(whole.substr(0, size)).ok() ? 0 : 1;
  }
  EXPECT_GT(refused, static_cast<int>(whole.size()) / 2);
}

TEST(OnnxProgram, ChecksSizesOfTensors) {
  Graph graph = Sum();
  graph.tensors = {FloatTensor("w", {3}, {3, 4})};
  auto program = ReadOnnxBytes(Model(graph));
  ASSERT_TRUE(program.ok()) << program.status();
  const auto tensor_error = [&](const char* name) {
    const OnnxBlock& block = (*program)->blocks(0);
    return (*program)->TensorOf(block.facts(block.IndexOf(name))).status();
  };
  EXPECT_THAT(std::string(tensor_error("w").message()),
              HasSubstr("tensor 'w'"));
  graph.tensors = {FloatTensor("w", {int64_t{1} << 40, int64_t{1} << 40}, {})};
  program = ReadOnnxBytes(Model(graph));
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_FALSE(tensor_error("w").ok());
  graph.tensors = {FloatTensor("w", {-2}, {})};
  program = ReadOnnxBytes(Model(graph));
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_FALSE(tensor_error("w").ok());
}

// A SparseTensorProto of float32 [2, 3], named "w".
std::string Sparse(const std::vector<int64_t>& places, int64_t columns = 0,
                   int64_t extent = 2) {
  std::string indices =
      Number(onnx::Tensor::kDataType, 7) +
      Number(onnx::Tensor::kDims,
             static_cast<int64_t>(places.size()) / (columns + (columns == 0)));
  if (columns > 0) indices += Number(onnx::Tensor::kDims, columns);
  for (const int64_t place : places) {
    indices += Number(onnx::Tensor::kInt64s, place);
  }
  return Bytes(onnx::Sparse::kValues, FloatTensor("w", {2}, {3, 4})) +
         Bytes(onnx::Sparse::kIndices, indices) +
         Number(onnx::Sparse::kDims, extent) + Number(onnx::Sparse::kDims, 3);
}

std::string WithSparse(const std::string& sparse) {
  Graph graph = Sum();
  graph.tensors.clear();
  return Number(onnx::Model::kIrVersion, 8) +
         Bytes(onnx::Model::kGraph,
               Written(graph) + Bytes(onnx::Graph::kSparseInitializer, sparse));
}

TEST(OnnxProgram, FillsSparseTensorsUp) {
  const auto elements_of = [](const std::string& sparse) {
    const auto program = ReadOnnxBytes(WithSparse(sparse));
    EXPECT_TRUE(program.ok()) << program.status();
    const OnnxBlock& block = (*program)->blocks(0);
    const VariableFacts& facts = block.facts(block.IndexOf("w"));
    EXPECT_EQ((*program)->SpecOf(facts)->shape, Shape({2, 3}));
    const auto tensor = (*program)->TensorOf(facts);
    EXPECT_TRUE(tensor.ok()) << tensor.status();
    return std::vector<float>(tensor->data<float>(), tensor->data<float>() + 6);
  };
  const std::vector<float> wanted = {0, 3, 0, 0, 0, 4};
  EXPECT_EQ(elements_of(Sparse({1, 5})), wanted);
  EXPECT_EQ(elements_of(Sparse({0, 1, 1, 2}, 2)), wanted);
}

TEST(OnnxProgram, ChecksSparseTensors) {
  const auto tensor_error = [](const std::string& sparse) {
    const auto program = ReadOnnxBytes(WithSparse(sparse));
    EXPECT_TRUE(program.ok()) << program.status();
    const OnnxBlock& block = (*program)->blocks(0);
    return std::string((*program)
                           ->TensorOf(block.facts(block.IndexOf("w")))
                           .status()
                           .message());
  };
  EXPECT_EQ(tensor_error(Sparse({1, 6})),
            "tensor 'w': indices must be in [0, 6), got 6");
  EXPECT_EQ(tensor_error(Sparse({0, 0, -1, 2}, 2)),
            "tensor 'w': indices must be in [0, 2), got -1");
  EXPECT_EQ(ErrorOf(WithSparse(Sparse({1}))),
            "sparse initializer: indices must be int64, of shape [2] or [2, 2],"
            " got int64[1]");
  // The size of the dense tensor is held against the size of the file.
  EXPECT_THAT(ErrorOf(WithSparse(Sparse({1, 5}, 0, int64_t{1} << 40))),
              HasSubstr("must"));
}

TEST(OnnxProgram, FindsOverloadsOfFunctions) {
  const auto function = [](const char* overload) {
    return Bytes(onnx::Model::kFunctions,
                 Bytes(onnx::Function::kName, "f") +
                     Bytes(onnx::Function::kDomain, "mine") +
                     Bytes(onnx::Function::kOverload, overload) +
                     Bytes(onnx::Function::kOutput, "y"));
  };
  std::string nodes;
  for (const char* overload : {"two", "", "none"}) {
    nodes +=
        Bytes(onnx::Graph::kNode, Bytes(onnx::Node::kOpType, "f") +
                                      Bytes(onnx::Node::kDomain, "mine") +
                                      Bytes(onnx::Node::kOverload, overload));
  }
  const auto program = ReadOnnxBytes(Number(onnx::Model::kIrVersion, 10) +
                                     Bytes(onnx::Model::kGraph, nodes) +
                                     function("") + function("two"));
  ASSERT_TRUE(program.ok()) << program.status();
  const OnnxBlock& graph = (*program)->blocks(0);
  EXPECT_EQ((*program)->FunctionOf(graph.ops(0)), 2);
  EXPECT_EQ((*program)->FunctionOf(graph.ops(1)), 1);
  EXPECT_EQ((*program)->FunctionOf(graph.ops(2)), -1);
}

// A model whose weight of `elements` floats is in another file, from byte 4 on.
std::string WithExternal(const std::string& location, int64_t elements = 2) {
  const auto entry = [](const char* key, const std::string& value) {
    return Bytes(
        onnx::Tensor::kExternalData,
        Bytes(onnx::Entry::kKey, key) + Bytes(onnx::Entry::kValue, value));
  };
  Graph graph = Sum();
  graph.tensors = {Number(onnx::Tensor::kDims, elements) +
                   Number(onnx::Tensor::kDataType, 1) +
                   Bytes(onnx::Tensor::kName, "w") +
                   entry("location", location) + entry("offset", "4") +
                   entry("length", std::to_string(elements * 4)) +
                   Number(onnx::Tensor::kLocation, 1)};
  return Model(graph);
}

TEST(OnnxProgram, ReadsElementsInOtherFiles) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "onnx_external";
  std::filesystem::create_directories(folder / "model");
  const float elements[] = {0, 5, 6};
  for (const char* name : {"model/w.bin", "outside.bin"}) {
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(elements), sizeof(elements));
  }
  const auto weight_of = [&](const std::string& location, int64_t count = 2) {
    const std::string path = (folder / "model" / "m.onnx").string();
    std::ofstream(path, std::ios::binary) << WithExternal(location, count);
    const auto program = ReadOnnxFile(path);
    EXPECT_TRUE(program.ok()) << program.status();
    const OnnxBlock& block = (*program)->blocks(0);
    return (*program)->TensorOf(block.facts(block.IndexOf("w")));
  };
  const auto inside = weight_of("w.bin");
  ASSERT_TRUE(inside.ok()) << inside.status();
  EXPECT_EQ(inside->data<float>()[0], 5);
  EXPECT_EQ(inside->data<float>()[1], 6);
  EXPECT_FALSE(weight_of("../outside.bin").ok());
  EXPECT_FALSE(weight_of((folder / "outside.bin").string()).ok());
  EXPECT_FALSE(weight_of("none.bin").ok());
  EXPECT_THAT(weight_of("w.bin", 3).status().message(),
              HasSubstr("offset and length must be within the 12 bytes"));
}

// Memory of the process that no file holds, in bytes.
int64_t HeldMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("RssAnon:", 0) == 0) return std::stoll(line.substr(8)) << 10;
  }
  return -1;
}

// The file is of holes, except its end.
TEST(OnnxProgram, UsesThreeGibibytesWhereTheyLie) {
  constexpr int64_t kElements = (int64_t{3} << 30) / 4;
  constexpr int64_t kMost = int64_t{64} << 20;
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "onnx_large";
  std::filesystem::create_directories(folder);
  const float last = 7;
  std::ofstream(folder / "w.bin", std::ios::binary)
      .seekp(kElements * 4)
      .write(reinterpret_cast<const char*>(&last), sizeof(last));
  const std::string path = (folder / "m.onnx").string();
  std::ofstream(path, std::ios::binary) << WithExternal("w.bin", kElements);
  const int64_t before = HeldMemory();
  ASSERT_GT(before, 0);
  const auto program = ReadOnnxFile(path);
  ASSERT_TRUE(program.ok()) << program.status();
  const OnnxBlock& block = (*program)->blocks(0);
  const auto tensor = (*program)->TensorOf(block.facts(block.IndexOf("w")));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->shape(), Shape({kElements}));
  EXPECT_EQ(tensor->data<float>()[0], 0);
  EXPECT_EQ(tensor->data<float>()[kElements - 1], last);
  EXPECT_LT(HeldMemory() - before, kMost);
}

}  // namespace
}  // namespace switchyard::static_graph
