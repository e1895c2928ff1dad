// SPDX-License-Identifier: Apache-2.0
// JsonProgram: a program in PaddlePaddle 3's JSON form as a ForeignProgram.
// What its operators mean is the translator's business
// (static_graph/translate/translator.h).
//
// In this form values have numbers, each is defined once, and operators have
// the names of the functional API. Axes, shapes and the like come as operands.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_PROGRAM_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_PROGRAM_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"
#include "static_graph/foreign/foreign_program.h"
#include "static_graph/foreign/packed_operators.h"

namespace switchyard::static_graph {

class JsonProgram;

// A value that an operator or a block defines.
struct JsonValue {
  int64_t id = 0;
  VariableKind kind = VariableKind::kOther;
  TensorSpec spec;           // Of a tensor or an array.
  size_t count = 0;          // Of the tensors in a list.
  bool persistable = false;  // A parameter that the file of weights holds.
};

// A block of operators. An operator has a slot of inputs and one of outputs,
// neither with a name: its operands and its results, in order. Variables are
// the values that the block defines, its arguments among them, and have the
// texts of their numbers for names; "" is an operand that is left out. The
// blocks that an operator runs are its attribute kJsonBlocks.
class JsonBlock final : public ForeignBlock {
 public:
  explicit JsonBlock(const JsonProgram* program) : program_(program) {}

  const ForeignProgram& program() const override;
  int forward_block() const override { return -1; }

  int ops_size() const override { return static_cast<int>(operators_.size()); }
  void Read(int i, ForeignOperator* op) const override;
  std::string_view TypeOf(int i) const override;
  using ForeignBlock::ops;

  int vars_size() const override { return static_cast<int>(variables_.size()); }
  const VariableFacts& facts(int i) const override { return variables_[i]; }
  std::string_view NameOf(int i) const override;
  int IndexOf(std::string_view name) const override;

  absl::Span<const std::string_view> inputs() const override { return inputs_; }

 private:
  friend class JsonProgram;

  const JsonProgram* program_;
  std::vector<uint32_t> operators_;  // Their places in the program.
  std::vector<VariableFacts> variables_;
  // The numbers of values, ascending, and of the variables that they are.
  std::vector<std::pair<int64_t, int>> numbers_;
  std::vector<int> arguments_;  // Variables.
  std::vector<std::string_view> inputs_;
};

// The operator that yields a parameter, and its attribute.
inline constexpr char kJsonParameter[] = "builtin.parameter";
inline constexpr char kParameterName[] = "parameter_name";
// An attribute of it: whether the file of the weights holds it (0: no).
inline constexpr char kPersistable[] = "persistable";
// The attribute of an operator with blocks: their numbers. They are counted by
// their places in the file; the main block is 0.
inline constexpr char kJsonBlocks[] = "blocks";

// A program, of which nothing of the text is held.
class JsonProgram final : public ForeignProgram {
 public:
  Vocabulary vocabulary() const override { return Vocabulary::kPaddleJson; }
  int blocks_size() const override { return static_cast<int>(blocks_.size()); }
  const JsonBlock& blocks(int i) const override { return blocks_[i]; }
  int64_t version() const override { return version_; }
  std::vector<OperatorVersion> operator_versions() const override { return {}; }
  absl::StatusOr<TensorSpec> SpecOf(const VariableFacts& facts) const override;
  size_t TensorsIn(const VariableFacts& facts) const override;
  size_t file_size() const override { return file_size_; }
  size_t held() const override;

  // ArgumentError for a text that is larger than any program is read of.
  static absl::Status CheckSize(size_t text_size);

  // Make the program: for the reader alone.
  explicit JsonProgram(size_t file_size) : file_size_(file_size) {}
  int AddBlock();
  void AddVariable(int block, const JsonValue& value, bool argument);
  void AddOperator(int block, const ForeignOperator& op);
  // Makes the tables by which variables are found.
  void Finish(int64_t version);

 private:
  friend class JsonBlock;

  std::string_view TextAt(uint32_t offset) const;

  const size_t file_size_;
  int64_t version_ = 0;
  std::deque<JsonBlock> blocks_;
  PackedOperators operators_;
  std::string bytes_;   // The names and the types of variables.
  size_t entries_ = 0;  // Operators and variables.
};

// The text of a parameter's name, an operator's name and the like is at most
// this long.
inline constexpr size_t kMaxJsonName = 4096;

// InvalidArgument unless `text` is such a program of a version that we know,
// with one main block, no value that is defined twice where it is seen or used
// where it is not, nothing nested deeper or of more parts than programs are,
// and no more of them than MaxLoaded (static_graph/foreign/load_budget.h)
// allows. Errors say where: by the offset in the text, or by block and
// operator.
absl::StatusOr<std::unique_ptr<const JsonProgram>> ParseJsonProgram(
    std::string text);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_PROGRAM_H_
