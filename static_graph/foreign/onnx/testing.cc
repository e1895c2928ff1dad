// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/onnx/testing.h"

#include "static_graph/foreign/onnx/onnx_fields.h"

namespace switchyard::static_graph::onnx_testing {
namespace {

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes.push_back(static_cast<char>(value | 0x80));
  }
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

}  // namespace

std::string Bytes(int number, std::string_view bytes) {
  std::string field = Varint(static_cast<uint64_t>(number) << 3 | 2);
  field += Varint(bytes.size());
  return field.append(bytes);
}

std::string Number(int number, int64_t value) {
  return Varint(static_cast<uint64_t>(number) << 3) +
         Varint(static_cast<uint64_t>(value));
}

std::string FloatInput(std::string_view name,
                       const std::vector<int64_t>& extents) {
  std::string shape;
  for (const int64_t extent : extents) {
    shape += Bytes(onnx::ShapeField::kDim,
                   extent < 0 ? "" : Number(onnx::Dimension::kValue, extent));
  }
  const std::string tensor = Number(onnx::TensorType::kElement, 1) +
                             Bytes(onnx::TensorType::kShape, shape);
  return Bytes(onnx::ValueInfo::kName, name) +
         Bytes(onnx::ValueInfo::kType, Bytes(onnx::Type::kTensor, tensor));
}

std::string FloatTensor(std::string_view name,
                        const std::vector<int64_t>& extents,
                        const std::vector<float>& elements) {
  std::string tensor;
  for (const int64_t extent : extents) {
    tensor += Number(onnx::Tensor::kDims, extent);
  }
  tensor += Number(onnx::Tensor::kDataType, 1);
  tensor += Bytes(onnx::Tensor::kName, name);
  return tensor +
         Bytes(onnx::Tensor::kRaw,
               std::string_view(reinterpret_cast<const char*>(elements.data()),
                                elements.size() * sizeof(float)));
}

std::string IntAttribute(std::string_view name, int64_t value) {
  return Bytes(onnx::AttributeField::kName, name) +
         Number(onnx::AttributeField::kInt, value) +
         Number(onnx::AttributeField::kType, onnx::AttributeType::kInt);
}

std::string GraphAttribute(std::string_view name, std::string_view graph) {
  return Bytes(onnx::AttributeField::kName, name) +
         Bytes(onnx::AttributeField::kGraph, graph) +
         Number(onnx::AttributeField::kType, onnx::AttributeType::kGraph);
}

std::string Written(const Node& node) {
  std::string bytes;
  for (const std::string& name : node.inputs) {
    bytes += Bytes(onnx::Node::kInput, name);
  }
  for (const std::string& name : node.outputs) {
    bytes += Bytes(onnx::Node::kOutput, name);
  }
  bytes += Bytes(onnx::Node::kName, node.name);
  bytes += Bytes(onnx::Node::kOpType, node.type);
  for (const std::string& attribute : node.attributes) {
    bytes += Bytes(onnx::Node::kAttribute, attribute);
  }
  return bytes + Bytes(onnx::Node::kDomain, node.domain);
}

std::string Written(const Graph& graph) {
  std::string bytes;
  for (const Node& node : graph.nodes) {
    bytes += Bytes(onnx::Graph::kNode, Written(node));
  }
  for (const std::string& tensor : graph.tensors) {
    bytes += Bytes(onnx::Graph::kInitializer, tensor);
  }
  for (const std::string& input : graph.inputs) {
    bytes += Bytes(onnx::Graph::kInput, input);
  }
  for (const std::string& output : graph.outputs) {
    bytes += Bytes(onnx::Graph::kOutput, Bytes(onnx::ValueInfo::kName, output));
  }
  return bytes;
}

std::string Model(const Graph& graph, int64_t opset, int64_t ir_version,
                  const std::vector<std::string>& domains) {
  std::string model = Number(onnx::Model::kIrVersion, ir_version) +
                      Bytes(onnx::Model::kGraph, Written(graph)) +
                      Bytes(onnx::Model::kOpsetImport,
                            Number(onnx::OperatorSetId::kVersion, opset));
  for (const std::string& domain : domains) {
    model += Bytes(onnx::Model::kOpsetImport,
                   Bytes(onnx::OperatorSetId::kDomain, domain) +
                       Number(onnx::OperatorSetId::kVersion, 1));
  }
  return model;
}

}  // namespace switchyard::static_graph::onnx_testing
