// SPDX-License-Identifier: Apache-2.0
// BlockSpecializer: Specialize (specialize.h) for one block of a plan, or for
// a segment of it. The blocks of control flow inside get specializers of their
// own.
//
// It stops at the first instruction whose output shapes are unknown:
//   1. it reads a tensor that a kernel allocates itself;
//   2. an attribute is supplied by a value whose elements are unknown;
//   3. it is control flow that has such an instruction inside, changes the
//      shape of a carried value, or has a block that fails for these shapes.
//      The failure is reported only if a run enters that block.
// The elements of constants are known, those of inputs that bring them, and the
// results of small launches over known elements or over shapes: such launches
// run here, once.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_BLOCK_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_BLOCK_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/executor/plan.h"
#include "static_graph/executor/segment_input.h"
#include "static_graph/executor/shape_specialization.h"
#include "static_graph/executor/specialize/block_draft.h"
#include "static_graph/executor/step_list.h"

namespace switchyard::static_graph {

// Used once.
class BlockSpecializer {
 public:
  // Borrows its arguments. `list` may be null; otherwise it is empty and gets
  // the calls and their steps.
  BlockSpecializer(const ProgramPlan& program, const Plan& plan,
                   SpecializationCounts* counts, StepList* list)
      : draft_(program, plan, counts, list) {}

  // All of a block. `inputs` are its values that are not computed. The first
  // `leaving` of the results get memory of their own; the others stay in the
  // frame's, for its user to copy. What ends early has no results.
  absl::StatusOr<std::unique_ptr<ShapeSpecialization>> Run(
      std::vector<SegmentInput> inputs, size_t leaving);

  // From instruction `begin` on, as far as can be. `inputs` are all values that
  // are there and used from there on; the results, which are those used after
  // the segment, get memory of their own.
  absl::StatusOr<std::unique_ptr<ShapeSpecialization>> RunSegment(
      int begin, std::vector<SegmentInput> inputs);

 private:
  absl::Status AddInputs(std::vector<SegmentInput> inputs);
  // Adds the instructions from `begin` on, as far as can be.
  absl::Status AddFrom(int begin);
  // False if the instruction must wait.
  absl::StatusOr<bool> Add(const Instruction& instruction);
  bool MustWait(const Instruction& instruction) const;
  absl::StatusOr<bool> AddIf(const Instruction& instruction);
  absl::StatusOr<bool> AddWhile(const Instruction& instruction);
  // False also if the block is wrong for these shapes.
  bool AddBlock(const Plan& block, absl::Span<const TensorId> own, Step* step,
                std::vector<StepList>* lists);
  absl::Status AddResults(const Instruction& instruction,
                          const ShapeSpecialization& from, Step* step);
  // Once the results are there: plans what a run does, and its memory.
  absl::StatusOr<std::unique_ptr<ShapeSpecialization>> Finish(size_t leaving);
  void MarkLeaving(size_t leaving);
  // Leaves what a Resizer (resizer.h) needs if it may be given other extents.
  void MarkResizable();

  BlockDraft draft_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_BLOCK_H_
