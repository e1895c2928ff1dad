// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/json/json_program.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"
#include "nlohmann/json.hpp"
#include "static_graph/translate/json/json_nodes.h"

namespace switchyard::static_graph {
namespace {

using Json = nlohmann::json;

// A block in a block takes six levels; what is deeper is no program.
constexpr size_t kMaxDepth = 256;
// Versions of the form that are in use.
constexpr uint64_t kLastVersion = 4;

// Takes the text's events and makes blocks of them, so that no more than one
// operator is held as JSON.
class Reader : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(number_integer_t value) override { return Add(value); }
  bool number_unsigned(number_unsigned_t value) override { return Add(value); }
  bool number_float(number_float_t value, const string_t&) override {
    return Add(value);
  }
  bool string(string_t& value) override { return Add(std::move(value)); }
  bool binary(binary_t&) override { return Fail(NotJson("bytes")); }
  bool key(string_t& name) override {
    key_ = std::move(name);
    if (!frames_.back().node->contains(key_)) return true;
    return Fail(ArgumentError("keys", "given once", key_ + " twice"));
  }
  bool start_object(size_t) override { return Begin(Json::object()); }
  bool start_array(size_t) override { return Begin(Json::array()); }
  bool end_object() override;
  bool end_array() override { return End(); }
  bool parse_error(size_t offset, const std::string& token,
                   const Json::exception&) override {
    return Fail(ArgumentError("program", "JSON",
                              absl::StrCat("other text at offset ", offset,
                                           ", '", token.substr(0, 40), "'")));
  }

  // Returns the main block, or why there is none.
  absl::StatusOr<JsonBlock> Finish();

 private:
  enum class Part : uint8_t { kOther, kBlock, kOperator, kRegion };
  // An object or a list that has begun and not ended.
  struct Frame {
    Json* node;
    std::string key;  // Under which it is in an object.
    Part part;
  };
  // An operator that has begun.
  struct OpenOperator {
    std::vector<JsonBlock> blocks;
  };

  static absl::Status NotJson(const char* got) {
    return ArgumentError("program", "JSON", got);
  }
  bool Fail(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
    return false;
  }
  Json* Insert(Json value);
  bool Add(Json value) {
    Insert(std::move(value));
    return true;
  }
  bool Begin(Json value);
  bool End();
  Part PartOf() const;
  bool InList(const char* key) const {
    return !frames_.empty() && frames_.back().node->is_array() &&
           frames_.back().key == key;
  }
  absl::Status EndOperator(const Json& node);
  absl::Status EndBlock(const Json& node);
  absl::Status CheckHeader() const;

  absl::Status status_;
  Json root_;
  std::string key_;
  std::vector<Frame> frames_;
  std::vector<JsonBlock> blocks_;  // Those that have begun, innermost last.
  std::vector<OpenOperator> operators_;
  std::vector<JsonBlock> mains_;
  int64_t num_blocks_ = 0;
};

Json* Reader::Insert(Json value) {
  if (frames_.empty()) {
    root_ = std::move(value);
    return &root_;
  }
  Json& parent = *frames_.back().node;
  if (parent.is_array()) {
    parent.push_back(std::move(value));
    return &parent.back();
  }
  return &(parent[key_] = std::move(value));
}

Reader::Part Reader::PartOf() const {
  if (InList("ops") && !blocks_.empty()) return Part::kOperator;
  if (InList("blocks")) return Part::kBlock;
  if (InList("regions")) return Part::kRegion;
  return Part::kOther;
}

bool Reader::Begin(Json value) {
  if (frames_.size() >= kMaxDepth) {
    return Fail(ArgumentError(
        "program", absl::StrCat("nested at most ", kMaxDepth, " deep"),
        "more"));
  }
  const bool object = value.is_object();
  const Part part = object ? PartOf() : Part::kOther;
  if (part == Part::kBlock) {
    blocks_.emplace_back().number = num_blocks_++;
  } else if (part == Part::kOperator) {
    operators_.emplace_back();
  }
  Json* const node = Insert(std::move(value));
  frames_.push_back({node, key_, part});
  return true;
}

bool Reader::End() {
  frames_.pop_back();
  return true;
}

// Parts that are read go from their lists: what is left of the text is small.
bool Reader::end_object() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  absl::Status status;
  if (frame.part == Part::kOperator) status = EndOperator(*frame.node);
  if (frame.part == Part::kBlock) status = EndBlock(*frame.node);
  if (!status.ok()) return Fail(std::move(status));
  if (frame.part != Part::kOther) frames_.back().node->clear();
  return true;
}

absl::Status Reader::EndOperator(const Json& node) {
  JsonBlock& block = blocks_.back();
  const int64_t index = static_cast<int64_t>(block.operators.size());
  absl::StatusOr<JsonOperator> op = ReadJsonOperator(node);
  if (!op.ok()) {
    return Annotate(op.status(),
                    absl::StrCat("block ", block.number, ", operator ", index));
  }
  op->index = index;
  op->blocks = std::move(operators_.back().blocks);
  operators_.pop_back();
  block.operators.push_back(*std::move(op));
  return absl::OkStatus();
}

absl::Status Reader::EndBlock(const Json& node) {
  JsonBlock block = std::move(blocks_.back());
  blocks_.pop_back();
  if (const auto args = node.find("args"); args != node.end()) {
    for (const Json& arg : *args) {
      absl::StatusOr<JsonValue> value = ReadJsonValue(arg, "#");
      if (!value.ok()) {
        return Annotate(value.status(),
                        absl::StrCat("arguments of block ", block.number));
      }
      block.arguments.push_back(*std::move(value));
    }
  }
  std::vector<JsonBlock>& outer =
      operators_.empty() ? mains_ : operators_.back().blocks;
  outer.push_back(std::move(block));
  return absl::OkStatus();
}

absl::Status Reader::CheckHeader() const {
  static const Json kAbsent;
  const auto member = [](const Json& node, const char* key) -> const Json& {
    if (!node.is_object()) return kAbsent;
    const auto found = node.find(key);
    return found == node.end() ? kAbsent : *found;
  };
  const Json& header = member(root_, "base_code");
  if (member(header, "magic") != "pir") {
    return ArgumentError("\"magic\" of \"base_code\"", "\"pir\"", "another");
  }
  const Json& version = member(header, "version");
  const bool known =
      version.is_number_unsigned() && version.get<uint64_t>() <= kLastVersion;
  if (known) return absl::OkStatus();
  return ArgumentError("\"version\" of \"base_code\"",
                       absl::StrCat("from 0 to ", kLastVersion),
                       version.is_number() ? version.dump() : "none");
}

absl::StatusOr<JsonBlock> Reader::Finish() {
  SY_RETURN_IF_ERROR(status_);
  SY_RETURN_IF_ERROR(CheckHeader());
  if (mains_.size() != 1) {
    return ArgumentError("program", "of one main block",
                         absl::StrCat(mains_.size()));
  }
  return std::move(mains_[0]);
}

// Checks that values are defined once, and before they are used.
class ValueCheck {
 public:
  absl::Status Block(const JsonBlock& block);

 private:
  absl::Status Define(const JsonValue& value, bool argument);
  absl::Status Operator(const JsonOperator& op);

  HashSet<int64_t> defined_;
  HashSet<int64_t> visible_;
};

absl::Status ValueCheck::Define(const JsonValue& value, bool argument) {
  if (argument ? value.id >= 0 : value.id <= 0) {
    return ArgumentError("value",
                         argument ? "a negative number" : "a number over 0",
                         absl::StrCat(value.id));
  }
  if (!defined_.insert(value.id).second) {
    return ArgumentError("value", "defined once",
                         absl::StrCat(value.id, " twice"));
  }
  visible_.insert(value.id);
  return absl::OkStatus();
}

absl::Status ValueCheck::Operator(const JsonOperator& op) {
  for (const int64_t id : op.operands) {
    if (id != 0 && visible_.count(id) == 0) {
      return ArgumentError("operand", "a value that is defined before",
                           absl::StrCat(id));
    }
  }
  for (const JsonBlock& block : op.blocks) SY_RETURN_IF_ERROR(Block(block));
  for (const JsonValue& result : op.results) {
    SY_RETURN_IF_ERROR(Define(result, false));
  }
  return absl::OkStatus();
}

absl::Status ValueCheck::Block(const JsonBlock& block) {
  for (const JsonValue& argument : block.arguments) {
    SY_RETURN_IF_ERROR(Define(argument, true));
  }
  for (const JsonOperator& op : block.operators) {
    const absl::Status status = Operator(op);
    if (!status.ok()) {
      // Blocks are nested and errors of the inner ones annotated there.
      return status.message().substr(0, 6) == "block "
                 ? status
                 : Annotate(status, JsonPlace(block, op));
    }
  }
  // Nothing behind a block sees its values.
  for (const JsonOperator& op : block.operators) {
    for (const JsonValue& result : op.results) visible_.erase(result.id);
  }
  for (const JsonValue& argument : block.arguments) {
    visible_.erase(argument.id);
  }
  return absl::OkStatus();
}

}  // namespace

const JsonAttr* JsonOperator::attr(std::string_view attr_name) const {
  for (const JsonAttr& one : attrs) {
    if (one.name == attr_name) return &one;
  }
  return nullptr;
}

std::string JsonPlace(const JsonBlock& block, const JsonOperator& op) {
  return absl::StrCat("block ", block.number, ", operator ", op.index, ", ",
                      op.name);
}

absl::StatusOr<JsonBlock> ParseJsonProgram(std::string_view text) {
  Reader reader;
  Json::sax_parse(text.begin(), text.end(), &reader);
  SY_ASSIGN_OR_RETURN(JsonBlock block, reader.Finish());
  SY_RETURN_IF_ERROR(ValueCheck().Block(block));
  return block;
}

}  // namespace switchyard::static_graph
