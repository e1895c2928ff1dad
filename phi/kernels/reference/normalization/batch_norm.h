// SPDX-License-Identifier: Apache-2.0
// Reference kernels of batch_norm and its gradient.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_BATCH_NORM_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_BATCH_NORM_H_

#include <cmath>
#include <string_view>
#include <type_traits>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"
#include "phi/kernels/reference/normalization/normalization.h"

namespace switchyard::phi::kernels::reference {

// The row-major positions of the elements of each channel.
inline std::vector<std::vector<int64_t>> Channels(const DenseTensor& x,
                                                  std::string_view format) {
  const int axis = format == "NHWC" ? x.rank() - 1 : 1;
  std::vector<std::vector<int64_t>> sets(x.extent(axis));
  for (int64_t i = 0; i < x.numel(); ++i) {
    sets[Unravel(x.shape(), i)[axis]].push_back(i);
  }
  return sets;
}

template <typename S>
inline constexpr auto kBatchNormSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kMean, WithAnyStrides(AnyDtype()))
        .Input(S::kVariance, WithAnyStrides(AnyDtype()))
        .Input(S::kScale, WithAnyStrides(AnyDtype()))
        .Input(S::kBias, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status BatchNormKernel(const ReferenceContext&, const DenseTensor& x,
                             const DenseTensor& mean,
                             const DenseTensor& variance,
                             const DenseTensor* scale, const DenseTensor* bias,
                             bool is_test, float momentum, float epsilon,
                             std::string_view data_format,
                             bool use_global_stats, bool trainable_statistics,
                             DenseTensor* out, DenseTensor* mean_out,
                             DenseTensor* variance_out, DenseTensor* saved_mean,
                             DenseTensor* saved_variance) {
  const bool running = (is_test && !trainable_statistics) || use_global_stats;
  const auto channels = Channels(x, data_format);
  for (size_t c = 0; c < channels.size(); ++c) {
    const auto& set = channels[c];
    const Moments old = {At<ParameterOf<T>>(mean, c),
                         At<ParameterOf<T>>(variance, c)};
    Moments used = old, updated = old;
    const bool normalize = running || set.size() != 1;
    if (!running && set.size() > 1) {
      used = ComputeMoments<T>(x, set);
      const long double share = momentum;
      updated.mean = old.mean * share + used.mean * (1 - share);
      updated.variance = old.variance * share + used.variance * (1 - share);
    }
    if (!normalize) used = {0, 1};
    const long double inverse = 1 / std::sqrt(used.variance + epsilon);
    const long double factor = Parameter<T>(scale, c, 1);
    const long double shift = Parameter<T>(bias, c, 0);
    for (int64_t i : set) {
      const long double v = Wide<T>(x, i);
      StoreElement<T>(
          out, i, normalize ? (v - used.mean) * inverse * factor + shift : v);
    }
    StoreParameter<T>(mean_out, c, updated.mean);
    StoreParameter<T>(variance_out, c, updated.variance);
    StoreParameter<T>(saved_mean, c, used.mean);
    StoreParameter<T>(saved_variance, c, inverse);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kBatchNormGradSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kScale, WithAnyStrides(AnyDtype()))
        .Input(S::kBias, WithAnyStrides(AnyDtype()))
        .Input(S::kSavedMean, WithAnyStrides(AnyDtype()))
        .Input(S::kSavedVariance, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status BatchNormGradKernel(
    const ReferenceContext&, const DenseTensor& x, const DenseTensor* scale,
    const DenseTensor*, const DenseTensor& saved_mean,
    const DenseTensor& saved_variance, const DenseTensor& out_grad, float,
    std::string_view data_format, bool is_test, bool use_global_stats,
    bool trainable_statistics, DenseTensor* x_grad, DenseTensor* scale_grad,
    DenseTensor* bias_grad) {
  const bool running = (is_test && !trainable_statistics) || use_global_stats;
  const auto channels = Channels(x, data_format);
  for (size_t c = 0; c < channels.size(); ++c) {
    const auto& set = channels[c];
    const NormalizedSet stats = {At<ParameterOf<T>>(saved_mean, c),
                                 At<ParameterOf<T>>(saved_variance, c),
                                 running};
    if (!running && set.size() == 1) {  // Passed on as it was.
      if (x_grad != nullptr) {
        StoreElement<T>(x_grad, set[0], Wide<T>(out_grad, set[0]));
      }
      StoreParameter<T>(scale_grad, c, 0);
      StoreParameter<T>(bias_grad, c, 0);
      continue;
    }
    const long double factor = Parameter<T>(scale, c, 1);
    if (x_grad != nullptr) {
      NormalizedGrad<T>(
          x, set, stats,
          [&](int64_t i) { return Wide<T>(out_grad, i) * factor; }, x_grad);
    }
    long double by_scale = 0, by_bias = 0;
    for (int64_t i : set) {
      const long double g = Wide<T>(out_grad, i);
      by_scale += g * (Wide<T>(x, i) - stats.mean) * stats.inverse;
      by_bias += g;
    }
    StoreParameter<T>(scale_grad, c, by_scale);
    StoreParameter<T>(bias_grad, c, by_bias);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_BATCH_NORM_H_
