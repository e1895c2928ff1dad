// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of layer_norm and its gradient on the CPU.
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/layer_norm.gen.h"
#include "phi/core/signatures/layer_norm_grad.gen.h"
#include "phi/fluid/nn/normalize.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/layer_norm.gen.h"
#include "phi/legacy/layer_norm_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// Y = (X - mean) / sqrt(variance + epsilon) Scale + Bias over the axes from
// begin_norm_axis on; Mean and Variance are those of each row.
template <typename T>
class LayerNormKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const double epsilon, context.Attr<double>("epsilon"));
    SY_ASSIGN_OR_RETURN(const int axis, context.Attr<int>("begin_norm_axis"));
    if (x.numel() == 0) return absl::OkStatus();
    const int64_t width = x.shape().numel(axis, x.rank());
    const DenseTensor* scale = context.Input("Scale");
    const DenseTensor* bias = context.Input("Bias");
    T* y = context.Output("Y")->template mutable_data<T>();
    for (int64_t r = 0; r < x.numel() / width; ++r) {
      const NormalSet row = {r * width, 1, 0, width};
      const Moments moments = MomentsOf(x.data<T>(), row);
      const double inverse = 1 / std::sqrt(moments.variance + epsilon);
      for (int64_t i = 0; i < width; ++i) {
        const double v = double{x.data<T>()[row.at(i)]} - moments.mean;
        y[row.at(i)] =
            static_cast<T>(v * inverse * ParameterAt<T>(scale, i, 1) +
                           ParameterAt<T>(bias, i, 0));
      }
      SetParameter<T>(context.Output("Mean"), r, moments.mean);
      SetParameter<T>(context.Output("Variance"), r, moments.variance);
    }
    return absl::OkStatus();
  }
};

// The gradients of X, Scale and Bias.
template <typename T>
class LayerNormGradKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const double epsilon, context.Attr<double>("epsilon"));
    SY_ASSIGN_OR_RETURN(const int axis, context.Attr<int>("begin_norm_axis"));
    const int64_t width = x.shape().numel(axis, x.rank());
    const int64_t rows = width == 0 ? 0 : x.numel() / width;
    const T* grad = context.Input("Y@GRAD")->data<T>();
    const DenseTensor* scale = context.Input("Scale");
    DenseTensor* x_grad = context.Output("X@GRAD");
    std::vector<double> by_scale(width), by_bias(width);
    for (int64_t r = 0; r < rows; ++r) {
      const NormalSet row = {r * width, 1, 0, width};
      const double variance = ParameterAt<T>(context.Input("Variance"), r, 1);
      const Normalised stats = {ParameterAt<T>(context.Input("Mean"), r, 0),
                                1 / std::sqrt(variance + epsilon), false};
      for (int64_t i = 0; i < width; ++i) {
        const double g = grad[row.at(i)];
        const double v = double{x.data<T>()[row.at(i)]} - stats.mean;
        by_scale[i] += g * v * stats.inverse;
        by_bias[i] += g;
      }
      if (x_grad == nullptr) continue;
      NormalGrad(
          x.data<T>(), row, stats,
          [&](int64_t i) {
            return double{grad[row.at(i)]} * ParameterAt<T>(scale, i, 1);
          },
          x_grad->template mutable_data<T>());
    }
    for (int64_t i = 0; i < width; ++i) {
      SetParameter<T>(context.Output("Scale@GRAD"), i, by_scale[i]);
      SetParameter<T>(context.Output("Bias@GRAD"), i, by_bias[i]);
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kLayerNormSpec =
    KernelSpec<LayerNormSignature>()
        .Input(LayerNormSignature::kScale, AnyDtype())
        .Input(LayerNormSignature::kBias, AnyDtype());
SY_REGISTER_FLUID_KERNEL(layer_norm, cpu, fluid::LayerNormKernel,
                         legacy_layer_norm, kLayerNormSpec, float16, bfloat16,
                         float32, float64);
constexpr auto kLayerNormGradSpec =
    KernelSpec<LayerNormGradSignature>()
        .Input(LayerNormGradSignature::kScale, AnyDtype())
        .Input(LayerNormGradSignature::kBias, WithAnyStrides(AnyDtype()))
        .Input(LayerNormGradSignature::kMean, AnyDtype())
        .Input(LayerNormGradSignature::kVariance, AnyDtype());
SY_REGISTER_FLUID_KERNEL(layer_norm_grad, cpu, fluid::LayerNormGradKernel,
                         legacy_layer_norm_grad, kLayerNormGradSpec, float16,
                         bfloat16, float32, float64);

}  // namespace switchyard::phi
