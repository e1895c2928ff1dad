// SPDX-License-Identifier: Apache-2.0
// One time step of gru and back, for its kernels and those of gru_unit.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_GRU_STEP_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_GRU_STEP_H_

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/tensor/dense_tensor.h"
#include "phi/kernels/cpu/recurrent/row_math.h"
#include "phi/kernels/cpu/recurrent/steps.h"
#include "phi/kernels/cpu/sequence/results.h"

namespace switchyard::phi::kernels::cpu {

// The attributes of a gated recurrent unit. With `origin_mode` the update gate
// weighs the previous state, otherwise the candidate.
struct GruRule {
  GruRule(std::string_view activation_name, std::string_view gate_name,
          bool reverse, bool origin)
      : activation(activation_name),
        gate_activation(gate_name),
        is_reverse(reverse),
        origin_mode(origin) {}

  RowActivation activation;
  RowActivation gate_activation;
  bool is_reverse;
  bool origin_mode;
};

// The tensors of one launch. weight, [width, 3 * width], holds a matrix [width,
// 2 * width] for update and reset, and after it one [width, width] for the
// candidate. Gates are (update, reset, candidate).
template <typename T>
struct GruTensors {
  int64_t width;
  const T* weight;
  const T* bias;  // Null: none.
  const T* h0;    // Null: zeros.

  // `initial` is h0.
  GruTensors(const DenseTensor& weights, const DenseTensor* biases,
             const DenseTensor* initial)
      : width(weights.extent(0)),
        weight(weights.data<T>()),
        bias(DataOrNull<T>(biases)),
        h0(DataOrNull<T>(initial)) {}
  const T* candidate_weight() const { return weight + 2 * width * width; }
};

// Where a step writes.
template <typename T>
struct GruOutputs {
  T* hidden;
  T* gate;
  T* reset;  // Times the previous state.
};

// Where the gradients of all steps are added up; null: not wanted.
template <typename T>
struct GruGradients {
  T* weight;
  T* bias;
};

// One time step; `previous` is null at the beginning without h0.
template <typename T>
void GruStep(const GruRule& rule, const GruTensors<T>& tensors, const T* input,
             const T* previous, const GruOutputs<T>& out) {
  const int64_t width = tensors.width;
  std::copy_n(input, 3 * width, out.gate);
  for (int64_t k = 0; k < 3 * width && tensors.bias != nullptr; ++k) {
    out.gate[k] += tensors.bias[k];
  }
  if (previous != nullptr) {
    AddRowTimes(previous, tensors.weight, width, 2 * width, out.gate);
  }
  rule.gate_activation.Apply(out.gate, 2 * width);
  for (int64_t k = 0; k < width; ++k) {
    out.reset[k] =
        previous == nullptr ? T{0} : out.gate[width + k] * previous[k];
  }
  T* candidate = out.gate + 2 * width;
  if (previous != nullptr) {
    AddRowTimes(out.reset, tensors.candidate_weight(), width, width, candidate);
  }
  rule.activation.Apply(candidate, width);
  for (int64_t k = 0; k < width; ++k) {
    const T before = previous == nullptr ? T{0} : previous[k];
    const T update = out.gate[k];
    out.hidden[k] = rule.origin_mode
                        ? update * before + (T{1} - update) * candidate[k]
                        : update * candidate[k] + (T{1} - update) * before;
  }
}

// `carry` is the gradient of the step's state, and becomes that of the
// previous one.
template <typename T>
void GruStepBack(const GruRule& rule, const GruTensors<T>& tensors,
                 const T* gate, const T* previous, const GruGradients<T>& sums,
                 std::vector<T>* gate_grad, std::vector<T>* carry) {
  const int64_t width = tensors.width;
  const T* update = gate;
  const T* reset = gate + width;
  const T* candidate = gate + 2 * width;
  T* const update_grad = gate_grad->data();
  T* const reset_grad = update_grad + width;
  T* const candidate_grad = update_grad + 2 * width;
  std::vector<T> before(width), reset_previous(width),
      reset_previous_grad(width, T{0});
  for (int64_t k = 0; k < width; ++k) {
    const T grad = (*carry)[k];
    const T difference = candidate[k] - previous[k];
    const T part = rule.origin_mode ? T{1} - update[k] : update[k];
    update_grad[k] = grad * (rule.origin_mode ? -difference : difference) *
                     rule.gate_activation.Slope(update[k]);
    candidate_grad[k] = grad * part * rule.activation.Slope(candidate[k]);
    before[k] = grad * (T{1} - part);
    reset_previous[k] = reset[k] * previous[k];
  }
  AddRowTimesTransposed(candidate_grad, tensors.candidate_weight(), width,
                        width, reset_previous_grad.data());
  for (int64_t k = 0; k < width; ++k) {
    reset_grad[k] = reset_previous_grad[k] * previous[k] *
                    rule.gate_activation.Slope(reset[k]);
    before[k] += reset_previous_grad[k] * reset[k];
  }
  AddRowTimesTransposed(update_grad, tensors.weight, width, 2 * width,
                        before.data());
  if (sums.weight != nullptr) {
    AddOuter(previous, update_grad, width, 2 * width, sums.weight);
    AddOuter(reset_previous.data(), candidate_grad, width, width,
             sums.weight + 2 * width * width);
  }
  for (int64_t k = 0; k < 3 * width && sums.bias != nullptr; ++k) {
    sums.bias[k] += (*gate_grad)[k];
  }
  *carry = std::move(before);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_GRU_STEP_H_
