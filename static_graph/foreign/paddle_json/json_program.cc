// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_json/json_program.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "absl/strings/str_cat.h"
#include "static_graph/foreign/packed_bytes.h"

namespace switchyard::static_graph {
namespace {

// The extent of an axis that is not known.
constexpr int64_t kUnknown = -1;

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

void JsonProgram::AddVariable(int block, const JsonValue& value,
                              bool argument) {
  VariableFacts facts;
  facts.kind = value.kind;
  facts.dense = facts.Is(VariableKind::kDenseTensor);
  facts.persistable = value.persistable;
  facts.name = static_cast<uint32_t>(bytes_.size());
  PutText(absl::StrCat(value.id), &bytes_);
  facts.offset = static_cast<uint32_t>(bytes_.size());
  const TensorSpec& spec = value.spec;
  if (facts.Is(VariableKind::kTensorList)) {
    PutNumber(value.count, &bytes_);
  } else if (!facts.Is(VariableKind::kOther)) {
    PutRaw(spec.dtype, &bytes_);
    PutNumber(static_cast<size_t>(spec.shape.rank()), &bytes_);
    for (const Dim dim : spec.shape.dims()) {
      PutRaw(dim.known() ? dim.value() : kUnknown, &bytes_);
    }
  }
  JsonBlock& to = blocks_[block];
  if (argument) to.arguments_.push_back(to.vars_size());
  to.numbers_.emplace_back(value.id, to.vars_size());
  to.variables_.push_back(facts);
  ++entries_;
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
  return Unpacker(bytes_, offset).Text();
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
  Unpacker in(bytes_, facts.offset);
  spec.dtype = in.Raw<DataType>();
  for (size_t rank = in.Number(); rank > 0; --rank) {
    const auto extent = in.Raw<int64_t>();
    spec.shape.push_back(extent == kUnknown ? Dim() : Dim(extent));
  }
  return spec;
}

size_t JsonProgram::TensorsIn(const VariableFacts& facts) const {
  if (!facts.Is(VariableKind::kTensorList)) return 1;
  return Unpacker(bytes_, facts.offset).Number();
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
  if (error != std::errc() || parsed != end || numbers_.empty()) return -1;
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
