// SPDX-License-Identifier: Apache-2.0
// A call that runs on the CPU because its place has no kernel: what is copied
// there, and back.
#ifndef SWITCHYARD_PHI_DISPATCH_CALL_FALLBACK_H_
#define SWITCHYARD_PHI_DISPATCH_CALL_FALLBACK_H_

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/dispatch/call_state.h"

namespace switchyard::phi::dispatch {

// An error if a fallback would have to copy a tensor that is neither dense nor
// SelectedRows.
absl::Status CheckFallback(const CallState& call);

// Makes an output that is written in place a copy where the call runs.
absl::Status WriteToCopy(CallState& call, DenseTensor* output);

// Puts the caller's tensors back in the place of those copies.
void RestoreWritten(CallState& call);

// Copies the results to the place of the call, and logs the fallback.
absl::Status ReturnFromFallback(CallState& call);

}  // namespace switchyard::phi::dispatch

#endif  // SWITCHYARD_PHI_DISPATCH_CALL_FALLBACK_H_
