// SPDX-License-Identifier: Apache-2.0
// ParseJsonProgram: the text of a program as its JsonProgram.
#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rapidjson/error/en.h"
#include "rapidjson/reader.h"
#include "static_graph/foreign/load_budget.h"
#include "static_graph/foreign/paddle_json/json_checks.h"
#include "static_graph/foreign/paddle_json/json_node.h"
#include "static_graph/foreign/paddle_json/json_nodes.h"
#include "static_graph/foreign/paddle_json/json_program.h"

namespace switchyard::static_graph {
namespace {

using Utf8 = rapidjson::UTF8<char>;

// A block in a block takes six levels; what is deeper is no program.
constexpr size_t kMaxDepth = 256;
// More values than any part of an operator is made of.
constexpr size_t kMaxNodes = 1 << 17;
// More operands, results, attributes and texts in lists than any operator has.
constexpr size_t kMaxParts = 1 << 16;
// More than an object of a program has, which has some ten.
constexpr size_t kMaxKeys = 1024;
// A value takes this as JSON, in a list that grows.
constexpr size_t kNode = sizeof(JsonNode) + sizeof(JsonNode) / 2;

// Gives the parser memory, or throws std::bad_alloc: RapidJSON's own allocators
// return null, which the parser does not look at. The names are RapidJSON's.
class ParserMemory {
 public:
  static constexpr bool kNeedFree = true;
  void* Malloc(size_t size) { return ::operator new(size); }
  void* Realloc(void* old, size_t old_size, size_t size) {
    void* const made = Malloc(size);
    if (old != nullptr) std::memcpy(made, old, std::min(old_size, size));
    Free(old);
    return made;
  }
  static void Free(void* memory) { ::operator delete(memory); }
};

// Texts and keys stay where they are in what is read, which is changed; they
// are checked to be UTF-8. Numbers are the nearest doubles. Values in values
// take the stack: Reader bounds how deep they are.
constexpr unsigned kParsing = rapidjson::kParseInsituFlag |
                              rapidjson::kParseFullPrecisionFlag |
                              rapidjson::kParseValidateEncodingFlag;

// Takes the text's events, as the parser calls them, and makes a program of
// them. No more is held as JSON than a part of an operator: an operand, a
// result, an attribute or an item of one.
class Reader : public rapidjson::BaseReaderHandler<Utf8, Reader> {
 public:
  using Size = rapidjson::SizeType;

  explicit Reader(size_t text_size)
      : text_size_(text_size),
        program_(std::make_unique<JsonProgram>(text_size)) {}

  bool Null() { return Add(Kind::kNull, int64_t{0}); }
  bool Bool(bool value) { return Add(Kind::kBool, int64_t{value}); }
  bool Int(int value) { return Int64(value); }
  bool Int64(int64_t value) { return Add(Kind::kInteger, value); }
  bool Uint(unsigned value) { return Int64(value); }
  bool Uint64(uint64_t value) {
    constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
    return value > kMax ? Add(Kind::kLarge, value)
                        : Int64(static_cast<int64_t>(value));
  }
  bool Double(double value) { return Add(Kind::kFloat, value); }
  bool String(const char* text, Size size, bool) {
    return Add(Kind::kText, std::string_view(text, size));
  }
  bool Key(const char* name, Size size, bool);
  bool StartObject() { return Begin(Kind::kObject); }
  bool StartArray() { return Begin(Kind::kList); }
  bool EndObject(Size);
  bool EndArray(Size) {
    tree_.End();
    parts_.pop_back();
    return true;
  }

  // Says why the text is no JSON, unless something else was wrong before.
  void FailAt(size_t offset, const char* reason);
  // Returns the program, or why there is none.
  absl::StatusOr<std::unique_ptr<JsonProgram>> Finish();

 private:
  using Kind = JsonNode::Kind;
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

  bool Fail(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
    return false;
  }
  template <typename Value>
  bool Add(Kind kind, Value value) {
    tree_.Add(key_, kind);
    tree_.Set(value);
    return Fits();
  }
  // Fails if there are too many values.
  bool Fits() { return tree_.size() <= kMaxNodes || FailMany(); }
  bool FailMany();
  bool Begin(Kind kind);
  Part PartOf() const;
  absl::StatusOr<JsonValue> ReadArgument(const JsonNode& node) const;
  absl::Status EndPart(Part part, const JsonNode& node);
  absl::Status EndPartOfOperator(Part part, const JsonNode& node);
  absl::Status EndOperator(const JsonNode& node);
  absl::Status EndBlock(const JsonNode& node);
  void AddResult(const JsonValue& value);
  // Counts what was read of an operator, while the text is still held.
  absl::Status Take(size_t bytes);
  OpenJsonOperator& open() { return operators_[open_operators_ - 1]; }
  JsonItems& items() { return items_[open_items_ - 1]; }

  const size_t text_size_;
  std::unique_ptr<JsonProgram> program_;
  size_t taken_ = 0;       // By operators that are open.
  size_t most_taken_ = 0;  // At once: their memory is used again.
  size_t max_nodes_ = 0;   // That were held.
  absl::Status status_;
  JsonTree tree_;
  std::string_view key_;     // The last one, which a list in a list has too.
  std::vector<Part> parts_;  // Of the objects and lists that are open.
  std::vector<int> blocks_;  // Those that have begun, innermost last.
  std::deque<OpenJsonOperator> operators_;
  size_t open_operators_ = 0;
  std::deque<JsonItems> items_;  // Of values.
  size_t open_items_ = 0;        // Those that have begun.
  int mains_ = 0;                // Blocks of no operator.
};

absl::Status Reader::Take(size_t bytes) {
  if (open_operators_ > 0) open().taken += bytes;
  taken_ += bytes;
  most_taken_ = std::max(most_taken_, taken_);
  max_nodes_ = std::max(max_nodes_, tree_.size());
  return CheckLoaded(text_size_, text_size_ + program_->held() + most_taken_ +
                                     max_nodes_ * kNode);
}

bool Reader::FailMany() {
  return Fail(ArgumentError("parts of the program",
                            absl::StrCat("of at most ", kMaxNodes, " values"),
                            "more"));
}

void Reader::FailAt(size_t offset, const char* reason) {
  Fail(ArgumentError(
      "program", "JSON",
      absl::StrCat("other text at offset ", offset, ": ", reason)));
}

bool Reader::Key(const char* name, Size size, bool) {
  key_ = {name, size};
  if (tree_.open().size() >= kMaxKeys) {
    return Fail(ArgumentError("keys of an object",
                              absl::StrCat("at most ", kMaxKeys), "more"));
  }
  if (tree_.open().find(key_) == nullptr) return true;
  return Fail(
      ArgumentError("keys", "given once", std::string(key_) + " twice"));
}

Reader::Part Reader::PartOf() const {
  if (parts_.empty()) return Part::kOther;
  if (parts_.back() == Part::kAttr) {
    return key_ == "AT" ? Part::kValue : Part::kOther;
  }
  const JsonNode& list = tree_.open();
  if (!list.is_list()) return Part::kOther;
  const std::string_view key = list.key();
  if (key == "ops" && !blocks_.empty()) return Part::kOperator;
  if (key == "blocks") return Part::kBlock;
  if (key == "regions") return Part::kRegion;
  if (parts_.size() < 2) return Part::kOther;
  const Part owner = parts_[parts_.size() - 2];
  if (owner == Part::kBlock && key == "args") return Part::kArgument;
  if (owner == Part::kOperator && key == "I") return Part::kOperand;
  if (owner == Part::kOperator && key == "O") return Part::kResult;
  if (owner == Part::kOperator && key == "A") return Part::kAttr;
  const bool holds = owner == Part::kValue || owner == Part::kItem;
  return holds && key == "D" ? Part::kItem : Part::kOther;
}

bool Reader::Begin(Kind kind) {
  if (parts_.size() >= kMaxDepth) {
    return Fail(ArgumentError(
        "program", absl::StrCat("nested at most ", kMaxDepth, " deep"),
        "more"));
  }
  const Part part = kind == Kind::kObject ? PartOf() : Part::kOther;
  if (part == Part::kBlock) {
    blocks_.push_back(program_->AddBlock());
  } else if (part == Part::kOperator) {
    if (++open_operators_ > operators_.size()) operators_.emplace_back();
    open().Begin();
  } else if (part == Part::kValue || part == Part::kItem) {
    if (++open_items_ > items_.size()) items_.emplace_back();
    items().Clear();
  }
  tree_.Begin(key_, kind);
  parts_.push_back(part);
  return Fits();
}

bool Reader::EndObject(Size) {
  const Part part = parts_.back();
  parts_.pop_back();
  const JsonNode& node = tree_.End();
  if (part == Part::kOther) return true;
  absl::Status status = EndPart(part, node);
  if (!status.ok()) return Fail(std::move(status));
  tree_.Cut(node);
  return true;
}

absl::StatusOr<JsonValue> Reader::ReadArgument(const JsonNode& node) const {
  absl::StatusOr<JsonValue> value = ReadJsonValue(node, "#");
  if (value.ok()) return value;
  return Annotate(value.status(),
                  absl::StrCat("arguments of block ", blocks_.back()));
}

absl::Status Reader::EndPart(Part part, const JsonNode& node) {
  if (part == Part::kRegion) return absl::OkStatus();
  if (part == Part::kBlock) return EndBlock(node);
  if (part == Part::kArgument) {
    SY_ASSIGN_OR_RETURN(const JsonValue value, ReadArgument(node));
    program_->AddVariable(blocks_.back(), value, /*argument=*/true);
    return Take(0);
  }
  const int block = blocks_.back();
  const absl::Status status = part == Part::kOperator
                                  ? EndOperator(node)
                                  : EndPartOfOperator(part, node);
  if (status.ok()) return status;
  return Annotate(status, absl::StrCat("block ", block, ", operator ",
                                       program_->blocks(block).ops_size()));
}

void Reader::AddResult(const JsonValue& value) {
  program_->AddVariable(blocks_.back(), value, /*argument=*/false);
  open().op.outputs[0].variables.Add() = absl::StrCat(value.id);
}

absl::Status Reader::EndPartOfOperator(Part part, const JsonNode& node) {
  // A part in its list, which grows by doubling.
  constexpr size_t kText = 2 * sizeof(std::string);
  constexpr size_t kNumber = 2 * sizeof(int64_t);
  constexpr size_t kAttr = 2 * sizeof(ForeignAttr);
  size_t bytes = kText;
  OpenJsonOperator& current = open();
  ReusedList<std::string>& operands = current.op.inputs[0].variables;
  if (part == Part::kOperand) {
    SY_ASSIGN_OR_RETURN(const int64_t operand, ReadJsonOperand(node));
    std::string& name = operands.Add();
    if (operand != 0) name = absl::StrCat(operand);
  } else if (part == Part::kResult) {
    SY_ASSIGN_OR_RETURN(const JsonValue result, ReadJsonValue(node, "%"));
    AddResult(result);
  } else if (part == Part::kAttr) {
    ForeignAttr* attr = std::exchange(current.attr, nullptr);
    if (attr == nullptr) attr = &current.op.attrs.Add();
    SY_RETURN_IF_ERROR(ReadJsonAttr(
        node, std::exchange(current.attr_status, absl::OkStatus()), attr));
    bytes = kAttr + attr->text().size();
    // Where it ran: here that is for the executor to say.
    if (attr->kind == ForeignKind::kNone && attr->text() == "a_place") {
      current.op.attrs.Remove(current.op.attrs.size() - 1);
    }
  } else {
    JsonItems& own = items();
    --open_items_;
    current.num_texts += own.num_texts();
    if (part == Part::kValue) {
      current.attr = &current.op.attrs.Add();
      current.attr_status =
          ReadJsonAttrValue(node, open_items_, &own, current.attr);
      bytes = 0;
    } else {
      Reset(&current.item);
      items().Add(ReadJsonAttrValue(node, open_items_, &own, &current.item),
                  current.item);
      if (current.item.kind != ForeignKind::kText) bytes = kNumber;
    }
  }
  SY_RETURN_IF_ERROR(Take(bytes));
  const size_t parts = operands.size() +
                       current.op.outputs[0].variables.size() +
                       current.op.attrs.size() + current.num_texts +
                       (open_items_ == 0 ? 0 : items().num_texts());
  if (parts <= kMaxParts) return absl::OkStatus();
  return ArgumentError(
      "operator", absl::StrCat("of at most ", kMaxParts, " parts"), "more");
}

absl::Status Reader::EndOperator(const JsonNode& node) {
  OpenJsonOperator& ended = open();
  std::optional<JsonValue> parameter;
  SY_RETURN_IF_ERROR(ReadJsonOperator(node, &ended.op, &parameter));
  if (parameter.has_value()) AddResult(*parameter);
  if (!ended.blocks.empty()) {
    ForeignAttr& blocks = ended.op.attrs.Add();
    blocks.name = kJsonBlocks;
    blocks.kind = ForeignKind::kBlocks;
    for (const int inner : ended.blocks) blocks.Add(inner);
  }
  program_->AddOperator(blocks_.back(), ended.op);
  --open_operators_;
  taken_ -= ended.taken;
  return Take(0);
}

absl::Status Reader::EndBlock(const JsonNode& node) {
  SY_RETURN_IF_ERROR(Take(0));
  const JsonNode* const args = node.find("args");
  if (args != nullptr && !args->empty()) {  // No objects.
    return ReadArgument((*args)[0]).status();
  }
  const int block = blocks_.back();
  blocks_.pop_back();
  if (open_operators_ == 0) {
    ++mains_;
  } else {
    open().blocks.push_back(block);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<JsonProgram>> Reader::Finish() {
  SY_RETURN_IF_ERROR(status_);
  SY_ASSIGN_OR_RETURN(const int64_t version, ReadJsonHeader(tree_.root()));
  if (mains_ != 1) {
    return ArgumentError("program", "of one main block", absl::StrCat(mains_));
  }
  program_->Finish(version);
  return std::move(program_);
}

}  // namespace

absl::StatusOr<std::unique_ptr<const JsonProgram>> ParseJsonProgram(
    std::string text) {
  SY_RETURN_IF_ERROR(JsonProgram::CheckSize(text.size()));
  std::unique_ptr<JsonProgram> program;
  {
    Reader reader(text.size());
    rapidjson::InsituStringStream stream(text.data());
    rapidjson::GenericReader<Utf8, Utf8, ParserMemory> parser;
    const rapidjson::ParseResult result =
        parser.Parse<kParsing>(stream, reader);
    if (result.IsError()) {
      reader.FailAt(result.Offset(),
                    rapidjson::GetParseError_En(result.Code()));
    } else if (stream.Tell() != text.size()) {
      reader.FailAt(stream.Tell(), "a zero byte");
    }
    SY_ASSIGN_OR_RETURN(program, reader.Finish());
    std::string().swap(text);  // What it says is in the program.
  }
  SY_RETURN_IF_ERROR(CheckJsonValues(*program));
  return std::unique_ptr<const JsonProgram>(std::move(program));
}

}  // namespace switchyard::static_graph
