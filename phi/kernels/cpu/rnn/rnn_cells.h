// SPDX-License-Identifier: Apache-2.0
// One step of a recurrent layer, forth and back, a row of the batch at a time.
// The products of matrices before and after it are rnn_layers.h's.
//
// A row of what a layer saves for its gradient ("reserve") is:
//   LSTM: input, forget, candidate and output gate, cell, state
//   GRU: reset, update and candidate gate, the candidate's part that is from
//        the state, state
//   others: state
// each of `hidden` numbers.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RNN_RNN_CELLS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RNN_RNN_CELLS_H_

#include <cmath>
#include <cstdint>

#include "phi/shapes/rnn.h"

namespace switchyard::phi::kernels::cpu {

template <typename T>
T Logistic(T v) {
  return T{1} / (T{1} + std::exp(-v));
}

// The arguments and results of a step of one row. The gates' parts are the
// products of the weights with the input and with the state before, without
// biases.
template <typename T>
struct CellStep {
  RecurrentCell cell;
  int64_t hidden;
  const T* from_input;
  const T* from_state;
  const T* input_bias;
  const T* state_bias;
  const T* state;   // Before.
  const T* memory;  // The cell of an LSTM, before; else null.
  T* reserve;
};

template <typename T>
void RunLstmCell(const CellStep<T>& step) {
  const int64_t n = step.hidden;
  const auto part = [&step, n](int64_t gate, int64_t j) {
    const int64_t i = gate * n + j;
    return step.from_input[i] + step.input_bias[i] +
           (step.from_state[i] + step.state_bias[i]);
  };
  for (int64_t j = 0; j < n; ++j) {
    const T input = Logistic(part(0, j)), forget = Logistic(part(1, j));
    const T candidate = std::tanh(part(2, j)), output = Logistic(part(3, j));
    const T memory = forget * step.memory[j] + input * candidate;
    step.reserve[j] = input;
    step.reserve[n + j] = forget;
    step.reserve[2 * n + j] = candidate;
    step.reserve[3 * n + j] = output;
    step.reserve[4 * n + j] = memory;
    step.reserve[5 * n + j] = output * std::tanh(memory);
  }
}

template <typename T>
void RunGruCell(const CellStep<T>& step) {
  const int64_t n = step.hidden;
  const auto input = [&step](int64_t i) {
    return step.from_input[i] + step.input_bias[i];
  };
  const auto state = [&step](int64_t i) {
    return step.from_state[i] + step.state_bias[i];
  };
  for (int64_t j = 0; j < n; ++j) {
    const T reset = Logistic(input(j) + state(j));
    const T update = Logistic(input(n + j) + state(n + j));
    const T from_state = state(2 * n + j);
    const T candidate = std::tanh(input(2 * n + j) + reset * from_state);
    step.reserve[j] = reset;
    step.reserve[n + j] = update;
    step.reserve[2 * n + j] = candidate;
    step.reserve[3 * n + j] = from_state;
    step.reserve[4 * n + j] = update * (step.state[j] - candidate) + candidate;
  }
}

template <typename T>
void RunCell(const CellStep<T>& step) {
  if (step.cell == RecurrentCell::kLstm) return RunLstmCell(step);
  if (step.cell == RecurrentCell::kGru) return RunGruCell(step);
  for (int64_t j = 0; j < step.hidden; ++j) {
    const T v = step.from_input[j] + step.input_bias[j] +
                (step.from_state[j] + step.state_bias[j]);
    if (step.cell == RecurrentCell::kTanh) {
      step.reserve[j] = std::tanh(v);
    } else {
      step.reserve[j] = v < T{0} ? T{0} : v;  // A NaN stays.
    }
  }
}

// A row at a step that its sequence does not have: the state stays.
template <typename T>
void KeepState(const CellStep<T>& step) {
  const int64_t n = step.hidden;
  const int64_t numbers = ReservedCount(step.cell);
  for (int64_t i = 0; i < (numbers - 1) * n; ++i) step.reserve[i] = T{0};
  for (int64_t j = 0; j < n; ++j) {
    step.reserve[(numbers - 1) * n + j] = step.state[j];
    if (step.memory != nullptr) step.reserve[4 * n + j] = step.memory[j];
  }
}

// The gradient of a step of one row. `state_grad` is that of the state after
// it, from the steps that follow and from the result. It becomes the direct
// part of that of the state before: what comes through the weights is to be
// added. `memory_grad` likewise.
template <typename T>
struct CellGrad {
  RecurrentCell cell;
  int64_t hidden;
  const T* reserve;
  const T* state;   // Before.
  const T* memory;  // Before.
  T* state_grad;
  T* memory_grad;
  T* input_gates;  // The gradient of the gates' parts from the input,
  T* state_gates;  // and from the state: of a GRU another one.
};

template <typename T>
void RunLstmGrad(const CellGrad<T>& grad) {
  const int64_t n = grad.hidden;
  for (int64_t j = 0; j < n; ++j) {
    const T input = grad.reserve[j], forget = grad.reserve[n + j];
    const T candidate = grad.reserve[2 * n + j];
    const T output = grad.reserve[3 * n + j];
    const T shown = std::tanh(grad.reserve[4 * n + j]);
    const T dh = grad.state_grad[j];
    const T dc = grad.memory_grad[j] + dh * output * (T{1} - shown * shown);
    grad.input_gates[j] = dc * candidate * input * (T{1} - input);
    grad.input_gates[n + j] = dc * grad.memory[j] * forget * (T{1} - forget);
    grad.input_gates[2 * n + j] = dc * input * (T{1} - candidate * candidate);
    grad.input_gates[3 * n + j] = dh * shown * output * (T{1} - output);
    grad.memory_grad[j] = dc * forget;
    grad.state_grad[j] = T{0};
  }
}

template <typename T>
void RunGruGrad(const CellGrad<T>& grad) {
  const int64_t n = grad.hidden;
  for (int64_t j = 0; j < n; ++j) {
    const T reset = grad.reserve[j], update = grad.reserve[n + j];
    const T candidate = grad.reserve[2 * n + j];
    const T from_state = grad.reserve[3 * n + j];
    const T dh = grad.state_grad[j];
    const T dc = dh * (T{1} - update) * (T{1} - candidate * candidate);
    const T dr = dc * from_state * reset * (T{1} - reset);
    const T dz = dh * (grad.state[j] - candidate) * update * (T{1} - update);
    grad.input_gates[j] = grad.state_gates[j] = dr;
    grad.input_gates[n + j] = grad.state_gates[n + j] = dz;
    grad.input_gates[2 * n + j] = dc;
    grad.state_gates[2 * n + j] = dc * reset;
    grad.state_grad[j] = dh * update;
  }
}

template <typename T>
void RunCellGrad(const CellGrad<T>& grad) {
  if (grad.cell == RecurrentCell::kLstm) return RunLstmGrad(grad);
  if (grad.cell == RecurrentCell::kGru) return RunGruGrad(grad);
  for (int64_t j = 0; j < grad.hidden; ++j) {
    const T h = grad.reserve[j];
    const T slope =
        grad.cell == RecurrentCell::kTanh ? T{1} - h * h : T(h > T{0} ? 1 : 0);
    grad.input_gates[j] = grad.state_grad[j] * slope;
    grad.state_grad[j] = T{0};
  }
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RNN_RNN_CELLS_H_
