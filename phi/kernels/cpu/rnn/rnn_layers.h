// SPDX-License-Identifier: Apache-2.0
// One direction of one layer of rnn, forth and back: products of matrices
// (gemm.h) around the steps of rnn_cells.h. There for float and double.
//
// Bits: a row of the batch is computed in an order that the shapes decide.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RNN_RNN_LAYERS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RNN_RNN_LAYERS_H_

#include <cstdint>

#include "framework/base/status.h"
#include "framework/memory/buffer.h"
#include "phi/shapes/rnn.h"

namespace switchyard::phi::kernels::cpu {

// A direction of a layer: where it reads and writes. Pointers to tensors of
// [time, batch, ...] are to their first element.
template <typename T>
struct RnnLane {
  RecurrentCell cell;
  int64_t time, batch, width, hidden;
  bool backwards;          // Begins with the last step.
  const int64_t* lengths;  // Of the sequences; null: all are `time`.
  const T* x;              // [time, batch, width]
  const T* input_weight;   // [gates * hidden, width]
  const T* state_weight;   // [gates * hidden, hidden]
  const T* input_bias;     // [gates * hidden]
  const T* state_bias;
  const T* state;   // [batch, hidden], before.
  const T* memory;  // Likewise, of an LSTM; else null.
  T* reserve;       // [time, batch, numbers * hidden]
  int64_t out_width;

  int64_t gates() const { return GateCount(cell) * hidden; }
  int64_t row() const { return ReservedCount(cell) * hidden; }
  bool has(int64_t t, int64_t b) const {
    return lengths == nullptr || t < lengths[b];
  }
  // The step that is taken at turn i.
  int64_t step(int64_t i) const { return backwards ? time - 1 - i : i; }
};

// Fills `reserve`, the lane's columns of the result, out [time, batch,
// out_width], and the last state.
template <typename T>
absl::Status RunLane(Allocator& allocator, const RnnLane<T>& lane, T* out,
                     T* last_state, T* last_memory);

// The arguments and results of the gradient of a lane.
template <typename T>
struct RnnLaneGrad {
  const T* out_grad;  // The lane's columns of [time, batch, out_width].
  // [batch, hidden]: first of the last state, in the end of the first one.
  T* state_grad;
  T* memory_grad;
  T* x_grad;  // Is added to; null if it is not wanted.
  // Null where they are not wanted.
  T* input_weight_grad;
  T* state_weight_grad;
  T* input_bias_grad;
  T* state_bias_grad;
};

template <typename T>
absl::Status RunLaneGrad(Allocator& allocator, const RnnLane<T>& lane,
                         const RnnLaneGrad<T>& grad);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RNN_RNN_LAYERS_H_
