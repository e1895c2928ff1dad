// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of gru and its gradient on the CPU.
#include <string_view>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "phi/core/signatures/gru.gen.h"
#include "phi/core/signatures/gru_grad.gen.h"
#include "phi/fluid/recurrent/steps.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/gru.gen.h"
#include "phi/legacy/gru_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

struct GruRule {
  Activation activation{"tanh"};
  Activation gate_activation{"sigmoid"};
  bool is_reverse = false;
  bool origin_mode = false;
};

// The tensors of one launch. Weight, [width, 3 * width], holds a matrix [width,
// 2 * width] for update and reset, and after it one [width, width] for the
// candidate. Gates are (update, reset, candidate).
template <typename T>
struct GruTensors {
  int64_t width;
  const T* weight;
  const T* bias;  // Null: none.
  const T* h0;    // Null: zeros.

  GruTensors(const ExecutionContext& context)
      : width(context.Input("Weight")->extent(0)),
        weight(context.Input("Weight")->data<T>()),
        bias(DataOf(context.Input("Bias"))),
        h0(DataOf(context.Input("H0"))) {}
  const T* candidate_weight() const { return weight + 2 * width * width; }

  static const T* DataOf(const DenseTensor* tensor) {
    return tensor == nullptr ? nullptr : tensor->data<T>();
  }
};

namespace {

absl::StatusOr<GruRule> ReadRule(const ExecutionContext& context) {
  GruRule rule;
  SY_ASSIGN_OR_RETURN(const auto activation,
                      context.Attr<std::string_view>("activation"));
  SY_ASSIGN_OR_RETURN(const auto gate_activation,
                      context.Attr<std::string_view>("gate_activation"));
  rule.activation = Activation(activation);
  rule.gate_activation = Activation(gate_activation);
  SY_ASSIGN_OR_RETURN(rule.is_reverse, context.Attr<bool>("is_reverse"));
  SY_ASSIGN_OR_RETURN(rule.origin_mode, context.Attr<bool>("origin_mode"));
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
    const GruTensors<T> tensors(context);
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
    const Outputs outputs = {data("Hidden"), data("BatchGate"),
                             data("BatchResetHiddenPrev"), data("BatchHidden")};
    ParallelFor(0, SequenceCount(offsets), 1, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const T* hidden =
            tensors.h0 == nullptr ? nullptr : tensors.h0 + i * width;
        for (int64_t step = 0; step < offsets[i + 1] - offsets[i]; ++step) {
          const int64_t row =
              RowAt(offsets[i], offsets[i + 1], step, rule.is_reverse);
          const int64_t place = positions[row];
          const Outputs at = {outputs.hidden + row * width,
                              outputs.gate + place * 3 * width,
                              outputs.reset + place * width,
                              outputs.batch_hidden + place * width};
          Step(rule, tensors, input.data<T>() + row * 3 * width, hidden, at);
          hidden = at.hidden;
        }
      }
    });
    context.ShareLod("Input", "Hidden");
    return absl::OkStatus();
  }

 private:
  struct Outputs {
    T* hidden;
    T* gate;
    T* reset;
    T* batch_hidden;
  };

  // One time step; `previous` is null at the beginning without H0.
  static void Step(const GruRule& rule, const GruTensors<T>& tensors,
                   const T* input, const T* previous, const Outputs& out) {
    const int64_t width = tensors.width;
    std::copy_n(input, 3 * width, out.gate);
    for (int64_t k = 0; k < 3 * width && tensors.bias != nullptr; ++k) {
      out.gate[k] += tensors.bias[k];
    }
    if (previous != nullptr) {
      AddRowTimes(previous, tensors.weight, width, 2 * width, out.gate);
    }
    for (int64_t k = 0; k < 2 * width; ++k) {
      out.gate[k] = rule.gate_activation(out.gate[k]);
    }
    for (int64_t k = 0; k < width; ++k) {
      out.reset[k] =
          previous == nullptr ? T{0} : out.gate[width + k] * previous[k];
    }
    T* candidate = out.gate + 2 * width;
    if (previous != nullptr) {
      AddRowTimes(out.reset, tensors.candidate_weight(), width, width,
                  candidate);
    }
    for (int64_t k = 0; k < width; ++k) {
      candidate[k] = rule.activation(candidate[k]);
      const T before = previous == nullptr ? T{0} : previous[k];
      const T update = out.gate[k];
      out.hidden[k] = rule.origin_mode
                          ? update * before + (T{1} - update) * candidate[k]
                          : update * candidate[k] + (T{1} - update) * before;
      out.batch_hidden[k] = out.hidden[k];
    }
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
    const GruTensors<T> tensors(context);
    const int64_t width = tensors.width;
    const std::vector<int64_t> positions =
        BatchPositions(offsets, rule.is_reverse);
    T* input_grad = Zeros<T>(context.Output("Input@GRAD"));
    T* h0_grad = Zeros<T>(context.Output("H0@GRAD"));
    const Gradients sums = {Zeros<T>(context.Output("Weight@GRAD")),
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
        StepBack(rule, tensors, gate, previous, sums, &gate_grad, &carry);
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

 private:
  struct Gradients {
    T* weight;
    T* bias;
  };

  // `carry` is the gradient of the step's state, and becomes that of the
  // previous one.
  static void StepBack(const GruRule& rule, const GruTensors<T>& tensors,
                       const T* gate, const T* previous, const Gradients& sums,
                       std::vector<T>* gate_grad, std::vector<T>* carry) {
    const int64_t width = tensors.width;
    const T* update = gate;
    const T* reset = gate + width;
    const T* candidate = gate + 2 * width;
    T* const update_grad = gate_grad->data();
    T* const reset_grad = update_grad + width;
    T* const candidate_grad = update_grad + 2 * width;
    std::vector<T> before(width), reset_previous(width),
        reset_previous_grad(width, T{0});
    for (int64_t k = 0; k < width; ++k) {
      const T grad = (*carry)[k];
      const T difference = candidate[k] - previous[k];
      const T part = rule.origin_mode ? T{1} - update[k] : update[k];
      update_grad[k] = grad * (rule.origin_mode ? -difference : difference) *
                       rule.gate_activation.Slope(update[k]);
      candidate_grad[k] = grad * part * rule.activation.Slope(candidate[k]);
      before[k] = grad * (T{1} - part);
      reset_previous[k] = reset[k] * previous[k];
    }
    AddRowTimesTransposed(candidate_grad, tensors.candidate_weight(), width,
                          width, reset_previous_grad.data());
    for (int64_t k = 0; k < width; ++k) {
      reset_grad[k] = reset_previous_grad[k] * previous[k] *
                      rule.gate_activation.Slope(reset[k]);
      before[k] += reset_previous_grad[k] * reset[k];
    }
    AddRowTimesTransposed(update_grad, tensors.weight, width, 2 * width,
                          before.data());
    if (sums.weight != nullptr) {
      AddOuter(previous, update_grad, width, 2 * width, sums.weight);
      AddOuter(reset_previous.data(), candidate_grad, width, width,
               sums.weight + 2 * width * width);
    }
    for (int64_t k = 0; k < 3 * width && sums.bias != nullptr; ++k) {
      sums.bias[k] += (*gate_grad)[k];
    }
    *carry = std::move(before);
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

constexpr auto kGruGradSpec = KernelSpec<GruGradSignature>();
SY_REGISTER_FLUID_KERNEL(gru_grad, cpu, fluid::GruGradCpuKernel,
                         legacy_gru_grad, kGruGradSpec, float32, float64);

}  // namespace switchyard::phi
