// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of lstm_unit and its gradient on the CPU.
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/lstm_unit.gen.h"
#include "phi/core/signatures/lstm_unit_grad.gen.h"
#include "phi/fluid/recurrent/row_math.h"
#include "phi/fluid/recurrent/steps.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/lstm_unit.gen.h"
#include "phi/legacy/lstm_unit_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

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
    const Activation sigmoid("sigmoid"), tanh("tanh");
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

// X: [rows, 4 * width], the gates (input, forget, output, candidate).
// C = forget * C_prev + input * candidate, H = output * tanh(C).
template <typename T>
class LstmUnitCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& previous = *context.Input("C_prev");
    SY_ASSIGN_OR_RETURN(const float bias, context.Attr<float>("forget_bias"));
    const T* x = context.Input("X")->data<T>();
    T* cell = context.Output("C")->template mutable_data<T>();
    T* hidden = context.Output("H")->template mutable_data<T>();
    const int64_t width = previous.extent(1);
    for (int64_t i = 0; i < previous.numel(); ++i) {
      const LstmUnitElement<T> element(x + i / width * 4 * width + i % width,
                                       width, previous.data<T>()[i],
                                       static_cast<T>(bias));
      cell[i] = element.cell;
      hidden[i] = element.output * element.active;
    }
    return absl::OkStatus();
  }
};

template <typename T>
class LstmUnitGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& previous = *context.Input("C_prev");
    const DenseTensor* cell_grad = context.Input("C@GRAD");
    const DenseTensor* hidden_grad = context.Input("H@GRAD");
    SY_ASSIGN_OR_RETURN(const float bias, context.Attr<float>("forget_bias"));
    const T* x = context.Input("X")->data<T>();
    T* x_grad = Zeros<T>(context.Output("X@GRAD"));
    T* previous_grad = Zeros<T>(context.Output("C_prev@GRAD"));
    const int64_t width = previous.extent(1);
    for (int64_t i = 0; i < previous.numel(); ++i) {
      const int64_t at = i / width * 4 * width + i % width;
      const LstmUnitElement<T> element(x + at, width, previous.data<T>()[i],
                                       static_cast<T>(bias));
      const T dh = hidden_grad == nullptr ? T{0} : hidden_grad->data<T>()[i];
      const T given = cell_grad == nullptr ? T{0} : cell_grad->data<T>()[i];
      const T dc = given + dh * element.output *
                               (T{1} - element.active * element.active);
      if (previous_grad != nullptr) previous_grad[i] = dc * element.forget;
      if (x_grad == nullptr) continue;
      const auto slope = [](T gate) { return gate * (T{1} - gate); };
      x_grad[at] = dc * element.candidate * slope(element.input);
      x_grad[at + width] = dc * previous.data<T>()[i] * slope(element.forget);
      x_grad[at + 2 * width] = dh * element.active * slope(element.output);
      x_grad[at + 3 * width] =
          dc * element.input * (T{1} - element.candidate * element.candidate);
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kLstmUnitSpec = KernelSpec<LstmUnitSignature>();
SY_REGISTER_FLUID_KERNEL(lstm_unit, cpu, fluid::LstmUnitCpuKernel,
                         legacy_lstm_unit, kLstmUnitSpec, float32, float64);

constexpr auto kLstmUnitGradSpec = KernelSpec<LstmUnitGradSignature>();
SY_REGISTER_FLUID_KERNEL(lstm_unit_grad, cpu, fluid::LstmUnitGradCpuKernel,
                         legacy_lstm_unit_grad, kLstmUnitGradSpec, float32,
                         float64);

}  // namespace switchyard::phi
