// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of attention_lstm on the CPU.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/attention_lstm.gen.h"
#include "phi/fluid/recurrent/row_math.h"
#include "phi/fluid/recurrent/steps.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/attention_lstm.gen.h"

namespace switchyard::phi {
namespace fluid {

// The weights of attention_lstm, for rows of `inner` elements and states of
// `width`.
template <typename T>
struct AttentionWeights {
  int64_t inner, width;
  const T *attention, *attention_bias, *scalar, *scalar_bias;
  const T *lstm, *lstm_bias;

  explicit AttentionWeights(const ExecutionContext& context)
      : inner(context.Input("X")->extent(1)),
        width(context.Input("C0")->extent(1)),
        attention(DataOf(context.Input("AttentionWeight"))),
        attention_bias(DataOf(context.Input("AttentionBias"))),
        scalar(DataOf(context.Input("AttentionScalar"))),
        scalar_bias(DataOf(context.Input("AttentionScalarBias"))),
        lstm(DataOf(context.Input("LSTMWeight"))),
        lstm_bias(DataOf(context.Input("LSTMBias"))) {}

  static const T* DataOf(const DenseTensor* tensor) {
    return tensor == nullptr ? nullptr : tensor->data<T>();
  }
};

// The share of each of `rows` rows at one step: the softmax of relu(scores +
// what the cell adds), which AttentionScalar scales and bounds once more.
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

// Hidden, Cell: an LSTM over each sequence of X, as long as it is, which gets
// at each step the sum of all rows of the sequence by their shares. The gates
// are (forget, input, output, candidate).
template <typename T>
class AttentionLstmCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    const Offsets& offsets = lod->offsets.back();
    SY_RETURN_IF_ERROR(CheckInitial(context, "C0", offsets));
    SY_RETURN_IF_ERROR(CheckInitial(context, "H0", offsets));
    SY_ASSIGN_OR_RETURN(const auto gate_name,
                        context.Attr<std::string_view>("gate_activation"));
    SY_ASSIGN_OR_RETURN(const auto cell_name,
                        context.Attr<std::string_view>("cell_activation"));
    SY_ASSIGN_OR_RETURN(const auto candidate_name,
                        context.Attr<std::string_view>("candidate_activation"));
    const Activation gate(gate_name), act(cell_name), candidate(candidate_name);
    const AttentionWeights<T> weights(context);
    const int64_t width = weights.width, inner = weights.inner;
    const Shape shape({x.extent(0), width});
    SY_RETURN_IF_ERROR(context.Allocate("Hidden", x.dtype(), shape));
    SY_RETURN_IF_ERROR(context.Allocate("Cell", x.dtype(), shape));
    const DenseTensor* h0 = context.Input("H0");
    std::vector<T> cells(context.Input("C0")->template data<T>(),
                         context.Input("C0")->template data<T>() +
                             SequenceCount(offsets) * width);
    std::vector<T> states(cells.size(), T{0});
    if (h0 != nullptr) {
      std::copy_n(h0->data<T>(), states.size(), states.data());
    }
    T* hidden_out = context.Output("Hidden")->template mutable_data<T>();
    DenseTensor* cell_tensor = context.Output("Cell");
    T* cell_out = cell_tensor == nullptr
                      ? nullptr
                      : cell_tensor->template mutable_data<T>();
    for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
      const int64_t rows = offsets[i + 1] - offsets[i];
      const T* own = x.data<T>() + offsets[i] * inner;
      const std::vector<T> scores = Scores(weights, own, rows);
      T *cell = cells.data() + i * width, *state = states.data() + i * width;
      for (int64_t row = offsets[i]; row < offsets[i + 1]; ++row) {
        Step(weights, own, AttentionShares(weights, scores.data(), rows, cell),
             gate, act, candidate, cell, state);
        std::copy_n(state, width, hidden_out + row * width);
        if (cell_out != nullptr)
          std::copy_n(cell, width, cell_out + row * width);
      }
    }
    context.ShareLod("X", "Hidden");
    context.ShareLod("X", "Cell");
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

  static void Step(const AttentionWeights<T>& weights, const T* x,
                   const std::vector<T>& shares, const Activation& gate,
                   const Activation& act, const Activation& candidate, T* cell,
                   T* state) {
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

}  // namespace fluid

constexpr auto kAttentionLstmSpec =
    KernelSpec<AttentionLstmSignature>()
        .Output(AttentionLstmSignature::kHidden, SelfAllocated(ArgDef()))
        .Output(AttentionLstmSignature::kCell, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(attention_lstm, cpu, fluid::AttentionLstmCpuKernel,
                         legacy_attention_lstm, kAttentionLstmSpec, float32,
                         float64);

}  // namespace switchyard::phi
