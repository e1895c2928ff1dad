// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators that exist for old programs.
#ifndef SWITCHYARD_PHI_INFERMETA_LEGACY_H_
#define SWITCHYARD_PHI_INFERMETA_LEGACY_H_

#include <cstdint>

#include "framework/base/status.h"
#include "framework/tensor/meta_tensor.h"

namespace switchyard::phi {

// out: as BroadcastInferMeta, where the axes of the operand of smaller rank
// stand at axis, axis + 1, ... of the other (-1: at its last ones).
absl::Status AlignedInferMeta(const MetaTensor& x, const MetaTensor& y,
                              int axis, MetaTensor* out);

// x_grad as x, y_grad as y (either may be null). out_grad: as AlignedInferMeta
// says.
absl::Status AlignedGradInferMeta(const MetaTensor& x, const MetaTensor& y,
                                  const MetaTensor& out_grad, int axis,
                                  MetaTensor* x_grad, MetaTensor* y_grad);

// Does what AlignedGradInferMeta does, for a gradient that takes the result
// too: `out` is like out_grad.
absl::Status AlignedGradOfOutInferMeta(const MetaTensor& x, const MetaTensor& y,
                                       const MetaTensor& out,
                                       const MetaTensor& out_grad, int axis,
                                       MetaTensor* x_grad, MetaTensor* y_grad);

// ids: int64 with last extent 1. w: [height, width]. out: ids' shape with width
// instead of that 1, ids' levels of detail, w's dtype.
absl::Status LookupTableInferMeta(const MetaTensor& w, const MetaTensor& ids,
                                  int64_t padding_idx, MetaTensor* out);

// w_grad: as w. out_grad: as the forward operator's out.
absl::Status LookupTableGradInferMeta(const MetaTensor& w,
                                      const MetaTensor& ids,
                                      const MetaTensor& out_grad,
                                      int64_t padding_idx, MetaTensor* w_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_LEGACY_H_
