// SPDX-License-Identifier: Apache-2.0
// CheckGradients: analytic gradients against central differences in float64.
// For the tests of every operator with a gradient. The toy operators that
// eager's own tests run over are eager/testing/toy_ops.h.
#ifndef SWITCHYARD_EAGER_TESTING_GRADIENT_CHECK_H_
#define SWITCHYARD_EAGER_TESTING_GRADIENT_CHECK_H_

#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "eager/tensor/tensor.h"

namespace switchyard::eager {

// The step of the differences, and how far they may be from the gradient.
struct GradientCheckOptions {
  double step = 1e-6;  // Of the differences, relative to max(1, |x|).
  double absolute_tolerance = 1e-6;
  double relative_tolerance = 1e-5;
  // Check the gradients of the gradients too: every operator on the way needs
  // a differentiable gradient.
  bool second_order = false;
};

// Maps inputs to outputs; called with fresh leaves again and again, so it must
// be a function of them alone (draw random numbers before).
using TensorFunction = std::function<absl::StatusOr<std::vector<Tensor>>(
    absl::Span<const Tensor> inputs)>;

// Compares, for every floating input i and every element of it, the gradient
// of sum_k <w_k, f_k(inputs)> that backward gives with
// (f(x + h) - f(x - h)) / 2h; the weights w are fixed and irregular, so that no
// output can hide in another. Inputs are float64 or not floating (labels);
// outputs that do not require grad are left out. An error names input, element
// and both values ("gradient of input 0 at element 3 must be 2.5, got 2"), or
// is the operator's own.
absl::Status CheckGradients(const TensorFunction& function,
                            absl::Span<const Tensor> inputs,
                            const GradientCheckOptions& options = {});

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_TESTING_GRADIENT_CHECK_H_
