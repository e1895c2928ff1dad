// SPDX-License-Identifier: Apache-2.0
// What the gradients of conv2d's and depthwise_conv2d's gradients share: the
// two differ in the names of operators and the order of attributes. Not an
// operator's composite itself.
//
// out is linear in input and in filter, so with their tangents (what the
// gradient's results get as gradients) in one's place at a time:
//   d out_grad = out(input_grad_grad, filter) + out(input, filter_grad_grad)
//   d input = input_grad(filter_grad_grad)
//   d filter = filter_grad(input_grad_grad)
#ifndef SWITCHYARD_PHI_COMPOSITE_CONV_GRAD_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_CONV_GRAD_GRAD_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

// forward(input, filter) yields out; backward(input, filter) yields
// {input_grad, filter_grad} for out_grad.
template <typename Ops, typename V, typename Forward, typename Backward>
void ConvGradGrad(Ops& ops, const V& input, const V& filter, const V& out_grad,
                  const V& input_grad_grad, const V& filter_grad_grad,
                  Forward forward, Backward backward, V* input_grad,
                  V* filter_grad, V* out_grad_grad) {
  const auto zeros = [&](const V& like) {
    return ops.full_like(like, Scalar(0.0), DataType::kUndefined);
  };
  const bool by_input = ops.defined(input_grad_grad);
  const bool by_filter = ops.defined(filter_grad_grad);
  if (input_grad != nullptr) {
    *input_grad =
        by_filter ? backward(input, filter_grad_grad)[0] : zeros(input);
  }
  if (filter_grad != nullptr) {
    *filter_grad =
        by_input ? backward(input_grad_grad, filter)[1] : zeros(filter);
  }
  if (out_grad_grad == nullptr) return;
  if (by_input && by_filter) {
    *out_grad_grad = ops.add(forward(input_grad_grad, filter),
                             forward(input, filter_grad_grad));
  } else if (by_input) {
    *out_grad_grad = forward(input_grad_grad, filter);
  } else {
    *out_grad_grad =
        by_filter ? forward(input, filter_grad_grad) : zeros(out_grad);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_CONV_GRAD_GRAD_H_
