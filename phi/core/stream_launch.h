// SPDX-License-Identifier: Apache-2.0
// LaunchOnStream: what a kernel of an asynchronous device does around its
// launch, so that thunks enqueue and return. KernelThunkFor
// (phi/core/kernel_thunk.h) calls it for contexts with `static constexpr bool
// kUsesStreams = true`.
#ifndef SWITCHYARD_PHI_CORE_STREAM_LAUNCH_H_
#define SWITCHYARD_PHI_CORE_STREAM_LAUNCH_H_

#include "absl/functional/function_ref.h"
#include "framework/base/status.h"
#include "phi/core/kernel_context.h"

namespace switchyard {
class StreamWork;  // framework/device/stream_work.h
}

namespace switchyard::phi {

// Tells `work` which buffers the tensors of a call lie in.
void AddTensors(const TensorArgs& args, StreamWork* work);

// Returns true if there are outputs and none has memory yet: the kernel makes
// views of its inputs, unless it allocates its results.
bool MakesViews(const TensorArgs& args);

// Calls `launch`, which gives the kernel of `call` to the current stream of the
// device's place, so that it comes after all work that it depends on. What it
// allocates itself belongs to its result.
absl::Status LaunchOnStream(
    KernelContext& call,
    absl::FunctionRef<absl::Status(KernelContext&)> launch);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_STREAM_LAUNCH_H_
