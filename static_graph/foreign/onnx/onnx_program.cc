// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/onnx/onnx_program.h"

#include "absl/strings/str_cat.h"
#include "framework/tensor/tensor_array.h"
#include "static_graph/foreign/onnx/decode_node.h"
#include "static_graph/foreign/onnx/element_type.h"
#include "static_graph/foreign/onnx/onnx_fields.h"
#include "static_graph/foreign/onnx/sparse_tensor.h"
#include "static_graph/foreign/onnx/wire_scan.h"

namespace switchyard::static_graph {
namespace {

// Returns the version of a domain; -1 if it is not imported. "ai.onnx" is "".
int64_t VersionIn(const OpsetImports& imports, std::string_view domain) {
  for (const auto& [name, version] : imports) {
    if (PlainDomain(name) == PlainDomain(domain)) return version;
  }
  return -1;
}

absl::Status Nothing(std::string_view name, const char* must_be,
                     const char* got) {
  return ArgumentError(absl::StrCat("variable '", std::string(name), "'"),
                       must_be, got);
}

// Returns the type that a TypeProto of an optional says it holds; others are as
// they are.
std::string_view HeldType(std::string_view message) {
  for (std::string_view held; !message.empty(); message = held) {
    const std::string_view optional = LastBytes(message, onnx::Type::kOptional);
    held = LastBytes(optional, onnx::TensorType::kElement);
    if (optional.empty()) break;
  }
  return message;
}

// Returns the TypeProto.Tensor of the elements of a sequence; empty if the type
// is none of tensors.
std::string_view ElementOf(std::string_view type) {
  const std::string_view sequence =
      LastBytes(HeldType(type), onnx::Type::kSequence);
  return LastBytes(LastBytes(sequence, onnx::TensorType::kElement),
                   onnx::Type::kTensor);
}

absl::StatusOr<OnnxTexts> TextsIn(std::string_view message) {
  SY_ASSIGN_OR_RETURN(const OnnxTensor tensor, ReadOnnxTensor(message));
  if (tensor.spec.dtype != DataType::kString) {
    return TypeError("elements", "texts", Name(tensor.spec.dtype));
  }
  SY_ASSIGN_OR_RETURN(std::vector<std::string> texts, ReadOnnxTexts(tensor));
  return OnnxTexts{tensor.spec.shape, std::move(texts)};
}

}  // namespace

const ForeignProgram& OnnxBlock::program() const { return *program_; }

void OnnxBlock::Read(int i, ForeignOperator* op) const {
  DecodeNode(nodes_[i], program_->blocks_of_graphs_, op);
}

bool OnnxBlock::ReadDefault(std::string_view name, ForeignAttr* attr) const {
  for (const std::string_view one : defaults_) {
    if (LastBytes(one, onnx::AttributeField::kName) != name) continue;
    DecodeAttribute(one, program_->blocks_of_graphs_, attr);
    return true;
  }
  return false;
}

std::string_view OnnxBlock::TypeOf(int i) const {
  return LastBytes(nodes_[i], onnx::Node::kOpType);
}

std::string_view OnnxBlock::NameOf(int i) const {
  return program_->descriptions_[variables_[i].offset].name;
}

int OnnxBlock::IndexOf(std::string_view name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? -1 : found->second;
}

int64_t OnnxBlock::DomainVersion(std::string_view domain) const {
  return VersionIn(*imports_, domain);
}

int OnnxProgram::FunctionOf(const ForeignOperator& op) const {
  if (functions_.empty()) return -1;
  const auto found =
      functions_.find(FunctionKey(op.domain, op.type, op.overload));
  return found == functions_.end() ? -1 : found->second;
}

std::vector<OperatorVersion> OnnxProgram::operator_versions() const {
  std::vector<OperatorVersion> versions;
  for (const auto& [domain, version] : imports_[0]) {
    versions.push_back({std::string(domain), static_cast<int32_t>(version)});
  }
  return versions;
}

absl::StatusOr<TensorSpec> OnnxProgram::SpecOf(
    const VariableFacts& facts) const {
  const Description& described = descriptions_[facts.offset];
  if (described.sparse) {
    SY_ASSIGN_OR_RETURN(const OnnxSparseTensor tensor,
                        ReadSparseTensor(described.tensor));
    return tensor.spec;
  }
  if (!described.tensor.empty()) {
    SY_ASSIGN_OR_RETURN(const OnnxTensor tensor,
                        ReadOnnxTensor(described.tensor));
    return tensor.spec;
  }
  return SpecOfType(described.name, described.type);
}

OnnxProgram::ElementRank OnnxProgram::ElementRankOf(
    const VariableFacts& facts) const {
  const std::string_view element = ElementOf(descriptions_[facts.offset].type);
  if (element.empty()) return ElementRank::kSaid;
  bool shaped = false;
  WireScan fields(element);
  while (fields.Next()) {
    if (fields.number() != onnx::TensorType::kShape) continue;
    if (!fields.bytes().empty()) return ElementRank::kSaid;
    shaped = true;
  }
  return shaped ? ElementRank::kNoAxes : ElementRank::kUnsaid;
}

absl::StatusOr<TensorSpec> OnnxProgram::SpecOf(const VariableFacts& facts,
                                               int rank) const {
  const Description& described = descriptions_[facts.offset];
  const std::string_view element = ElementOf(described.type);
  absl::StatusOr<DataType> dtype =
      DataTypeOfOnnx(LastInteger(element, onnx::TensorType::kElement, 0));
  if (!dtype.ok()) return SpecOf(facts);
  if (*dtype == DataType::kString) return SpecOf(facts);
  TensorSpec spec;
  spec.dtype = *dtype;
  spec.kind = TensorKind::kTensorArray;
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(Dim::Unknown());
  spec.shape = ArrayShape(Dim::Unknown(), shape);
  return spec;
}

absl::StatusOr<TensorSpec> OnnxBlock::OutputSpec(size_t i) const {
  if (i >= output_types_.size()) {
    return ArgumentError("outputs", absl::StrCat("more than ", i),
                         absl::StrCat(outputs_.size()));
  }
  return program_->SpecOfType(outputs_[i], output_types_[i]);
}

absl::StatusOr<TensorSpec> OnnxProgram::SpecOfType(
    std::string_view name, std::string_view message) const {
  message = HeldType(message);
  const std::string_view sequence = LastBytes(message, onnx::Type::kSequence);
  if (!sequence.empty()) {
    message = LastBytes(sequence, onnx::TensorType::kElement);
  }
  const std::string_view type = LastBytes(message, onnx::Type::kTensor);
  if (type.empty()) {
    return Nothing(name, "described as a tensor or a sequence of tensors",
                   "another type");
  }
  SY_ASSIGN_OR_RETURN(TensorSpec spec, SpecOfTensor(name, type));
  const bool texts = spec.dtype == DataType::kString;
  if (texts) spec.kind = TensorKind::kStrings;
  if (sequence.empty()) return spec;
  if (texts) return Nothing(name, "a sequence of numbers", "one of texts");
  if (spec.shape.rank() == kMaxRank) {
    return Nothing(name, "a sequence of tensors of at most 8 axes", "more");
  }
  spec.kind = TensorKind::kTensorArray;
  spec.shape = ArrayShape(Dim::Unknown(), spec.shape);
  return spec;
}

absl::StatusOr<TensorSpec> OnnxProgram::SpecOfTensor(
    std::string_view name, std::string_view type) const {
  TensorSpec spec;
  absl::StatusOr<DataType> dtype =
      DataTypeOfOnnx(LastInteger(type, onnx::TensorType::kElement, 0));
  if (!dtype.ok()) {
    return Annotate(dtype.status(),
                    absl::StrCat("variable '", std::string(name), "'"));
  }
  spec.dtype = *dtype;
  bool shaped = false;
  std::string_view shape;
  WireScan fields(type);
  while (fields.Next()) {
    if (fields.number() != onnx::TensorType::kShape) continue;
    shaped = true;
    shape = fields.bytes();
  }
  if (!shaped) {
    return Nothing(name, "described with a shape", "none");
  }
  WireScan dims(shape);
  while (dims.Next()) {
    if (dims.number() != onnx::ShapeField::kDim) continue;
    if (spec.shape.rank() == kMaxRank) {
      return Nothing(name, "of at most 9 axes", "more");
    }
    const int64_t extent =
        LastInteger(dims.bytes(), onnx::Dimension::kValue, -1);
    const auto symbol =
        symbols_.find(LastBytes(dims.bytes(), onnx::Dimension::kSymbol));
    // Some writers have -1 for an extent that isn't known.
    spec.shape.push_back(extent >= 0 ? Dim(extent)
                         : symbol != symbols_.end()
                             ? Dim::Symbol(symbol->second)
                             : Dim::Unknown());
  }
  return spec;
}

absl::StatusOr<DenseTensor> OnnxProgram::TensorOf(
    const VariableFacts& facts) const {
  const Description& described = descriptions_[facts.offset];
  absl::StatusOr<DenseTensor> made = Made(described.tensor, described.sparse);
  if (made.ok()) return made;
  return Annotate(made.status(),
                  absl::StrCat("tensor '", std::string(described.name), "'"));
}

bool OnnxProgram::Holds(const VariableFacts& facts,
                        const ForeignAttr& attr) const {
  const std::string_view tensor = descriptions_[facts.offset].tensor;
  return !tensor.empty() && tensor.data() == attr.in_file.data();
}

absl::StatusOr<DenseTensor> OnnxProgram::TensorOf(
    const ForeignAttr& attr) const {
  return Made(attr.in_file, attr.written_kind == onnx::AttributeType::kSparse);
}

absl::StatusOr<DenseTensor> OnnxProgram::Made(std::string_view message,
                                              bool sparse) const {
  if (sparse) {
    SY_ASSIGN_OR_RETURN(const OnnxSparseTensor tensor,
                        ReadSparseTensor(message));
    return MakeDenseTensor(tensor, &files_);
  }
  SY_ASSIGN_OR_RETURN(const OnnxTensor tensor, ReadOnnxTensor(message));
  return MakeDenseTensor(tensor, owner_, &files_);
}

bool OnnxProgram::HoldsTexts(const ForeignAttr& attr) const {
  if (attr.written_kind == onnx::AttributeType::kSparse) return false;
  const absl::StatusOr<OnnxTensor> tensor = ReadOnnxTensor(attr.in_file);
  return tensor.ok() && tensor->spec.dtype == DataType::kString;
}

absl::StatusOr<OnnxTexts> OnnxProgram::TextsOf(
    const VariableFacts& facts) const {
  const Description& described = descriptions_[facts.offset];
  absl::StatusOr<OnnxTexts> texts = TextsIn(described.tensor);
  if (texts.ok()) return texts;
  return Annotate(texts.status(),
                  absl::StrCat("tensor '", std::string(described.name), "'"));
}

absl::StatusOr<OnnxTexts> OnnxProgram::TextsOf(const ForeignAttr& attr) const {
  return TextsIn(attr.in_file);
}

}  // namespace switchyard::static_graph
