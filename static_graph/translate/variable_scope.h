// SPDX-License-Identifier: Apache-2.0
// VariableScope: the variables of an old program as one block of it sees them,
// and the value that each holds at the point that the translation has reached.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_VARIABLE_SCOPE_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_VARIABLE_SCOPE_H_

#include <string>
#include <vector>

#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/foreign/foreign_program.h"
#include "static_graph/foreign/load_budget.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph {

// The variables of a block, and those of the blocks around it that it does not
// declare itself. Values are set here alone: a sub-block's writes to outer
// variables become results of its operation, so outer scopes do not change
// during an inner one.
class VariableScope {
 public:
  // The scope of the main block. The block, its program and the budget that
  // pays for its memory outlive the scope.
  VariableScope(const ForeignBlock& block, LoadBudget* budget);
  // `around`, the scope of the block with the operator that runs `block`,
  // outlives the scope.
  VariableScope(const ForeignBlock& block, const VariableScope* around);
  // A scope inside `around` that declares nothing.
  explicit VariableScope(const VariableScope* around);
  ~VariableScope() { budget_->GiveBack(held_); }
  VariableScope(const VariableScope&) = delete;
  VariableScope& operator=(const VariableScope&) = delete;

  // Declares a variable here; another block may have its description.
  void Declare(const std::string& name, const VariableFacts& facts);

  // Returns the description that holds here; null if there is none.
  const VariableFacts* Find(const std::string& name) const;
  // As Find(), of an array; null for another variable.
  const VariableFacts* FindArray(const std::string& name) const;
  // Returns a description's facts of a tensor. Errors as of SpecOfVariable.
  absl::StatusOr<TensorSpec> SpecOf(const VariableFacts& facts) const;

  // Returns the value; null for a variable that holds none, or none of use.
  ir::Value Get(const std::string& name) const;
  void Set(const std::string& name, ir::Value value);

  // Old programs write some variables (XShape) only so that a gradient knows a
  // shape: GetShaped() returns the value that is of this shape, or null.
  ir::Value GetShaped(const std::string& name) const;
  void SetShaped(const std::string& name, ir::Value value);

 private:
  // A variable that is declared here, that holds a value here, or both.
  struct Variable {
    VariableFacts facts;
    ir::Value value;
  };

  VariableScope(const ForeignProgram* program, const ForeignBlock* block,
                const VariableScope* around, LoadBudget* budget);

  void Hold(size_t bytes) {
    held_ += bytes;
    budget_->Take(bytes);
  }
  // Returns the variable of others_ of that name, made if there is none.
  Variable& Other(const std::string& name);
  // Returns the number of a variable that the block declares; -1 of others.
  int NumberOf(const std::string& name) const;

  const ForeignProgram* program_;
  const ForeignBlock* block_;
  const VariableScope* around_;
  LoadBudget* budget_;
  size_t held_ = 0;
  std::vector<ir::Value> values_;  // Of the block's variables, by number.
  HashMap<std::string, Variable> others_;
  HashMap<std::string, ir::Value> shaped_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_VARIABLE_SCOPE_H_
