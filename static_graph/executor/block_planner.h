// SPDX-License-Identifier: Apache-2.0
// BlockPlanner: BuildPlan (plan_builder.h) for one block.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_BLOCK_PLANNER_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_BLOCK_PLANNER_H_

#include <vector>

#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/executor/plan.h"
#include "static_graph/ir/block.h"

namespace switchyard::static_graph {

// Turns one block into a Plan: operations to instructions, values to numbers.
// Blocks inside get planners of their own, which take the values that they
// capture from the planner around them. Used by one thread.
class BlockPlanner {
 public:
  // Borrows its arguments; fills `block`, and adds constants to `program`.
  BlockPlanner(ProgramPlan* program, const phi::KernelTable* table, Plan* block)
      : program_(program), table_(table), block_(block) {}

  // Adds a value that the block does not compute. TypeError for a state that is
  // not dense.
  absl::StatusOr<ValueId> AddInput(ir::Value value, PlanValue::Source source,
                                   int index);
  // Adds all operations of `block` except its terminator.
  absl::Status AddOperations(const ir::Block& block);
  // Computes lifetimes and aliases after all operations were added.
  void Finish();
  // The number of a value that was added; kNoValue for null.
  ValueId GetId(ir::Value value) const;
  // Returns the value whose memory `value` was written over, directly or over
  // others; itself if it has memory of its own.
  ValueId GetTarget(ValueId value) const { return targets_[value]; }

 private:
  absl::Status AddConstant(const ir::Operation& op);
  absl::Status AddLaunch(const ir::Operation& op);
  absl::Status AddReordered(const ir::Operation& op, const Instruction& launch);
  absl::Status SetKernels(const ir::Operation& op, Instruction* launch) const;
  void SetSources(const ir::Operation& op, const OpCall& call,
                  Instruction* launch) const;
  absl::Status AddControlFlow(const ir::Operation& op, Instruction::Kind kind);
  absl::StatusOr<std::unique_ptr<const Plan>> PlanBlock(const ir::Operation& op,
                                                        int region);
  absl::Status AddComputed(ir::Value value, Place place);
  void SetAttributes(OpCall call, Instruction* launch) const;

  ProgramPlan* program_;
  const phi::KernelTable* table_;
  Plan* block_;
  PooledMap<ir::Value, ValueId> ids_;
  std::vector<ValueId> targets_;  // By value: see GetTarget.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_BLOCK_PLANNER_H_
