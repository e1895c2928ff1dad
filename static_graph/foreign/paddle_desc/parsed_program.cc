// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_desc/parsed_program.h"

#include <limits>

#include "framework/base/hash_map.h"
#include "google/protobuf/io/coded_stream.h"
#include "static_graph/foreign/load_budget.h"
#include "static_graph/foreign/paddle_desc/decode_operator.h"
#include "static_graph/foreign/paddle_desc/wire_fields.h"

namespace switchyard::static_graph {
namespace {

using google::protobuf::io::CodedOutputStream;
using translate::OpDesc;

}  // namespace

std::vector<OperatorVersion> ParsedProgram::operator_versions() const {
  std::vector<OperatorVersion> versions;
  for (const auto& pair : versions_.pair()) {
    versions.push_back({pair.op_name(), pair.op_version().version()});
  }
  return versions;
}

absl::StatusOr<TensorSpec> ParsedProgram::SpecOf(
    const VariableFacts& facts) const {
  translate::VarDesc variable;
  const std::string_view bytes = MessageAt(facts.offset);
  // It was parsed before.
  const bool parsed =
      variable.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  static_cast<void>(parsed);
  return SpecOfVariable(variable);
}

uint16_t ParsedProgram::NumberOfType(std::string_view type) {
  const auto found = numbers_.find(type);
  if (found != numbers_.end()) return found->second;
  if (types_.size() > std::numeric_limits<uint16_t>::max()) return 0;
  const auto number = static_cast<uint16_t>(types_.size());
  types_.push_back(type);
  numbers_.emplace(type, number);
  lists_ += LoadBudget::SizeOfEntry({});
  return number;
}

std::string_view ParsedProgram::MessageAt(uint32_t offset) const {
  // A varint, which the parser has read before: seven bits a byte, low ones
  // first.
  constexpr unsigned kBits = 7;
  constexpr unsigned kMore = 1u << kBits;
  uint32_t size = 0;
  for (unsigned shift = 0;; shift += kBits) {
    const auto byte = static_cast<unsigned char>(bytes_[offset++]);
    if (shift < std::numeric_limits<uint32_t>::digits) {
      size |= (byte & (kMore - 1)) << shift;
    }
    if ((byte & kMore) == 0) break;
  }
  return std::string_view(bytes_).substr(offset, size);
}

void ParsedProgram::ShortenMessageAt(uint32_t offset,
                                     std::string_view message) {
  uint8_t* const begin = CodedOutputStream::WriteVarint32ToArray(
      static_cast<uint32_t>(message.size()),
      reinterpret_cast<uint8_t*>(bytes_.data() + offset));
  message.copy(reinterpret_cast<char*>(begin), message.size());
}

const ForeignProgram& ParsedBlock::program() const { return *program_; }

std::string_view ParsedBlock::OperatorBytes(int i) const {
  return program_->MessageAt(operators_[i].offset);
}

std::string_view ParsedBlock::VariableBytes(int i) const {
  return program_->MessageAt(variables_[i].offset);
}

void ParsedBlock::Read(int i, ForeignOperator* op) const {
  DecodeOperator(OperatorBytes(i), op);
}

std::string_view ParsedBlock::TypeOf(int i) const {
  const uint16_t type = operators_[i].type;
  if (type != 0) return program_->types_[type];
  return LastText(OperatorBytes(i), OpDesc::kTypeFieldNumber);
}

std::string_view ParsedBlock::NameOf(int i) const {
  return program_->MessageAt(variables_[i].name);
}

size_t ParsedBlock::PlaceOf(std::string_view name) const {
  const size_t mask = numbers_.size() - 1;  // The size is a power of two.
  size_t place = DefaultHash<std::string_view>()(name) & mask;
  while (numbers_[place] != 0 &&
         NameOf(static_cast<int>(numbers_[place]) - 1) != name) {
    place = (place + 1) & mask;
  }
  return place;
}

int ParsedBlock::IndexOf(std::string_view name) const {
  if (numbers_.empty()) return -1;
  return static_cast<int>(numbers_[PlaceOf(name)]) - 1;
}

void ParsedBlock::GrowNumbers() {
  constexpr size_t kFirst = 16;
  std::vector<uint32_t>().swap(numbers_);
  size_t size = kFirst;
  while (size < 2 * variables_.size()) size *= 2;
  numbers_.resize(size);
  for (size_t i = 0; i < variables_.size(); ++i) {
    numbers_[PlaceOf(NameOf(static_cast<int>(i)))] =
        static_cast<uint32_t>(i) + 1;
  }
}

bool ParsedBlock::AddVariable(const VariableFacts& facts) {
  // At most three in four places are taken.
  if (4 * (variables_.size() + 1) > 3 * numbers_.size()) GrowNumbers();
  uint32_t& number = numbers_[PlaceOf(program_->MessageAt(facts.name))];
  if (number != 0) return false;
  variables_.push_back(facts);
  number = static_cast<uint32_t>(variables_.size());
  return true;
}

}  // namespace switchyard::static_graph
