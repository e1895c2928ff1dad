// SPDX-License-Identifier: Apache-2.0
// Reads a program once and checks it: ParseProgramDesc of
// static_graph/foreign/paddle_desc/parsed_program.h.
#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/types/lod_levels.h"
#include "static_graph/foreign/load_budget.h"
#include "static_graph/foreign/paddle_desc/call_stacks.h"
#include "static_graph/foreign/paddle_desc/message_size.h"
#include "static_graph/foreign/paddle_desc/parsed_program.h"
#include "static_graph/foreign/paddle_desc/wire_fields.h"

namespace switchyard::static_graph {
namespace {

using google::protobuf::MessageLite;
using translate::OpDesc;
using translate::VarDesc;

// Versions are written as major * 10^6 + minor * 10^3 + patch. The operators'
// legacy forms are those of major versions to 3.
constexpr int64_t kEndOfVersions = 4'000'000;

// More blocks than any program has.
constexpr size_t kMaxBlocks = 1 << 14;
// More than the table of any release takes, which is some 4 KiB.
constexpr size_t kLargestVersions = 1 << 15;
// More than the description of any variable takes.
constexpr size_t kLargestVariable = 1 << 14;
// An operator of fewer bytes than this is small as a message, whatever it
// holds.
constexpr size_t kSmallOperator = 1 << 14;
// An operator may take this, and the size of the program.
constexpr size_t kLargestOperator = 32 << 20;
// A block takes this, and each of its variables in the table of their names.
constexpr size_t kBlock = 256;
constexpr size_t kNumbers = 4 * sizeof(uint32_t);

bool Parse(std::string_view bytes, MessageLite* message) {
  return message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

absl::Status CheckOperator(const OpDesc& op) {
  if (op.type().empty()) {
    return ArgumentError("operator", "of some type", "none");
  }
  for (const auto* slots : {&op.inputs(), &op.outputs()}) {
    for (const OpDesc::Var& slot : *slots) {
      if (slot.parameter().empty()) {
        return ArgumentError(absl::StrCat("slots of ", op.type()), "named",
                             "no name");
      }
    }
  }
  for (const OpDesc::Attr& attr : op.attrs()) {
    if (attr.name().empty() || !attr.has_type()) {
      return ArgumentError(absl::StrCat("attributes of ", op.type()),
                           "named and of some type",
                           absl::StrCat("'", attr.name(), "'"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckVariable(const VarDesc& variable) {
  if (variable.name().empty()) {
    return ArgumentError("variable", "named", "no name");
  }
  if (variable.type().has_type()) return absl::OkStatus();
  return ArgumentError(absl::StrCat("variable '", variable.name(), "'"),
                       "of some type", "none");
}

uint8_t InByte(int64_t number, int most) {
  return static_cast<uint8_t>(std::clamp<int64_t>(number, 0, most));
}

VariableFacts FactsOf(const VarDesc& variable) {
  VariableFacts facts;
  facts.kind = KindOf(variable);
  facts.lod_levels =
      InByte(variable.type().dense_tensor().lod_level(), kMaxLodLevels + 1);
  facts.dense = facts.Is(VariableKind::kDenseTensor) &&
                variable.type().has_dense_tensor();
  facts.persistable = variable.persistable();
  return facts;
}

}  // namespace

// Reads a program once and checks it.
class ProgramParser {
 public:
  explicit ProgramParser(ParsedProgram* program) : program_(*program) {}

  static std::unique_ptr<ParsedProgram> Keep(std::string bytes) {
    return std::unique_ptr<ParsedProgram>(new ParsedProgram(std::move(bytes)));
  }
  absl::Status Run();

 private:
  absl::Status Malformed() const;
  uint32_t OffsetOf(const char* length) const {
    return static_cast<uint32_t>(length - program_.bytes_.data());
  }
  absl::Status Reserve(std::string_view bytes, ParsedBlock* block);
  absl::Status AddBlock(std::string_view bytes);
  absl::Status AddVariable(const WireFields& field, ParsedBlock* block);
  absl::Status AddOperator(const WireFields& field, ParsedBlock* block);
  absl::Status AddVersions(std::string_view bytes);

  ParsedProgram& program_;
  size_t size_of_versions_ = 0;
  // Each is used again for the next.
  OpDesc op_;
  VarDesc variable_;
};

absl::Status ProgramParser::Malformed() const {
  return absl::InvalidArgumentError(absl::StrCat(
      program_.bytes_.size(), " bytes are not a program description"));
}

absl::Status ProgramParser::AddVariable(const WireFields& field,
                                        ParsedBlock* block) {
  const std::string_view bytes = field.bytes();
  if (bytes.size() > kLargestVariable) {
    return ArgumentError(
        absl::StrCat("variable ", block->vars_size()),
        absl::StrCat("described in at most ", kLargestVariable, " bytes"),
        absl::StrCat(bytes.size()));
  }
  if (!Parse(bytes, &variable_)) return Malformed();
  SY_RETURN_IF_ERROR(CheckVariable(variable_));
  VariableFacts facts = FactsOf(variable_);
  const char* name = nullptr;
  LastText(bytes, VarDesc::kNameFieldNumber, &name);
  facts.offset = OffsetOf(field.length());
  facts.name = OffsetOf(name);
  if (block->AddVariable(facts)) return absl::OkStatus();
  return ArgumentError("variable", "described once",
                       absl::StrCat("'", variable_.name(), "' twice"));
}

absl::Status ProgramParser::AddOperator(const WireFields& field,
                                        ParsedBlock* block) {
  const std::string_view bytes = field.bytes();
  if (bytes.size() > kSmallOperator) {
    const size_t most = program_.bytes_.size() + kLargestOperator;
    const size_t size = OperatorSize(bytes);
    if (size > most) {
      return ArgumentError(
          absl::StrCat("block ", program_.blocks_.size() - 1, ", operator ",
                       block->ops_size()),
          absl::StrCat("of at most ", most, " bytes in memory"),
          absl::StrCat(size));
    }
  }
  const uint32_t offset = OffsetOf(field.length());
  std::string rest;
  const std::string_view read = WithoutCallStack(bytes, &rest);
  if (!Parse(read, &op_)) return Malformed();
  SY_RETURN_IF_ERROR(CheckOperator(op_));
  if (read.size() < bytes.size()) program_.ShortenMessageAt(offset, read);
  const std::string_view type =
      LastText(program_.MessageAt(offset), OpDesc::kTypeFieldNumber);
  block->operators_.push_back({offset, program_.NumberOfType(type)});
  return CheckLoaded(program_.file_size(), program_.held());
}

// Makes room for what the block has: lists that grow are held twice meanwhile.
absl::Status ProgramParser::Reserve(std::string_view bytes,
                                    ParsedBlock* block) {
  size_t operators = 0, variables = 0;
  WireFields fields(bytes);
  while (fields.Next()) {
    if (fields.number() == translate::BlockDesc::kVarsFieldNumber) ++variables;
    if (fields.number() == translate::BlockDesc::kOpsFieldNumber) ++operators;
  }
  program_.lists_ += kBlock + operators * sizeof(ParsedBlock::Operator) +
                     variables * (sizeof(VariableFacts) + kNumbers);
  SY_RETURN_IF_ERROR(CheckLoaded(program_.file_size(), program_.held()));
  block->operators_.reserve(operators);
  block->variables_.reserve(variables);
  return absl::OkStatus();
}

absl::Status ProgramParser::AddBlock(std::string_view bytes) {
  const auto position = static_cast<int32_t>(program_.blocks_.size());
  if (static_cast<size_t>(position) == kMaxBlocks) {
    return ArgumentError("blocks", absl::StrCat("at most ", kMaxBlocks),
                         "more");
  }
  ParsedBlock& block = program_.blocks_.emplace_back(&program_);
  SY_RETURN_IF_ERROR(Reserve(bytes, &block));
  int32_t index = 0, parent = 0;
  WireFields fields(bytes);
  while (fields.Next()) {
    const auto number = static_cast<int32_t>(fields.varint());
    const int field = fields.number();
    if (fields.IsVarint()) {
      if (field == translate::BlockDesc::kIdxFieldNumber) index = number;
      if (field == translate::BlockDesc::kParentIdxFieldNumber) parent = number;
      if (field == translate::BlockDesc::kForwardBlockIdxFieldNumber) {
        block.forward_ = number;
      }
    } else if (fields.IsBytes() &&
               field == translate::BlockDesc::kVarsFieldNumber) {
      SY_RETURN_IF_ERROR(AddVariable(fields, &block));
    } else if (fields.IsBytes() &&
               field == translate::BlockDesc::kOpsFieldNumber) {
      SY_RETURN_IF_ERROR(AddOperator(fields, &block));
    }
  }
  if (!fields.sound()) return Malformed();
  const bool in_order =
      position == 0 ? parent == -1 : parent >= 0 && parent < position;
  if (index != position || !in_order) {
    return ArgumentError("blocks", "numbered in order, each after its parent",
                         absl::StrCat("number ", index, " with the parent ",
                                      parent, " at position ", position));
  }
  return absl::OkStatus();
}

// Merges the tables, if there are several, as protobuf does.
absl::Status ProgramParser::AddVersions(std::string_view bytes) {
  size_of_versions_ += bytes.size();
  if (size_of_versions_ > kLargestVersions) {
    return ArgumentError("versions of operators",
                         absl::StrCat("at most ", kLargestVersions, " bytes"),
                         absl::StrCat(size_of_versions_));
  }
  translate::OpVersionMap versions;
  if (!Parse(bytes, &versions)) return Malformed();
  program_.versions_.MergeFrom(versions);
  return absl::OkStatus();
}

absl::Status ProgramParser::Run() {
  WireFields fields(program_.bytes_);
  while (fields.Next()) {
    if (!fields.IsBytes()) continue;
    switch (fields.number()) {
      case translate::ProgramDesc::kBlocksFieldNumber:
        SY_RETURN_IF_ERROR(AddBlock(fields.bytes()));
        break;
      case translate::ProgramDesc::kVersionFieldNumber: {
        translate::Version version;
        if (!Parse(fields.bytes(), &version)) return Malformed();
        program_.version_.MergeFrom(version);
        break;
      }
      case translate::ProgramDesc::kOpVersionMapFieldNumber:
        SY_RETURN_IF_ERROR(AddVersions(fields.bytes()));
        break;
      default:
        break;
    }
  }
  if (!fields.sound()) return Malformed();
  if (program_.blocks_.empty()) {
    return ArgumentError("program", "of at least one block", "none");
  }
  const int64_t version = program_.version();
  if (version < 0 || version >= kEndOfVersions) {
    return ArgumentError("version of the program",
                         absl::StrCat("in [0, ", kEndOfVersions, ")"),
                         absl::StrCat(version));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<const ParsedProgram>> ParseProgramDesc(
    std::string bytes) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return absl::InvalidArgumentError(
        absl::StrCat(bytes.size(), " bytes are not a program description"));
  }
  std::unique_ptr<ParsedProgram> program =
      ProgramParser::Keep(std::move(bytes));
  SY_RETURN_IF_ERROR(ProgramParser(program.get()).Run());
  return std::unique_ptr<const ParsedProgram>(std::move(program));
}

}  // namespace switchyard::static_graph
