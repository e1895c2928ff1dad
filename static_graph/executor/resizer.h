// SPDX-License-Identifier: Apache-2.0
// Resizer: gives a ShapeSpecialization inputs of other shapes. Where all that
// was decided for the earlier shapes is decided alike for the new ones, that is
// the cheaper part of specializing: transforms, layouts, steps, packings and
// lifetimes stay, metadata is inferred, memory is planned again only if some
// tensor has grown.
//
// The decisions that a specialization holds, and what becomes of each here:
//   metadata, sizes, geometry of views   inferred and checked again
//   kernels that extents decide          resolved again; another one takes the
//                                        step, unless it wants transforms
//   elided transforms                    checked again; another choice: refused
//   which kernel allocates its result    checked again; else refused
//   errors of shapes                     refused, so that Specialize() tells
//   skipped calls, empty tensors         refused
//   attributes that values supply, elements folded from shapes, layouts chosen
//   for these extents, transforms that a resolved kernel needs, fallbacks,
//   control flow, how chains are cut     such a specialization has no
//                                        `resizable` and is never given here
//   packings and their keys, lifetimes, results, where a segment ends
//                                        follow from the steps, which stay
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_RESIZER_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_RESIZER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "static_graph/executor/plan.h"
#include "static_graph/executor/segment_input.h"
#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// Belongs to one specialization, which its user has alone: no run and no other
// frame reads it meanwhile.
//
//   if (!resizer.Resize(inputs)) return Specialize(...);
//   frame->Relaunch(resizer.relaunched(), &contexts);
//   SY_RETURN_IF_ERROR(
//       frame->tensors().Resize(resizer.changed(), resizer.moved()));
class Resizer {
 public:
  // Borrows its arguments, which outlive it. `made` is `resizable`, of `plan`.
  Resizer(const ProgramPlan& program, const Plan& plan,
          ShapeSpecialization* made);
  Resizer(const Resizer&) = delete;
  Resizer& operator=(const Resizer&) = delete;

  // Makes it the specialization for `inputs`: those of its inputs that may have
  // changed. Returns false if that takes more than other extents, or if it is
  // in doubt; then the specialization is of no use any more.
  bool Resize(absl::Span<const SegmentInput> inputs);

  // Return the tensors whose metadata the last Resize() changed, whether it
  // moved planned tensors, and the steps to which it gave another kernel.
  absl::Span<const TensorId> changed() const { return changed_; }
  bool moved() const { return moved_; }
  absl::Span<const int> relaunched() const { return relaunched_; }

 private:
  bool SetInput(const SegmentInput& input);
  // Infers the results of an instruction with a changed input.
  bool Follow(int number);
  bool ReadsChanged(const Instruction& instruction) const;
  bool Infer(const Instruction& instruction);
  bool ChooseKernel(int number);
  bool Elide(const Instruction& instruction);
  bool SetOutput(int number, size_t slot);
  bool SetView(int number, size_t slot, TensorMeta* meta) const;
  bool SetWritten(const Instruction& instruction, size_t slot,
                  TensorMeta* meta) const;
  bool Place();
  void NoteMemory();
  void MarkChanged(ValueId value);
  std::vector<const TensorMeta*> GetMetas(const Instruction& instruction) const;

  const ProgramPlan& program_;
  const Plan& plan_;
  ShapeSpecialization* made_;
  // Indexed by value: what InferMeta is given, and whether metadata changed.
  std::vector<TensorSpec> specs_;
  std::vector<uint8_t> is_changed_;
  std::vector<Step*> steps_;  // Indexed by instruction; null if it has none.
  std::vector<int64_t> capacity_;    // Indexed by root: bytes at its offset.
  std::vector<TensorSpec> outputs_;  // Of the current instruction.
  std::vector<TensorId> changed_;
  std::vector<int> relaunched_;
  bool has_parts_ = false;  // Some tensors lie in concatenations of them.
  bool moved_ = false;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_RESIZER_H_
