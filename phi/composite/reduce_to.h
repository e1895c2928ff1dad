// SPDX-License-Identifier: Apache-2.0
// The step that ends the gradient of every broadcasting operator. Not an
// operator's composite itself.
#ifndef SWITCHYARD_PHI_COMPOSITE_REDUCE_TO_H_
#define SWITCHYARD_PHI_COMPOSITE_REDUCE_TO_H_

#include "framework/types/shape.h"
#include "framework/types/tensor_kind.h"
#include "phi/composite/calls/reduce_as.gen.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// `grad` summed down to the shape of `like`; itself if it has that shape.
inline Value ReduceTo(Ops& ops, const Value& grad, const Value& like) {
  const Shape shape = ops.shape(like);
  // An unknown extent may have been broadcast from 1: reduce_as finds out.
  if (shape.known() && shape == ops.shape(grad)) return grad;
  // Only what is dense is broadcast.
  const TensorKind kind = ops.kind(like);
  if (kind != TensorKind::kDense && kind == ops.kind(grad)) return grad;
  return op::reduce_as(ops, grad, like);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_REDUCE_TO_H_
