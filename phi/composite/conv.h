// SPDX-License-Identifier: Apache-2.0
// The gradients of convolutions' gradients, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_CONV_H_
#define SWITCHYARD_PHI_COMPOSITE_CONV_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/types/attr_arg.h"
#include "phi/composite/calls/of_conv.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// The common part of the gradients of conv2d_grad and depthwise_conv2d_grad,
// which differ in the names of operators and the order of attributes. Not an
// operator's composite itself.
//
// out is linear in input and in filter, so with their tangents (the gradients
// that the gradient's results receive) in one's place at a time:
//   d out_grad = out(input_grad_grad, filter) + out(input, filter_grad_grad)
//   d input = input_grad(filter_grad_grad)
//   d filter = filter_grad(input_grad_grad)
// forward(input, filter) yields out; backward(input, filter) yields
// {input_grad, filter_grad} for out_grad.
template <typename Forward, typename Backward>
void ConvGradGrad(Ops& ops, const Value& input, const Value& filter,
                  const Value& out_grad, const Value& input_grad_grad,
                  const Value& filter_grad_grad, Forward forward,
                  Backward backward, Value* input_grad, Value* filter_grad,
                  Value* out_grad_grad) {
  const auto zeros = [&](const Value& like) { return FullLike(ops, like, 0); };
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
    *out_grad_grad = op::add(ops, forward(input_grad_grad, filter),
                             forward(input, filter_grad_grad));
  } else if (by_input) {
    *out_grad_grad = forward(input_grad_grad, filter);
  } else {
    *out_grad_grad =
        by_filter ? forward(input, filter_grad_grad) : zeros(out_grad);
  }
}

// The gradient of conv2d's gradient (ConvGradGrad). Differentiable again.
inline void Conv2dGradGrad(Ops& ops, const Value& input, const Value& filter,
                           const Value& out_grad, const Value& input_grad_grad,
                           const Value& filter_grad_grad,
                           absl::Span<const int> strides,
                           absl::Span<const int> paddings,
                           std::string_view padding_algorithm,
                           absl::Span<const int> dilations, int groups,
                           std::string_view data_format, Value* input_grad,
                           Value* filter_grad, Value* out_grad_grad) {
  const auto forward = [&](const Value& x, const Value& w) {
    return op::conv2d(ops, x, w, strides, paddings, padding_algorithm,
                      dilations, groups, data_format);
  };
  const auto backward = [&](const Value& x, const Value& w) {
    return op::conv2d_grad(ops, x, w, out_grad, strides, paddings,
                           padding_algorithm, dilations, groups, data_format);
  };
  ConvGradGrad(ops, input, filter, out_grad, input_grad_grad, filter_grad_grad,
               forward, backward, input_grad, filter_grad, out_grad_grad);
}

// The gradient of depthwise_conv2d's gradient (ConvGradGrad). Differentiable
// again.
inline void DepthwiseConv2dGradGrad(
    Ops& ops, const Value& input, const Value& filter, const Value& out_grad,
    const Value& input_grad_grad, const Value& filter_grad_grad,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    std::string_view padding_algorithm, int groups,
    absl::Span<const int> dilations, std::string_view data_format,
    Value* input_grad, Value* filter_grad, Value* out_grad_grad) {
  const auto forward = [&](const Value& x, const Value& w) {
    return op::depthwise_conv2d(ops, x, w, strides, paddings, padding_algorithm,
                                groups, dilations, data_format);
  };
  const auto backward = [&](const Value& x, const Value& w) {
    return op::depthwise_conv2d_grad(ops, x, w, out_grad, strides, paddings,
                                     padding_algorithm, groups, dilations,
                                     data_format);
  };
  ConvGradGrad(ops, input, filter, out_grad, input_grad_grad, filter_grad_grad,
               forward, backward, input_grad, filter_grad, out_grad_grad);
}

// The gradient of conv2d_transpose's gradient (ConvGradGrad). Differentiable
// again.
inline void Conv2dTransposeGradGrad(
    Ops& ops, const Value& x, const Value& filter, const Value& out_grad,
    const Value& x_grad_grad, const Value& filter_grad_grad,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    absl::Span<const int> output_padding, AttrArg<IntArray> output_size,
    std::string_view padding_algorithm, int groups,
    absl::Span<const int> dilations, std::string_view data_format,
    Value* x_grad, Value* filter_grad, Value* out_grad_grad) {
  const auto forward = [&](const Value& input, const Value& w) {
    return op::conv2d_transpose(ops, input, w, strides, paddings,
                                output_padding, output_size, padding_algorithm,
                                groups, dilations, data_format);
  };
  const auto backward = [&](const Value& input, const Value& w) {
    return op::conv2d_transpose_grad(
        ops, input, w, out_grad, strides, paddings, output_padding, output_size,
        padding_algorithm, groups, dilations, data_format);
  };
  ConvGradGrad(ops, x, filter, out_grad, x_grad_grad, filter_grad_grad, forward,
               backward, x_grad, filter_grad, out_grad_grad);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_CONV_H_
