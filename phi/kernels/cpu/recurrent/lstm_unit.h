// SPDX-License-Identifier: Apache-2.0
// lstm_unit and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_LSTM_UNIT_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_LSTM_UNIT_H_

#include <cstdint>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/recurrent/row_math.h"
#include "phi/kernels/cpu/sequence/results.h"

namespace switchyard::phi::kernels::cpu {

// The activated gates of one element, and what becomes of its cell.
template <typename T>
struct LstmUnitElement {
  T input;
  T forget;
  T output;
  T candidate;
  T cell;
  T active;  // tanh(cell)

  // `x` points to the element's input gate; the others follow at `width`.
  LstmUnitElement(const T* x, int64_t width, T previous, T forget_bias)
      : candidate(x[3 * width]) {
    const RowActivation sigmoid("sigmoid"), tanh("tanh");
    T gates[] = {x[0], x[width] + forget_bias, x[2 * width]};
    sigmoid.Apply(gates, 3);
    input = gates[0];
    forget = gates[1];
    output = gates[2];
    tanh.Apply(&candidate, 1);
    cell = active = forget * previous + input * candidate;
    tanh.Apply(&active, 1);
  }
};

template <typename S>
inline constexpr auto kLstmUnitSpec = KernelSpec<S>();
// x: [rows, 4 * width], the gates (input, forget, output, candidate).
// c = forget * c_prev + input * candidate, h = output * tanh(c).
template <typename T>
absl::Status LstmUnitKernel(const CpuContext&, const DenseTensor& x,
                            const DenseTensor& c_prev, float forget_bias,
                            DenseTensor* c, DenseTensor* h) {
  const T* gates = x.data<T>();
  T* cell = c->mutable_data<T>();
  T* hidden = h->mutable_data<T>();
  const int64_t width = c_prev.extent(1);
  for (int64_t i = 0; i < c_prev.numel(); ++i) {
    const LstmUnitElement<T> element(gates + i / width * 4 * width + i % width,
                                     width, c_prev.data<T>()[i],
                                     static_cast<T>(forget_bias));
    cell[i] = element.cell;
    hidden[i] = element.output * element.active;
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kLstmUnitGradSpec = KernelSpec<S>();
template <typename T>
absl::Status LstmUnitGradKernel(const CpuContext&, const DenseTensor& x,
                                const DenseTensor& c_prev,
                                const DenseTensor* c_grad,
                                const DenseTensor* h_grad, float forget_bias,
                                DenseTensor* x_grad, DenseTensor* c_prev_grad) {
  const T* gates = x.data<T>();
  T* gate_grad = ZeroedData<T>(x_grad);
  T* previous_grad = ZeroedData<T>(c_prev_grad);
  const int64_t width = c_prev.extent(1);
  for (int64_t i = 0; i < c_prev.numel(); ++i) {
    const int64_t at = i / width * 4 * width + i % width;
    const LstmUnitElement<T> element(gates + at, width, c_prev.data<T>()[i],
                                     static_cast<T>(forget_bias));
    const T dh = h_grad == nullptr ? T{0} : h_grad->data<T>()[i];
    const T given = c_grad == nullptr ? T{0} : c_grad->data<T>()[i];
    const T dc =
        given + dh * element.output * (T{1} - element.active * element.active);
    if (previous_grad != nullptr) previous_grad[i] = dc * element.forget;
    if (gate_grad == nullptr) continue;
    const auto slope = [](T gate) { return gate * (T{1} - gate); };
    gate_grad[at] = dc * element.candidate * slope(element.input);
    gate_grad[at + width] = dc * c_prev.data<T>()[i] * slope(element.forget);
    gate_grad[at + 2 * width] = dh * element.active * slope(element.output);
    gate_grad[at + 3 * width] =
        dc * element.input * (T{1} - element.candidate * element.candidate);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_LSTM_UNIT_H_
