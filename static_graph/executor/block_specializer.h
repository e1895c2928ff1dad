// SPDX-License-Identifier: Apache-2.0
// BlockSpecializer: Specialize (specializer.h) for one block of a plan; blocks
// of control flow are specialized by others of it, in its course.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_BLOCK_SPECIALIZER_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_BLOCK_SPECIALIZER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/selection/selection.h"
#include "static_graph/executor/plan.h"
#include "static_graph/executor/specialization.h"

namespace switchyard::static_graph {

// Used once.
class BlockSpecializer {
 public:
  // Borrows its arguments. `transcript` may be null: no lines are made then.
  BlockSpecializer(const ProgramPlan& program, const Plan& plan,
                   SpecializationCounts* counts,
                   std::vector<std::string>* transcript)
      : program_(program),
        plan_(plan),
        counts_(counts),
        transcript_(transcript),
        made_(std::make_unique<Specialization>()) {}

  // `inputs`: the metadata of the values that are not computed, in the order
  // of Plan::values. The first `leaving` of the results get memory of their
  // own; the others stay in the frame's, for its user to copy.
  absl::StatusOr<std::unique_ptr<const Specialization>> Run(
      absl::Span<const TensorMeta> inputs, size_t leaving);

 private:
  // The tensor that a transform was made from.
  struct Origin {
    TensorId tensor = kNoTensor;
    phi::selection::Transform::Kind kind = {};
  };
  // One launch while its kernel is being found.
  struct Launch {
    const Instruction* instruction;
    std::vector<TensorId> inputs;  // By slot.
    std::vector<MetaTensor> outputs;
    phi::selection::Selection selection;
  };

  absl::Status AddInputs(absl::Span<const TensorMeta> inputs);
  absl::Status Add(const Instruction& instruction);

  // ---- Launches (block_specializer_launch.cc) ----
  absl::Status AddLaunch(const Instruction& instruction);
  absl::Status InferOutputs(Launch* launch);
  absl::Status ChooseKernel(Launch* launch);
  bool Elide(const Launch& launch);
  absl::Status AddTransform(const phi::selection::Transform& transform,
                            TensorId* input);
  absl::Status AddOutputs(const Launch& launch, Step* step);
  absl::StatusOr<TensorMeta> ViewMeta(const Launch& launch, size_t slot);
  bool HasNothingToCompute(const Launch& launch) const;
  std::string TranscriptOf(const Launch& launch) const;
  std::vector<phi::selection::TensorDesc> Describe(
      absl::Span<const TensorId> inputs) const;

  // ---- Control flow ----
  absl::Status AddIf(const Instruction& instruction);
  absl::Status AddWhile(const Instruction& instruction);
  absl::Status AddBlock(const Plan& block, absl::Span<const TensorId> own,
                        Step* step);
  absl::Status AddResults(const Instruction& instruction,
                          const Specialization& from, Step* step);

  // ---- Memory ----
  TensorId AddTensor(TensorSlot slot);
  void MarkLeaving(size_t leaving);
  absl::Status PlanTensorMemory();
  int LastStep() const { return static_cast<int>(made_->steps.size()); }
  TensorId TensorOf(ValueId value) const {
    return value == kNoValue ? kNoTensor : tensor_of_[value];
  }
  const TensorMeta& MetaOf(TensorId tensor) const {
    return made_->tensors[tensor].meta;
  }

  const ProgramPlan& program_;
  const Plan& plan_;
  SpecializationCounts* counts_;
  std::vector<std::string>* transcript_;
  std::unique_ptr<Specialization> made_;
  std::vector<TensorId> tensor_of_;  // By value.
  std::vector<bool> elided_;         // By value: left out, so another's memory.
  std::vector<Origin> origins_;      // By tensor.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_BLOCK_SPECIALIZER_H_
