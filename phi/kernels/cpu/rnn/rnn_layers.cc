// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/rnn/rnn_layers.h"

#include <algorithm>

#include "framework/device/cpu/parallel.h"
#include "phi/kernels/cpu/gemm/gemm.h"
#include "phi/kernels/cpu/rnn/rnn_cells.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// Where the state before a step lies: rows `stride` apart.
template <typename T>
struct StateRows {
  const T* state;
  const T* memory;
  int64_t stride;
};

// That of the turn before turn i; of the first, what was there before.
template <typename T>
StateRows<T> Before(const RnnLane<T>& lane, int64_t i) {
  if (i == 0) return {lane.state, lane.memory, lane.hidden};
  const T* rows = lane.reserve + lane.step(i - 1) * lane.batch * lane.row();
  const bool lstm = lane.cell == RecurrentCell::kLstm;
  return {rows + lane.row() - lane.hidden,
          lstm ? rows + lane.row() - 2 * lane.hidden : nullptr, lane.row()};
}

// Rows of a batch a chunk.
template <typename T>
int64_t RowGrain(const RnnLane<T>& lane) {
  return std::max<int64_t>(1, (1 << 10) / lane.gates());
}

// The transpose of a weight [columns, depth], packed for Gemm: one for all
// steps, which are small products.
template <typename T>
absl::StatusOr<Workspace<T>> PackTransposed(Allocator& allocator,
                                            const T* weight, int64_t columns,
                                            int64_t depth) {
  const int64_t width = GemmStripColumns(T{});
  const int64_t strips = (columns + width - 1) / width;
  SY_ASSIGN_OR_RETURN(auto packed,
                      Workspace<T>::Make(allocator, strips * width * depth));
  T* to = packed.data();
  for (int64_t first = 0; first < columns; first += width) {
    for (int64_t p = 0; p < depth; ++p) {
      for (int64_t column = first; column < first + width; ++column) {
        *to++ = column < columns ? weight[column * depth + p] : T{0};
      }
    }
  }
  return packed;
}

template <typename T>
void RunStep(const RnnLane<T>& lane, int64_t i, const T* from_input,
             const T* from_state, T* out) {
  const int64_t t = lane.step(i), gates = lane.gates();
  const StateRows<T> before = Before(lane, i);
  ParallelFor(0, lane.batch, RowGrain(lane), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const int64_t row = t * lane.batch + b;
      T* reserve = lane.reserve + row * lane.row();
      const CellStep<T> step = {lane.cell,
                                lane.hidden,
                                from_input + row * gates,
                                from_state + b * gates,
                                lane.input_bias,
                                lane.state_bias,
                                before.state + b * before.stride,
                                before.memory == nullptr
                                    ? nullptr
                                    : before.memory + b * before.stride,
                                reserve};
      T* result = out + row * lane.out_width;
      if (lane.has(t, b)) {
        RunCell(step);
        std::copy_n(reserve + lane.row() - lane.hidden, lane.hidden, result);
      } else {
        KeepState(step);
        std::fill_n(result, lane.hidden, T{0});
      }
    }
  });
}

// The gradient's way through turn i of one row.
template <typename T>
void RunRowGrad(const RnnLane<T>& lane, const RnnLaneGrad<T>& grad, int64_t i,
                int64_t b, T* input_gates, T* state_gates) {
  const int64_t row = lane.step(i) * lane.batch + b, n = lane.hidden;
  const int64_t gates = lane.gates();
  T* state_grad = grad.state_grad + b * n;
  if (!lane.has(lane.step(i), b)) {
    std::fill_n(input_gates + row * gates, gates, T{0});
    if (state_gates != input_gates) {
      std::fill_n(state_gates + row * gates, gates, T{0});
    }
    return;
  }
  const T* out_grad = grad.out_grad + row * lane.out_width;
  for (int64_t j = 0; j < n; ++j) state_grad[j] += out_grad[j];
  const StateRows<T> before = Before(lane, i);
  RunCellGrad(CellGrad<T>{
      lane.cell, n, lane.reserve + row * lane.row(),
      before.state + b * before.stride,
      before.memory == nullptr ? nullptr : before.memory + b * before.stride,
      state_grad,
      grad.memory_grad == nullptr ? nullptr : grad.memory_grad + b * n,
      input_gates + row * gates, state_gates + row * gates});
}

// out[j] = the sum of column j.
template <typename T>
void SumRows(const T* rows, int64_t count, int64_t width, T* out) {
  if (out == nullptr) return;
  std::fill_n(out, width, T{0});
  for (int64_t r = 0; r < count; ++r) {
    for (int64_t j = 0; j < width; ++j) out[j] += rows[r * width + j];
  }
}

// The gradients of weights and biases, from those of the gates at all steps.
template <typename T>
absl::Status WeightGrads(Allocator& allocator, const RnnLane<T>& lane,
                         const RnnLaneGrad<T>& grad, const T* input_gates,
                         const T* state_gates) {
  const int64_t rows = lane.time * lane.batch, gates = lane.gates();
  if (grad.input_weight_grad != nullptr) {
    const GemmProduct<T> product = {{input_gates, 1, gates},
                                    {lane.x, lane.width, 1},
                                    grad.input_weight_grad};
    SY_RETURN_IF_ERROR(Gemm(allocator, gates, lane.width, rows, {&product, 1}));
  }
  if (grad.state_weight_grad != nullptr) {
    SY_ASSIGN_OR_RETURN(const auto states,
                        Workspace<T>::Make(allocator, rows * lane.hidden));
    for (int64_t i = 0; i < lane.time; ++i) {
      const StateRows<T> before = Before(lane, i);
      for (int64_t b = 0; b < lane.batch; ++b) {
        std::copy_n(
            before.state + b * before.stride, lane.hidden,
            states.data() + (lane.step(i) * lane.batch + b) * lane.hidden);
      }
    }
    const GemmProduct<T> product = {{state_gates, 1, gates},
                                    {states.data(), lane.hidden, 1},
                                    grad.state_weight_grad};
    SY_RETURN_IF_ERROR(
        Gemm(allocator, gates, lane.hidden, rows, {&product, 1}));
  }
  SumRows(input_gates, rows, gates, grad.input_bias_grad);
  SumRows(state_gates, rows, gates, grad.state_bias_grad);
  return absl::OkStatus();
}

template <typename T>
absl::Status AddInputGrad(Allocator& allocator, const RnnLane<T>& lane,
                          const T* input_gates, T* x_grad) {
  if (x_grad == nullptr) return absl::OkStatus();
  const int64_t rows = lane.time * lane.batch, gates = lane.gates();
  SY_ASSIGN_OR_RETURN(const auto part,
                      Workspace<T>::Make(allocator, rows * lane.width));
  const GemmProduct<T> product = {
      {input_gates, gates, 1}, {lane.input_weight, lane.width, 1}, part.data()};
  SY_RETURN_IF_ERROR(Gemm(allocator, rows, lane.width, gates, {&product, 1}));
  for (int64_t i = 0; i < rows * lane.width; ++i) x_grad[i] += part.data()[i];
  return absl::OkStatus();
}

}  // namespace

template <typename T>
absl::Status RunLane(Allocator& allocator, const RnnLane<T>& lane, T* out,
                     T* last_state, T* last_memory) {
  const int64_t rows = lane.time * lane.batch, gates = lane.gates();
  SY_ASSIGN_OR_RETURN(const auto from_input,
                      Workspace<T>::Make(allocator, rows * gates));
  SY_ASSIGN_OR_RETURN(const auto from_state,
                      Workspace<T>::Make(allocator, lane.batch * gates));
  const GemmProduct<T> all = {{lane.x, lane.width, 1},
                              {lane.input_weight, 1, lane.width},
                              from_input.data()};
  SY_RETURN_IF_ERROR(Gemm(allocator, rows, gates, lane.width, {&all, 1}));
  const bool packs = lane.time > 1;  // A single product packs it itself.
  SY_ASSIGN_OR_RETURN(const auto packed,
                      PackTransposed(allocator, lane.state_weight,
                                     packs ? gates : 0, lane.hidden));
  for (int64_t i = 0; i < lane.time; ++i) {
    const StateRows<T> before = Before(lane, i);
    const GemmProduct<T> one = {
        {before.state, before.stride, 1},
        {packs ? packed.data() : lane.state_weight, 1, lane.hidden},
        from_state.data(),
        packs};
    SY_RETURN_IF_ERROR(
        Gemm(allocator, lane.batch, gates, lane.hidden, {&one, 1}));
    RunStep(lane, i, from_input.data(), from_state.data(), out);
  }
  const StateRows<T> last = Before(lane, lane.time);
  for (int64_t b = 0; b < lane.batch; ++b) {
    std::copy_n(last.state + b * last.stride, lane.hidden,
                last_state + b * lane.hidden);
    if (last.memory == nullptr) continue;
    std::copy_n(last.memory + b * last.stride, lane.hidden,
                last_memory + b * lane.hidden);
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status RunLaneGrad(Allocator& allocator, const RnnLane<T>& lane,
                         const RnnLaneGrad<T>& grad) {
  const int64_t rows = lane.time * lane.batch, gates = lane.gates();
  const bool apart = lane.cell == RecurrentCell::kGru;
  SY_ASSIGN_OR_RETURN(const auto input_gates,
                      Workspace<T>::Make(allocator, rows * gates));
  SY_ASSIGN_OR_RETURN(const auto own,
                      Workspace<T>::Make(allocator, apart ? rows * gates : 0));
  T* state_gates = apart ? own.data() : input_gates.data();
  const int64_t states = lane.batch * lane.hidden;
  SY_ASSIGN_OR_RETURN(const auto through,
                      Workspace<T>::Make(allocator, states));
  for (int64_t i = lane.time - 1; i >= 0; --i) {
    ParallelFor(0, lane.batch, RowGrain(lane), [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        RunRowGrad(lane, grad, i, b, input_gates.data(), state_gates);
      }
    });
    const T* step_gates = state_gates + lane.step(i) * lane.batch * gates;
    const GemmProduct<T> product = {{step_gates, gates, 1},
                                    {lane.state_weight, lane.hidden, 1},
                                    through.data()};
    SY_RETURN_IF_ERROR(
        Gemm(allocator, lane.batch, lane.hidden, gates, {&product, 1}));
    for (int64_t j = 0; j < states; ++j)
      grad.state_grad[j] += through.data()[j];
  }
  SY_RETURN_IF_ERROR(
      WeightGrads(allocator, lane, grad, input_gates.data(), state_gates));
  return AddInputGrad(allocator, lane, input_gates.data(), grad.x_grad);
}

template absl::Status RunLane(Allocator&, const RnnLane<float>&, float*, float*,
                              float*);
template absl::Status RunLane(Allocator&, const RnnLane<double>&, double*,
                              double*, double*);
template absl::Status RunLaneGrad(Allocator&, const RnnLane<float>&,
                                  const RnnLaneGrad<float>&);
template absl::Status RunLaneGrad(Allocator&, const RnnLane<double>&,
                                  const RnnLaneGrad<double>&);

}  // namespace switchyard::phi::kernels::cpu
