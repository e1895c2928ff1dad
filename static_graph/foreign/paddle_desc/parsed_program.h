// SPDX-License-Identifier: Apache-2.0
// ParsedProgram: the bytes of a program description that is structurally sound,
// as a ForeignProgram. Its operators and variables are read when they are
// looked at. What its operators mean is the translator's business
// (static_graph/translate/translator.h).
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_PARSED_PROGRAM_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_PARSED_PROGRAM_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/foreign/foreign_program.h"
#include "static_graph/foreign/paddle_desc/program_desc.h"

namespace switchyard::static_graph {

class ParsedProgram;

// A block of a program description.
class ParsedBlock final : public ForeignBlock {
 public:
  explicit ParsedBlock(const ParsedProgram* program) : program_(program) {}

  const ForeignProgram& program() const override;
  int forward_block() const override { return forward_; }

  int ops_size() const override { return static_cast<int>(operators_.size()); }
  void Read(int i, ForeignOperator* op) const override;
  std::string_view TypeOf(int i) const override;
  using ForeignBlock::ops;

  int vars_size() const override { return static_cast<int>(variables_.size()); }
  const VariableFacts& facts(int i) const override { return variables_[i]; }
  std::string_view NameOf(int i) const override;
  int IndexOf(std::string_view name) const override;

  // Return the bytes of an operator, without its call stack, and of a variable,
  // in the file.
  std::string_view OperatorBytes(int i) const;
  std::string_view VariableBytes(int i) const;

 private:
  friend class ProgramParser;

  struct Operator {
    uint32_t offset;  // In the file.
    uint16_t type;    // Its number among those of the program.
  };

  // Adds a variable; false if there is one of that name.
  bool AddVariable(const VariableFacts& facts);
  // Returns the place in numbers_ of that name, or the free one for it.
  size_t PlaceOf(std::string_view name) const;
  void GrowNumbers();

  const ParsedProgram* program_;
  int forward_ = -1;
  std::vector<Operator> operators_;
  std::vector<VariableFacts> variables_;
  // An open hash table of variables' numbers plus one, 0 where it is free: the
  // names are in the file.
  std::vector<uint32_t> numbers_;
};

// A program description.
class ParsedProgram final : public ForeignProgram {
 public:
  int blocks_size() const override { return static_cast<int>(blocks_.size()); }
  const ParsedBlock& blocks(int i) const override { return blocks_[i]; }
  int64_t version() const override { return version_.version(); }
  std::vector<OperatorVersion> operator_versions() const override;
  absl::StatusOr<TensorSpec> SpecOf(const VariableFacts& facts) const override;

  size_t file_size() const override { return bytes_.size(); }
  size_t held() const override { return bytes_.size() + lists_; }

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
  std::deque<ParsedBlock> blocks_;
  translate::Version version_;
  translate::OpVersionMap versions_;
  size_t lists_ = 0;  // The bytes of what is known of operators and variables.
  // The types of operators by number; the first is any beyond that many.
  std::vector<std::string_view> types_ = {{}};
  HashMap<std::string_view, uint16_t> numbers_;
};

// InvalidArgument unless `bytes` is a program description with at least one
// block, blocks numbered in order and with a parent among those before them
// (the first: none), variables with distinct names in each block, and
// operators and slots with names. Every byte belongs to the message. Call
// stacks (static_graph/foreign/paddle_desc/call_stacks.h) are cut out, not
// read.
//
// It takes the bytes, 8 bytes for each operator, some 30 for each variable, and
// the largest operator: one of very many empty parts is an error, since as a
// message it would take a hundred times its bytes. So are more operators and
// variables than MaxLoaded (static_graph/foreign/load_budget.h) allows.
absl::StatusOr<std::unique_ptr<const ParsedProgram>> ParseProgramDesc(
    std::string bytes);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_PARSED_PROGRAM_H_
