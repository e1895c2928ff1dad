// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of hierarchical_sigmoid and its gradient on the CPU.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/hsigmoid_loss.gen.h"
#include "phi/core/signatures/hsigmoid_loss_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/hsigmoid_loss.gen.h"
#include "phi/legacy/hsigmoid_loss_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// A decision on the way to a class.
struct Decision {
  int64_t node;
  bool bit;
};
using Ways = std::vector<std::vector<Decision>>;  // By row.

// In the complete tree class c is the leaf c + num_classes, node n being the
// parent of 2n and 2n + 1, the root 1; nodes count from 0 in W.
std::vector<Decision> WayTo(int64_t leaf) {
  std::vector<Decision> way;
  for (; leaf > 1; leaf /= 2) way.push_back({leaf / 2 - 1, leaf % 2 == 1});
  return way;
}

absl::StatusOr<Ways> WaysOf(const ExecutionContext& context) {
  SY_ASSIGN_OR_RETURN(const int classes, context.Attr<int>("num_classes"));
  const int64_t rows = context.Input("X")->extent(0);
  const int64_t nodes = context.Input("W")->extent(0);
  const DenseTensor* path = context.Input("PathTable");
  Ways ways(static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows; ++i) {
    if (path == nullptr) {
      const int64_t label = context.Input("Label")->data<int64_t>()[i];
      if (label < 0 || label >= classes) {
        return RangeError("label", "in [0, " + std::to_string(classes) + ")",
                          std::to_string(label));
      }
      ways[i] = WayTo(label + classes);
      continue;
    }
    const int64_t depth = path->extent(1);
    const int64_t* node = path->data<int64_t>() + i * depth;
    const int64_t* bit = context.Input("PathCode")->data<int64_t>() + i * depth;
    for (int64_t j = 0; j < depth; ++j) {
      const int64_t own = node[j];
      if (own < 0) break;
      if (own >= nodes) {
        return RangeError(
            "path", "less than " + std::to_string(nodes) + ", the rows of w",
            std::to_string(own));
      }
      ways[i].push_back({own, bit[j] != 0});
    }
  }
  return ways;
}

}  // namespace

// PreOut: log(1 + exp(z)) of each decision's z, which is cut off at -40 and 40.
// Out: their sum, less the z of decisions for 1.
template <typename T>
class HsigmoidLossCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const Ways ways, WaysOf(context));
    DenseTensor* losses = context.Output("PreOut");
    const int64_t depth = losses->extent(1);
    const int64_t width = context.Input("X")->extent(1);
    const T* x = context.Input("X")->template data<T>();
    const T* w = context.Input("W")->template data<T>();
    const DenseTensor* bias = context.Input("Bias");
    T* loss = losses->template mutable_data<T>();
    T* out = context.Output("Out")->template mutable_data<T>();
    for (size_t i = 0; i < ways.size(); ++i, x += width, loss += depth) {
      T sum = 0;
      for (int64_t j = 0; j < depth; ++j) {
        T z = 0;
        const bool decides = j < static_cast<int64_t>(ways[i].size());
        if (decides) {
          const T* weights = w + ways[i][j].node * width;
          for (int64_t k = 0; k < width; ++k) z += weights[k] * x[k];
          if (bias != nullptr) z += bias->data<T>()[ways[i][j].node];
          z = std::clamp(z, T{-40}, T{40});
          if (ways[i][j].bit) sum -= z;
        }
        loss[j] = std::log(T{1} + std::exp(z));
        sum += loss[j];
      }
      out[i] = sum;
    }
    return absl::OkStatus();
  }
};

template <typename T>
class HsigmoidLossGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const Ways ways, WaysOf(context));
    const DenseTensor& losses = *context.Input("PreOut");
    const int64_t depth = losses.extent(1);
    const int64_t width = context.Input("X")->extent(1);
    const T* x = context.Input("X")->template data<T>();
    const T* w = context.Input("W")->template data<T>();
    const T* out_grad = context.Input("Out@GRAD")->template data<T>();
    T* const x_grad = Zeros(context, "X@GRAD");
    T* const w_grad = Zeros(context, "W@GRAD");
    T* const bias_grad =
        context.HasInput("Bias") ? Zeros(context, "Bias@GRAD") : nullptr;
    for (size_t i = 0; i < ways.size(); ++i) {
      for (size_t j = 0; j < ways[i].size(); ++j) {
        const Decision& decision = ways[i][j];
        const T loss = losses.data<T>()[static_cast<int64_t>(i) * depth +
                                        static_cast<int64_t>(j)];
        // 1 - exp(-log(1 + exp(z))) is the sigmoid of z.
        const T grad = out_grad[i] * (T{1} - std::exp(-loss) -
                                      static_cast<T>(decision.bit ? 1 : 0));
        const int64_t row = static_cast<int64_t>(i) * width;
        const int64_t node = decision.node * width;
        for (int64_t k = 0; k < width; ++k) {
          if (x_grad != nullptr) x_grad[row + k] += grad * w[node + k];
          if (w_grad != nullptr) w_grad[node + k] += grad * x[row + k];
        }
        if (bias_grad != nullptr) bias_grad[decision.node] += grad;
      }
    }
    return absl::OkStatus();
  }

 private:
  static T* Zeros(const ExecutionContext& context, std::string_view slot) {
    DenseTensor* grad = context.Output(slot);
    if (grad == nullptr) return nullptr;
    T* to = grad->template mutable_data<T>();
    std::fill_n(to, grad->numel(), T{0});
    return to;
  }
};

}  // namespace fluid

constexpr auto kHsigmoidLossSpec = KernelSpec<HsigmoidLossSignature>().Inputs(
    {HsigmoidLossSignature::kLabel, HsigmoidLossSignature::kPath,
     HsigmoidLossSignature::kCode},
    Fixed(DataType::kInt64));
SY_REGISTER_FLUID_KERNEL(hsigmoid_loss, cpu, fluid::HsigmoidLossCpuKernel,
                         legacy_hierarchical_sigmoid, kHsigmoidLossSpec,
                         float32, float64);

constexpr auto kHsigmoidLossGradSpec =
    KernelSpec<HsigmoidLossGradSignature>().Inputs(
        {HsigmoidLossGradSignature::kLabel, HsigmoidLossGradSignature::kPath,
         HsigmoidLossGradSignature::kCode},
        Fixed(DataType::kInt64));
SY_REGISTER_FLUID_KERNEL(hsigmoid_loss_grad, cpu,
                         fluid::HsigmoidLossGradCpuKernel,
                         legacy_hierarchical_sigmoid_grad,
                         kHsigmoidLossGradSpec, float32, float64);

}  // namespace switchyard::phi
