// SPDX-License-Identifier: Apache-2.0
// AllocateOutput: for kernels that find out how large an output is
// (ArgDef::self_allocated). All other outputs come allocated.
#ifndef SWITCHYARD_PHI_CORE_ALLOCATE_OUTPUT_H_
#define SWITCHYARD_PHI_CORE_ALLOCATE_OUTPUT_H_

#include <string>
#include <utility>

#include "framework/base/status.h"
#include "framework/device/device_context.h"
#include "framework/memory/buffer.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/spec_text.h"

namespace switchyard::phi {

// Gives `out` dtype, shape, and memory of the context's place whose contents
// are unspecified. One that has memory already, which an executor planned,
// keeps it; ArgumentError if it is of another dtype or shape. SizeError if the
// bytes leave int64, ResourceExhausted if there is no memory; `out` is
// unchanged then.
inline absl::Status AllocateOutput(const DeviceContext& context, DataType dtype,
                                   const Shape& shape, DenseTensor* out) {
  if (out->allocated()) {
    if (out->dtype() == dtype && out->shape() == shape) return absl::OkStatus();
    return ArgumentError("a result", ToString(*out) + " as the program says",
                         SpecText(dtype, shape));
  }
  SY_ASSIGN_OR_RETURN(const DenseTensor memory,
                      DenseTensor::Allocate(dtype, shape, context.allocator()));
  out->SetMeta(dtype, shape, context.place());
  out->SetBuffer(memory.buffer());
  return absl::OkStatus();
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_ALLOCATE_OUTPUT_H_
