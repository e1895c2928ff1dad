// SPDX-License-Identifier: Apache-2.0
// Checks the tensors that an in-place call writes: the call itself, eager's
// check before it, and `explain` demand the same in the same words. Errors name
// the argument; the caller adds the operator.
#ifndef SWITCHYARD_PHI_CORE_INPLACE_TARGET_H_
#define SWITCHYARD_PHI_CORE_INPLACE_TARGET_H_

#include "absl/status/status.h"
#include "framework/tensor/tensor_base.h"
#include "framework/types/place.h"
#include "phi/core/op_info.h"

namespace switchyard::phi {

// Checks that `target` is dense and, unless its elements may be computed apart
// and then written, contiguous. They may on the host, and by operators that
// have a variant that is not in place (`relu` beside `relu_`).
absl::Status CheckWritable(const OpInfo& op, const char* argument,
                           const TensorMeta& target);

// Checks that `target` has the dtype and the shape of `result`, as InferMeta
// describes it, and is on `place`, where the result will be. Unknown
// extents may be equal to any.
absl::Status CheckHolds(const char* argument, const TensorMeta& target,
                        const TensorSpec& result, Place place);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_INPLACE_TARGET_H_
