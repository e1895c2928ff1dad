// SPDX-License-Identifier: Apache-2.0
// lstm on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_LSTM_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_LSTM_H_

#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/lstm.args.gen.h"
#include "phi/kernels/cpu/recurrent/lstm_rule.h"
#include "phi/kernels/cpu/recurrent/row_math.h"
#include "phi/kernels/cpu/recurrent/steps.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// input: [rows, 4 * width], with sequences. hidden, cell: [rows, width];
// batch_gate holds gates, batch_cell_pre_act activated cells, in the order of
// BatchPositions.
template <typename T>
class Lstm {
 public:
  static absl::Status Run(const CpuContext& context, const LstmArgs& args) {
    const DenseTensor& input = args.input;
    SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("input", args.input));
    const LstmRule rule(args);
    const Offsets& offsets = lod->offsets.back();
    SY_RETURN_IF_ERROR(CheckInitial("h0", args.h0, offsets));
    SY_RETURN_IF_ERROR(CheckInitial("c0", args.c0, offsets));
    const LstmWeights<T> weights(args);
    const int64_t width = weights.width;
    const Shape states({input.extent(0), width});
    const DataType dtype = input.dtype();
    SY_RETURN_IF_ERROR(AllocateAnew(context, dtype, states, args.hidden));
    SY_RETURN_IF_ERROR(AllocateAnew(context, dtype, states, args.cell));
    SY_RETURN_IF_ERROR(
        AllocateAnew(context, dtype, input.shape(), args.batch_gate));
    SY_RETURN_IF_ERROR(
        AllocateAnew(context, dtype, states, args.batch_cell_pre_act));
    const std::vector<int64_t> positions =
        BatchPositions(offsets, rule.is_reverse);
    const auto data = [](DenseTensor* to) { return to->mutable_data<T>(); };
    T* const hidden = data(args.hidden);
    T* const cell = data(args.cell);
    T* const gates = data(args.batch_gate);
    T* const active = data(args.batch_cell_pre_act);
    ParallelFor(0, SequenceCount(offsets), 1, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const T* h = weights.h0 == nullptr ? nullptr : weights.h0 + i * width;
        const T* c = weights.c0 == nullptr ? nullptr : weights.c0 + i * width;
        for (int64_t step = 0; step < offsets[i + 1] - offsets[i]; ++step) {
          const int64_t row =
              RowAt(offsets[i], offsets[i + 1], step, rule.is_reverse);
          const int64_t place = positions[row];
          const Step at = {input.data<T>() + row * 4 * width,
                           h,
                           c,
                           gates + place * 4 * width,
                           active + place * width,
                           cell + row * width,
                           hidden + row * width};
          RunStep(rule, weights, at);
          h = at.hidden;
          c = at.cell;
        }
      }
    });
    args.hidden->SetLod(args.input.lod());
    args.cell->SetLod(args.input.lod());
    return absl::OkStatus();
  }

 private:
  // One time step; the previous state is null at the beginning without h0, c0.
  struct Step {
    const T* input;
    const T* previous_hidden;
    const T* previous_cell;
    T* gate;
    T* active;
    T* cell;
    T* hidden;
  };

  static void RunStep(const LstmRule& rule, const LstmWeights<T>& weights,
                      const Step& at) {
    const int64_t width = weights.width;
    for (int64_t k = 0; k < 4 * width; ++k) {
      at.gate[k] = at.input[k] + weights.bias[k];
    }
    if (at.previous_hidden != nullptr) {
      AddRowTimes(at.previous_hidden, weights.weight, width, 4 * width,
                  at.gate);
    }
    T* const candidate = at.gate;
    T* const input = candidate + width;
    T* const forget = input + width;
    T* const output = forget + width;
    const auto before = [&](int64_t k) {
      return at.previous_cell == nullptr ? T{0} : at.previous_cell[k];
    };
    const T* peephole = weights.peephole;
    for (int64_t k = 0; k < width && peephole != nullptr; ++k) {
      input[k] += peephole[k] * before(k);
      forget[k] += peephole[width + k] * before(k);
    }
    rule.candidate_activation.Apply(candidate, width);
    rule.gate_activation.Apply(input, 2 * width);
    for (int64_t k = 0; k < width; ++k) {
      at.cell[k] = forget[k] * before(k) + input[k] * candidate[k];
      if (peephole != nullptr) {
        output[k] += peephole[2 * width + k] * at.cell[k];
      }
      at.active[k] = at.cell[k];
    }
    rule.gate_activation.Apply(output, width);
    rule.cell_activation.Apply(at.active, width);
    for (int64_t k = 0; k < width; ++k) {
      at.hidden[k] = output[k] * at.active[k];
    }
  }
};

template <typename S>
inline constexpr auto kLstmSpec =
    KernelSpec<S>()
        .Output(S::kHidden, SelfAllocated(ArgDef()))
        .Output(S::kCell, SelfAllocated(ArgDef()))
        .Output(S::kBatchGate, SelfAllocated(ArgDef()))
        .Output(S::kBatchCellPreAct, SelfAllocated(ArgDef()));
template <typename T>
absl::Status LstmKernel(const CpuContext& context, const LstmArgs& args) {
  return Lstm<T>::Run(context, args);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_LSTM_H_
