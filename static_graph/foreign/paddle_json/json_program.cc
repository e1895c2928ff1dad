// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_json/json_program.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph {
namespace {

// The extent of an axis that is not known.
constexpr int64_t kUnknown = -1;

template <typename T>
void Put(T value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <typename T>
T Get(const char** at) {
  T value;
  std::memcpy(&value, *at, sizeof(T));
  *at += sizeof(T);
  return value;
}

}  // namespace

absl::Status JsonProgram::CheckSize(size_t text_size) {
  constexpr size_t kMost = std::numeric_limits<uint32_t>::max();
  if (text_size <= kMost) return absl::OkStatus();
  return ArgumentError("program", absl::StrCat("of at most ", kMost, " bytes"),
                       absl::StrCat(text_size));
}

int JsonProgram::AddBlock() {
  blocks_.emplace_back(this);
  return blocks_size() - 1;
}

void JsonProgram::AddVariable(int block, const JsonValue& value) {
  VariableFacts facts;
  facts.kind = value.type.kind;
  facts.dense = facts.Is(VariableKind::kDenseTensor);
  facts.name = static_cast<uint32_t>(bytes_.size());
  const std::string name = absl::StrCat(value.id);
  bytes_.push_back(static_cast<char>(name.size()));
  bytes_.append(name);
  facts.offset = static_cast<uint32_t>(bytes_.size());
  const TensorSpec& spec = value.type.spec;
  if (facts.Is(VariableKind::kTensorList)) {
    Put(static_cast<uint32_t>(value.type.count), &bytes_);
  } else if (!facts.Is(VariableKind::kOther)) {
    Put(spec.dtype, &bytes_);
    Put(static_cast<uint8_t>(spec.shape.rank()), &bytes_);
    for (const Dim dim : spec.shape.dims()) {
      Put(dim.known() ? dim.value() : kUnknown, &bytes_);
    }
  }
  JsonBlock& to = blocks_[block];
  to.numbers_.emplace_back(value.id, to.vars_size());
  to.variables_.push_back(facts);
  ++entries_;
}

void JsonProgram::AddInput(int block, const JsonValue& value) {
  blocks_[block].arguments_.push_back(blocks_[block].vars_size());
  AddVariable(block, value);
}

void JsonProgram::AddOperator(int block, const ForeignOperator& op) {
  blocks_[block].operators_.push_back(
      static_cast<uint32_t>(operators_.Add(op)));
  ++entries_;
}

void JsonProgram::Finish(int64_t version) {
  version_ = version;
  for (JsonBlock& block : blocks_) {
    for (const int variable : block.arguments_) {
      block.inputs_.push_back(block.NameOf(variable));
    }
    std::sort(block.numbers_.begin(), block.numbers_.end());
  }
}

std::string_view JsonProgram::TextAt(uint32_t offset) const {
  const auto size = static_cast<size_t>(bytes_[offset]);
  return std::string_view(bytes_).substr(offset + 1, size);
}

absl::StatusOr<TensorSpec> JsonProgram::SpecOf(
    const VariableFacts& facts) const {
  if (!facts.Is(VariableKind::kDenseTensor) &&
      !facts.Is(VariableKind::kTensorArray)) {
    return ArgumentError(
        absl::StrCat("variable '", std::string(TextAt(facts.name)), "'"),
        "a tensor of a known element type", "another");
  }
  TensorSpec spec;
  spec.kind = facts.Is(VariableKind::kTensorArray) ? TensorKind::kTensorArray
                                                   : TensorKind::kDense;
  const char* at = bytes_.data() + facts.offset;
  spec.dtype = Get<DataType>(&at);
  for (auto rank = Get<uint8_t>(&at); rank > 0; --rank) {
    const auto extent = Get<int64_t>(&at);
    spec.shape.push_back(extent == kUnknown ? Dim() : Dim(extent));
  }
  return spec;
}

size_t JsonProgram::TensorsIn(const VariableFacts& facts) const {
  if (!facts.Is(VariableKind::kTensorList)) return 1;
  const char* at = bytes_.data() + facts.offset;
  return Get<uint32_t>(&at);
}

size_t JsonProgram::held() const {
  // A block with its tables, and an entry in them, which grow by doubling.
  constexpr size_t kBlock = 1024;
  constexpr size_t kEntry = 64;
  return operators_.held() + bytes_.capacity() + blocks_.size() * kBlock +
         entries_ * kEntry;
}

const ForeignProgram& JsonBlock::program() const { return *program_; }

void JsonBlock::Read(int i, ForeignOperator* op) const {
  program_->operators_.Read(operators_[i], op);
}

std::string_view JsonBlock::TypeOf(int i) const {
  return program_->operators_.TypeAt(operators_[i]);
}

std::string_view JsonBlock::NameOf(int i) const {
  return program_->TextAt(variables_[i].name);
}

int JsonBlock::IndexOf(std::string_view name) const {
  int64_t id = 0;
  const char* const end = name.data() + name.size();
  const auto [parsed, error] = std::from_chars(name.data(), end, id);
  if (error != std::errc() || parsed != end) return -1;
  if (numbers_.empty()) return -1;
  // Most blocks number their values one after the other.
  const auto guess =
      static_cast<uint64_t>(id) - static_cast<uint64_t>(numbers_[0].first);
  if (guess < numbers_.size() && numbers_[guess].first == id) {
    return numbers_[guess].second;
  }
  const auto found = std::lower_bound(
      numbers_.begin(), numbers_.end(), id,
      [](const auto& number, int64_t value) { return number.first < value; });
  return found != numbers_.end() && found->first == id ? found->second : -1;
}

}  // namespace switchyard::static_graph
