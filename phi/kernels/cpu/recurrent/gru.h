// SPDX-License-Identifier: Apache-2.0
// gru and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_GRU_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_GRU_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/gru.args.gen.h"
#include "phi/core/signatures/gru_grad.args.gen.h"
#include "phi/kernels/cpu/recurrent/gru_step.h"
#include "phi/kernels/cpu/recurrent/steps.h"
#include "phi/kernels/cpu/sequence/offsets.h"
#include "phi/kernels/cpu/sequence/results.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kGruSpec =
    KernelSpec<S>()
        .Output(S::kHidden, SelfAllocated(ArgDef()))
        .Output(S::kBatchGate, SelfAllocated(ArgDef()))
        .Output(S::kBatchResetHiddenPrev, SelfAllocated(ArgDef()))
        .Output(S::kBatchHidden, SelfAllocated(ArgDef()));
// input: [rows, 3 * width], with sequences. hidden: [rows, width]; the others
// hold gates, reset previous states and states in the order of BatchPositions.
template <typename T>
absl::Status GruKernel(const CpuContext& context, const GruArgs& args) {
  const DenseTensor& input = args.input;
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("input", args.input));
  const GruRule rule(args.activation, args.gate_activation, args.is_reverse,
                     args.origin_mode);
  const Offsets& offsets = lod->offsets.back();
  SY_RETURN_IF_ERROR(CheckInitial("h0", args.h0, offsets));
  const GruTensors<T> tensors(args.weight, args.bias, args.h0);
  const int64_t width = tensors.width;
  const Shape states({input.extent(0), width});
  const DataType dtype = input.dtype();
  SY_RETURN_IF_ERROR(AllocateAnew(context, dtype, states, args.hidden));
  SY_RETURN_IF_ERROR(
      AllocateAnew(context, dtype, input.shape(), args.batch_gate));
  SY_RETURN_IF_ERROR(
      AllocateAnew(context, dtype, states, args.batch_reset_hidden_prev));
  SY_RETURN_IF_ERROR(AllocateAnew(context, dtype, states, args.batch_hidden));
  const std::vector<int64_t> positions =
      BatchPositions(offsets, rule.is_reverse);
  const auto data = [](DenseTensor* to) { return to->mutable_data<T>(); };
  const GruOutputs<T> outputs = {data(args.hidden), data(args.batch_gate),
                                 data(args.batch_reset_hidden_prev)};
  T* const batch_hidden = data(args.batch_hidden);
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
  args.hidden->SetLod(args.input.lod());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kGruGradSpec =
    KernelSpec<S>().Output(S::kH0Grad, SelfAllocated(ArgDef()));
// input_grad, h0_grad, weight_grad and bias_grad, by going back in time through
// each sequence with the gates that the forward kernel left.
template <typename T>
absl::Status GruGradKernel(const CpuContext& context, const GruGradArgs& args) {
  const DenseTensor& hidden = args.hidden;
  const DenseTensor& hidden_grad = args.hidden_grad;
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("input", args.input));
  const GruRule rule(args.activation, args.gate_activation, args.is_reverse,
                     args.origin_mode);
  const Offsets& offsets = lod->offsets.back();
  SY_RETURN_IF_ERROR(CheckInitial("h0", args.h0, offsets));
  const GruTensors<T> tensors(args.weight, args.bias, args.h0);
  const int64_t width = tensors.width;
  const std::vector<int64_t> positions =
      BatchPositions(offsets, rule.is_reverse);
  SY_RETURN_IF_ERROR(AllocateAnew(context, hidden.dtype(),
                                  Shape({SequenceCount(offsets), width}),
                                  args.h0_grad));
  T* input_grad = ZeroedData<T>(args.input_grad);
  T* h0_grad = ZeroedData<T>(args.h0_grad);
  const GruGradients<T> sums = {ZeroedData<T>(args.weight_grad),
                                ZeroedData<T>(args.bias_grad)};
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
      const T* gate = args.batch_gate.data<T>() + positions[row] * 3 * width;
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

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_GRU_H_
