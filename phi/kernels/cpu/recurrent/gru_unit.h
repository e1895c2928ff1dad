// SPDX-License-Identifier: Apache-2.0
// gru_unit and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_GRU_UNIT_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_GRU_UNIT_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/gru_unit.args.gen.h"
#include "phi/core/signatures/gru_unit_grad.args.gen.h"
#include "phi/kernels/cpu/recurrent/gru_step.h"
#include "phi/kernels/cpu/sequence/results.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kGruUnitSpec = KernelSpec<S>();
// One step of gru for each row of input, from the state in hidden_prev.
template <typename T>
absl::Status GruUnitKernel(const CpuContext&, const GruUnitArgs& args) {
  const GruRule rule(args.activation, args.gate_activation, false,
                     args.origin_mode);
  const GruTensors<T> tensors(args.weight, args.bias, &args.hidden_prev);
  const int64_t width = tensors.width;
  const DenseTensor& input = args.input;
  const auto data = [](DenseTensor* to) { return to->mutable_data<T>(); };
  T* const hidden = data(args.hidden);
  T* const gate = data(args.gate);
  T* const reset = data(args.reset_hidden_prev);
  ParallelFor(0, input.extent(0), 1, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      GruStep<T>(
          rule, tensors, input.data<T>() + row * 3 * width,
          tensors.h0 + row * width,
          {hidden + row * width, gate + row * 3 * width, reset + row * width});
    }
  });
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kGruUnitGradSpec = KernelSpec<S>();
template <typename T>
absl::Status GruUnitGradKernel(const CpuContext&, const GruUnitGradArgs& args) {
  const GruRule rule(args.activation, args.gate_activation, false,
                     args.origin_mode);
  const GruTensors<T> tensors(args.weight, args.bias, &args.hidden_prev);
  const int64_t width = tensors.width;
  const T* hidden_grad = args.hidden_grad.data<T>();
  const T* gate = args.gate.data<T>();
  T* input_grad = ZeroedData<T>(args.input_grad);
  T* previous_grad = ZeroedData<T>(args.hidden_prev_grad);
  const GruGradients<T> sums = {ZeroedData<T>(args.weight_grad),
                                ZeroedData<T>(args.bias_grad)};
  std::vector<T> gate_grad(3 * width), carry(width);
  for (int64_t row = 0; row < args.gate.extent(0); ++row) {
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

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_GRU_UNIT_H_
