// SPDX-License-Identifier: Apache-2.0
// The outputs of a call: checked against the selected kernel, given memory,
// and brought back where the kernel yields them in another layout.
#ifndef SWITCHYARD_PHI_DISPATCH_CALL_OUTPUTS_H_
#define SWITCHYARD_PHI_DISPATCH_CALL_OUTPUTS_H_

#include "absl/base/optimization.h"
#include "framework/base/status.h"
#include "framework/device/transfer.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/layout_descriptor.h"
#include "phi/dispatch/call_state.h"

namespace switchyard::phi::dispatch {

// Finds the outputs that are dispatch's to make, with their bytes, and those
// that are written in place. Errors: what is not inferred or may not be
// written, or a layout that the caller doesn't take.
absl::Status CheckOutputs(CallState& call);

// ArgumentError unless the layout is strided or the caller takes others.
absl::Status CheckLayout(const CallState& call, LayoutDescriptor layout);

// Whether there is nothing to launch for: the outputs have no elements.
bool IsIdle(const CallState& call);

// Gives `tensor`, an output, memory of `bytes` bytes.
inline absl::Status AllocateOutput(const CallState& call, DenseTensor* tensor,
                                   int64_t bytes) {
  // A transform from a device to another place has its output there.
  Allocator& allocator = call.output_place == call.run_place
                             ? call.device->allocator()
                             : GetAllocator(call.output_place);
  SY_ASSIGN_OR_RETURN(RefPtr<Buffer> buffer,
                      allocator.Allocate(static_cast<size_t>(bytes)));
  tensor->SetBuffer(std::move(buffer));
  return absl::OkStatus();
}

// Gives the outputs that dispatch makes their metadata and, except views,
// memory. The kernel gets tensors of its own for those that it yields in
// another layout than strided.
absl::Status AllocateOutputs(CallState& call);

// Makes the call's outputs of those tensors, after the kernel.
absl::Status ReorderOutputs(CallState& call);

}  // namespace switchyard::phi::dispatch

#endif  // SWITCHYARD_PHI_DISPATCH_CALL_OUTPUTS_H_
