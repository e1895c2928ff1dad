// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of lstm_grad on the CPU.
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/lstm_grad.gen.h"
#include "phi/fluid/recurrent/lstm_rule.h"
#include "phi/fluid/recurrent/steps.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/lstm_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// Input@GRAD, H0@GRAD, C0@GRAD, Weight@GRAD and Bias@GRAD, by going back in
// time through each sequence with the gates and activated cells that the
// forward kernel left.
template <typename T>
class LstmGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("Input"));
    SY_ASSIGN_OR_RETURN(const LstmRule rule, ReadLstmRule(context));
    const Offsets& offsets = lod->offsets.back();
    SY_RETURN_IF_ERROR(CheckInitial(context, "H0", offsets));
    SY_RETURN_IF_ERROR(CheckInitial(context, "C0", offsets));
    const Given given = {LstmWeights<T>::DataOf(context.Input("Hidden@GRAD")),
                         LstmWeights<T>::DataOf(context.Input("Cell@GRAD")),
                         context.Input("Hidden")->data<T>(),
                         context.Input("Cell")->data<T>(),
                         context.Input("BatchGate")->data<T>(),
                         context.Input("BatchCellPreAct")->data<T>(),
                         BatchPositions(offsets, rule.is_reverse)};
    const LstmWeights<T> weights(context, rule);
    const int64_t width = weights.width;
    const Shape states({SequenceCount(offsets), width});
    const DataType dtype = context.Input("Input")->dtype();
    SY_RETURN_IF_ERROR(context.Allocate("H0@GRAD", dtype, states));
    SY_RETURN_IF_ERROR(context.Allocate("C0@GRAD", dtype, states));
    const Sums sums = {Zeros<T>(context.Output("Input@GRAD")),
                       Zeros<T>(context.Output("Weight@GRAD")),
                       Zeros<T>(context.Output("Bias@GRAD"))};
    T* h0_grad = Zeros<T>(context.Output("H0@GRAD"));
    T* c0_grad = Zeros<T>(context.Output("C0@GRAD"));
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
  // The gradients of Input, Weight and Bias; null where not wanted.
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

}  // namespace fluid

constexpr auto kLstmGradSpec =
    KernelSpec<LstmGradSignature>()
        .Output(LstmGradSignature::kH0Grad, SelfAllocated(ArgDef()))
        .Output(LstmGradSignature::kC0Grad, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(lstm_grad, cpu, fluid::LstmGradCpuKernel,
                         legacy_lstm_grad, kLstmGradSpec, float32, float64);

}  // namespace switchyard::phi
