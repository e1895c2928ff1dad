// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of batch_norm and its gradient on the CPU.
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/batch_norm.gen.h"
#include "phi/core/signatures/batch_norm_grad.gen.h"
#include "phi/fluid/nn/normalize.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/batch_norm.gen.h"
#include "phi/legacy/batch_norm_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// The channels of X, each a set.
struct Channels {
  int64_t count, batch, length;

  static absl::StatusOr<Channels> Of(const ExecutionContext& context) {
    SY_ASSIGN_OR_RETURN(const auto layout,
                        context.Attr<std::string_view>("data_layout"));
    const Shape& shape = context.Input("X")->shape();
    const int axis = layout == "NHWC" ? shape.rank() - 1 : 1;
    // Beside the channels: the elements before and after them.
    return Channels{shape.extent(axis), shape.numel(0, axis),
                    shape.numel(axis + 1, shape.rank())};
  }
  NormalSet set(int64_t c) const {
    return {c * length, batch, count * length, length};
  }
};

// True if the running statistics are used instead of the batch's.
inline absl::StatusOr<bool> UsesRunning(const ExecutionContext& context) {
  SY_ASSIGN_OR_RETURN(const bool is_test, context.Attr<bool>("is_test"));
  SY_ASSIGN_OR_RETURN(const bool global,
                      context.Attr<bool>("use_global_stats"));
  SY_ASSIGN_OR_RETURN(const bool trainable,
                      context.Attr<bool>("trainable_statistics"));
  return (is_test && !trainable) || global;
}

// Y = (X - mean) / sqrt(variance + epsilon) Scale + Bias by channel. One
// element a channel in training is passed on as it is.
template <typename T>
class BatchNormKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const Channels channels, Channels::Of(context));
    SY_ASSIGN_OR_RETURN(const bool running, UsesRunning(context));
    SY_ASSIGN_OR_RETURN(const double momentum,
                        context.Attr<double>("momentum"));
    SY_ASSIGN_OR_RETURN(const double epsilon, context.Attr<double>("epsilon"));
    const T* x = context.Input("X")->data<T>();
    T* y = context.Output("Y")->template mutable_data<T>();
    for (int64_t c = 0; c < channels.count; ++c) {
      const NormalSet set = channels.set(c);
      const Moments old = {ParameterAt<T>(context.Input("Mean"), c, 0),
                           ParameterAt<T>(context.Input("Variance"), c, 0)};
      Moments used = old, next = old;
      const bool passed_on = !running && set.size() == 1;
      if (passed_on) used = {0, 1};
      if (!running && set.size() > 1) {
        used = MomentsOf(x, set);
        next.mean = old.mean * momentum + used.mean * (1 - momentum);
        next.variance =
            old.variance * momentum + used.variance * (1 - momentum);
      }
      const double inverse = 1 / std::sqrt(used.variance + epsilon);
      const double scale = ParameterAt<T>(context.Input("Scale"), c, 1);
      const double bias = ParameterAt<T>(context.Input("Bias"), c, 0);
      for (int64_t i = 0; i < set.size(); ++i) {
        const double v = x[set.at(i)];
        y[set.at(i)] = static_cast<T>(
            passed_on ? v : (v - used.mean) * inverse * scale + bias);
      }
      SetParameter<T>(context.Output("MeanOut"), c, next.mean);
      SetParameter<T>(context.Output("VarianceOut"), c, next.variance);
      SetParameter<T>(context.Output("SavedMean"), c, used.mean);
      SetParameter<T>(context.Output("SavedVariance"), c, inverse);
    }
    return absl::OkStatus();
  }
};

// The gradients of X, Scale and Bias.
template <typename T>
class BatchNormGradKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const Channels channels, Channels::Of(context));
    SY_ASSIGN_OR_RETURN(const bool running, UsesRunning(context));
    const T* x = context.Input("X")->data<T>();
    const T* grad = context.Input("Y@GRAD")->data<T>();
    DenseTensor* x_grad = context.Output("X@GRAD");
    for (int64_t c = 0; c < channels.count; ++c) {
      const NormalSet set = channels.set(c);
      const Normalised stats = {
          ParameterAt<T>(context.Input("SavedMean"), c, 0),
          ParameterAt<T>(context.Input("SavedVariance"), c, 1), running};
      const bool passed_on = !running && set.size() == 1;
      double by_scale = 0, by_bias = 0;
      for (int64_t i = 0; i < set.size() && !passed_on; ++i) {
        const double g = grad[set.at(i)];
        by_scale += g * (double{x[set.at(i)]} - stats.mean) * stats.inverse;
        by_bias += g;
      }
      SetParameter<T>(context.Output("Scale@GRAD"), c, by_scale);
      SetParameter<T>(context.Output("Bias@GRAD"), c, by_bias);
      if (x_grad == nullptr) continue;
      T* to = x_grad->template mutable_data<T>();
      if (passed_on) {
        to[set.first] = grad[set.first];
        continue;
      }
      const double scale = ParameterAt<T>(context.Input("Scale"), c, 1);
      NormalGrad(
          x, set, stats,
          [&](int64_t i) { return double{grad[set.at(i)]} * scale; }, to);
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kBatchNormSpec =
    KernelSpec<BatchNormSignature>()
        .Input(BatchNormSignature::kMean, AnyDtype())
        .Input(BatchNormSignature::kVariance, AnyDtype())
        .Input(BatchNormSignature::kScale, AnyDtype())
        .Input(BatchNormSignature::kBias, AnyDtype());
SY_REGISTER_FLUID_KERNEL(batch_norm, cpu, fluid::BatchNormKernel,
                         legacy_batch_norm, kBatchNormSpec, float16, bfloat16,
                         float32, float64);
constexpr auto kBatchNormGradSpec =
    KernelSpec<BatchNormGradSignature>()
        .Input(BatchNormGradSignature::kScale, AnyDtype())
        .Input(BatchNormGradSignature::kBias, WithAnyStrides(AnyDtype()))
        .Input(BatchNormGradSignature::kSavedMean, AnyDtype())
        .Input(BatchNormGradSignature::kSavedVariance, AnyDtype());
SY_REGISTER_FLUID_KERNEL(batch_norm_grad, cpu, fluid::BatchNormGradKernel,
                         legacy_batch_norm_grad, kBatchNormGradSpec, float16,
                         bfloat16, float32, float64);

}  // namespace switchyard::phi
