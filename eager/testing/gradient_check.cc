// SPDX-License-Identifier: Apache-2.0
#include "eager/testing/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "eager/autograd/engine.h"
#include "framework/base/float_text.h"
#include "framework/testing/tensors.h"

namespace switchyard::eager {
namespace {

bool IsChecked(const Tensor& input) {
  return input.defined() && input.dtype() == DataType::kFloat64;
}

// Copies of the inputs as leaves; the floating ones require grad.
absl::StatusOr<std::vector<Tensor>> Leaves(absl::Span<const Tensor> inputs) {
  std::vector<Tensor> leaves(inputs.begin(), inputs.end());
  for (Tensor& leaf : leaves) {
    if (!IsChecked(leaf)) continue;
    leaf = Tensor(
        MakeTensor<double>(leaf.shape(), ToVector<double>(leaf.dense())));
    SY_RETURN_IF_ERROR(leaf.set_requires_grad(true));
  }
  return leaves;
}

// Irregular numbers in [0.5, 1.5): output k's weights.
std::vector<double> Weights(size_t k, int64_t count) {
  std::vector<double> weights(count);
  for (int64_t i = 0; i < count; ++i) {
    weights[i] = 0.5 + std::fmod(0.618034 * (i + 1) + 0.414214 * k, 1.0);
  }
  return weights;
}

Tensor WeightTensor(size_t k, const Tensor& output) {
  const std::vector<double> weights = Weights(k, output.numel());
  return Tensor(
      MakeTensor<double>(output.shape(), absl::Span<const double>(weights)));
}

// sum_k <w_k, f_k>.
absl::StatusOr<double> Evaluate(const TensorFunction& function,
                                absl::Span<const Tensor> leaves) {
  SY_ASSIGN_OR_RETURN(const std::vector<Tensor> outputs, function(leaves));
  double sum = 0;
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (!outputs[k].defined() || !outputs[k].requires_grad()) continue;
    const std::vector<double> values = ToVector<double>(outputs[k].dense());
    const std::vector<double> weights = Weights(k, outputs[k].numel());
    for (size_t i = 0; i < values.size(); ++i) sum += weights[i] * values[i];
  }
  return sum;
}

// The gradients of that sum for the checked inputs, undefined for the others.
absl::StatusOr<std::vector<Tensor>> Analytic(const TensorFunction& function,
                                             absl::Span<const Tensor> leaves,
                                             const GradOptions& options) {
  SY_ASSIGN_OR_RETURN(const std::vector<Tensor> outputs, function(leaves));
  std::vector<Tensor> roots, weights, inputs;
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (!outputs[k].defined() || !outputs[k].requires_grad()) continue;
    roots.push_back(outputs[k]);
    weights.push_back(WeightTensor(k, outputs[k]));
  }
  for (const Tensor& leaf : leaves) {
    if (IsChecked(leaf)) inputs.push_back(leaf);
  }
  SY_ASSIGN_OR_RETURN(std::vector<Tensor> found,
                      Grad(roots, inputs, weights, options));
  std::vector<Tensor> grads(leaves.size());
  size_t next = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (IsChecked(leaves[i])) grads[i] = std::move(found[next++]);
  }
  return grads;
}

// The central difference for element `e` of input `i`.
absl::StatusOr<double> Numeric(const TensorFunction& function,
                               absl::Span<const Tensor> inputs, size_t i,
                               int64_t e, double step) {
  double sides[2];
  double distance = 0;
  for (int side = 0; side < 2; ++side) {
    SY_ASSIGN_OR_RETURN(std::vector<Tensor> leaves, Leaves(inputs));
    double& x = leaves[i].mutable_dense().mutable_data<double>()[e];
    const double h = step * std::max(1.0, std::abs(x));
    const double moved = side == 0 ? x - h : x + h;
    // The distance that x moved, after rounding.
    distance += std::abs(moved - x);
    x = moved;
    SY_ASSIGN_OR_RETURN(sides[side], Evaluate(function, leaves));
  }
  return (sides[1] - sides[0]) / distance;
}

absl::Status FirstOrder(const TensorFunction& function,
                        absl::Span<const Tensor> inputs,
                        const GradientCheckOptions& options) {
  SY_ASSIGN_OR_RETURN(const std::vector<Tensor> leaves, Leaves(inputs));
  GradOptions unused;
  unused.allow_unused = true;
  SY_ASSIGN_OR_RETURN(const std::vector<Tensor> grads,
                      Analytic(function, leaves, unused));
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!IsChecked(inputs[i])) continue;
    const int64_t count = inputs[i].numel();
    std::vector<double> analytic(count, 0.0);
    if (grads[i].defined()) analytic = ToVector<double>(grads[i].dense());
    for (int64_t e = 0; e < count; ++e) {
      SY_ASSIGN_OR_RETURN(const double numeric,
                          Numeric(function, inputs, i, e, options.step));
      const double tolerance = options.absolute_tolerance +
                               options.relative_tolerance * std::abs(numeric);
      if (std::abs(analytic[e] - numeric) <= tolerance) continue;
      return ArgumentError("gradient of input " + std::to_string(i) +
                               " at element " + std::to_string(e),
                           ShortestText(numeric), ShortestText(analytic[e]));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckGradients(const TensorFunction& function,
                            absl::Span<const Tensor> inputs,
                            const GradientCheckOptions& options) {
  SY_RETURN_IF_ERROR(FirstOrder(function, inputs, options));
  if (!options.second_order) return absl::OkStatus();
  GradOptions create_graph;
  create_graph.create_graph = true;
  create_graph.allow_unused = true;
  const TensorFunction gradient = [&](absl::Span<const Tensor> leaves) {
    return Analytic(function, leaves, create_graph);
  };
  return Annotate(FirstOrder(gradient, inputs, options), "second order");
}

}  // namespace switchyard::eager
