// SPDX-License-Identifier: Apache-2.0
// Reads the structure of a model once and checks it: ReadOnnxFile and
// ReadOnnxBytes of static_graph/foreign/onnx/onnx_program.h.
#include <algorithm>
#include <filesystem>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "static_graph/foreign/load_budget.h"
#include "static_graph/foreign/onnx/decode_node.h"
#include "static_graph/foreign/onnx/onnx_fields.h"
#include "static_graph/foreign/onnx/onnx_program.h"
#include "static_graph/foreign/onnx/sparse_tensor.h"
#include "static_graph/foreign/onnx/wire_scan.h"

namespace switchyard::static_graph {
namespace {

// The greatest number of graphs that are one inside another.
constexpr int kMaxGraphDepth = 32;
// About what a block takes, a variable with its name in a table, and an entry
// of another table.
constexpr size_t kBlock = 512;
constexpr size_t kVariable = 160;
constexpr size_t kEntry = 96;

absl::Status NotAModel(const char* what) {
  return absl::InvalidArgumentError(absl::StrCat(
      "its bytes are not an ONNX model: ", what, " is cut off or damaged"));
}

bool IsSymbol(std::string_view name) {
  return !name.empty() &&
         (absl::ascii_isalpha(static_cast<unsigned char>(name.front())) ||
          name.front() == '_');
}

}  // namespace

// Reads a model once.
class OnnxParser {
 public:
  explicit OnnxParser(OnnxProgram* program) : program_(*program) {}

  static std::unique_ptr<OnnxProgram> Keep(std::shared_ptr<const void> owner,
                                           std::string_view bytes,
                                           std::string folder) {
    std::unique_ptr<OnnxProgram> program(new OnnxProgram());
    program->owner_ = std::move(owner);
    program->bytes_ = bytes;
    program->files_ = ExternalFiles(std::move(folder));
    return program;
  }
  absl::Status Run();

 private:
  absl::Status Hold(size_t bytes) {
    program_.held_ += bytes;
    return CheckLoaded(program_.file_size(), program_.held_);
  }
  absl::Status AddImport(std::string_view message, OpsetImports* imports);
  absl::Status AddGraph(std::string_view message, const OpsetImports* imports,
                        int depth);
  absl::Status AddFunction(std::string_view message);
  absl::Status AddNode(std::string_view message, int block, int depth);
  absl::Status AddAttribute(std::string_view message, int block, int depth);
  absl::Status AddInput(std::string_view message, OnnxBlock* block);
  absl::Status AddTensor(std::string_view message, OnnxBlock* block);
  absl::Status AddSparse(std::string_view message, OnnxBlock* block);
  absl::Status AddWeight(std::string_view name, std::string_view tensor,
                         OnnxBlock* block, bool sparse = false);
  absl::Status AddConstant(std::string_view node, OnnxBlock* block);
  absl::Status AddSymbols(std::string_view type);
  absl::Status AddVariable(std::string_view name, VariableFacts facts,
                           OnnxProgram::Description described,
                           OnnxBlock* block);

  OnnxProgram& program_;
};

absl::Status OnnxParser::AddImport(std::string_view message,
                                   OpsetImports* imports) {
  SY_RETURN_IF_ERROR(Hold(sizeof(OpsetImports::value_type)));
  imports->emplace_back(LastBytes(message, onnx::OperatorSetId::kDomain),
                        LastInteger(message, onnx::OperatorSetId::kVersion, 0));
  return absl::OkStatus();
}

absl::Status OnnxParser::Run() {
  std::string_view graph;
  bool has_graph = false;
  std::vector<std::string_view> functions;
  OpsetImports& imports = program_.imports_.emplace_back();
  WireScan fields(program_.bytes_);
  while (fields.Next()) {
    switch (fields.number()) {
      case onnx::Model::kIrVersion:
        program_.ir_version_ = fields.integer();
        break;
      case onnx::Model::kGraph:
        graph = fields.bytes();
        has_graph = true;
        break;
      case onnx::Model::kOpsetImport:
        SY_RETURN_IF_ERROR(AddImport(fields.bytes(), &imports));
        break;
      case onnx::Model::kFunctions:
        SY_RETURN_IF_ERROR(Hold(sizeof(std::string_view)));
        functions.push_back(fields.bytes());
        break;
      default:
        break;
    }
  }
  if (!fields.sound()) return NotAModel("the model");
  const int64_t version = program_.ir_version_;
  if (version < kOldestOnnxIr || version > kNewestOnnxIr) {
    return absl::UnimplementedError(
        absl::StrCat("ir_version must be in [", kOldestOnnxIr, ", ",
                     kNewestOnnxIr, "], got ", version));
  }
  if (!has_graph) return ArgumentError("model", "one with a graph", "none");
  SY_RETURN_IF_ERROR(AddGraph(graph, &imports, 0));
  for (const std::string_view function : functions) {
    SY_RETURN_IF_ERROR(AddFunction(function));
  }
  return absl::OkStatus();
}

absl::Status OnnxParser::AddSymbols(std::string_view type) {
  const std::string_view tensor = LastBytes(type, onnx::Type::kTensor);
  WireScan dims(LastBytes(tensor, onnx::TensorType::kShape));
  while (dims.Next()) {
    if (dims.number() != onnx::ShapeField::kDim) continue;
    const std::string_view name =
        LastBytes(dims.bytes(), onnx::Dimension::kSymbol);
    // Some writers have "?" or "-1" for extents that may differ.
    if (!IsSymbol(name)) continue;
    SY_RETURN_IF_ERROR(Hold(kEntry));
    program_.symbols_.emplace(name,
                              static_cast<uint32_t>(program_.symbols_.size()));
  }
  return absl::OkStatus();
}

absl::Status OnnxParser::AddVariable(std::string_view name, VariableFacts facts,
                                     OnnxProgram::Description described,
                                     OnnxBlock* block) {
  SY_RETURN_IF_ERROR(Hold(kVariable));
  if (program_.descriptions_.size() >= std::numeric_limits<uint32_t>::max()) {
    return ArgumentError("variables", "fewer than 2^32", "more");
  }
  facts.offset = static_cast<uint32_t>(program_.descriptions_.size());
  program_.descriptions_.push_back(described);
  if (!block->numbers_.emplace(name, block->vars_size()).second) {
    return ArgumentError("variable", "described once",
                         absl::StrCat("'", std::string(name), "' twice"));
  }
  block->variables_.push_back(facts);
  return absl::OkStatus();
}

absl::Status OnnxParser::AddInput(std::string_view message, OnnxBlock* block) {
  const std::string_view name = LastBytes(message, onnx::ValueInfo::kName);
  const std::string_view type = LastBytes(message, onnx::ValueInfo::kType);
  if (name.empty()) return ArgumentError("input", "named", "no name");
  SY_RETURN_IF_ERROR(Hold(sizeof(std::string_view)));
  // A tensor of the block that is an input, too, is its default.
  if (block->IndexOf(name) >= 0) return absl::OkStatus();
  SY_RETURN_IF_ERROR(AddSymbols(type));
  block->inputs_.push_back(name);
  VariableFacts facts;
  const std::string_view held = LastBytes(
      LastBytes(type, onnx::Type::kOptional), onnx::TensorType::kElement);
  facts.kind =
      LastBytes(held.empty() ? type : held, onnx::Type::kSequence).empty()
          ? VariableKind::kDenseTensor
          : VariableKind::kTensorArray;
  facts.dense = facts.Is(VariableKind::kDenseTensor);
  return AddVariable(name, facts, {name, type, {}}, block);
}

absl::Status OnnxParser::AddWeight(std::string_view name,
                                   std::string_view tensor, OnnxBlock* block,
                                   bool sparse) {
  VariableFacts facts;
  facts.kind = VariableKind::kDenseTensor;
  facts.dense = true;
  facts.persistable = true;
  SY_RETURN_IF_ERROR(Hold(sizeof(int)));
  block->tensors_.push_back(block->vars_size());
  return AddVariable(name, facts, {name, {}, tensor, sparse}, block);
}

// All of its elements will be held, and not only those of the file.
absl::Status OnnxParser::AddSparse(std::string_view message, OnnxBlock* block) {
  absl::StatusOr<OnnxSparseTensor> tensor = ReadSparseTensor(message);
  if (!tensor.ok()) return Annotate(tensor.status(), "sparse initializer");
  const std::string_view name = tensor->values.name;
  if (name.empty()) return ArgumentError("initializer", "named", "no name");
  SY_RETURN_IF_ERROR(Hold(static_cast<size_t>(tensor->byte_size)));
  return AddWeight(name, message, block, true);
}

absl::Status OnnxParser::AddTensor(std::string_view message, OnnxBlock* block) {
  const std::string_view name = LastBytes(message, onnx::Tensor::kName);
  if (name.empty()) return ArgumentError("initializer", "named", "no name");
  return AddWeight(name, message, block);
}

// Some writers have weights in Constants: several numbers that may be trained.
absl::Status OnnxParser::AddConstant(std::string_view node, OnnxBlock* block) {
  if (LastBytes(node, onnx::Node::kOpType) != "Constant" ||
      !PlainDomain(LastBytes(node, onnx::Node::kDomain)).empty()) {
    return absl::OkStatus();
  }
  std::string_view tensor;
  WireScan fields(node);
  while (fields.Next()) {
    if (fields.number() == onnx::Node::kAttribute && fields.IsBytes() &&
        LastBytes(fields.bytes(), onnx::AttributeField::kName) == "value") {
      tensor = LastBytes(fields.bytes(), onnx::AttributeField::kTensor);
    }
  }
  const std::string_view name = LastBytes(node, onnx::Node::kOutput);
  if (tensor.empty() || name.empty()) return absl::OkStatus();
  const absl::StatusOr<OnnxTensor> read = ReadOnnxTensor(tensor);
  if (!read.ok() || !IsFloating(read->spec.dtype)) return absl::OkStatus();
  const absl::StatusOr<int64_t> count = read->spec.shape.NumElements();
  if (!count.ok() || *count < 2) return absl::OkStatus();
  return AddWeight(name, tensor, block);
}

absl::Status OnnxParser::AddAttribute(std::string_view message, int block,
                                      int depth) {
  WireScan fields(message);
  while (fields.Next()) {
    if (!fields.IsBytes()) continue;
    if (fields.number() == onnx::AttributeField::kSparse) {
      SY_ASSIGN_OR_RETURN(const OnnxSparseTensor tensor,
                          ReadSparseTensor(fields.bytes()));
      SY_RETURN_IF_ERROR(Hold(static_cast<size_t>(tensor.byte_size)));
    }
    if (fields.number() != onnx::AttributeField::kGraph) continue;
    const std::string_view graph = fields.bytes();
    SY_RETURN_IF_ERROR(Hold(kEntry));
    program_.blocks_of_graphs_[graph.data()] = program_.blocks_size();
    SY_RETURN_IF_ERROR(
        AddGraph(graph, program_.blocks_[block].imports_, depth + 1));
  }
  return fields.sound() ? absl::OkStatus() : NotAModel("an attribute");
}

absl::Status OnnxParser::AddNode(std::string_view message, int block,
                                 int depth) {
  SY_RETURN_IF_ERROR(Hold(sizeof(std::string_view)));
  OnnxBlock& nodes = program_.blocks_[block];
  const int index = nodes.ops_size();
  nodes.nodes_.push_back(message);
  bool typed = false;
  WireScan fields(message);
  while (fields.Next()) {
    typed |= fields.number() == onnx::Node::kOpType && !fields.bytes().empty();
    if (fields.number() != onnx::Node::kAttribute) continue;
    SY_RETURN_IF_ERROR(AddAttribute(fields.bytes(), block, depth));
  }
  if (!fields.sound()) return NotAModel("a node");
  if (typed) {
    return block == 0 ? AddConstant(message, &nodes) : absl::OkStatus();
  }
  return ArgumentError(absl::StrCat("block ", block, ", node ", index),
                       "of some type", "none");
}

absl::Status OnnxParser::AddGraph(std::string_view message,
                                  const OpsetImports* imports, int depth) {
  if (depth >= kMaxGraphDepth) {
    return ArgumentError(
        "graphs", absl::StrCat("nested at most ", kMaxGraphDepth, " deep"),
        "more");
  }
  SY_RETURN_IF_ERROR(Hold(kBlock));
  const int number = program_.blocks_size();
  OnnxBlock& block = program_.blocks_.emplace_back(&program_);
  block.imports_ = imports;
  // Tensors first: an input that is one, too, has it for its default.
  WireScan tensors(message);
  while (tensors.Next()) {
    if (tensors.number() == onnx::Graph::kInitializer) {
      SY_RETURN_IF_ERROR(AddTensor(tensors.bytes(), &block));
    } else if (tensors.number() == onnx::Graph::kSparseInitializer) {
      SY_RETURN_IF_ERROR(AddSparse(tensors.bytes(), &block));
    }
  }
  if (!tensors.sound()) return NotAModel("a graph");
  WireScan fields(message);
  while (fields.Next()) {
    switch (fields.number()) {
      case onnx::Graph::kInput:
        SY_RETURN_IF_ERROR(AddInput(fields.bytes(), &block));
        break;
      case onnx::Graph::kOutput:
        SY_RETURN_IF_ERROR(Hold(2 * sizeof(std::string_view)));
        block.outputs_.push_back(
            LastBytes(fields.bytes(), onnx::ValueInfo::kName));
        block.output_types_.push_back(
            LastBytes(fields.bytes(), onnx::ValueInfo::kType));
        break;
      case onnx::Graph::kNode:
        SY_RETURN_IF_ERROR(AddNode(fields.bytes(), number, depth));
        break;
      default:
        break;
    }
  }
  return absl::OkStatus();
}

absl::Status OnnxParser::AddFunction(std::string_view message) {
  SY_RETURN_IF_ERROR(Hold(kBlock + kEntry));
  const int number = program_.blocks_size();
  OnnxBlock& block = program_.blocks_.emplace_back(&program_);
  OpsetImports& imports = program_.imports_.emplace_back();
  block.imports_ = &imports;
  WireScan fields(message);
  while (fields.Next()) {
    switch (fields.number()) {
      case onnx::Function::kInput:
        block.inputs_.push_back(fields.bytes());
        break;
      case onnx::Function::kOutput:
        block.outputs_.push_back(fields.bytes());
        break;
      case onnx::Function::kOpsetImport:
        SY_RETURN_IF_ERROR(AddImport(fields.bytes(), &imports));
        break;
      case onnx::Function::kAttributeProto:
        block.defaults_.push_back(fields.bytes());
        break;
      case onnx::Function::kNode:
        SY_RETURN_IF_ERROR(AddNode(fields.bytes(), number, 0));
        continue;
      default:
        continue;
    }
    SY_RETURN_IF_ERROR(Hold(sizeof(std::string_view)));
  }
  if (!fields.sound()) return NotAModel("a function");
  program_
      .functions_[FunctionKey(LastBytes(message, onnx::Function::kDomain),
                              LastBytes(message, onnx::Function::kName),
                              LastBytes(message, onnx::Function::kOverload))] =
      number;
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<const OnnxProgram>> ReadOnnxFile(
    const std::string& path) {
  SY_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file,
                      MappedFile::Open(path));
  const std::filesystem::path folder =
      std::filesystem::path(path).parent_path();
  std::unique_ptr<OnnxProgram> program = OnnxParser::Keep(
      file, file->bytes(), folder.empty() ? "." : folder.string());
  SY_RETURN_IF_ERROR(OnnxParser(program.get()).Run());
  return program;
}

absl::StatusOr<std::unique_ptr<const OnnxProgram>> ReadOnnxBytes(
    std::string bytes) {
  const auto owner = std::make_shared<const std::string>(std::move(bytes));
  std::unique_ptr<OnnxProgram> program = OnnxParser::Keep(owner, *owner, "");
  SY_RETURN_IF_ERROR(OnnxParser(program.get()).Run());
  return program;
}

}  // namespace switchyard::static_graph
