// SPDX-License-Identifier: Apache-2.0
// Writes ONNX models for tests, message by message: no library is needed for
// it, and a test can write what is wrong, too.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_TESTING_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_TESTING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::static_graph::onnx_testing {

// Return a field of a message: of bytes, and of a number.
std::string Bytes(int number, std::string_view bytes);
std::string Number(int number, int64_t value);

// An input, of a tensor of float32 whose unknown extents are -1.
std::string FloatInput(std::string_view name,
                       const std::vector<int64_t>& extents);
// A tensor of float32, raw.
std::string FloatTensor(std::string_view name,
                        const std::vector<int64_t>& extents,
                        const std::vector<float>& elements);
// An attribute that is an integer, and one that is a graph.
std::string IntAttribute(std::string_view name, int64_t value);
std::string GraphAttribute(std::string_view name, std::string_view graph);

struct Node {
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> attributes;
  std::string domain = "";
  std::string name = "";
};
std::string Written(const Node& node);

struct Graph {
  std::vector<Node> nodes;
  std::vector<std::string> inputs;   // Of FloatInput().
  std::vector<std::string> tensors;  // Of FloatTensor().
  std::vector<std::string> outputs;  // Names.
};
std::string Written(const Graph& graph);

// A model of a graph, in an opset of ai.onnx; of other domains it imports
// version 1.
std::string Model(const Graph& graph, int64_t opset = 17,
                  int64_t ir_version = 8,
                  const std::vector<std::string>& domains = {});

}  // namespace switchyard::static_graph::onnx_testing

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_TESTING_H_
