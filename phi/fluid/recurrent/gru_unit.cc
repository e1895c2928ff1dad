// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of gru_unit and its gradient on the CPU.
#include <algorithm>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "phi/core/signatures/gru_unit.gen.h"
#include "phi/core/signatures/gru_unit_grad.gen.h"
#include "phi/fluid/recurrent/gru_step.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/gru_unit.gen.h"
#include "phi/legacy/gru_unit_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// One step of gru for each row of Input, from the state in HiddenPrev.
template <typename T>
class GruUnitCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const GruRule rule, ReadStepRule(context));
    const GruTensors<T> tensors(context, "HiddenPrev");
    const int64_t width = tensors.width;
    const DenseTensor& input = *context.Input("Input");
    const auto data = [&](const char* slot) {
      return context.Output(slot)->template mutable_data<T>();
    };
    T* const hidden = data("Hidden");
    T* const gate = data("Gate");
    T* const reset = data("ResetHiddenPrev");
    ParallelFor(0, input.extent(0), 1, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) {
        GruStep<T>(rule, tensors, input.data<T>() + row * 3 * width,
                   tensors.h0 + row * width,
                   {hidden + row * width, gate + row * 3 * width,
                    reset + row * width});
      }
    });
    return absl::OkStatus();
  }
};

template <typename T>
class GruUnitGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const GruRule rule, ReadStepRule(context));
    const GruTensors<T> tensors(context, "HiddenPrev");
    const int64_t width = tensors.width;
    const T* hidden_grad = context.Input("Hidden@GRAD")->data<T>();
    const T* gate = context.Input("Gate")->data<T>();
    T* input_grad = Zeros<T>(context.Output("Input@GRAD"));
    T* previous_grad = Zeros<T>(context.Output("HiddenPrev@GRAD"));
    const GruGradients<T> sums = {Zeros<T>(context.Output("Weight@GRAD")),
                                  Zeros<T>(context.Output("Bias@GRAD"))};
    std::vector<T> gate_grad(3 * width), carry(width);
    for (int64_t row = 0; row < context.Input("Gate")->extent(0); ++row) {
      carry.assign(hidden_grad + row * width, hidden_grad + (row + 1) * width);
      GruStepBack<T>(rule, tensors, gate + row * 3 * width,
                     tensors.h0 + row * width, sums, &gate_grad, &carry);
      if (input_grad != nullptr) {
        std::copy(gate_grad.begin(), gate_grad.end(),
                  input_grad + row * 3 * width);
      }
      if (previous_grad != nullptr) {
        std::copy(carry.begin(), carry.end(), previous_grad + row * width);
      }
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kGruUnitSpec = KernelSpec<GruUnitSignature>();
SY_REGISTER_FLUID_KERNEL(gru_unit, cpu, fluid::GruUnitCpuKernel,
                         legacy_gru_unit, kGruUnitSpec, float32, float64);

constexpr auto kGruUnitGradSpec = KernelSpec<GruUnitGradSignature>();
SY_REGISTER_FLUID_KERNEL(gru_unit_grad, cpu, fluid::GruUnitGradCpuKernel,
                         legacy_gru_unit_grad, kGruUnitGradSpec, float32,
                         float64);

}  // namespace switchyard::phi
