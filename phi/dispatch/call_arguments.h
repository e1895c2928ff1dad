// SPDX-License-Identifier: Apache-2.0
// The first step of a call: its arguments are checked and described.
#ifndef SWITCHYARD_PHI_DISPATCH_CALL_ARGUMENTS_H_
#define SWITCHYARD_PHI_DISPATCH_CALL_ARGUMENTS_H_

#include "framework/base/status.h"
#include "framework/tensor/tensor_base.h"
#include "framework/types/place.h"
#include "phi/dispatch/call_state.h"

namespace switchyard::phi::dispatch {

// Checks the arguments, says which inputs are promoted, infers the outputs and
// makes them of the inferred kinds; completes the query. Errors lack the
// operator's name.
absl::Status DescribeCall(CallState& call, Place default_place);

// Has the maker put a tensor of `kind` into `slot`, unless one is there. A
// TypeError where there is no maker.
absl::Status MakeOutput(CallState& call, int slot, TensorKind kind);

}  // namespace switchyard::phi::dispatch

#endif  // SWITCHYARD_PHI_DISPATCH_CALL_ARGUMENTS_H_
