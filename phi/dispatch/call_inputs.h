// SPDX-License-Identifier: Apache-2.0
// Inputs of a call that differ from those that the caller gave: promoted,
// transformed, or read from a copy. Few calls have one.
#ifndef SWITCHYARD_PHI_DISPATCH_CALL_INPUTS_H_
#define SWITCHYARD_PHI_DISPATCH_CALL_INPUTS_H_

#include <utility>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/selected_rows.h"
#include "phi/dispatch/call_state.h"

namespace switchyard::phi::dispatch {

// Tensors of which the kind is known.
inline const DenseTensor& Dense(const TensorBase* tensor) {
  return *static_cast<const DenseTensor*>(tensor);
}
inline const SelectedRows& Rows(const TensorBase* tensor) {
  return *static_cast<const SelectedRows*>(tensor);
}

// x with other values: rows are numbers of the host.
inline SelectedRows WithValues(const SelectedRows& x, DenseTensor values) {
  return SelectedRows(x.height(), x.rows(), std::move(values));
}

// Returns the call's replacements, whose inputs are its inputs from now on.
CallState::Replacements& MutableReplacements(CallState& call);

// Returns the metadata in `slot`, to be changed for this call.
TensorMeta& MutableInputMeta(CallState& call, int slot);

// Makes the inputs what the selected kernel asks for: casts those that are
// promoted, makes the selection's transforms, and copies an input that shares
// the memory of an output but not its geometry.
absl::Status TransformInputs(CallState& call);

}  // namespace switchyard::phi::dispatch

#endif  // SWITCHYARD_PHI_DISPATCH_CALL_INPUTS_H_
