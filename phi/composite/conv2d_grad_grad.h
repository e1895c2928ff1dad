// SPDX-License-Identifier: Apache-2.0
// The gradient of conv2d's gradient: conv_grad_grad.h. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_CONV2D_GRAD_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_CONV2D_GRAD_GRAD_H_

#include <string_view>

#include "absl/types/span.h"
#include "phi/composite/conv_grad_grad.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void Conv2dGradGrad(Ops& ops, const V& input, const V& filter,
                    const V& out_grad, const V& input_grad_grad,
                    const V& filter_grad_grad, absl::Span<const int> strides,
                    absl::Span<const int> paddings,
                    std::string_view padding_algorithm,
                    absl::Span<const int> dilations, int groups,
                    std::string_view data_format, V* input_grad, V* filter_grad,
                    V* out_grad_grad) {
  const auto forward = [&](const V& x, const V& w) {
    return ops.conv2d(x, w, strides, paddings, padding_algorithm, dilations,
                      groups, data_format);
  };
  const auto backward = [&](const V& x, const V& w) {
    return ops.conv2d_grad(x, w, out_grad, strides, paddings, padding_algorithm,
                           dilations, groups, data_format);
  };
  ConvGradGrad(ops, input, filter, out_grad, input_grad_grad, filter_grad_grad,
               forward, backward, input_grad, filter_grad, out_grad_grad);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_CONV2D_GRAD_GRAD_H_
