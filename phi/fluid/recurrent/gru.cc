// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of gru and its gradient on the CPU.
#include <algorithm>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "phi/core/signatures/gru.gen.h"
#include "phi/core/signatures/gru_grad.gen.h"
#include "phi/fluid/recurrent/gru_step.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/gru.gen.h"
#include "phi/legacy/gru_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

namespace {

absl::StatusOr<GruRule> ReadRule(const ExecutionContext& context) {
  SY_ASSIGN_OR_RETURN(GruRule rule, ReadStepRule(context));
  SY_ASSIGN_OR_RETURN(rule.is_reverse, context.Attr<bool>("is_reverse"));
  return rule;
}

}  // namespace

// Input: [rows, 3 * width], with sequences. Hidden: [rows, width]; the others
// hold gates, reset previous states and states in the order of BatchPositions.
template <typename T>
class GruCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& input = *context.Input("Input");
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("Input"));
    SY_ASSIGN_OR_RETURN(const GruRule rule, ReadRule(context));
    const Offsets& offsets = lod->offsets.back();
    SY_RETURN_IF_ERROR(CheckInitial(context, "H0", offsets));
    const GruTensors<T> tensors(context, "H0");
    const int64_t width = tensors.width;
    const Shape states({input.extent(0), width});
    const DataType dtype = input.dtype();
    SY_RETURN_IF_ERROR(context.Allocate("Hidden", dtype, states));
    SY_RETURN_IF_ERROR(context.Allocate("BatchGate", dtype, input.shape()));
    SY_RETURN_IF_ERROR(context.Allocate("BatchResetHiddenPrev", dtype, states));
    SY_RETURN_IF_ERROR(context.Allocate("BatchHidden", dtype, states));
    const std::vector<int64_t> positions =
        BatchPositions(offsets, rule.is_reverse);
    const auto data = [&](const char* slot) {
      return context.Output(slot)->template mutable_data<T>();
    };
    const GruOutputs<T> outputs = {data("Hidden"), data("BatchGate"),
                                   data("BatchResetHiddenPrev")};
    T* const batch_hidden = data("BatchHidden");
    ParallelFor(0, SequenceCount(offsets), 1, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const T* hidden =
            tensors.h0 == nullptr ? nullptr : tensors.h0 + i * width;
        for (int64_t step = 0; step < offsets[i + 1] - offsets[i]; ++step) {
          const int64_t row =
              RowAt(offsets[i], offsets[i + 1], step, rule.is_reverse);
          const int64_t place = positions[row];
          const GruOutputs<T> at = {outputs.hidden + row * width,
                                    outputs.gate + place * 3 * width,
                                    outputs.reset + place * width};
          GruStep(rule, tensors, input.data<T>() + row * 3 * width, hidden, at);
          std::copy_n(at.hidden, width, batch_hidden + place * width);
          hidden = at.hidden;
        }
      }
    });
    context.ShareLod("Input", "Hidden");
    return absl::OkStatus();
  }
};

// Input@GRAD, H0@GRAD, Weight@GRAD and Bias@GRAD, by going back in time through
// each sequence with the gates that the forward kernel left.
template <typename T>
class GruGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& hidden = *context.Input("Hidden");
    const DenseTensor& hidden_grad = *context.Input("Hidden@GRAD");
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("Input"));
    SY_ASSIGN_OR_RETURN(const GruRule rule, ReadRule(context));
    const Offsets& offsets = lod->offsets.back();
    SY_RETURN_IF_ERROR(CheckInitial(context, "H0", offsets));
    const GruTensors<T> tensors(context, "H0");
    const int64_t width = tensors.width;
    const std::vector<int64_t> positions =
        BatchPositions(offsets, rule.is_reverse);
    SY_RETURN_IF_ERROR(context.Allocate(
        "H0@GRAD", hidden.dtype(), Shape({SequenceCount(offsets), width})));
    T* input_grad = Zeros<T>(context.Output("Input@GRAD"));
    T* h0_grad = Zeros<T>(context.Output("H0@GRAD"));
    const GruGradients<T> sums = {Zeros<T>(context.Output("Weight@GRAD")),
                                  Zeros<T>(context.Output("Bias@GRAD"))};
    std::vector<T> gate_grad(3 * width), carry(width), zeros(width, T{0});
    for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
      const int64_t begin = offsets[i], end = offsets[i + 1];
      std::fill(carry.begin(), carry.end(), T{0});
      for (int64_t step = end - begin - 1; step >= 0; --step) {
        const int64_t row = RowAt(begin, end, step, rule.is_reverse);
        const T* previous = zeros.data();
        if (step > 0) {
          previous = hidden.data<T>() +
                     RowAt(begin, end, step - 1, rule.is_reverse) * width;
        } else if (tensors.h0 != nullptr) {
          previous = tensors.h0 + i * width;
        }
        for (int64_t k = 0; k < width; ++k) {
          carry[k] += hidden_grad.data<T>()[row * width + k];
        }
        const T* gate =
            context.Input("BatchGate")->data<T>() + positions[row] * 3 * width;
        GruStepBack(rule, tensors, gate, previous, sums, &gate_grad, &carry);
        if (input_grad != nullptr) {
          std::copy(gate_grad.begin(), gate_grad.end(),
                    input_grad + row * 3 * width);
        }
      }
      if (h0_grad != nullptr) {
        std::copy(carry.begin(), carry.end(), h0_grad + i * width);
      }
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kGruSpec =
    KernelSpec<GruSignature>()
        .Output(GruSignature::kHidden, SelfAllocated(ArgDef()))
        .Output(GruSignature::kBatchGate, SelfAllocated(ArgDef()))
        .Output(GruSignature::kBatchResetHiddenPrev, SelfAllocated(ArgDef()))
        .Output(GruSignature::kBatchHidden, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(gru, cpu, fluid::GruCpuKernel, legacy_gru, kGruSpec,
                         float32, float64);

constexpr auto kGruGradSpec = KernelSpec<GruGradSignature>().Output(
    GruGradSignature::kH0Grad, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(gru_grad, cpu, fluid::GruGradCpuKernel,
                         legacy_gru_grad, kGruGradSpec, float32, float64);

}  // namespace switchyard::phi
