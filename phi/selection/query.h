// SPDX-License-Identifier: Apache-2.0
// Query: what selection knows of one call, and the two rules by which it is
// made: which dtype is the key, and where the call runs. It says nothing of
// kernels; those are asked in phi/selection/selection.h.
#ifndef SWITCHYARD_PHI_SELECTION_QUERY_H_
#define SWITCHYARD_PHI_SELECTION_QUERY_H_

#include <optional>
#include <string>

#include "framework/tensor/tensor_base.h"
#include "framework/types/backend.h"
#include "framework/types/shape.h"
#include "phi/core/op_info.h"

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
  ArgList<const TensorDesc> inputs;
  absl::Span<const AttrRef> attrs;
  DataType dtype = DataType::kUndefined;  // The key dtype (KeyDtype).
  Place place;                            // Where it shall run (CallPlace).
};

// The key dtype of a call: attribute before tensor before literal.
// TypeError if the rule's tensor is absent or the rule yields nothing.
absl::StatusOr<DataType> KeyDtype(const OpInfo& op,
                                  const ArgList<const TensorDesc>& inputs,
                                  absl::Span<const AttrRef> attrs);

// The value of the operator's Place attribute, if it has one.
std::optional<Place> PlaceAttribute(absl::Span<const AttrRef> attrs);

// Where a call runs: an explicit Place attribute, else the place of its tensors
// (a device's, if others are on the host: an ArgDef may let those stay there),
// else `fallback` (no tensors). ArgumentError if tensors lie on two devices.
// A transform, which moves tensors between places, runs on the device even if
// its attribute says the host.
// Inputs that are handed over as they are (skip_transform) have no say unless
// there is no other tensor and the operator is not a random one.
absl::StatusOr<Place> CallPlace(const OpInfo& op,
                                const ArgList<const TensorDesc>& inputs,
                                absl::Span<const AttrRef> attrs,
                                Place fallback);

// "softmax float32[8, 1000] axis=-1": the operator, its tensors (lists
// in braces, "none" for an absent one), its attributes.
std::string CallText(const Query& query);

// The same without the operator: " float32[8, 1000] axis=-1"; "" without any.
std::string ArgumentsText(const Query& query);

// "x", or "x[2]" in a list: the name of a tensor in messages.
std::string SlotName(const OpInfo& op, const ArgSegments& inputs, int slot);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_QUERY_H_
