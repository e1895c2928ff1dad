// SPDX-License-Identifier: Apache-2.0
// Select: which kernel runs, for the eager and the static executor alike. A
// pure function of a row, a query and a policy: no global state, no flags, no
// hashing, no string look-up. Why it chose is in phi/selection/explain.h, which
// replays the same walk; conditions are evaluated in
// phi/selection/conditions.h.
//
// The walk, in the row's order of candidates for the key dtype (gpudnn, gpu,
// onednn, cpu, reference; phi before fluid): a candidate is refused by the
// first of these that fails: the policy (place's backends, form, thread
// invariance), tensor kinds, dtypes of its ArgDefs, emptiness, its conditions.
// The first that none refuses wins. One whose conditions are undecided (a Dim
// is unknown) is kept as residual; the walk goes on to the first decided one.
#ifndef SWITCHYARD_PHI_SELECTION_SELECTION_H_
#define SWITCHYARD_PHI_SELECTION_SELECTION_H_

#include "absl/container/inlined_vector.h"
#include "phi/core/op_info.h"
#include "phi/core/op_row.h"
#include "phi/selection/policy.h"

namespace switchyard::phi::selection {

// What selection knows of one tensor. `shape` may have unknown Dims and is
// borrowed; an absent optional tensor has `shape` null.
struct TensorDesc {
  const Shape* shape = nullptr;
  DataType dtype = DataType::kUndefined;
  DataLayout layout = DataLayout::kStrided;
  TensorKind kind = TensorKind::kDense;
  bool contiguous = true;
  Place place;
};

// One call, promotion and type rules applied. All is borrowed.
struct Query {
  const OpInfo* op;
  absl::Span<const TensorDesc> inputs;  // By slot.
  Slots input_slots{0};
  absl::Span<const AttrRef> attrs;
  DataType dtype;  // The key dtype, by the operator's DtypeRule (KeyDtype).
  Place place;     // Where it shall run (CallPlace).
};

// The key dtype of a call: attribute before tensor before literal.
// TypeError if the rule's tensor is absent or the rule yields nothing.
absl::StatusOr<DataType> KeyDtype(const OpInfo& op,
                                  absl::Span<const TensorDesc> inputs,
                                  const Slots& slots,
                                  absl::Span<const AttrRef> attrs);

// Where a call runs: an explicit Place attribute, else the place of its
// tensors, else `fallback` (no tensors). ArgumentError if tensors lie in
// different places and no ArgDef can let one stay on the host.
absl::StatusOr<Place> CallPlace(const OpInfo& op,
                                absl::Span<const TensorDesc> inputs,
                                absl::Span<const AttrRef> attrs,
                                Place fallback);

// What happens to an input before the kernel sees it. Each step is an ordinary
// operator (copy, contiguous, cast, reorder) selected under
// Policy::WithoutTransforms().
struct Transform {
  enum class Kind : uint8_t { kCopy, kReorder, kContiguous, kCast };
  Kind kind;
  uint16_t slot;
  DataType dtype = DataType::kUndefined;  // kCast: to this one.
  Place place = {};                       // kCopy: to there.
};

struct Selection {
  // The winner; null only if every remaining candidate is undecided.
  const KernelDef* kernel = nullptr;
  absl::InlinedVector<Transform, 2> transforms;  // For `kernel`, in order.
  // Undecided candidates that outrank `kernel`, in order: to be asked again
  // once per shape signature (Resolve).
  absl::InlinedVector<const KernelDef*, 2> residual;
  // The kernel is not of the call's own place: the policy allowed the CPU.
  bool fallback = false;
};

// NotFound with every candidate and the reason of its refusal if nothing fits
// ("softmax: no kernel for ..."). A fallback under Policy::strict is
// FailedPrecondition.
absl::StatusOr<Selection> Select(const OpRow& row, const Query& query,
                                 const Policy& policy);

// Select over the residual list of an earlier Selection and its winner, now
// that `query` has known shapes: the same answer as Select(row, query, policy).
absl::StatusOr<Selection> Resolve(const Selection& earlier, const Query& query,
                                  const Policy& policy);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_SELECTION_H_
