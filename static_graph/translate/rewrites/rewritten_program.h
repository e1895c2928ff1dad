// SPDX-License-Identifier: Apache-2.0
// RewrittenProgram: an old program as it reads in today's words
// (static_graph/translate/rewrites/rewrite_operators.h).
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_REWRITES_REWRITTEN_PROGRAM_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_REWRITES_REWRITTEN_PROGRAM_H_

#include <deque>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "static_graph/foreign/foreign_program.h"
#include "static_graph/ir/context.h"
#include "static_graph/translate/rewrites/rewrite_operators.h"

namespace switchyard::static_graph {

// A block of a program that is rewritten.
class RewrittenBlock final : public ForeignBlock {
 public:
  // All outlive the block.
  RewrittenBlock(const ForeignBlock& written, const ForeignProgram* program,
                 const Rewrites* rewrites, const ir::Context* context)
      : written_(written),
        program_(*program),
        rewrites_(*rewrites),
        context_(context) {}

  const ForeignProgram& program() const override { return program_; }
  int forward_block() const override { return written_.forward_block(); }
  int ops_size() const override;
  void Read(int i, ForeignOperator* op) const override;
  std::string_view TypeOf(int i) const override;
  using ForeignBlock::ops;
  int vars_size() const override { return written_.vars_size(); }
  const VariableFacts& facts(int i) const override { return written_.facts(i); }
  std::string_view NameOf(int i) const override { return written_.NameOf(i); }
  int IndexOf(std::string_view name) const override {
    return written_.IndexOf(name);
  }
  absl::Span<const std::string_view> inputs() const override {
    return written_.inputs();
  }

  // Reads each adam that advances its powers as three operators.
  void AdvancePowers();
  // Returns about how many bytes it takes.
  size_t held() const { return parts_.size() * sizeof(Operator); }

 private:
  // An operator, or a part of one.
  struct Operator {
    int index = 0;  // In the block as it was written.
    Rewrites::Part part = Rewrites::Part::kWhole;
  };

  const ForeignBlock& written_;
  const ForeignProgram& program_;
  const Rewrites& rewrites_;
  const ir::Context* context_;
  std::vector<Operator> parts_;  // Empty: as they were written.
};

// A program that is rewritten, an operator at a time when it is read. Places of
// operators are those after it.
class RewrittenProgram final : public ForeignProgram {
 public:
  // Both outlive the program. `context` has our operators: a program in JSON
  // needs it.
  explicit RewrittenProgram(const ForeignProgram& written,
                            const ir::Context* context = nullptr);

  Vocabulary vocabulary() const override { return written_.vocabulary(); }
  int blocks_size() const override { return written_.blocks_size(); }
  const RewrittenBlock& blocks(int i) const override { return blocks_[i]; }
  int64_t version() const override { return written_.version(); }
  std::vector<OperatorVersion> operator_versions() const override {
    return written_.operator_versions();
  }
  absl::StatusOr<TensorSpec> SpecOf(const VariableFacts& facts) const override {
    return written_.SpecOf(facts);
  }
  size_t TensorsIn(const VariableFacts& facts) const override {
    return written_.TensorsIn(facts);
  }
  size_t file_size() const override { return written_.file_size(); }
  size_t held() const override { return written_.held() + held_; }

 private:
  // Notes facts that need all operators together. Stops when they exceed the
  // budget; code that checks held() reports that.
  void Note();

  const ForeignProgram& written_;
  Rewrites rewrites_;
  std::deque<RewrittenBlock> blocks_;
  size_t held_ = 0;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_REWRITES_REWRITTEN_PROGRAM_H_
