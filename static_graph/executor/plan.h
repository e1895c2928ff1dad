// SPDX-License-Identifier: Apache-2.0
// ProgramPlan and Plan: a lowered program as flat data. Made once per program
// by plan_builder.h; immutable, shared by all runs. It may still have unknown
// Dims: what a run with known shapes does is a ShapeSpecialization
// (shape_specialization.h).
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_PLAN_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_PLAN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/attribute.h"
#include "framework/types/tensor_spec.h"
#include "phi/core/arg_buffer.h"
#include "phi/core/kernel_table.h"
#include "phi/core/op_info.h"
#include "phi/selection/policy.h"
#include "phi/selection/transform.h"
#include "static_graph/ir/location.h"
#include "static_graph/lowering/relaxed_choices.h"

namespace switchyard::static_graph {

// Position in Plan::values.
using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;

// A value of a block: where it comes from and what is known of its tensor,
// whose Dims may be unknown until a run.
struct PlanValue {
  enum class Source : uint8_t {
    kFeed,
    kState,
    kConstant,
    kArgument,  // Of a block of cf: a loop's value or a captured one.
    kComputed,
  };
  Source source = Source::kComputed;
  int32_t index = 0;  // Of the feed, state, constant or argument.
  TensorSpec meta;
  Place place;
};

struct Plan;

// An attribute of a launch whose elements are those of values, which must be
// known before the launch can be specialized.
struct SuppliedValues {
  int attr = 0;
  std::vector<ValueId> values;
};

// Tells what a step is to the call that it belongs to.
enum class StepRole : uint8_t {
  kCall,    // The call's own kernel, or control flow.
  kInput,   // A transform of an input.
  kOutput,  // A transform of a result, after the kernel.
  kMemory,  // A copy of an input, which the call writes over.
};

// One step of a block: the launch of an operator's kernel, or control flow with
// its blocks. What a launch could not decide because a Dim is unknown, the
// specialization of a run decides: it examines candidates() in order, then
// `kernel`. It can't be copied, since `attrs` points into `attributes` and
// `rare`. Borrows the records of operators and kernels; owns all else. A
// program may have a hundred thousand: what few have lies apart.
struct Instruction {
  enum class Kind : uint8_t { kLaunch, kIf, kWhile };
  // In whose memory an output lies (static_graph/dialect/alias_analysis.h).
  struct OutputSource {
    int input = -1;     // The slot; -1 if it has memory of its own.
    bool view = false;  // Of that input; otherwise written over it.

    bool writes() const { return input >= 0 && !view; }
  };

  // Keeps what most instructions lack.
  struct Rare {
    std::vector<const phi::KernelDef*> candidates;
    std::optional<phi::selection::Policy> policy;  // nullopt: the program's.
    std::vector<SuppliedValues> supplied;
    std::vector<std::vector<AttrValue>> elements;  // Of `supplied`.
    std::vector<std::unique_ptr<const Plan>> blocks;
  };

  Instruction() = default;
  Instruction(Instruction&&) = default;
  Instruction& operator=(Instruction&&) = default;

  // Returns the undecided kernels that outrank `kernel`, in order.
  absl::Span<const phi::KernelDef* const> candidates() const;
  // Returns the policy under which its kernel is selected, in a program that
  // has `policy`.
  const phi::selection::Policy& GetPolicy(
      const phi::selection::Policy& policy) const {
    return rare != nullptr && rare->policy.has_value() ? *rare->policy : policy;
  }
  // Returns the attributes that values supply.
  absl::Span<const SuppliedValues> supplied() const;
  // Returns the blocks of control flow. kIf: then, else. kWhile: condition,
  // body.
  absl::Span<const std::unique_ptr<const Plan>> blocks() const;
  // Makes room for what few instructions have.
  Rare& MutableRare() {
    if (rare == nullptr) rare = std::make_unique<Rare>();
    return *rare;
  }

  Kind kind = Kind::kLaunch;
  // Name the call that a transform is made for, by its position in the block,
  // and its input or result. Of two calls that read one transformed value it is
  // the first. -1 for a call, and for a transform that no call needs, which
  // counts as a call.
  StepRole role = StepRole::kCall;
  uint16_t slot = 0;
  int32_t call = -1;
  // Where the operation comes from, for errors.
  ir::LocationSpec location;
  // kLaunch: kNoValue where absent or not wanted. Control flow: one by one.
  phi::ArgBuffer<ValueId> inputs;
  phi::ArgBuffer<ValueId> outputs;
  // kLaunch alone.
  const phi::OpInfo* op = nullptr;
  const phi::OpKernels* op_kernels = nullptr;  // All kernels of it.
  const phi::KernelDef* kernel = nullptr;      // Null if nothing is decided.
  DataType key_dtype = DataType::kUndefined;
  Place place;             // Where it runs,
  Place result_place;      // and where its results lie.
  Place home;              // `place`; of a fallback the device that has no
  bool fallback = false;   // kernel for it.
  bool transform = false;  // Inserted by selection.
  bool of_result = false;  // A transform after a kernel, of its result.
  absl::InlinedVector<OutputSource, 2> sources;  // By output slot.
  std::vector<Attribute> attributes;
  std::vector<AttrRef> attrs;  // Of `attributes`, or of what is supplied.
  std::unique_ptr<Rare> rare;  // Null: all of it is empty.
};

// A block of a lowered program as flat data: values by number, instructions in
// the order in which they run. For out = relu(x) + w, where w is a state:
//   values        x (feed 0), w (state 0), %2 (computed), %3 (computed)
//   instructions  launch relu {0} -> {2}; launch add {2, 1} -> {3}
//   results       {3};  last_use {0, 1, 1, 2}
struct Plan {
  std::vector<PlanValue> values;
  std::vector<Instruction> instructions;
  // The values that leave: fetches and new states, or what a block yields.
  std::vector<ValueId> results;
  // For a block, values of the plan around it. Its arguments are the
  // operation's own (a loop's values), then these.
  std::vector<ValueId> captures;
  // Indexed by value: the last instruction that reads it, here or in a block;
  // past the end for results, -1 for none.
  std::vector<int> last_use;
  // Indexed by value: whether shapes may depend on its elements, so that it is
  // read on the host before what follows is specialized.
  std::vector<bool> decides_shapes;
  // Indexed by value: whether a transform after its kernel reorders it.
  std::vector<bool> reordered;
};

inline absl::Span<const phi::KernelDef* const> Instruction::candidates() const {
  if (rare == nullptr) return {};
  return rare->candidates;
}
inline absl::Span<const SuppliedValues> Instruction::supplied() const {
  if (rare == nullptr) return {};
  return rare->supplied;
}
inline absl::Span<const std::unique_ptr<const Plan>> Instruction::blocks()
    const {
  if (rare == nullptr) return {};
  return rare->blocks;
}

// A transform that a resolved candidate may ask for.
struct TransformOperator {
  const phi::OpInfo* op = nullptr;  // Null if the binary lacks it.
  const phi::OpKernels* op_kernels = nullptr;
};

// A lowered program: its body, its interface by name, and what running it
// needs. Feeds, states and constants lie on `place`, results too; what a kernel
// reads on the host, or a fallback computes there, is copied by instructions.
// Owns its constants; borrows the records of operators and the kernels
// of the table that it was lowered with.
struct ProgramPlan {
  struct Port {
    std::string name;
    TensorSpec meta;
    ValueId value = kNoValue;
  };
  struct Update {
    int state = 0;  // Of `states`.
    ValueId value = kNoValue;
    bool in_place = false;  // The value is in the state's memory already.
  };

  Plan body;  // Its results: fetches, then updates.
  std::vector<Port> feeds;
  std::vector<Port> states;
  std::vector<Port> fetches;
  std::vector<Update> updates;
  std::vector<DenseTensor> constants;
  // Some call replaces elements of a state where they are.
  bool replaces_elements = false;
  Place place;
  phi::selection::Policy policy;
  RelaxedChoices relaxed;
  // Indexed by phi::selection::Transform::Kind.
  TransformOperator transforms[phi::selection::kNumTransformKinds];
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_PLAN_H_
