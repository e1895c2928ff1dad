// SPDX-License-Identifier: Apache-2.0
// Query: one call as selection sees it, and the two rules by which it is made:
// which dtype is the key, and where the call runs. It says nothing of kernels;
// phi/selection/selection.h chooses those.
#ifndef SWITCHYARD_PHI_SELECTION_QUERY_H_
#define SWITCHYARD_PHI_SELECTION_QUERY_H_

#include <optional>
#include <string>

#include "framework/tensor/tensor_base.h"
#include "framework/types/place.h"
#include "phi/core/op_info.h"

namespace switchyard::phi::selection {

using InputMetas = ArgList<const TensorMeta* const>;

// Describes one call to selection, after promotion and the rules for dtype and
// place. Borrows all.
struct Query {
  const OpInfo* op;
  // Metadata of the inputs; null for an absent optional one. Shapes may have
  // unknown Dims; then of the strides only `contiguous` counts.
  InputMetas inputs;
  absl::Span<const AttrRef> attrs;
  DataType dtype = DataType::kUndefined;  // The key dtype (KeyDtype).
  Place place;                            // Where it shall run (CallPlace).
  // Metadata inferred for the outputs; null where an output is not needed.
  // Without arguments if nothing was inferred: then outputs do not count.
  ArgList<const TensorSpec* const> outputs = {};
  // The caller can run what the operator is composed of: then the composite
  // that ends the operator's row is a candidate.
  bool composes = false;
};

// Returns the key dtype of a call: attribute before tensor before literal.
// TypeError if the rule's tensor is absent or the rule yields nothing.
absl::StatusOr<DataType> KeyDtype(const OpInfo& op, const InputMetas& inputs,
                                  absl::Span<const AttrRef> attrs);

// Returns the value of the operator's Place attribute, if it has one.
std::optional<Place> PlaceAttribute(absl::Span<const AttrRef> attrs);

// Returns where the results of a call lie that runs on `run_place`: where its
// Place attribute says, unless a kernel of the host computes them.
Place ResultPlace(absl::Span<const AttrRef> attrs, Place run_place);

// Returns where a call runs: an explicit Place attribute, else the place of its
// tensors (a device's, if others are on the host: an ArgDef may let those stay
// there), else `fallback` (no tensors). ArgumentError if tensors lie on two
// devices.
//
// A transform, which moves tensors between places, runs on the device even if
// its attribute says the host. Inputs that are handed over as they are
// (skip_transform) do not count unless there is no other tensor and the
// operator is not a random one.
absl::StatusOr<Place> CallPlace(const OpInfo& op, const InputMetas& inputs,
                                absl::Span<const AttrRef> attrs,
                                Place fallback);

// Returns "softmax float32[8, 1000] axis=-1": the operator, its tensors (lists
// in braces, "none" for an absent one), its attributes.
std::string CallText(const Query& query);

// Returns CallText() without the operator: " float32[8, 1000] axis=-1"; ""
// without any argument.
std::string ArgumentsText(const Query& query);

// Returns the name of a tensor in messages: "x", or "x[2]" in a list.
std::string SlotName(const OpInfo& op, const ArgSegments& inputs, int slot);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_QUERY_H_
