// SPDX-License-Identifier: Apache-2.0
// FlatCall: the body of generated functions for operators with lists. All
// others make their dispatch::Call themselves.
#ifndef SWITCHYARD_PHI_API_FLAT_CALL_H_
#define SWITCHYARD_PHI_API_FLAT_CALL_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/arg_buffer.h"
#include "phi/core/kernel_table.h"
#include "phi/core/op_info.h"

namespace switchyard::phi::api {

// Runs the operator under the thread's Environment. The outputs of an operator
// with the trait kInplaceOnly are written into their inputs' buffers. Errors
// carry the operator's name.
absl::StatusOr<ArgBuffer<DenseTensor>> FlatCall(
    const OpInfo& info, OpSlot& slot,
    const ArgBuffer<const TensorBase*>& inputs,
    absl::Span<const AttrRef> attrs);

}  // namespace switchyard::phi::api

#endif  // SWITCHYARD_PHI_API_FLAT_CALL_H_
