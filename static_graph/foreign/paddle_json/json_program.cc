// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_json/json_program.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "rapidjson/error/en.h"
#include "static_graph/foreign/load_budget.h"
#include "static_graph/foreign/paddle_json/json_header.h"
#include "static_graph/foreign/paddle_json/json_node.h"
#include "static_graph/foreign/paddle_json/json_nodes.h"
#include "static_graph/foreign/paddle_json/json_parser.h"
#include "static_graph/foreign/paddle_json/json_values.h"

namespace switchyard::static_graph {
namespace {

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

// Takes the text's events, as the parser calls them, and makes blocks of them.
// No more is held as JSON than a part of an operator: an operand, a result, an
// attribute or an item of one.
class Reader
    : public rapidjson::BaseReaderHandler<rapidjson::UTF8<char>, Reader> {
 public:
  using Size = rapidjson::SizeType;

  explicit Reader(size_t text_size) : text_size_(text_size) {}

  bool Null() {
    tree_.Add(Parent(), key_, Kind::kNull);
    return Fits();
  }
  bool Bool(bool value) { return Signed(Kind::kBool, value ? 1 : 0); }
  bool Int(int value) { return Signed(Kind::kSigned, value); }
  bool Int64(int64_t value) { return Signed(Kind::kSigned, value); }
  bool Uint(unsigned value) { return Uint64(value); }
  bool Uint64(uint64_t value) {
    tree_.AddUnsigned(Parent(), key_, value);
    return Fits();
  }
  bool Double(double value) {
    tree_.AddFloat(Parent(), key_, value);
    return Fits();
  }
  bool String(const char* text, Size size, bool) {
    tree_.AddText(Parent(), key_, {text, size});
    return Fits();
  }
  bool Key(const char* name, Size size, bool);
  bool StartObject() { return Begin(Kind::kObject); }
  bool StartArray() { return Begin(Kind::kList); }
  bool EndObject(Size);
  bool EndArray(Size) {
    tree_.End(frames_.back().node);
    frames_.pop_back();
    return true;
  }

  // Says why the text is no JSON, unless something else was wrong before.
  void FailAt(size_t offset, const char* reason);
  // Returns the main block, or why there is none.
  absl::StatusOr<JsonBlock> Finish();

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
  // An object or a list that has begun and not ended.
  struct Frame {
    size_t node;  // Its index in the tree.
    Part part;
  };
  // An operator that has begun.
  struct OpenOperator {
    JsonOperator op;
    JsonAttrValue value;   // Of the attribute that has begun.
    size_t num_texts = 0;  // In lists of its attributes.
  };

  bool Fail(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
    return false;
  }
  const JsonNode& Around() const { return tree_[frames_.back().node]; }
  size_t Parent() const {
    return frames_.empty() ? JsonTree::kNoParent : frames_.back().node;
  }
  bool Signed(Kind kind, int64_t value) {
    tree_.AddSigned(Parent(), key_, kind, value);
    return Fits();
  }
  // Fails if there are too many values.
  bool Fits();
  bool Begin(Kind kind);
  Part PartOf() const;
  absl::Status EndPart(Part part, const JsonNode& node);
  absl::Status EndPartOfOperator(Part part, const JsonNode& node);
  absl::Status EndOperator(const JsonNode& node);
  absl::Status EndBlock(const JsonNode& node);
  // Counts what was read, while the text is still held.
  absl::Status Take(size_t bytes);

  const size_t text_size_;
  size_t made_ = 0;       // The bytes of what was read, nearly.
  size_t max_nodes_ = 0;  // That were held.
  absl::Status status_;
  JsonTree tree_;
  std::string_view key_;  // The last one, which a list in a list has too.
  std::vector<Frame> frames_;
  std::vector<JsonBlock> blocks_;  // Those that have begun, innermost last.
  std::vector<OpenOperator> operators_;
  std::vector<JsonItems> items_;  // Of values that have begun.
  std::vector<JsonBlock> mains_;
  int64_t num_blocks_ = 0;
};

absl::Status Reader::Take(size_t bytes) {
  made_ += bytes;
  max_nodes_ = std::max(max_nodes_, tree_.size());
  return CheckLoaded(text_size_, text_size_ + made_ + max_nodes_ * kNode);
}

bool Reader::Fits() {
  if (tree_.size() <= kMaxNodes) return true;
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
  const size_t object = frames_.back().node;
  if (tree_[object].size() >= kMaxKeys) {
    return Fail(ArgumentError("keys of an object",
                              absl::StrCat("at most ", kMaxKeys), "more"));
  }
  if (!tree_.Contains(object, key_)) return true;
  return Fail(
      ArgumentError("keys", "given once", std::string(key_) + " twice"));
}

Reader::Part Reader::PartOf() const {
  if (frames_.empty()) return Part::kOther;
  if (frames_.back().part == Part::kAttr) {
    return key_ == "AT" ? Part::kValue : Part::kOther;
  }
  const JsonNode& list = Around();
  if (!list.is_list()) return Part::kOther;
  const std::string_view key = list.key();
  if (key == "ops" && !blocks_.empty()) return Part::kOperator;
  if (key == "blocks") return Part::kBlock;
  if (key == "regions") return Part::kRegion;
  if (frames_.size() < 2) return Part::kOther;
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

bool Reader::Begin(Kind kind) {
  if (frames_.size() >= kMaxDepth) {
    return Fail(ArgumentError(
        "program", absl::StrCat("nested at most ", kMaxDepth, " deep"),
        "more"));
  }
  const Part part = kind == Kind::kObject ? PartOf() : Part::kOther;
  if (part == Part::kBlock) {
    blocks_.emplace_back().number = num_blocks_++;
  } else if (part == Part::kOperator) {
    operators_.emplace_back();
  } else if (part == Part::kValue || part == Part::kItem) {
    items_.emplace_back();
  }
  const size_t node = tree_.Add(Parent(), key_, kind);
  frames_.push_back({node, part});
  return Fits();
}

bool Reader::EndObject(Size) {
  const Frame frame = frames_.back();
  frames_.pop_back();
  tree_.End(frame.node);
  if (frame.part == Part::kOther) return true;
  absl::Status status = EndPart(frame.part, tree_[frame.node]);
  if (!status.ok()) return Fail(std::move(status));
  // Lists become empty; a value leaves an object in its attribute.
  if (Around().is_list()) {
    tree_.Cut(frames_.back().node, frame.node);
  } else {
    tree_.Clear(frame.node);
  }
  return true;
}

absl::Status Reader::EndPart(Part part, const JsonNode& node) {
  switch (part) {
    case Part::kOther:
    case Part::kRegion:
      return absl::OkStatus();
    case Part::kBlock:
      return EndBlock(node);
    case Part::kArgument: {
      JsonBlock& block = blocks_.back();
      absl::StatusOr<JsonValue> value = ReadJsonValue(node, "#");
      if (!value.ok()) {
        return Annotate(value.status(),
                        absl::StrCat("arguments of block ", block.number));
      }
      block.arguments.push_back(*std::move(value));
      return Take(SizeOf(block.arguments.back()));
    }
    default:
      break;
  }
  const JsonBlock& block = blocks_.back();
  const absl::Status status = part == Part::kOperator
                                  ? EndOperator(node)
                                  : EndPartOfOperator(part, node);
  if (status.ok()) return status;
  return Annotate(status, absl::StrCat("block ", block.number, ", operator ",
                                       block.operators.size()));
}

absl::Status Reader::EndPartOfOperator(Part part, const JsonNode& node) {
  OpenOperator& open = operators_.back();
  if (part == Part::kOperand) {
    SY_ASSIGN_OR_RETURN(const int64_t operand, ReadJsonOperand(node));
    open.op.operands.push_back(operand);
    SY_RETURN_IF_ERROR(Take(2 * sizeof(operand)));
  } else if (part == Part::kResult) {
    SY_ASSIGN_OR_RETURN(JsonValue result, ReadJsonValue(node, "%"));
    open.op.results.push_back(std::move(result));
    SY_RETURN_IF_ERROR(Take(SizeOf(open.op.results.back())));
  } else if (part == Part::kAttr) {
    SY_ASSIGN_OR_RETURN(JsonAttr attr,
                        ReadJsonAttr(node, std::exchange(open.value, {})));
    // Where it ran: here that is for the executor to say.
    if (attr.unknown == "a_place") return absl::OkStatus();
    open.op.attrs.push_back(std::move(attr));
    SY_RETURN_IF_ERROR(Take(SizeOf(open.op.attrs.back())));
  } else {
    JsonItems items = std::move(items_.back());
    items_.pop_back();
    const int depth = static_cast<int>(items_.size());
    open.num_texts += items.num_texts();
    JsonAttrValue value = ReadJsonAttrValue(node, depth, &items);
    if (part == Part::kItem) {
      // Lists grow by doubling.
      const bool text =
          value.value.ok() && value.value->type() == AttrType::kString;
      SY_RETURN_IF_ERROR(
          Take(2 * (text ? sizeof(std::string) : sizeof(int64_t))));
      items_.back().Add(std::move(value.value), std::move(value.unknown));
    } else {
      open.value = std::move(value);
    }
  }
  const size_t parts = open.op.operands.size() + open.op.results.size() +
                       open.op.attrs.size() + open.num_texts +
                       (items_.empty() ? 0 : items_.back().num_texts());
  if (parts <= kMaxParts) return absl::OkStatus();
  return ArgumentError(
      "operator", absl::StrCat("of at most ", kMaxParts, " parts"), "more");
}

absl::Status Reader::EndOperator(const JsonNode& node) {
  std::deque<JsonOperator>& list = blocks_.back().operators;
  JsonOperator op = std::move(operators_.back().op);
  operators_.pop_back();
  SY_RETURN_IF_ERROR(ReadJsonOperator(node, &op));
  op.index = static_cast<int64_t>(list.size());
  op.operands.shrink_to_fit();
  op.results.shrink_to_fit();
  op.attrs.shrink_to_fit();
  // A parameter's parts are none by themselves in the text.
  const bool whole = op.name == kJsonParameter;
  const size_t size = whole ? SizeOf(op) : kJsonOperatorSize + op.name.size();
  list.push_back(std::move(op));
  return Take(size);
}

absl::Status Reader::EndBlock(const JsonNode& node) {
  // A block and its list's memory, twice: lists of blocks grow by copies.
  constexpr size_t kBlock = 2048;
  SY_RETURN_IF_ERROR(Take(kBlock));
  JsonBlock block = std::move(blocks_.back());
  blocks_.pop_back();
  const JsonNode* const args = node.find("args");
  if (args != nullptr && !args->empty()) {  // No objects.
    return Annotate(ReadJsonValue((*args)[0], "#").status(),
                    absl::StrCat("arguments of block ", block.number));
  }
  std::vector<JsonBlock>& outer =
      operators_.empty() ? mains_ : operators_.back().op.blocks;
  outer.push_back(std::move(block));
  return absl::OkStatus();
}

absl::StatusOr<JsonBlock> Reader::Finish() {
  SY_RETURN_IF_ERROR(status_);
  SY_RETURN_IF_ERROR(CheckJsonHeader(tree_));
  if (mains_.size() != 1) {
    return ArgumentError("program", "of one main block",
                         absl::StrCat(mains_.size()));
  }
  mains_[0].text_size = text_size_;
  mains_[0].held = made_;
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
  Reader reader(text.size());
  rapidjson::InsituStringStream stream(text.data());
  JsonParser parser;
  const rapidjson::ParseResult result =
      parser.Parse<kJsonParsing>(stream, reader);
  if (result.IsError()) {
    reader.FailAt(result.Offset(), rapidjson::GetParseError_En(result.Code()));
  } else if (stream.Tell() != text.size()) {
    reader.FailAt(stream.Tell(), "a zero byte");
  }
  SY_ASSIGN_OR_RETURN(JsonBlock block, reader.Finish());
  std::string().swap(text);  // What it says is in the block.
  SY_RETURN_IF_ERROR(CheckJsonValues(block));
  return block;
}

}  // namespace switchyard::static_graph
