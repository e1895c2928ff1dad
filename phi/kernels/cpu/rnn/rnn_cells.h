// SPDX-License-Identifier: Apache-2.0
// One step of a recurrent layer, forth and back, a row of the batch at a time,
// vector by vector: every element goes through the same instructions, whatever
// its position. The products of matrices before and after it are
// rnn_layers.h's.
//
// A row of what a layer saves for its gradient ("reserve") is:
//   LSTM: input, forget, candidate and output gate, cell, state
//   GRU: reset, update and candidate gate, the candidate's part that is from
//        the state, state
//   others: state
// each of `hidden` numbers.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RNN_RNN_CELLS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RNN_RNN_CELLS_H_

#include <cstdint>

#include "phi/shapes/rnn.h"

namespace switchyard::phi::kernels::cpu {

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

void RunCell(const CellStep<float>& step);
void RunCell(const CellStep<double>& step);

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

void RunCellGrad(const CellGrad<float>& grad);
void RunCellGrad(const CellGrad<double>& grad);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RNN_RNN_CELLS_H_
