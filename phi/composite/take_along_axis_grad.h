// SPDX-License-Identifier: Apache-2.0
// Gradient of take_along_axis: out_grad added to zeros where it was taken.
// Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_TAKE_ALONG_AXIS_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_TAKE_ALONG_AXIS_GRAD_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void TakeAlongAxisGrad(Ops& ops, const V& arr, const V& indices,
                       const V& out_grad, int axis, V* arr_grad) {
  if (arr_grad == nullptr) return;
  const V zeros = ops.full_like(arr, Scalar(0.0), DataType::kUndefined);
  *arr_grad = ops.put_along_axis(zeros, indices, out_grad, axis, "add");
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_TAKE_ALONG_AXIS_GRAD_H_
