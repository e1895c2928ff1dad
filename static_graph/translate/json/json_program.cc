// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/json/json_program.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "static_graph/translate/json/json_nodes.h"
#include "static_graph/translate/json/json_values.h"

namespace switchyard::static_graph {
namespace {

using Json = nlohmann::json;

// A block in a block takes six levels; what is deeper is no program.
constexpr size_t kMaxDepth = 256;
// More values than any part of an operator is made of.
constexpr size_t kMostNodes = 1 << 17;
// More operands, results, attributes and texts in lists than any operator has.
constexpr size_t kMostParts = 1 << 16;
// Versions of the form that are in use.
constexpr uint64_t kLastVersion = 4;

// Takes the text's events and makes blocks of them. No more is held as JSON
// than a part of an operator: an operand, a result, an attribute or an item of
// one.
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
  bool end_array() override {
    frames_.pop_back();
    return true;
  }
  bool parse_error(size_t offset, const std::string& token,
                   const Json::exception&) override {
    return Fail(ArgumentError("program", "JSON",
                              absl::StrCat("other text at offset ", offset,
                                           ", '", token.substr(0, 40), "'")));
  }

  // Returns the main block, or why there is none.
  absl::StatusOr<JsonBlock> Finish();

 private:
  // The kind of an object. All except kOther are read when they end, and what
  // they held as JSON is freed.
  enum class Part : uint8_t {
    kOther,
    kRegion,
    kBlock,
    kArgument,  // Of a block.
    kOperator,
    kOperand,
    kResult,
    kAttr,
    kValue,  // Of an attribute.
    kItem,   // Of a list that is a value.
  };
  // An object or a list that has begun and not ended.
  struct Frame {
    Json* node;
    std::string key;  // Under which it is in an object.
    Part part;
    size_t held;  // How many nodes were held before.
  };
  // An operator that has begun.
  struct OpenOperator {
    JsonOperator op;
    JsonAttrValue value;   // Of the attribute that has begun.
    size_t num_texts = 0;  // In lists of its attributes.
  };

  static absl::Status NotJson(const char* got) {
    return ArgumentError("program", "JSON", got);
  }
  bool Fail(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
    return false;
  }
  Json* Insert(Json value);
  bool Add(Json value) { return Insert(std::move(value)) != nullptr; }
  bool Begin(Json value);
  Part PartOf() const;
  bool InList(const char* key) const {
    return !frames_.empty() && frames_.back().node->is_array() &&
           frames_.back().key == key;
  }
  absl::Status EndPart(const Frame& frame);
  absl::Status EndPartOfOperator(Part part, const Json& node);
  absl::Status EndOperator(const Json& node);
  absl::Status EndBlock(const Json& node);
  absl::Status CheckHeader() const;

  absl::Status status_;
  Json root_;
  size_t held_ = 0;  // Nodes below it.
  std::string key_;
  std::vector<Frame> frames_;
  std::vector<JsonBlock> blocks_;  // Those that have begun, innermost last.
  std::vector<OpenOperator> operators_;
  std::vector<JsonItems> items_;  // Of values that have begun.
  std::vector<JsonBlock> mains_;
  int64_t num_blocks_ = 0;
};

// Null, with a status, if that is too many.
Json* Reader::Insert(Json value) {
  if (++held_ > kMostNodes) {
    Fail(ArgumentError("parts of the program",
                       absl::StrCat("of at most ", kMostNodes, " values"),
                       "more"));
    return nullptr;
  }
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
  if (frames_.empty()) return Part::kOther;
  if (frames_.back().part == Part::kAttr) {
    return key_ == "AT" ? Part::kValue : Part::kOther;
  }
  if (frames_.size() < 2 || !frames_.back().node->is_array()) {
    return Part::kOther;
  }
  const std::string& key = frames_.back().key;
  switch (frames_[frames_.size() - 2].part) {
    case Part::kBlock:
      return key == "args" ? Part::kArgument : Part::kOther;
    case Part::kOperator:
      if (key == "I") return Part::kOperand;
      if (key == "O") return Part::kResult;
      return key == "A" ? Part::kAttr : Part::kOther;
    case Part::kValue:
    case Part::kItem:
      return key == "D" ? Part::kItem : Part::kOther;
    default:
      return Part::kOther;
  }
}

bool Reader::Begin(Json value) {
  if (frames_.size() >= kMaxDepth) {
    return Fail(ArgumentError(
        "program", absl::StrCat("nested at most ", kMaxDepth, " deep"),
        "more"));
  }
  const Part part = value.is_object() ? PartOf() : Part::kOther;
  if (part == Part::kBlock) {
    blocks_.emplace_back().number = num_blocks_++;
  } else if (part == Part::kOperator) {
    operators_.emplace_back();
  } else if (part == Part::kValue || part == Part::kItem) {
    items_.emplace_back();
  }
  const size_t held = held_;
  Json* const node = Insert(std::move(value));
  if (node == nullptr) return false;
  frames_.push_back({node, key_, part, held});
  return true;
}

bool Reader::end_object() {
  const Frame frame = std::move(frames_.back());
  frames_.pop_back();
  if (frame.part == Part::kOther) return true;
  absl::Status status = EndPart(frame);
  if (!status.ok()) return Fail(std::move(status));
  // Lists become empty; a value leaves an object in its attribute.
  Json& around = *frames_.back().node;
  if (around.is_array()) {
    around.erase(around.size() - 1);
    held_ = frame.held;
  } else {
    frame.node->clear();
    held_ = frame.held + 1;
  }
  return true;
}

absl::Status Reader::EndPart(const Frame& frame) {
  switch (frame.part) {
    case Part::kOther:
    case Part::kRegion:
      return absl::OkStatus();
    case Part::kBlock:
      return EndBlock(*frame.node);
    case Part::kArgument: {
      JsonBlock& block = blocks_.back();
      absl::StatusOr<JsonValue> value = ReadJsonValue(*frame.node, "#");
      if (!value.ok()) {
        return Annotate(value.status(),
                        absl::StrCat("arguments of block ", block.number));
      }
      block.arguments.push_back(*std::move(value));
      return absl::OkStatus();
    }
    default:
      break;
  }
  const JsonBlock& block = blocks_.back();
  const absl::Status status = frame.part == Part::kOperator
                                  ? EndOperator(*frame.node)
                                  : EndPartOfOperator(frame.part, *frame.node);
  if (status.ok()) return status;
  return Annotate(status, absl::StrCat("block ", block.number, ", operator ",
                                       block.operators.size()));
}

absl::Status Reader::EndPartOfOperator(Part part, const Json& node) {
  OpenOperator& open = operators_.back();
  if (part == Part::kOperand) {
    SY_ASSIGN_OR_RETURN(const int64_t operand, ReadJsonOperand(node));
    open.op.operands.push_back(operand);
  } else if (part == Part::kResult) {
    SY_ASSIGN_OR_RETURN(JsonValue result, ReadJsonValue(node, "%"));
    open.op.results.push_back(std::move(result));
  } else if (part == Part::kAttr) {
    SY_ASSIGN_OR_RETURN(JsonAttr attr,
                        ReadJsonAttr(node, std::exchange(open.value, {})));
    // Where it ran: here that is for the executor to say.
    if (attr.unknown != "a_place") open.op.attrs.push_back(std::move(attr));
  } else {
    JsonItems items = std::move(items_.back());
    items_.pop_back();
    const int depth = static_cast<int>(items_.size());
    open.num_texts += items.num_texts();
    JsonAttrValue value = ReadJsonAttrValue(node, depth, &items);
    if (part == Part::kItem) {
      items_.back().Add(std::move(value.value), std::move(value.unknown));
    } else {
      open.value = std::move(value);
    }
  }
  const size_t parts = open.op.operands.size() + open.op.results.size() +
                       open.op.attrs.size() + open.num_texts +
                       (items_.empty() ? 0 : items_.back().num_texts());
  if (parts <= kMostParts) return absl::OkStatus();
  return ArgumentError(
      "operator", absl::StrCat("of at most ", kMostParts, " parts"), "more");
}

absl::Status Reader::EndOperator(const Json& node) {
  std::deque<JsonOperator>& list = blocks_.back().operators;
  JsonOperator op = std::move(operators_.back().op);
  operators_.pop_back();
  SY_RETURN_IF_ERROR(ReadJsonOperator(node, &op));
  op.index = static_cast<int64_t>(list.size());
  op.operands.shrink_to_fit();
  op.results.shrink_to_fit();
  op.attrs.shrink_to_fit();
  list.push_back(std::move(op));
  return absl::OkStatus();
}

absl::Status Reader::EndBlock(const Json& node) {
  JsonBlock block = std::move(blocks_.back());
  blocks_.pop_back();
  const auto args = node.find("args");
  if (args != node.end() && !args->empty()) {  // No objects.
    return Annotate(ReadJsonValue(*args->begin(), "#").status(),
                    absl::StrCat("arguments of block ", block.number));
  }
  std::vector<JsonBlock>& outer =
      operators_.empty() ? mains_ : operators_.back().op.blocks;
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

absl::StatusOr<JsonBlock> ParseJsonProgram(std::string text) {
  Reader reader;
  Json::sax_parse(text.begin(), text.end(), &reader);
  std::string().swap(text);  // What it says is in the block.
  SY_ASSIGN_OR_RETURN(JsonBlock block, reader.Finish());
  SY_RETURN_IF_ERROR(CheckJsonValues(block));
  return block;
}

}  // namespace switchyard::static_graph
