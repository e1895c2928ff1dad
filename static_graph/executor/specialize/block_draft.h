// SPDX-License-Identifier: Apache-2.0
// BlockDraft: the specialization of a block (specialize_block.h) as far as it
// is made. The functions that make its parts (specialize_launch.h and the
// others of that prefix) know nothing else of each other.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_BLOCK_DRAFT_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_BLOCK_DRAFT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/selection/selection.h"
#include "static_graph/executor/plan.h"
#include "static_graph/executor/shape_specialization.h"
#include "static_graph/executor/step_list.h"

namespace switchyard::static_graph {

// A result of `call` in a layout chosen here.
struct YieldedTensor {
  TensorMeta strided;  // Its metadata if it were strided.
  const Instruction* call;
  uint16_t slot;
};

// One launch while its kernel is being found.
struct DraftLaunch {
  const Instruction* instruction = nullptr;
  absl::Span<const AttrRef> attrs;  // None is supplied.
  std::vector<TensorId> inputs;     // By slot.
  std::vector<TensorSpec> outputs;
  phi::selection::Selection selection;
  // Only the extents told that it falls back, so that its copies are made
  // here; those of others are the program's.
  bool falls_back = false;
};

// Used once: `made` leaves it.
struct BlockDraft {
  // Borrows its arguments. `list` may be null: nothing is written down then.
  BlockDraft(const ProgramPlan& program, const Plan& plan,
             SpecializationCounts* counts, StepList* list);

  // Adds a tensor of which nothing else is known.
  TensorId AddTensor(TensorSlot slot);
  TensorId GetTensor(ValueId value) const {
    return value == kNoValue ? kNoTensor : tensor_of[value];
  }
  const TensorMeta& GetMeta(TensorId tensor) const {
    return made->tensors[tensor].meta;
  }
  // The metadata that kernels are chosen by, of strided tensors where the
  // program has such. Null where an input is absent; valid until a tensor is
  // added.
  std::vector<const TensorMeta*> GetMetas(
      absl::Span<const TensorId> inputs) const;
  // True for a value that a kernel allocates: its shape is known after the
  // segment.
  bool IsLate(ValueId value) const;

  const ProgramPlan& program;
  const Plan& plan;
  SpecializationCounts* counts;
  StepList* list;
  std::unique_ptr<ShapeSpecialization> made;
  std::vector<Step> idle;           // For the list: those without elements.
  std::vector<TensorId> tensor_of;  // By value.
  // Indexed by value: the tensor that a kernel yielded in a layout chosen
  // here, or kNoTensor. While `tensor_of` is the same, it is not reordered
  // yet.
  std::vector<TensorId> yielded;
  // Indexed by tensor: null unless it is one of `yielded`.
  std::vector<std::unique_ptr<const YieldedTensor>> as_strided;
  std::vector<bool> elided;        // By value: left out, so another's memory.
  std::vector<TensorId> origins;   // By tensor: what a transform read.
  std::vector<DenseTensor> known;  // By tensor: its elements, if known.
  bool has_late = false;           // Some tensor's shape is not known yet.
  // All so far was decided in ways that a Resizer (resizer.h) follows.
  bool resizable = true;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_BLOCK_DRAFT_H_
