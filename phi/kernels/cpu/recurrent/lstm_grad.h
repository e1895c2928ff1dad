// SPDX-License-Identifier: Apache-2.0
// lstm_grad on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_LSTM_GRAD_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_LSTM_GRAD_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/lod.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/lstm_grad.args.gen.h"
#include "phi/kernels/cpu/recurrent/lstm_rule.h"
#include "phi/kernels/cpu/recurrent/steps.h"
#include "phi/kernels/cpu/sequence/offsets.h"
#include "phi/kernels/cpu/sequence/results.h"

namespace switchyard::phi::kernels::cpu {

// input_grad, h0_grad, c0_grad, weight_grad and bias_grad, by going back in
// time through each sequence with the gates and activated cells that the
// forward kernel left.
template <typename T>
class LstmGrad {
 public:
  static absl::Status Run(const CpuContext& context, const LstmGradArgs& args) {
    SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("input", args.input));
    const LstmRule rule(args);
    const Offsets& offsets = lod->offsets.back();
    SY_RETURN_IF_ERROR(CheckInitial("h0", args.h0, offsets));
    SY_RETURN_IF_ERROR(CheckInitial("c0", args.c0, offsets));
    const Given given = {DataOrNull<T>(args.hidden_grad),
                         DataOrNull<T>(args.cell_grad),
                         args.hidden.data<T>(),
                         args.cell.data<T>(),
                         args.batch_gate.data<T>(),
                         args.batch_cell_pre_act.data<T>(),
                         BatchPositions(offsets, rule.is_reverse)};
    const LstmWeights<T> weights(args);
    const int64_t width = weights.width;
    const Shape states({SequenceCount(offsets), width});
    const DataType dtype = args.input.dtype();
    SY_RETURN_IF_ERROR(AllocateAnew(context, dtype, states, args.h0_grad));
    SY_RETURN_IF_ERROR(AllocateAnew(context, dtype, states, args.c0_grad));
    const Sums sums = {ZeroedData<T>(args.input_grad),
                       ZeroedData<T>(args.weight_grad),
                       ZeroedData<T>(args.bias_grad)};
    T* h0_grad = ZeroedData<T>(args.h0_grad);
    T* c0_grad = ZeroedData<T>(args.c0_grad);
    std::vector<T> hidden(width), cell(width);
    for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
      std::fill(hidden.begin(), hidden.end(), T{0});
      std::fill(cell.begin(), cell.end(), T{0});
      GoBack(rule, weights, given, sums, offsets, i, hidden.data(),
             cell.data());
      if (h0_grad != nullptr) {
        std::copy(hidden.begin(), hidden.end(), h0_grad + i * width);
      }
      if (c0_grad != nullptr) {
        std::copy(cell.begin(), cell.end(), c0_grad + i * width);
      }
    }
    return absl::OkStatus();
  }

 private:
  // Holds what forward left, and the gradients that come in.
  struct Given {
    const T* hidden_grad;
    const T* cell_grad;
    const T* hidden;
    const T* cell;
    const T* gate;
    const T* active;
    std::vector<int64_t> positions;  // Of the rows in `gate` and `active`.
  };
  // The gradients of input, weight and bias; null where not wanted.
  struct Sums {
    T* input;
    T* weight;
    T* bias;
  };
  struct Step {
    const T* gate;
    const T* active;
    const T* cell;
    const T* previous_hidden;
    const T* previous_cell;
  };

  // Goes back through sequence `i`. `hidden` and `cell`, zeros before, become
  // the gradients of its initial state.
  static void GoBack(const LstmRule& rule, const LstmWeights<T>& weights,
                     const Given& given, const Sums& sums,
                     const Offsets& offsets, int64_t i, T* hidden, T* cell) {
    const int64_t width = weights.width;
    const int64_t begin = offsets[i], end = offsets[i + 1];
    const std::vector<T> zeros(width, T{0});
    std::vector<T> gate_grad(4 * width);
    for (int64_t step = end - begin - 1; step >= 0; --step) {
      const int64_t row = RowAt(begin, end, step, rule.is_reverse);
      const int64_t before =
          step > 0 ? RowAt(begin, end, step - 1, rule.is_reverse) : -1;
      const auto previous = [&](const T* states, const T* first) {
        if (before >= 0) return states + before * width;
        return first == nullptr ? zeros.data() : first + i * width;
      };
      for (int64_t k = 0; k < width; ++k) {
        const int64_t at = row * width + k;
        if (given.hidden_grad != nullptr) hidden[k] += given.hidden_grad[at];
        if (given.cell_grad != nullptr) cell[k] += given.cell_grad[at];
      }
      const Step at = {
          given.gate + given.positions[row] * 4 * width,
          given.active + given.positions[row] * width, given.cell + row * width,
          previous(given.hidden, weights.h0), previous(given.cell, weights.c0)};
      Back(rule, weights, at, sums, gate_grad.data(), hidden, cell);
      if (sums.input != nullptr) {
        std::copy(gate_grad.begin(), gate_grad.end(),
                  sums.input + row * 4 * width);
      }
    }
  }

  // `hidden` and `cell` are the gradients of the step's state, and become those
  // of the previous one.
  static void Back(const LstmRule& rule, const LstmWeights<T>& weights,
                   const Step& at, const Sums& sums, T* gate_grad, T* hidden,
                   T* cell) {
    const int64_t width = weights.width;
    const T* peephole = weights.peephole;
    T* const bias_grad = sums.bias;
    for (int64_t k = 0; k < width; ++k) {
      const T candidate = at.gate[k], input = at.gate[width + k],
              forget = at.gate[2 * width + k], output = at.gate[3 * width + k];
      const T before = at.previous_cell[k];
      const T output_grad =
          hidden[k] * at.active[k] * rule.gate_activation.Slope(output);
      T grad = cell[k] +
               hidden[k] * output * rule.cell_activation.Slope(at.active[k]);
      if (peephole != nullptr) grad += output_grad * peephole[2 * width + k];
      const T input_grad = grad * candidate * rule.gate_activation.Slope(input);
      const T forget_grad = grad * before * rule.gate_activation.Slope(forget);
      cell[k] = grad * forget;
      gate_grad[k] = grad * input * rule.candidate_activation.Slope(candidate);
      gate_grad[width + k] = input_grad;
      gate_grad[2 * width + k] = forget_grad;
      gate_grad[3 * width + k] = output_grad;
      if (peephole == nullptr) continue;
      cell[k] += input_grad * peephole[k] + forget_grad * peephole[width + k];
      if (bias_grad == nullptr) continue;
      bias_grad[4 * width + k] += input_grad * before;
      bias_grad[5 * width + k] += forget_grad * before;
      bias_grad[6 * width + k] += output_grad * at.cell[k];
    }
    for (int64_t k = 0; k < 4 * width && bias_grad != nullptr; ++k) {
      bias_grad[k] += gate_grad[k];
    }
    if (sums.weight != nullptr) {
      AddOuter(at.previous_hidden, gate_grad, width, 4 * width, sums.weight);
    }
    std::fill_n(hidden, width, T{0});
    AddRowTimesTransposed(gate_grad, weights.weight, width, 4 * width, hidden);
  }
};

template <typename S>
inline constexpr auto kLstmGradSpec = KernelSpec<S>()
                                          .Output(S::kH0Grad,
                                                  SelfAllocated(ArgDef()))
                                          .Output(S::kC0Grad,
                                                  SelfAllocated(ArgDef()));
template <typename T>
absl::Status LstmGradKernel(const CpuContext& context,
                            const LstmGradArgs& args) {
  return LstmGrad<T>::Run(context, args);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_LSTM_GRAD_H_
