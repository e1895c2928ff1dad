// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/onnx/written_model.h"

#include <filesystem>
#include <iterator>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "framework/base/file.h"
#include "static_graph/foreign/onnx/element_type.h"
#include "static_graph/foreign/onnx/onnx_fields.h"
#include "static_graph/foreign/onnx/wire_write.h"
#include "static_graph/foreign/onnx/write_within.h"

namespace switchyard::static_graph {
namespace {

// The most that protobuf's parsers take, less room for what is around a graph.
constexpr uint64_t kMostBytes = (uint64_t{1} << 31) - (uint64_t{1} << 16);
constexpr size_t kLargeTensor = 1024;
// Where a weight begins in a file of weights.
constexpr uint64_t kAlignment = 64;

// A file as pieces: short ones that are written here, and the elements of
// weights where they lie.
class Pieces {
 public:
  void Add(WireWriter message) { AddBytes(Keep(message.bytes())); }
  // Returns the text, which lives as long as the pieces.
  std::string_view Keep(std::string text) {
    texts_.push_back(std::make_shared<std::string>(std::move(text)));
    return *texts_.back();
  }
  void AddBytes(std::string_view bytes) {
    pieces_.push_back(bytes);
    size_ += bytes.size();
  }
  // Takes over all pieces of `other`.
  void Append(Pieces other) {
    std::move(other.texts_.begin(), other.texts_.end(),
              std::back_inserter(texts_));
    pieces_.insert(pieces_.end(), other.pieces_.begin(), other.pieces_.end());
    size_ += other.size_;
  }
  uint64_t size() const { return size_; }
  absl::Span<const std::string_view> pieces() const { return pieces_; }

 private:
  std::vector<std::shared_ptr<std::string>> texts_;
  std::vector<std::string_view> pieces_;
  uint64_t size_ = 0;
};

// The file of weights, while the model is written.
class Weights {
 public:
  explicit Weights(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  // Adds elements, and returns where they begin.
  uint64_t Add(std::string_view bytes) {
    static constexpr char kZeros[kAlignment] = {};
    const uint64_t gap =
        (kAlignment - pieces_.size() % kAlignment) % kAlignment;
    pieces_.AddBytes(std::string_view(kZeros, gap));
    const uint64_t begin = pieces_.size();
    pieces_.AddBytes(bytes);
    return begin;
  }
  absl::Span<const std::string_view> pieces() const { return pieces_.pieces(); }

 private:
  std::string name_;
  Pieces pieces_;
};

std::string Entry(std::string_view key, std::string_view value) {
  WireWriter entry;
  entry.Bytes(onnx::Entry::kKey, key);
  entry.Bytes(onnx::Entry::kValue, value);
  return entry.bytes();
}

// Elements of fewer than 8 bits, a byte each, as they lie in a file: the first
// in the lowest bits of a byte.
std::string Packed(std::string_view elements, int bits) {
  const size_t in_byte = 8 / static_cast<size_t>(bits);
  std::string bytes((elements.size() + in_byte - 1) / in_byte, '\0');
  for (size_t i = 0; i < elements.size(); ++i) {
    const int code = static_cast<unsigned char>(elements[i]);
    const int shift = static_cast<int>(i % in_byte) * bits;
    bytes[i / in_byte] = static_cast<char>(bytes[i / in_byte] | code << shift);
  }
  return bytes;
}

// `weights` is null where elements stay in the model.
absl::StatusOr<Pieces> Written(const WrittenTensor& tensor, Weights* weights) {
  SY_ASSIGN_OR_RETURN(const int64_t type, OnnxTypeOf(tensor.dtype));
  WireWriter head;
  for (const int64_t extent : tensor.extents) {
    head.Number(onnx::Tensor::kDims, extent);
  }
  head.Number(onnx::Tensor::kDataType, type);
  head.Bytes(onnx::Tensor::kName, tensor.name);
  Pieces pieces;
  std::string_view bytes = tensor.bytes;
  if (const int bits = ElementBits(tensor.dtype); bits < 8) {
    bytes = pieces.Keep(Packed(bytes, bits));
  }
  if (weights == nullptr || bytes.size() < kLargeTensor) {
    head.Head(onnx::Tensor::kRaw, bytes.size());
    pieces.Add(std::move(head));
    pieces.AddBytes(bytes);
    return pieces;
  }
  const uint64_t begin = weights->Add(bytes);
  head.Bytes(onnx::Tensor::kExternalData, Entry("location", weights->name()));
  head.Bytes(onnx::Tensor::kExternalData, Entry("offset", absl::StrCat(begin)));
  head.Bytes(onnx::Tensor::kExternalData,
             Entry("length", absl::StrCat(bytes.size())));
  head.Number(onnx::Tensor::kLocation, onnx::kExternalLocation);
  pieces.Add(std::move(head));
  return pieces;
}

absl::StatusOr<std::string> Written(const WrittenPort& port) {
  SY_ASSIGN_OR_RETURN(const int64_t type, OnnxTypeOf(port.dtype));
  WireWriter shape;
  for (const auto& extent : port.extents) {
    WireWriter dim;
    if (const auto* number = std::get_if<int64_t>(&extent)) {
      dim.Number(onnx::Dimension::kValue, *number);
    } else if (const auto& name = std::get<std::string>(extent);
               !name.empty()) {
      dim.Bytes(onnx::Dimension::kSymbol, name);
    }
    shape.Bytes(onnx::ShapeField::kDim, dim.bytes());
  }
  WireWriter tensor;
  tensor.Number(onnx::TensorType::kElement, type);
  if (port.ranked) tensor.Bytes(onnx::TensorType::kShape, shape.bytes());
  WireWriter any;
  any.Bytes(onnx::Type::kTensor, tensor.bytes());
  if (port.sequence) {
    WireWriter sequence;
    sequence.Bytes(onnx::TensorType::kElement, any.bytes());
    any = WireWriter();
    any.Bytes(onnx::Type::kSequence, sequence.bytes());
  }
  WireWriter info;
  info.Bytes(onnx::ValueInfo::kName, port.name);
  info.Bytes(onnx::ValueInfo::kType, any.bytes());
  return info.bytes();
}

absl::StatusOr<Pieces> Written(const WrittenGraph& graph, Weights* weights);

std::string Text(const Pieces& pieces) {
  std::string text;
  for (const std::string_view piece : pieces.pieces()) text.append(piece);
  return text;
}

// Writes a value's field and returns its type's number.
absl::StatusOr<int> WriteValue(const WrittenValue& value, Weights* weights,
                               WireWriter* to) {
  using Field = onnx::AttributeField;
  using Type = onnx::AttributeType;
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    to->Number(Field::kInt, *integer);
    return Type::kInt;
  }
  if (const auto* number = std::get_if<float>(&value)) {
    to->Float(Field::kFloat, *number);
    return Type::kFloat;
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    to->Bytes(Field::kText, *text);
    return Type::kText;
  }
  if (const auto* integers = std::get_if<std::vector<int64_t>>(&value)) {
    for (const int64_t each : *integers) to->Number(Field::kInts, each);
    return Type::kInts;
  }
  if (const auto* numbers = std::get_if<std::vector<float>>(&value)) {
    for (const float each : *numbers) to->Float(Field::kFloats, each);
    return Type::kFloats;
  }
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    for (const std::string& each : *texts) to->Bytes(Field::kTexts, each);
    return Type::kTexts;
  }
  const auto& graph = std::get<std::shared_ptr<WrittenGraph>>(value);
  SY_ASSIGN_OR_RETURN(const Pieces pieces, Written(*graph, weights));
  to->Bytes(Field::kGraph, Text(pieces));
  return Type::kGraph;
}

absl::StatusOr<std::string> Written(const WrittenNode& node, Weights* weights) {
  WireWriter message;
  for (const std::string& name : node.inputs) {
    message.Bytes(onnx::Node::kInput, name);
  }
  for (const std::string& name : node.outputs) {
    message.Bytes(onnx::Node::kOutput, name);
  }
  message.Bytes(onnx::Node::kOpType, node.type);
  for (const WrittenAttribute& attribute : node.attributes) {
    WireWriter inner;
    inner.Bytes(onnx::AttributeField::kName, attribute.name);
    SY_ASSIGN_OR_RETURN(const int type,
                        WriteValue(attribute.value, weights, &inner));
    inner.Number(onnx::AttributeField::kType, type);
    message.Bytes(onnx::Node::kAttribute, inner.bytes());
  }
  return message.bytes();
}

absl::StatusOr<Pieces> Written(const WrittenGraph& graph, Weights* weights) {
  Pieces pieces;
  WireWriter nodes;
  for (const WrittenNode& node : graph.nodes) {
    SY_ASSIGN_OR_RETURN(const std::string text, Written(node, weights));
    nodes.Bytes(onnx::Graph::kNode, text);
  }
  nodes.Bytes(onnx::Graph::kName, graph.name);
  pieces.Add(std::move(nodes));
  for (const WrittenTensor& tensor : graph.tensors) {
    SY_ASSIGN_OR_RETURN(Pieces written, Written(tensor, weights));
    WireWriter head;
    head.Head(onnx::Graph::kInitializer, written.size());
    pieces.Add(std::move(head));
    pieces.Append(std::move(written));
  }
  WireWriter ports;
  for (const WrittenPort& port : graph.inputs) {
    SY_ASSIGN_OR_RETURN(const std::string text, Written(port));
    ports.Bytes(onnx::Graph::kInput, text);
  }
  for (const WrittenPort& port : graph.outputs) {
    SY_ASSIGN_OR_RETURN(const std::string text, Written(port));
    ports.Bytes(onnx::Graph::kOutput, text);
  }
  pieces.Add(std::move(ports));
  return pieces;
}

absl::StatusOr<Pieces> Written(const WrittenModel& model, Weights* weights) {
  WireWriter head;
  head.Number(onnx::Model::kIrVersion, IrVersionOf(model.opset));
  head.Bytes(onnx::Model::kProducer, model.producer);
  head.Bytes(onnx::Model::kProducerVersion, model.producer_version);
  if (!model.doc.empty()) head.Bytes(onnx::Model::kDoc, model.doc);
  for (const auto& [key, value] : model.metadata) {
    head.Bytes(onnx::Model::kMetadata, Entry(key, value));
  }
  WireWriter opset;
  opset.Bytes(onnx::OperatorSetId::kDomain, "");
  opset.Number(onnx::OperatorSetId::kVersion, model.opset);
  head.Bytes(onnx::Model::kOpsetImport, opset.bytes());
  SY_ASSIGN_OR_RETURN(Pieces graph, Written(model.graph, weights));
  head.Head(onnx::Model::kGraph, graph.size());
  Pieces pieces;
  pieces.Add(std::move(head));
  pieces.Append(std::move(graph));
  return pieces;
}

}  // namespace

int64_t IrVersionOf(int64_t opset) {
  constexpr int64_t kFirstOpset = 17;
  constexpr int64_t kVersions[] = {8, 8, 9, 9, 10, 10, 11, 12, 13, 13, 13, 14};
  return kVersions[opset - kFirstOpset];
}

absl::Status WriteWithin(const WrittenModel& model, const std::string& path,
                         ExternalData external, uint64_t most) {
  if (external != ExternalData::kAlways) {
    SY_ASSIGN_OR_RETURN(const Pieces pieces, Written(model, nullptr));
    if (pieces.size() <= most) return WriteFile(path, pieces.pieces());
    if (external == ExternalData::kNever) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the model takes ", pieces.size(),
          " bytes, and one of more than 2 GiB needs its weights in a file of "
          "their own"));
    }
  }
  Weights weights(std::filesystem::path(path).filename().string() + ".data");
  SY_ASSIGN_OR_RETURN(const Pieces pieces, Written(model, &weights));
  SY_RETURN_IF_ERROR(WriteFile(path + ".data", weights.pieces()));
  return WriteFile(path, pieces.pieces());
}

absl::Status WriteModel(const WrittenModel& model, const std::string& path,
                        ExternalData external) {
  return WriteWithin(model, path, external, kMostBytes);
}

}  // namespace switchyard::static_graph
