// SPDX-License-Identifier: Apache-2.0
// PlannedMemory: the memory of the results between a program's steps, and where
// each lies, for people to look at. It leaves out feeds, states, constants, the
// program's own results, scratch memory of kernels and the blocks of control
// flow.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_PLANNED_MEMORY_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_PLANNED_MEMORY_H_

#include <cstdint>
#include <vector>

#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// The plan of a run: blocks of bytes by the steps during which they live.
struct PlannedMemory {
  // Bytes at `offset` of the memory of `place`: step `first` writes them,
  // `last` is the last one that reads them. A part of a concatenation belongs
  // to its block.
  struct Block {
    Place place;
    int64_t offset = 0;
    int64_t bytes = 0;
    int first = 0;
    int last = 0;
  };
  // A call's kernel, or a transform for it.
  struct Step {
    const phi::KernelDef* kernel = nullptr;  // Null for control flow.
    const Instruction* call = nullptr;       // Of the plan.
    StepRole role = StepRole::kCall;
  };
  std::vector<ShapeSpecialization::Memory> places;
  std::vector<Block> blocks;
  std::vector<Step> steps;
};

// Returns the memory of a complete specialization, its own blocks' aside.
PlannedMemory PlannedMemoryOf(const ShapeSpecialization& made);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_PLANNED_MEMORY_H_
