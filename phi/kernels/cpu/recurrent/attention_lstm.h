// SPDX-License-Identifier: Apache-2.0
// attention_lstm on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_ATTENTION_LSTM_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_ATTENTION_LSTM_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/attention_lstm.args.gen.h"
#include "phi/kernels/cpu/recurrent/row_math.h"
#include "phi/kernels/cpu/recurrent/steps.h"
#include "phi/kernels/cpu/sequence/offsets.h"
#include "phi/kernels/cpu/sequence/results.h"

namespace switchyard::phi::kernels::cpu {

// The weights of attention_lstm, for rows of `inner` elements and states of
// `width`.
template <typename T>
struct AttentionWeights {
  int64_t inner, width;
  const T *attention, *attention_bias, *scalar, *scalar_bias;
  const T *lstm, *lstm_bias;

  explicit AttentionWeights(const AttentionLstmArgs& args)
      : inner(args.x.extent(1)),
        width(args.c0.extent(1)),
        attention(args.attention_weight.data<T>()),
        attention_bias(DataOrNull<T>(args.attention_bias)),
        scalar(DataOrNull<T>(args.attention_scalar)),
        scalar_bias(DataOrNull<T>(args.attention_scalar_bias)),
        lstm(args.lstm_weight.data<T>()),
        lstm_bias(args.lstm_bias.data<T>()) {}
};

// The share of each of `rows` rows at one step: the softmax of relu(scores +
// what the cell adds), which attention_scalar scales and bounds once more.
template <typename T>
std::vector<T> AttentionShares(const AttentionWeights<T>& weights,
                               const T* scores, int64_t rows, const T* cell) {
  T add = 0;
  for (int64_t k = 0; k < weights.width; ++k) {
    add += cell[k] * weights.attention[weights.inner + k];
  }
  std::vector<T> shares(scores, scores + rows);
  for (T& share : shares) {
    share = std::max(share + add, T{0});
    if (weights.scalar == nullptr) continue;
    share *= weights.scalar[0];
    if (weights.scalar_bias != nullptr) share += weights.scalar_bias[0];
    share = std::max(share, T{0});
  }
  const T most = *std::max_element(shares.begin(), shares.end());
  T sum = 0;
  for (T& share : shares) {
    share = std::exp(share - most);
    sum += share;
  }
  for (T& share : shares) share /= sum;
  return shares;
}

// hidden, cell: an LSTM over each sequence of x, as long as it is, which gets
// at each step the sum of all rows of the sequence by their shares. The gates
// are (forget, input, output, candidate).
template <typename T>
class AttentionLstm {
 public:
  static absl::Status Run(const CpuContext& context,
                          const AttentionLstmArgs& args) {
    const DenseTensor& x = args.x;
    SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", args.x));
    const Offsets& offsets = lod->offsets.back();
    SY_RETURN_IF_ERROR(CheckInitial("c0", &args.c0, offsets));
    SY_RETURN_IF_ERROR(CheckInitial("h0", args.h0, offsets));
    const RowActivation gate(args.gate_activation), act(args.cell_activation),
        candidate(args.candidate_activation);
    const AttentionWeights<T> weights(args);
    const int64_t width = weights.width, inner = weights.inner;
    const Shape shape({x.extent(0), width});
    SY_RETURN_IF_ERROR(AllocateAnew(context, x.dtype(), shape, args.hidden));
    SY_RETURN_IF_ERROR(AllocateAnew(context, x.dtype(), shape, args.cell));
    const DenseTensor* h0 = args.h0;
    std::vector<T> cells(args.c0.data<T>(),
                         args.c0.data<T>() + SequenceCount(offsets) * width);
    std::vector<T> states(cells.size(), T{0});
    if (h0 != nullptr) {
      std::copy_n(h0->data<T>(), states.size(), states.data());
    }
    T* hidden_out = args.hidden->mutable_data<T>();
    T* cell_out =
        args.cell == nullptr ? nullptr : args.cell->template mutable_data<T>();
    for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
      const int64_t rows = offsets[i + 1] - offsets[i];
      const T* own = x.data<T>() + offsets[i] * inner;
      const std::vector<T> scores = Scores(weights, own, rows);
      T *cell = cells.data() + i * width, *state = states.data() + i * width;
      for (int64_t row = offsets[i]; row < offsets[i + 1]; ++row) {
        RunStep(weights, own,
                AttentionShares(weights, scores.data(), rows, cell), gate, act,
                candidate, cell, state);
        std::copy_n(state, width, hidden_out + row * width);
        if (cell_out != nullptr) {
          std::copy_n(cell, width, cell_out + row * width);
        }
      }
    }
    ShareSequences(x, args.hidden);
    ShareSequences(x, args.cell);
    return absl::OkStatus();
  }

 private:
  // Returns the part of each row's score that the row itself gives.
  static std::vector<T> Scores(const AttentionWeights<T>& weights, const T* x,
                               int64_t rows) {
    std::vector<T> scores(rows, weights.attention_bias == nullptr
                                    ? T{0}
                                    : weights.attention_bias[0]);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t k = 0; k < weights.inner; ++k) {
        scores[i] += x[i * weights.inner + k] * weights.attention[k];
      }
    }
    return scores;
  }

  static void RunStep(const AttentionWeights<T>& weights, const T* x,
                      const std::vector<T>& shares, const RowActivation& gate,
                      const RowActivation& act, const RowActivation& candidate,
                      T* cell, T* state) {
    const int64_t width = weights.width, inner = weights.inner;
    std::vector<T> input(inner, T{0});
    for (size_t i = 0; i < shares.size(); ++i) {
      for (int64_t k = 0; k < inner; ++k) {
        input[k] += shares[i] * x[static_cast<int64_t>(i) * inner + k];
      }
    }
    std::vector<T> gates(weights.lstm_bias, weights.lstm_bias + 4 * width);
    AddRowTimes(state, weights.lstm, width, 4 * width, gates.data());
    AddRowTimes(input.data(), weights.lstm + width * 4 * width, inner,
                4 * width, gates.data());
    gate.Apply(gates.data(), 3 * width);
    candidate.Apply(gates.data() + 3 * width, width);
    for (int64_t k = 0; k < width; ++k) {
      state[k] = cell[k] =
          gates[k] * cell[k] + gates[width + k] * gates[3 * width + k];
    }
    act.Apply(state, width);
    for (int64_t k = 0; k < width; ++k) state[k] *= gates[2 * width + k];
  }
};

template <typename S>
inline constexpr auto kAttentionLstmSpec = KernelSpec<S>()
                                               .Output(S::kHidden,
                                                       SelfAllocated(ArgDef()))
                                               .Output(S::kCell,
                                                       SelfAllocated(ArgDef()));
template <typename T>
absl::Status AttentionLstmKernel(const CpuContext& context,
                                 const AttentionLstmArgs& args) {
  return AttentionLstm<T>::Run(context, args);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_ATTENTION_LSTM_H_
