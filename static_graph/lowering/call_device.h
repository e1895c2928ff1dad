// SPDX-License-Identifier: Apache-2.0
// Calls that run elsewhere than their program: what the attribute op_device of
// imported operations asks for, and what may be copied for it or a fallback.
#ifndef SWITCHYARD_STATIC_GRAPH_LOWERING_CALL_DEVICE_H_
#define SWITCHYARD_STATIC_GRAPH_LOWERING_CALL_DEVICE_H_

#include <optional>

#include "framework/base/status.h"
#include "framework/types/place.h"
#include "phi/selection/selection.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// Returns where `op`, whose call is `call`, asks to run by its attribute
// op_device: `home`, which is where the program runs, or the host; nullopt
// without the attribute. ArgumentError with the operator's name for any other
// place.
absl::StatusOr<std::optional<Place>> DeviceOf(const ir::Operation& op,
                                              const OpCall& call, Place home);

// Unimplemented unless all tensors of the call are dense or SelectedRows, since
// no others are copied from `home` to the host and back in a program. `why`
// they are copied is "a fallback" or "op_device".
absl::Status CheckCopies(const OpCall& call, const char* why, Place home);

// Returns true if the kernel's backend computes on `place`.
bool Serves(const phi::KernelDef& kernel, Place place);

// Returns true if a kernel of the host may serve a call on `home`, a device.
bool MayFallBack(const phi::selection::Selection& selection, Place home);

// Decides for a call that MayFallBack() whether it does. It does here, and
// `selection` says so, or a run's extents decide, where a kernel of `home` is
// undecided. A run must know the shapes of the tensors that it copies: where it
// doesn't, the call falls back without such a kernel, and it is
// FailedPrecondition under a strict policy, or if no kernel of the host is
// certain.
absl::Status DecideFallback(const OpCall& call, Place home,
                            const phi::selection::Policy& policy,
                            phi::selection::Selection* selection);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_LOWERING_CALL_DEVICE_H_
