// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of lstm on the CPU; its gradient is lstm_grad.cc.
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "phi/core/signatures/lstm.gen.h"
#include "phi/fluid/recurrent/lstm_rule.h"
#include "phi/fluid/recurrent/row_math.h"
#include "phi/fluid/recurrent/steps.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/lstm.gen.h"

namespace switchyard::phi {
namespace fluid {

// Input: [rows, 4 * width], with sequences. Hidden, Cell: [rows, width];
// BatchGate holds gates, BatchCellPreAct activated cells, in the order of
// BatchPositions.
template <typename T>
class LstmCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& input = *context.Input("Input");
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("Input"));
    SY_ASSIGN_OR_RETURN(const LstmRule rule, ReadLstmRule(context));
    const Offsets& offsets = lod->offsets.back();
    SY_RETURN_IF_ERROR(CheckInitial(context, "H0", offsets));
    SY_RETURN_IF_ERROR(CheckInitial(context, "C0", offsets));
    const LstmWeights<T> weights(context, rule);
    const int64_t width = weights.width;
    const Shape states({input.extent(0), width});
    const DataType dtype = input.dtype();
    SY_RETURN_IF_ERROR(context.Allocate("Hidden", dtype, states));
    SY_RETURN_IF_ERROR(context.Allocate("Cell", dtype, states));
    SY_RETURN_IF_ERROR(context.Allocate("BatchGate", dtype, input.shape()));
    SY_RETURN_IF_ERROR(context.Allocate("BatchCellPreAct", dtype, states));
    const std::vector<int64_t> positions =
        BatchPositions(offsets, rule.is_reverse);
    const auto data = [&](const char* slot) {
      return context.Output(slot)->template mutable_data<T>();
    };
    T* const hidden = data("Hidden");
    T* const cell = data("Cell");
    T* const gates = data("BatchGate");
    T* const active = data("BatchCellPreAct");
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
          Run(rule, weights, at);
          h = at.hidden;
          c = at.cell;
        }
      }
    });
    context.ShareLod("Input", "Hidden");
    context.ShareLod("Input", "Cell");
    return absl::OkStatus();
  }

 private:
  // One time step; the previous state is null at the beginning without H0, C0.
  struct Step {
    const T* input;
    const T* previous_hidden;
    const T* previous_cell;
    T* gate;
    T* active;
    T* cell;
    T* hidden;
  };

  static void Run(const LstmRule& rule, const LstmWeights<T>& weights,
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
      if (peephole != nullptr)
        output[k] += peephole[2 * width + k] * at.cell[k];
      at.active[k] = at.cell[k];
    }
    rule.gate_activation.Apply(output, width);
    rule.cell_activation.Apply(at.active, width);
    for (int64_t k = 0; k < width; ++k) {
      at.hidden[k] = output[k] * at.active[k];
    }
  }
};

}  // namespace fluid

constexpr auto kLstmSpec =
    KernelSpec<LstmSignature>()
        .Output(LstmSignature::kHidden, SelfAllocated(ArgDef()))
        .Output(LstmSignature::kCell, SelfAllocated(ArgDef()))
        .Output(LstmSignature::kBatchGate, SelfAllocated(ArgDef()))
        .Output(LstmSignature::kBatchCellPreAct, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(lstm, cpu, fluid::LstmCpuKernel, legacy_lstm,
                         kLstmSpec, float32, float64);

}  // namespace switchyard::phi
