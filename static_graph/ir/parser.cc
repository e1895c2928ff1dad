// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/parser.h"

#include <charconv>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/hash_map.h"
#include "static_graph/ir/attribute_parser.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/builtin.h"
#include "static_graph/ir/identifier.h"
#include "static_graph/ir/lexer.h"

namespace switchyard::static_graph::ir {
namespace {

class Parser {
 public:
  Parser(Context* context, std::string_view text)
      : context_(context), lexer_(text) {}

  absl::StatusOr<Program> ParseProgram();

 private:
  absl::Status ParseEntryArguments(Program& program);
  absl::Status ParseEntryArgument(Program& program);
  // Operations up to "}", which it takes.
  absl::Status ParseBody(Block& block, int depth);
  absl::Status ParseOperation(Block& block, int depth);
  absl::StatusOr<std::vector<Token>> ParseResultNames();
  absl::Status ParseOperands(OperationState& state);
  absl::Status ParseReturn(OperationState& state);
  absl::StatusOr<Attribute> ParseNamedOperands(OperationState& state);
  absl::Status ParseAttributes(OperationState& state);
  absl::Status AddAttribute(OperationState& state, Attribute name,
                            Attribute value);
  absl::Status ParseResultTypes(OperationState& state, size_t count);
  absl::Status ParseLocation(OperationState& state);
  absl::StatusOr<int> ParseIndex();
  // Detached operations, each of which holds a region until its owner exists.
  absl::StatusOr<std::vector<OperationPtr>> ParseRegions(int depth);
  absl::Status ParseBlockArguments(Block& block);

  absl::StatusOr<Value> ParseUse();
  // Takes a value's name, which must be new.
  absl::StatusOr<Token> ParseNewName();
  void Define(const Token& name, Value value);
  // Ends the scope of all names but the first `outer` ones.
  void Leave(size_t outer);

  Context* context_;
  Lexer lexer_;
  // Every name so far; null where its region is over.
  HashMap<std::string, Value> values_;
  std::vector<std::string> defined_;  // The names in scope, oldest first.
};

absl::StatusOr<Program> Parser::ParseProgram() {
  SY_RETURN_IF_ERROR(lexer_.ExpectWord("program"));
  if (!lexer_.Is(TokenKind::kSymbol)) return lexer_.Error("a name like @main");
  Program program(context_, lexer_.token().string);
  lexer_.Advance();
  SY_RETURN_IF_ERROR(lexer_.ExpectSign('{'));
  SY_RETURN_IF_ERROR(lexer_.ExpectSign('^'));
  SY_RETURN_IF_ERROR(lexer_.ExpectWord("entry"));
  SY_RETURN_IF_ERROR(ParseEntryArguments(program));
  SY_RETURN_IF_ERROR(ParseBody(program.entry(), 1));
  if (!lexer_.Is(TokenKind::kEnd)) return lexer_.Error("the end of the text");
  return program;
}

absl::Status Parser::ParseEntryArguments(Program& program) {
  SY_RETURN_IF_ERROR(lexer_.ExpectSign('('));
  if (!lexer_.IsSign(')')) {
    do {
      SY_RETURN_IF_ERROR(ParseEntryArgument(program));
    } while (lexer_.TakeSign(','));
  }
  SY_RETURN_IF_ERROR(lexer_.ExpectSign(')'));
  return lexer_.ExpectSign(':');
}

// %x: feed "image" tensor<float32[?, 784]>
absl::Status Parser::ParseEntryArgument(Program& program) {
  SY_ASSIGN_OR_RETURN(const Token name, ParseNewName());
  SY_RETURN_IF_ERROR(lexer_.ExpectSign(':'));
  ArgumentRole role = ArgumentRole::kNone;
  Attribute label;
  if (context_->FindType(lexer_.token().text) == nullptr) {
    const bool feed = lexer_.TakeWord("feed");
    if (!feed && !lexer_.TakeWord("state")) {
      return lexer_.Error("'feed', 'state' or a type");
    }
    role = feed ? ArgumentRole::kFeed : ArgumentRole::kState;
    SY_ASSIGN_OR_RETURN(const std::string text,
                        lexer_.ExpectString("the argument's name as a string"));
    label = context_->GetString(text);
  }
  SY_ASSIGN_OR_RETURN(const Type type, ParseType(lexer_, context_));
  Define(name, program.entry().AddArgument(type, role, label));
  return absl::OkStatus();
}

absl::Status Parser::ParseBody(Block& block, int depth) {
  while (!lexer_.TakeSign('}')) {
    SY_RETURN_IF_ERROR(ParseOperation(block, depth));
  }
  return absl::OkStatus();
}

absl::Status Parser::ParseOperation(Block& block, int depth) {
  SY_ASSIGN_OR_RETURN(const std::vector<Token> names, ParseResultNames());
  if (!lexer_.Is(TokenKind::kWord)) return lexer_.Error("an operation or '}'");
  OperationState state;
  const auto definition = context_->GetOp(lexer_.token().text);
  if (!definition.ok()) return lexer_.Error("a known operation");
  state.definition = *definition;
  lexer_.Advance();
  SY_RETURN_IF_ERROR(lexer_.ExpectSign('('));
  if (state.definition->name == kReturnOp && lexer_.Is(TokenKind::kString)) {
    SY_RETURN_IF_ERROR(ParseReturn(state));
  } else {
    SY_RETURN_IF_ERROR(ParseOperands(state));
  }
  SY_RETURN_IF_ERROR(ParseAttributes(state));
  SY_RETURN_IF_ERROR(ParseResultTypes(state, names.size()));
  SY_RETURN_IF_ERROR(ParseLocation(state));
  SY_ASSIGN_OR_RETURN(const std::vector<OperationPtr> regions,
                      ParseRegions(depth));
  state.regions = static_cast<int>(regions.size());
  Operation* op = Operation::Create(state);
  block.push_back(op);
  for (int i = 0; i < state.regions; ++i) {
    op->block(i).TakeBody(regions[i]->block(0));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    Define(names[i], op->result(static_cast<int>(i)));
  }
  return absl::OkStatus();
}

// "%0, %1 =", or nothing.
absl::StatusOr<std::vector<Token>> Parser::ParseResultNames() {
  std::vector<Token> names;
  if (!lexer_.Is(TokenKind::kValue)) return names;
  std::set<std::string_view> seen;
  do {
    SY_ASSIGN_OR_RETURN(Token name, ParseNewName());
    if (!seen.insert(name.text).second) {
      return Lexer::ErrorAt(name, "expected a new name, found '" +
                                      std::string(name.text) + "' again");
    }
    names.push_back(std::move(name));
  } while (lexer_.TakeSign(','));
  SY_RETURN_IF_ERROR(lexer_.ExpectSign('='));
  return names;
}

absl::Status Parser::ParseOperands(OperationState& state) {
  if (lexer_.TakeSign(')')) return absl::OkStatus();
  do {
    SY_ASSIGN_OR_RETURN(const Value value, ParseUse());
    state.operands.push_back(value);
  } while (lexer_.TakeSign(','));
  return lexer_.ExpectSign(')');
}

// ("loss" = %0) state("w" = %1), after the first parenthesis.
absl::Status Parser::ParseReturn(OperationState& state) {
  SY_ASSIGN_OR_RETURN(const Attribute fetches, ParseNamedOperands(state));
  return AddAttribute(state, context_->GetString(kFetchNames), fetches);
}

absl::StatusOr<Attribute> Parser::ParseNamedOperands(OperationState& state) {
  std::vector<std::string> names;
  do {
    SY_ASSIGN_OR_RETURN(std::string name,
                        lexer_.ExpectString("a name as a string"));
    SY_RETURN_IF_ERROR(lexer_.ExpectSign('='));
    SY_ASSIGN_OR_RETURN(const Value value, ParseUse());
    names.push_back(std::move(name));
    state.operands.push_back(value);
  } while (lexer_.TakeSign(','));
  SY_RETURN_IF_ERROR(lexer_.ExpectSign(')'));
  return context_->GetStrings(names);
}

absl::Status Parser::ParseAttributes(OperationState& state) {
  if (state.definition->name == kReturnOp && lexer_.TakeWord("state")) {
    SY_RETURN_IF_ERROR(lexer_.ExpectSign('('));
    SY_ASSIGN_OR_RETURN(const Attribute states, ParseNamedOperands(state));
    SY_RETURN_IF_ERROR(
        AddAttribute(state, context_->GetString(kStateNames), states));
  }
  if (!lexer_.TakeSign('{')) return absl::OkStatus();
  do {
    if (!lexer_.Is(TokenKind::kWord) && !lexer_.Is(TokenKind::kString)) {
      return lexer_.Error("an attribute's name");
    }
    const Attribute name = context_->GetString(
        lexer_.Is(TokenKind::kWord) ? lexer_.token().text
                                    : std::string_view(lexer_.token().string));
    // Before it is taken, so that the message shows where it stands.
    SY_RETURN_IF_ERROR(AddAttribute(state, name, Attribute()));
    lexer_.Advance();
    SY_RETURN_IF_ERROR(lexer_.ExpectSign('='));
    SY_ASSIGN_OR_RETURN(state.attributes.back().value,
                        ParseAttribute(lexer_, context_));
  } while (lexer_.TakeSign(','));
  return lexer_.ExpectSign('}');
}

absl::Status Parser::AddAttribute(OperationState& state, Attribute name,
                                  Attribute value) {
  for (const NamedAttribute& attribute : state.attributes) {
    if (attribute.name == name) {
      return lexer_.Error("each attribute once");
    }
  }
  state.attributes.push_back({name, value});
  return absl::OkStatus();
}

absl::Status Parser::ParseResultTypes(OperationState& state, size_t count) {
  if (count == 0) return absl::OkStatus();
  SY_RETURN_IF_ERROR(lexer_.ExpectSign(':'));
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) SY_RETURN_IF_ERROR(lexer_.ExpectSign(','));
    SY_ASSIGN_OR_RETURN(const Type type, ParseType(lexer_, context_));
    state.results.push_back(type);
  }
  return absl::OkStatus();
}

// loc("examples/digits/demo.py":12) or loc("ocr.pdmodel":0:3), or nothing.
absl::Status Parser::ParseLocation(OperationState& state) {
  if (!lexer_.TakeWord("loc")) return absl::OkStatus();
  SY_RETURN_IF_ERROR(lexer_.ExpectSign('('));
  SY_ASSIGN_OR_RETURN(const std::string source,
                      lexer_.ExpectString("a file's name as a string"));
  SY_RETURN_IF_ERROR(lexer_.ExpectSign(':'));
  SY_ASSIGN_OR_RETURN(const int first, ParseIndex());
  int second = -1;
  if (lexer_.TakeSign(':')) {
    SY_ASSIGN_OR_RETURN(second, ParseIndex());
  }
  state.location = context_->GetLocation(source, first, second);
  return lexer_.ExpectSign(')');
}

absl::StatusOr<int> Parser::ParseIndex() {
  const std::string_view text = lexer_.token().text;
  int index = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), index);
  if (!lexer_.Is(TokenKind::kInteger) || error != std::errc() || index < 0) {
    return lexer_.Error("a line or an index");
  }
  lexer_.Advance();
  return index;
}

absl::StatusOr<std::vector<OperationPtr>> Parser::ParseRegions(int depth) {
  std::vector<OperationPtr> regions;
  while (lexer_.IsWord("region")) {
    if (depth == kMaxRegionDepth) {
      return lexer_.Error("at most " + std::to_string(kMaxRegionDepth) +
                          " regions inside each other");
    }
    lexer_.Advance();
    SY_RETURN_IF_ERROR(lexer_.ExpectSign('{'));
    OperationState state;
    state.definition = context_->FindOp(kProgramOp);
    state.regions = 1;
    OperationPtr region(Operation::Create(state));
    regions.push_back(std::move(region));
    Block& block = regions.back()->block(0);
    const size_t outer = defined_.size();
    SY_RETURN_IF_ERROR(ParseBlockArguments(block));
    SY_RETURN_IF_ERROR(ParseBody(block, depth + 1));
    Leave(outer);
  }
  return regions;
}

// ^(%a: tensor<bool[]>, ...):, or nothing.
absl::Status Parser::ParseBlockArguments(Block& block) {
  if (!lexer_.TakeSign('^')) return absl::OkStatus();
  SY_RETURN_IF_ERROR(lexer_.ExpectSign('('));
  do {
    SY_ASSIGN_OR_RETURN(const Token name, ParseNewName());
    SY_RETURN_IF_ERROR(lexer_.ExpectSign(':'));
    SY_ASSIGN_OR_RETURN(const Type type, ParseType(lexer_, context_));
    Define(name, block.AddArgument(type));
  } while (lexer_.TakeSign(','));
  SY_RETURN_IF_ERROR(lexer_.ExpectSign(')'));
  return lexer_.ExpectSign(':');
}

absl::StatusOr<Value> Parser::ParseUse() {
  if (!lexer_.Is(TokenKind::kValue)) return lexer_.Error("a value like %0");
  const auto found = values_.find(lexer_.token().string);
  if (found == values_.end() || !found->second) {
    return Lexer::ErrorAt(lexer_.token(),
                          "'" + std::string(lexer_.token().text) +
                              "' is not defined before, in this or an "
                              "enclosing block");
  }
  lexer_.Advance();
  return found->second;
}

absl::StatusOr<Token> Parser::ParseNewName() {
  if (!lexer_.Is(TokenKind::kValue)) return lexer_.Error("a value like %0");
  if (Contains(values_, lexer_.token().string)) {
    return lexer_.Error("a new name");
  }
  Token name = lexer_.token();
  lexer_.Advance();
  return name;
}

void Parser::Define(const Token& name, Value value) {
  values_[name.string] = value;
  defined_.push_back(name.string);
  // Numbers are the printer's own; names are kept.
  if (!IsDigit(name.string[0])) value.SetHint(context_->GetString(name.string));
}

void Parser::Leave(size_t outer) {
  for (; defined_.size() > outer; defined_.pop_back()) {
    values_[defined_.back()] = Value();
  }
}

}  // namespace

absl::StatusOr<Program> Parse(Context* context, std::string_view text) {
  RegisterBuiltinDialect(context);
  return Parser(context, text).ParseProgram();
}

}  // namespace switchyard::static_graph::ir
