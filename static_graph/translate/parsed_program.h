// SPDX-License-Identifier: Apache-2.0
// ParsedProgram: the bytes of a program description that is structurally sound.
// Its operators and variables are read when they are looked at: as messages,
// all of a program take some ten times the file. What its operators mean is the
// translator's business (static_graph/translate/translator.h).
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_PARSED_PROGRAM_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_PARSED_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/translate/program_desc.h"
#include "static_graph/translate/rewrite_operators.h"

namespace switchyard::static_graph {

class ParsedProgram;

// A variable of a block, its name, element type and extents apart.
struct VariableFacts {
  uint32_t offset = 0;     // Of the description in the file; 0: there is none.
  uint32_t name = 0;       // Offset of the name.
  uint8_t kind = 0;        // VariableKind; 0: another.
  uint8_t lod_levels = 0;  // At most one more than any program has.
  bool dense = false;      // It is described as a dense tensor.
  bool persistable = false;  // It lives with the program.

  bool Is(VariableKind other) const {
    return kind == static_cast<uint8_t>(other);
  }
};

// The operators or the variables of a block, for a range-for: each is read into
// the one message of the iterator, so none is valid longer than a step.
template <typename Block, typename Message>
class Messages {
 public:
  class Iterator {
   public:
    Iterator(const Block* block, int at, int size)
        : block_(block), at_(at), size_(size) {
      Read();
    }
    const Message& operator*() const { return message_; }
    Iterator& operator++() {
      ++at_;
      Read();
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    void Read() {
      if (at_ < size_) block_->Read(at_, &message_);
    }

    const Block* block_;
    int at_;
    int size_;
    Message message_;
  };

  Messages(const Block* block, int size) : block_(block), size_(size) {}
  Iterator begin() const { return Iterator(block_, 0, size_); }
  Iterator end() const { return Iterator(block_, size_, size_); }

 private:
  const Block* block_;
  int size_;
};

// A block of a program, to which it refers.
class ParsedBlock {
 public:
  using Operators = Messages<ParsedBlock, translate::OpDesc>;
  using Variables = Messages<ParsedBlock, translate::VarDesc>;

  // Returns the block that a block of gradients goes back through; -1 of
  // others.
  int forward_block_idx() const { return forward_; }

  int ops_size() const { return static_cast<int>(operators_.size()); }
  Operators ops() const { return {this, ops_size()}; }
  translate::OpDesc ops(int i) const;
  // Reads an operator, as RewriteOperators changes it, into `op`: a message
  // that is used for many keeps the memory of the largest.
  void Read(int i, translate::OpDesc* op) const;
  // Returns the type of an operator, which is not read for it.
  std::string_view TypeOf(int i) const;

  int vars_size() const { return static_cast<int>(variables_.size()); }
  Variables vars() const { return {this, vars_size()}; }
  translate::VarDesc vars(int i) const;
  void Read(int i, translate::VarDesc* variable) const;
  const VariableFacts& facts(int i) const { return variables_[i]; }
  // Returns a variable's name, which is not read for it.
  std::string_view NameOf(int i) const;
  // Returns the number of the variable of that name; -1 if there is none.
  int IndexOf(std::string_view name) const;

  const ParsedProgram& program() const { return *program_; }

 private:
  friend class ProgramParser;

  // An operator of the file, or one that RewriteOperators adds before it.
  struct Operator {
    uint32_t offset;  // In the file.
    uint16_t type;    // Its number among those of the program.
    Rewrites::Part part;
  };

  // Reads an operator as it is in the file.
  void ReadAsWritten(Operator at, translate::OpDesc* op) const;
  // Adds a variable; false if there is one of that name.
  bool AddVariable(const VariableFacts& facts);
  // Returns the place in numbers_ of that name, or the free one for it.
  size_t PlaceOf(std::string_view name) const;
  void GrowNumbers();

  const ParsedProgram* program_ = nullptr;
  int forward_ = -1;
  std::vector<Operator> operators_;
  std::vector<VariableFacts> variables_;
  // An open hash table of variables' numbers plus one, 0 where it is free: the
  // names are in the file.
  std::vector<uint32_t> numbers_;
};

// A program description. It does not change, so any thread may read it.
class ParsedProgram {
 public:
  ParsedProgram(const ParsedProgram&) = delete;
  ParsedProgram& operator=(const ParsedProgram&) = delete;

  int blocks_size() const { return static_cast<int>(blocks_.size()); }
  const std::vector<ParsedBlock>& blocks() const { return blocks_; }
  const ParsedBlock& blocks(int i) const { return blocks_[i]; }
  int64_t version() const { return version_.version(); }
  const translate::OpVersionMap& op_version_map() const { return versions_; }

  // Return the size of the file, and how many bytes the program takes, nearly.
  size_t file_size() const { return bytes_.size(); }
  size_t held() const { return bytes_.size() + lists_ + rewrites_.held(); }

  // Reads the description that the facts are of.
  translate::VarDesc ReadVariable(const VariableFacts& facts) const;

 private:
  friend class ParsedBlock;
  friend class ProgramParser;

  explicit ParsedProgram(std::string bytes) : bytes_(std::move(bytes)) {}

  // Returns the number of a type, which lies in bytes_.
  uint16_t NumberOfType(std::string_view type);
  // Returns the contents of the field whose length is at `offset`.
  std::string_view MessageAt(uint32_t offset) const;
  // Replaces them by others, which are not longer. After those some bytes are
  // left that belong to no field.
  void ShortenMessageAt(uint32_t offset, std::string_view message);

  std::string bytes_;
  std::vector<ParsedBlock> blocks_;
  translate::Version version_;
  translate::OpVersionMap versions_;
  Rewrites rewrites_;
  size_t lists_ = 0;  // The bytes of what is known of operators and variables.
  // The types of operators by number; the first is any beyond that many.
  std::vector<std::string_view> types_ = {{}};
  HashMap<std::string_view, uint16_t> numbers_;
};

// A set of operators of a program, by block and index.
class OperatorSet {
 public:
  explicit OperatorSet(const ParsedProgram& program) {
    for (const ParsedBlock& block : program.blocks()) {
      has_.emplace_back(static_cast<size_t>(block.ops_size()), false);
    }
  }
  void Add(int block, int index) { has_[block][index] = true; }
  bool Contains(int block, int index) const { return has_[block][index]; }

 private:
  std::vector<std::vector<bool>> has_;
};

// InvalidArgument unless `bytes` is a program description with at least one
// block, blocks numbered in order and with a parent among those before them
// (the first: none), variables with distinct names in each block, and
// operators and slots with names. Every byte belongs to the message. Call
// stacks (static_graph/translate/call_stacks.h) are cut out, not read.
//
// It takes the bytes, 8 bytes for each operator, some 30 for each variable, and
// the largest operator: one of very many empty parts is an error, since as a
// message it would take a hundred times its bytes. So are more operators and
// variables than MaxLoaded (static_graph/translate/load_budget.h) allows.
absl::StatusOr<std::unique_ptr<const ParsedProgram>> ParseProgramDesc(
    std::string bytes);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_PARSED_PROGRAM_H_
