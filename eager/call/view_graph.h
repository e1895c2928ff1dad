// SPDX-License-Identifier: Apache-2.0
// Gradients of tensors that share memory: what a recorded write to one of them
// means for the others. eager/tensor/view_group.h knows which these are.
#ifndef SWITCHYARD_EAGER_CALL_VIEW_GRAPH_H_
#define SWITCHYARD_EAGER_CALL_VIEW_GRAPH_H_

#include "eager/tensor/tensor.h"

namespace switchyard::eager {

// Checks whether `target` may be written although it shares memory with other
// views: FailedPrecondition that names `argument` if gradients can't be carried
// to them. `recorded`: the write will be.
absl::Status CheckViews(const char* argument, const Tensor& target,
                        bool recorded);

// Carries a recorded write to `target`, which has its new node already, to the
// tensors that share its memory: the base gets a node that replaces the region
// of `target`, and each view that may have been written gets one that takes its
// region of the base. Their hooks stay with the old values; RetainGrad() stays
// in effect.
void CarryToViews(const Tensor& target);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_VIEW_GRAPH_H_
