// SPDX-License-Identifier: Apache-2.0
// Specialization: a Plan (plan.h) for one set of input shapes: every tensor's
// geometry and where its memory lies, every step's kernel. All that depends on
// shapes is in it, so a run that finds its Specialization infers nothing,
// resolves nothing and plans nothing. Made by specializer.h; immutable, shared
// by the frames (block_frame.h) that run it.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZATION_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZATION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "static_graph/executor/plan.h"

namespace switchyard::static_graph {

// Position in Specialization::tensors.
using TensorId = int32_t;
inline constexpr TensorId kNoTensor = -1;

struct TensorSlot {
  enum class Storage : uint8_t {
    kBound,     // A feed, state or argument: bound for each run.
    kConstant,  // Of the program: bound when a frame is made.
    kPlanned,   // At `offset` of the frame's memory.
    kFresh,     // Leaves the program: allocated for each run.
    kView,      // Its kernel makes it a view, in each run.
  };
  TensorMeta meta;
  Storage storage = Storage::kPlanned;
  // Whose memory it shares, through views and in-place; itself if nobody's.
  TensorId root = kNoTensor;
  int64_t bytes = 0;   // kPlanned and kFresh.
  int64_t offset = 0;  // kPlanned.
  // kBound and kConstant: which, by PlanValue.
  PlanValue::Source source = PlanValue::Source::kComputed;
  int32_t index = 0;
};

struct Specialization;

struct Step {
  // Borrowed from the Plan, or from `owned_attrs` for resolved transforms.
  const phi::KernelDef* kernel = nullptr;    // Null for control flow.
  const Instruction* instruction = nullptr;  // Null for resolved transforms.
  absl::Span<const AttrRef> attrs;
  phi::ArgSegments input_segments;
  phi::ArgSegments output_segments;
  // Of all arguments (control flow: condition or first values; results).
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  // Of control flow, with the tensors that each block's arguments are bound to
  // (kWhile: its own values come first and are not listed).
  std::vector<std::unique_ptr<const Specialization>> blocks;
  std::vector<std::vector<TensorId>> captures;
};

struct Specialization {
  std::vector<TensorSlot> tensors;
  std::vector<Step> steps;
  std::vector<TensorId> results;  // As Plan::results.
  // By fetch: an earlier one lies in the same memory, so this one is copied.
  std::vector<bool> shares_memory;
  int64_t memory_bytes = 0;  // Of planned memory.
  // Attributes of resolved transforms; elements never move.
  std::vector<std::unique_ptr<const AttrRef>> owned_attrs;
};

// What was done while specializing, for tests and reports.
struct SpecializationCounts {
  int64_t infer_metas = 0;
  int64_t resolutions = 0;  // Residual candidates asked again.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZATION_H_
