// SPDX-License-Identifier: Apache-2.0
// ForeignProgram: a program of another system, in the terms that all of them
// share: blocks of operators that read and write variables by name. A reader
// makes it of a file's bytes (static_graph/foreign/paddle_desc);
// static_graph/translate makes a program of the IR of it. README.md beside this
// says how the formats lie in it.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_FOREIGN_PROGRAM_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_FOREIGN_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"
#include "static_graph/foreign/foreign_operator.h"

namespace switchyard::static_graph {

class ForeignProgram;

// The vocabularies of operator types: which names mean what.
enum class Vocabulary : uint8_t { kPaddle, kPaddleJson, kOnnx };

// The kinds of variables. What has no meaning here is kOther.
enum class VariableKind : uint8_t {
  kOther,
  kDenseTensor,
  kSelectedRows,
  kTensorArray,
  kRankTable,
  kTensorList,  // Of a number of tensors that is known.
};

// A variable of a block, its name, element type and extents apart.
struct VariableFacts {
  uint32_t offset = 0;  // Of the description in the file; 0: there is none.
  uint32_t name = 0;    // Offset of the name, for the reader.
  VariableKind kind = VariableKind::kOther;
  uint8_t lod_levels = 0;    // At most one more than any program has.
  bool dense = false;        // It is described as a dense tensor.
  bool persistable = false;  // It lives with the program.

  bool Is(VariableKind other) const { return kind == other; }
};

// The version of an operator type that a program was written for.
struct OperatorVersion {
  std::string type;
  int32_t version = 0;
};

// The operators of a block, for a range-for: each is read into the one operator
// of the iterator, so none is valid longer than a step.
template <typename Block>
class OperatorsOf {
 public:
  class Iterator {
   public:
    Iterator(const Block* block, int at) : block_(block), at_(at) { Read(); }
    const ForeignOperator& operator*() const { return op_; }
    Iterator& operator++() {
      ++at_;
      Read();
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    void Read() {
      if (at_ < block_->ops_size()) block_->Read(at_, &op_);
    }

    const Block* block_;
    int at_;
    ForeignOperator op_;
  };

  explicit OperatorsOf(const Block* block) : block_(block) {}
  Iterator begin() const { return Iterator(block_, 0); }
  Iterator end() const { return Iterator(block_, block_->ops_size()); }

 private:
  const Block* block_;
};

// A block of a program: operators in the order in which they run, and the
// variables that it declares. An operator may read and write those of the
// blocks around it, too. It belongs to its program.
//
// Operators are read when they are looked at: all of a program, as values, take
// some ten times the file.
class ForeignBlock {
 public:
  virtual ~ForeignBlock() = default;
  ForeignBlock(const ForeignBlock&) = delete;
  ForeignBlock& operator=(const ForeignBlock&) = delete;

  virtual const ForeignProgram& program() const = 0;
  // Returns the block that a block of gradients goes back through; -1 of
  // others.
  virtual int forward_block() const = 0;

  virtual int ops_size() const = 0;
  // Reads an operator into `op`: one that is used for many keeps the memory of
  // the largest.
  virtual void Read(int i, ForeignOperator* op) const = 0;
  // Returns the type of an operator, which is not read for it.
  virtual std::string_view TypeOf(int i) const = 0;
  OperatorsOf<ForeignBlock> ops() const {
    return OperatorsOf<ForeignBlock>(this);
  }
  ForeignOperator ops(int i) const {
    ForeignOperator op;
    Read(i, &op);
    return op;
  }

  virtual int vars_size() const = 0;
  virtual const VariableFacts& facts(int i) const = 0;
  // Returns a variable's name, whose description is not read for it.
  virtual std::string_view NameOf(int i) const = 0;
  // Returns the number of the variable of that name; -1 if there is none.
  virtual int IndexOf(std::string_view name) const = 0;

  // Return the variables that enter and leave a block whose format lists them,
  // in order: of the main block, feeds and fetches. None where operators say so
  // (static_graph/translate/program_ports.h).
  virtual absl::Span<const std::string_view> inputs() const { return {}; }
  virtual absl::Span<const std::string_view> outputs() const { return {}; }
  // Returns the version in which the block's operators of a domain are written;
  // -1 for a domain without one, and in formats without domains.
  virtual int64_t DomainVersion(std::string_view /*domain*/) const {
    return -1;
  }

 protected:
  ForeignBlock() = default;
};

// A program whose structure is sound: blocks have numbers, the first is run,
// and the others are named by attributes of operators. What its operators mean,
// and whether there are such, is the translator's business. It does not change,
// so any thread may read it.
//
// Weights are no part of it: a program names its parameters, and where their
// elements lie is known to the code that binds them.
class ForeignProgram {
 public:
  virtual ~ForeignProgram() = default;
  ForeignProgram(const ForeignProgram&) = delete;
  ForeignProgram& operator=(const ForeignProgram&) = delete;

  virtual int blocks_size() const = 0;
  virtual const ForeignBlock& blocks(int i) const = 0;
  virtual Vocabulary vocabulary() const { return Vocabulary::kPaddle; }
  // Returns the block of a function of the program that an operator of this
  // domain and type calls; -1 if there is none.
  virtual int FunctionOf(const ForeignOperator& /*op*/) const { return -1; }
  // Returns the version of the writer; formats have numbers of their own.
  virtual int64_t version() const = 0;
  virtual std::vector<OperatorVersion> operator_versions() const = 0;
  // Returns what a description says of a tensor, or of an array, whose elements
  // have the described extents. InvalidArgument, naming the variable, if it is
  // neither or has an element type or extents that we lack.
  virtual absl::StatusOr<TensorSpec> SpecOf(
      const VariableFacts& facts) const = 0;

  // Returns how many tensors a variable is: other than one of a list alone.
  virtual size_t TensorsIn(const VariableFacts& /*facts*/) const { return 1; }

  // Return the size of the file, and how many bytes the program takes, nearly
  // (static_graph/foreign/load_budget.h).
  virtual size_t file_size() const = 0;
  virtual size_t held() const = 0;

 protected:
  ForeignProgram() = default;
};

// A set of operators of a program, by block and index.
class OperatorSet {
 public:
  explicit OperatorSet(const ForeignProgram& program) {
    for (int i = 0; i < program.blocks_size(); ++i) {
      has_.emplace_back(static_cast<size_t>(program.blocks(i).ops_size()),
                        false);
    }
  }
  void Add(int block, int index) { has_[block][index] = true; }
  bool Contains(int block, int index) const { return has_[block][index]; }

 private:
  std::vector<std::vector<bool>> has_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_FOREIGN_PROGRAM_H_
