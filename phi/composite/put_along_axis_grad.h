// SPDX-License-Identifier: Apache-2.0
// Gradient of put_along_axis: for arr out_grad, without what was replaced; for
// values out_grad where they went (also those that another overwrote, as in
// Paddle). Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_PUT_ALONG_AXIS_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_PUT_ALONG_AXIS_GRAD_H_

#include <string_view>

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void PutAlongAxisGrad(Ops& ops, const V& indices, const V& values,
                      const V& out_grad, int axis, std::string_view reduce,
                      V* arr_grad, V* values_grad) {
  if (arr_grad != nullptr && reduce == "add") *arr_grad = out_grad;
  if (arr_grad != nullptr && reduce != "add") {
    const V zeros = ops.full_like(values, Scalar(0.0), DataType::kUndefined);
    *arr_grad = ops.put_along_axis(out_grad, indices, zeros, axis, reduce);
  }
  if (values_grad != nullptr) {
    *values_grad = ops.take_along_axis(out_grad, indices, axis);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_PUT_ALONG_AXIS_GRAD_H_
