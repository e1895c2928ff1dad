// SPDX-License-Identifier: Apache-2.0
// OnnxProgram: the bytes of an ONNX model, as a ForeignProgram. Operators and
// variables are read when they are looked at, and weights stay where they are
// in the file. What its operators mean is static_graph/translate/onnx.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_ONNX_PROGRAM_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_ONNX_PROGRAM_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "static_graph/foreign/foreign_program.h"
#include "static_graph/foreign/onnx/external_data.h"
#include "static_graph/foreign/onnx/onnx_tensor.h"

namespace switchyard::static_graph {

class OnnxProgram;

// The versions of domains that a model or a function imports.
using OpsetImports = std::vector<std::pair<std::string_view, int64_t>>;

// A graph of a model, or the body of one of its functions. The inputs and
// outputs of ONNX operators have no names: an operator has one slot of either,
// with the variables in their order. A variable without a name is left out.
class OnnxBlock final : public ForeignBlock {
 public:
  explicit OnnxBlock(const OnnxProgram* program) : program_(program) {}

  const ForeignProgram& program() const override;
  int forward_block() const override { return -1; }

  int ops_size() const override { return static_cast<int>(nodes_.size()); }
  void Read(int i, ForeignOperator* op) const override;
  std::string_view TypeOf(int i) const override;
  using ForeignBlock::ops;

  // The variables of a block are its inputs and the tensors that it holds,
  // those of the graph's Constants that are weights among them; what other
  // operators write is declared nowhere.
  int vars_size() const override { return static_cast<int>(variables_.size()); }
  const VariableFacts& facts(int i) const override { return variables_[i]; }
  std::string_view NameOf(int i) const override;
  int IndexOf(std::string_view name) const override;

  absl::Span<const std::string_view> inputs() const override { return inputs_; }
  absl::Span<const std::string_view> outputs() const override {
    return outputs_;
  }
  int64_t DomainVersion(std::string_view domain) const override;

  // Returns what the block says of its output number `i`; of a Loop's body that
  // is how it knows what it collects. ArgumentError if it says nothing.
  absl::StatusOr<TensorSpec> OutputSpec(size_t i) const;
  // Reads the default of an attribute of the function whose body it is. Returns
  // false if there is none.
  bool ReadDefault(std::string_view name, ForeignAttr* attr) const;
  // Returns the variables, by their numbers, that hold a tensor of the block.
  absl::Span<const int> tensors() const { return tensors_; }

 private:
  friend class OnnxParser;

  const OnnxProgram* program_;
  const OpsetImports* imports_ = nullptr;
  std::vector<std::string_view> nodes_;
  std::vector<std::string_view> defaults_;  // Of a function's attributes.
  std::vector<VariableFacts> variables_;
  HashMap<std::string_view, int> numbers_;
  std::vector<int> tensors_;
  std::vector<std::string_view> inputs_;
  std::vector<std::string_view> outputs_;
  std::vector<std::string_view> output_types_;  // TypeProtos; may be empty.
};

// Texts that a model holds, row-major.
struct OnnxTexts {
  Shape shape;
  std::vector<std::string> texts;
};

// A model.
class OnnxProgram final : public ForeignProgram {
 public:
  Vocabulary vocabulary() const override { return Vocabulary::kOnnx; }
  int blocks_size() const override { return static_cast<int>(blocks_.size()); }
  const OnnxBlock& blocks(int i) const override { return blocks_[i]; }
  int FunctionOf(const ForeignOperator& op) const override;
  int64_t version() const override { return ir_version_; }
  std::vector<OperatorVersion> operator_versions() const override;
  // Equal symbols of the model's shapes are one symbol. A tensor without a
  // shape is an error: no type here has an unknown rank.
  absl::StatusOr<TensorSpec> SpecOf(const VariableFacts& facts) const override;

  // How much a file says of the elements of a sequence. Some writers describe
  // them with no axes where they know nothing.
  enum class ElementRank : uint8_t { kSaid, kNoAxes, kUnsaid };
  // Returns kSaid for what is no sequence.
  ElementRank ElementRankOf(const VariableFacts& facts) const;
  // Returns what the file says of a variable, for a sequence with elements of
  // `rank` open axes.
  absl::StatusOr<TensorSpec> SpecOf(const VariableFacts& facts, int rank) const;

  size_t file_size() const override { return bytes_.size(); }
  size_t held() const override { return held_; }

  // Returns the tensor that a variable of tensors() holds; its elements are the
  // file's own where they are aligned for their type.
  absl::StatusOr<DenseTensor> TensorOf(const VariableFacts& facts) const;
  // Returns whether that is the tensor of this attribute: a Constant of the
  // graph holds a weight as an initializer does.
  bool Holds(const VariableFacts& facts, const ForeignAttr& attr) const;
  // Returns the tensor of an attribute (ForeignKind::kTensor).
  absl::StatusOr<DenseTensor> TensorOf(const ForeignAttr& attr) const;
  // Returns whether the tensor of an attribute is one of texts.
  bool HoldsTexts(const ForeignAttr& attr) const;
  // Returns the texts that either holds, and their shape. TypeError for a
  // tensor of numbers.
  absl::StatusOr<OnnxTexts> TextsOf(const VariableFacts& facts) const;
  absl::StatusOr<OnnxTexts> TextsOf(const ForeignAttr& attr) const;

 private:
  friend class OnnxBlock;
  friend class OnnxParser;

  // A variable's `offset` is the number of one of these.
  struct Description {
    std::string_view name;
    std::string_view type;    // A TypeProto; empty: none.
    std::string_view tensor;  // A TensorProto; empty: none.
    bool sparse = false;      // That is a SparseTensorProto.
  };

  OnnxProgram() = default;
  // Returns the tensor of a TensorProto, or of a SparseTensorProto.
  absl::StatusOr<DenseTensor> Made(std::string_view message, bool sparse) const;
  // Returns what a TypeProto says of a variable of that name: a tensor, a
  // sequence of tensors, or an optional of either, which is what it holds.
  absl::StatusOr<TensorSpec> SpecOfType(std::string_view name,
                                        std::string_view message) const;
  // Returns what a TypeProto.Tensor says.
  absl::StatusOr<TensorSpec> SpecOfTensor(std::string_view name,
                                          std::string_view type) const;

  std::shared_ptr<const void> owner_;  // Of bytes_.
  std::string_view bytes_;
  mutable ExternalFiles files_ = ExternalFiles("");
  std::deque<OnnxBlock> blocks_;
  std::deque<OpsetImports> imports_;  // Of the model, then of its functions.
  std::vector<Description> descriptions_;
  // The numbers of the blocks that graphs of attributes are, by where they lie.
  HashMap<const char*, int> blocks_of_graphs_;
  HashMap<std::string, int> functions_;  // By domain, name and overload.
  HashMap<std::string_view, uint32_t> symbols_;
  int64_t ir_version_ = 0;
  size_t held_ = 0;
};

// The newest version of the format, and the oldest, that are read.
inline constexpr int64_t kOldestOnnxIr = 3;
inline constexpr int64_t kNewestOnnxIr = 14;

// Maps the file and reads the structure of the model in it: InvalidArgument for
// bytes that are none, for graphs nested deeper than 32 levels, a variable that
// is described twice, and operators without a type; Unimplemented for an
// ir_version outside [3, 14]; IsMissingFile if the file isn't there. What it
// holds beside the file is less than MaxLoaded()
// (static_graph/foreign/load_budget.h), else ArgumentError.
absl::StatusOr<std::unique_ptr<const OnnxProgram>> ReadOnnxFile(
    const std::string& path);
// Does so with a model in memory, which can't have elements in other files.
absl::StatusOr<std::unique_ptr<const OnnxProgram>> ReadOnnxBytes(
    std::string bytes);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_ONNX_PROGRAM_H_
