// SPDX-License-Identifier: Apache-2.0
// ShapeSpecialization: a Plan (plan.h), or a segment of one, for one set of
// input shapes: every tensor's geometry and where its memory lies, every step's
// kernel. All that depends on shapes is in it, so a run that finds its
// ShapeSpecialization infers nothing, resolves nothing and plans nothing. Made
// by specialize.h; immutable, shared by the frames (block_frame.h) that run it.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_SHAPE_SPECIALIZATION_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_SHAPE_SPECIALIZATION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "static_graph/executor/plan.h"

namespace switchyard::static_graph {

// Position in ShapeSpecialization::tensors.
using TensorId = int32_t;
inline constexpr TensorId kNoTensor = -1;

// A tensor of a block: its geometry and where its memory lies.
struct TensorSlot {
  enum class Storage : uint8_t {
    kBound,     // A feed, state or argument: bound for each run.
    kConstant,  // Of the program: bound when a frame is made.
    kPlanned,   // At `offset` of the frame's memory on its place.
    kFresh,     // Leaves the program: allocated for each run.
    kOwn,       // Its kernel makes it, memory and all, in each run: it is not
                // dense, or of a shape that the kernel finds out.
    kView,      // Its kernel makes it a view, in each run.
    kPacked,    // Computed from states and constants alone: `packings` says
                // how; bound to a frame, made again when one is written.
    kBlock,     // Only a chain reads it, block by block, in memory of its own.
  };
  TensorMeta meta;
  Storage storage = Storage::kPlanned;
  // The tensor whose memory it shares, through views and in-place; itself if it
  // has its own.
  TensorId root = kNoTensor;
  // Names the result, also a root, of the concatenation in which this root lies
  // where it goes as a part. Otherwise kNoTensor. A part is kPlanned, or kFresh
  // where the outermost whole leaves the program.
  TensorId whole = kNoTensor;
  int64_t bytes = 0;   // kPlanned and kFresh.
  int64_t offset = 0;  // kPlanned; of a kFresh part, in the outermost whole.
  // kBound and kConstant: which, by PlanValue.
  PlanValue::Source source = PlanValue::Source::kComputed;
  int32_t index = 0;
  ValueId value = kNoValue;  // Of the Plan.
};

struct ShapeSpecialization;
struct ElementwiseChain;  // elementwise_chain.h

// Returns the tensor in whose memory a root lies: the outermost whole.
inline TensorId OutermostOf(const std::vector<TensorSlot>& tensors,
                            TensorId root) {
  while (tensors[root].whole != kNoTensor) root = tensors[root].whole;
  return root;
}

// A launch with its kernel, or control flow with its blocks.
struct Step {
  // Borrowed from the Plan, or from `owned_attrs` for resolved transforms.
  const phi::KernelDef* kernel = nullptr;    // Null for control flow.
  const Instruction* instruction = nullptr;  // Null for resolved transforms.
  // The call that it belongs to, and what it is there: its kernel, or a
  // transform of an input or a result.
  const Instruction* call = nullptr;
  StepRole role = StepRole::kCall;
  uint16_t slot = 0;
  // The kernel of a call that has none on its place, or a copy to and fro for
  // one.
  bool fallback = false;
  Place place;  // Where the kernel runs.
  absl::Span<const AttrRef> attrs;
  phi::ArgSegments input_segments;
  phi::ArgSegments output_segments;
  // The tensors of all arguments (control flow: condition or first values;
  // results).
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  // Only for control flow, with the tensors that each block's arguments are
  // bound to (kWhile: its own values come first and are not listed).
  std::vector<std::unique_ptr<const ShapeSpecialization>> blocks;
  std::vector<std::vector<TensorId>> captures;
  // Launches that are one step, else null. `kernel` and `call` are those of the
  // last one then; `inputs` and `outputs` what all of them read and write
  // outside of the chain.
  std::shared_ptr<const ElementwiseChain> chain;
};

// All attributes of a launch after those that values supply were read.
struct SettledAttrs {
  std::vector<Attribute> supplied;
  std::vector<AttrRef> attrs;
};

// A value that a run need not compute: it follows from constants and from
// states that the program does not update, as a filter in a kernel's layout
// does, or one that a batch norm was multiplied into.
struct Packing {
  std::vector<int> steps;         // Of ShapeSpecialization::prepared, in order.
  std::vector<TensorId> sources;  // kBound to a state, or kConstant.
  TensorId packed = kNoTensor;    // kPacked.
  // Says what is computed; equal in all specializations of a plan.
  std::string key;
};

// All that depends on shapes of one plan, as flat data. Borrows the plan, and
// from it operators and kernels; owns what it has resolved itself. Never
// changed once it is made, so threads run it at the same time, each in a frame
// of its own.
struct ShapeSpecialization {
  std::vector<TensorSlot> tensors;
  std::vector<Step> steps;
  std::vector<Step> prepared;     // What packings compute by.
  std::vector<Packing> packings;  // Done before the steps.
  std::vector<TensorId> results;  // As Plan::results.
  // Indexed by fetch: true if an earlier one lies in the same memory, so that
  // this one is copied.
  std::vector<bool> shares_memory;
  // Planned memory: a block for each place where some tensor needs one.
  struct Memory {
    Place place;
    int64_t bytes = 0;
  };
  std::vector<Memory> memory;
  // Attributes of resolved transforms and those with supplied elements;
  // elements never move.
  std::vector<std::unique_ptr<const AttrRef>> owned_attrs;
  std::vector<std::unique_ptr<const SettledAttrs>> settled_attrs;
  // The instructions it does: [begin, end) of the Plan's. It ends early where
  // shapes depend on what it computes; `results` are then the values that are
  // used after it, which `live` names.
  int begin = 0;
  int end = 0;
  std::vector<ValueId> live;
  // Parallel to `live`: whether a transform was left out, so that the value
  // lies in another's memory, which later instructions must not write.
  std::vector<bool> live_elided;
  // It does all of the Plan, and memory is planned for all of it.
  bool complete = false;
  // A Resizer (resizer.h) may give it other extents. Only then, indexed by
  // value of the Plan: its tensor, and whether a transform was left out, so
  // that the tensor is another's.
  bool resizable = false;
  std::vector<TensorId> tensor_of;
  std::vector<bool> elided;
  size_t num_inputs = 0;  // Values that it was given.
};

// Returns how many bytes a transform writes; nothing where only a run tells.
inline std::optional<int64_t> BytesOf(const ShapeSpecialization& made,
                                      const Step& transform) {
  const TensorMeta& meta = made.tensors[transform.outputs[0]].meta;
  if (meta.kind != TensorKind::kDense || meta.dtype == DataType::kUndefined ||
      !meta.shape.known()) {
    return std::nullopt;
  }
  const absl::StatusOr<int64_t> bytes =
      CheckedByteSize(meta.dtype, meta.shape, meta.layout);
  if (!bytes.ok()) return std::nullopt;
  return *bytes;
}

// Counts the work of specializing, for tests and reports.
struct SpecializationCounts {
  int64_t infer_metas = 0;
  int64_t resolutions = 0;  // Residual candidates asked again.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_SHAPE_SPECIALIZATION_H_
