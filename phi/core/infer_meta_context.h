// SPDX-License-Identifier: Apache-2.0
// The interface of InferMeta functions. An operator's generated thunk takes the
// metadata of one call (InferMetaContext, phi/core/op_info.h) and calls the
// hand-written function of phi/infermeta:
//   absl::Status SoftmaxInferMeta(const TensorSpec& x, int axis,
//                                 TensorSpec* out);
// An InferMeta function checks every argument that its kernels rely on (rank,
// extents as far as known, axis, dtype relations, sizes that fit) and sets the
// outputs' dtype and shape. It does not know its operator's name: its caller
// prefixes that. The kernels' counterpart is phi/core/kernel_context.h.
#ifndef SWITCHYARD_PHI_CORE_INFER_META_CONTEXT_H_
#define SWITCHYARD_PHI_CORE_INFER_META_CONTEXT_H_

#include "framework/types/tensor_spec.h"
#include "phi/core/op_info.h"

namespace switchyard::phi {

// Tensor[] arguments and results of an InferMeta function.
using MetaList = InputList<TensorSpec>;
using MetaOutputs = OutputList<TensorSpec>;

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_INFER_META_CONTEXT_H_
