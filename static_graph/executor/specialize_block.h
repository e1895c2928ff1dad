// SPDX-License-Identifier: Apache-2.0
// BlockSpecializer: Specialize (specialize.h) for one block of a plan, or for
// a segment of it; blocks of control flow are specialized by others of it, in
// its course.
//
// It ends before the first instruction whose shapes depend on elements that
// are not known yet: what reads a tensor that a kernel allocates itself, what
// has an attribute that values supply, or control flow of which that is true
// inside, whose values change their shape, or with a block that is wrong for
// these shapes: its error is one of the program only if a run enters the block.
// Elements are known of constants,
// of inputs that come with them, and of what small launches make of such
// values or of shapes: these run here, once.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_BLOCK_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_BLOCK_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/selection/selection.h"
#include "static_graph/executor/plan.h"
#include "static_graph/executor/segment_input.h"
#include "static_graph/executor/shape_specialization.h"
#include "static_graph/executor/step_list.h"

namespace switchyard::static_graph {

// Used once.
class BlockSpecializer {
 public:
  // Borrows its arguments. `list` may be null; otherwise it is empty and gets
  // the calls and their steps.
  BlockSpecializer(const ProgramPlan& program, const Plan& plan,
                   SpecializationCounts* counts, StepList* list)
      : program_(program),
        plan_(plan),
        counts_(counts),
        list_(list),
        made_(std::make_unique<ShapeSpecialization>()) {}

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
  // A result of `call` in a layout chosen here.
  struct Yielded {
    TensorMeta strided;  // Its metadata if it were strided.
    const Instruction* call;
    uint16_t slot;
  };
  // One launch while its kernel is being found.
  struct Launch {
    const Instruction* instruction;
    absl::Span<const AttrRef> attrs;  // None is supplied.
    std::vector<TensorId> inputs;     // By slot.
    std::vector<TensorSpec> outputs;
    phi::selection::Selection selection;
    // Only the extents told that it falls back, so that its copies are made
    // here; those of others are the program's.
    bool falls_back = false;
  };

  absl::Status AddInputs(std::vector<SegmentInput> inputs);
  // Adds the instructions from `begin` on, as far as can be.
  absl::Status AddFrom(int begin);
  // False if the instruction must wait.
  absl::StatusOr<bool> Add(const Instruction& instruction);
  bool MustWait(const Instruction& instruction) const;
  // True for what a kernel allocates: its shape is known after the segment.
  bool IsLate(ValueId value) const;

  // ---- Launches (specialize_launch.cc) ----
  absl::Status AddLaunch(const Instruction& instruction);
  absl::Status SettleAttributes(Launch* launch);
  bool CanEvaluate(const Launch& launch) const;
  absl::Status Evaluate(const Launch& launch, const Step& step);
  absl::Status InferOutputs(Launch* launch);
  absl::Status ChooseKernel(Launch* launch);
  bool Elide(const Launch& launch);
  // Adds a transform that `call` needs, of its argument in `transform.slot`.
  absl::Status AddTransform(const phi::selection::Transform& transform,
                            const Instruction& call, StepRole role,
                            TensorId* input);
  // Returns the tensor of an output, with the memory that it shares.
  absl::StatusOr<TensorSlot> MakeOutput(const Launch& launch, size_t slot);
  absl::Status AddOutputs(const Launch& launch, Step* step);
  // The layout in which the kernel yields an output.
  LayoutDescriptor OutputLayout(const Launch& launch, size_t slot) const;
  void ReorderOutputs(const Launch& launch);
  absl::StatusOr<TensorMeta> ViewMeta(const Launch& launch, size_t slot);
  bool HasNothingToCompute(const Launch& launch) const;
  // The metadata that kernels are chosen by, of strided tensors where the
  // program has such. Null where an input is absent; valid until a tensor is
  // added.
  std::vector<const TensorMeta*> GetMetas(
      absl::Span<const TensorId> inputs) const;

  // ---- Results in layouts that kernels chose (specialize_layouts.cc) ----
  // Lets `launch`, whose kernel is chosen, read them as they are where its
  // kernel takes them; reorders the others.
  absl::Status SettleInputs(Launch* launch);
  absl::StatusOr<bool> TakeInLayout(Launch* launch);
  std::optional<std::vector<LayoutDescriptor>> SelectInLayout(
      LayoutDescriptor layout, Launch* launch) const;
  bool MayTake(const Launch& launch,
               absl::Span<const LayoutDescriptor> taken) const;
  // The tensor that a kernel yielded for an input in a layout chosen here.
  TensorId YieldedInput(const Launch& launch, size_t slot) const;
  // Gives the value its strided tensor, in a new step if it has none.
  absl::Status Settle(ValueId value);
  absl::Status SettleOperands(const Instruction& instruction);

  // ---- Fallbacks to the host (specialize_fallbacks.cc) ----
  // Copies the results of a launch that falls back to where they belong.
  absl::Status ReturnFromHost(const Launch& launch);
  // Says of the steps from `first` on, which are a launch that falls back, that
  // they are there for that.
  void MarkFallback(size_t first);
  // Whether an instruction is a call that falls back, or a copy for one.
  bool IsFallback(const Instruction& instruction) const;

  // ---- The list of steps (specialize_list.cc) ----
  // Notes a launch whose kernel is chosen.
  void Record(const Launch& launch);
  // Notes the transforms of all that was noted and, if it `runs` so, what need
  // not be repeated.
  void FinishList(bool runs);
  // After an early end: says of which calls the layout is not settled.
  void MarkUnsettled();
  ListedTransform ListedOf(const Step& step) const;

  // ---- Control flow ----
  absl::StatusOr<bool> AddIf(const Instruction& instruction);
  absl::StatusOr<bool> AddWhile(const Instruction& instruction);
  // False also if the block is wrong for these shapes.
  bool AddBlock(const Plan& block, absl::Span<const TensorId> own, Step* step,
                std::vector<StepList>* lists);
  void RecordControl(const Instruction& control, std::vector<StepList> lists);
  absl::Status AddResults(const Instruction& instruction,
                          const ShapeSpecialization& from, Step* step);

  // ---- What no run needs to repeat (specialize_packing.cc) ----
  // True for a state that the program does not update, and for a constant.
  bool IsFixed(TensorId tensor) const;
  bool IsComputable(const Step& step, const std::vector<bool>& computed,
                    const std::vector<bool>& shared) const;
  std::vector<bool> FindComputable() const;
  std::string KeyOf(TensorId tensor, const std::vector<int>& producers) const;
  void AddPacking(TensorId tensor, const std::vector<int>& producers);
  // Takes what follows from such values alone out of the steps.
  void SetPackingsApart();

  // ---- Memory ----
  TensorId AddTensor(TensorSlot slot);
  void MarkLeaving(size_t leaving);
  // Leaves what a Resizer (resizer.h) needs if it may be given other extents.
  void MarkResizable();
  TensorId GetTensor(ValueId value) const {
    return value == kNoValue ? kNoTensor : tensor_of_[value];
  }
  const TensorMeta& GetMeta(TensorId tensor) const {
    return made_->tensors[tensor].meta;
  }

  const ProgramPlan& program_;
  const Plan& plan_;
  SpecializationCounts* counts_;
  StepList* list_;          // Null: nothing is written down.
  std::vector<Step> idle_;  // For the list: those without elements.
  std::unique_ptr<ShapeSpecialization> made_;
  std::vector<TensorId> tensor_of_;  // By value.
  // Indexed by value: the tensor that a kernel yielded in a layout chosen
  // here, or kNoTensor. While `tensor_of_` is the same, it is not reordered
  // yet.
  std::vector<TensorId> yielded_;
  // Indexed by tensor: null unless it is one of `yielded_`.
  std::vector<std::unique_ptr<const Yielded>> as_strided_;
  std::vector<bool> elided_;        // By value: left out, so another's memory.
  std::vector<TensorId> origins_;   // By tensor: what a transform read.
  std::vector<DenseTensor> known_;  // By tensor: its elements, if known.
  bool has_late_ = false;           // Some tensor's shape is not known yet.
  // All so far was decided in ways that a Resizer follows.
  bool resizable_ = true;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_BLOCK_H_
