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
#include "phi/core/signatures/batch_norm.args.gen.h"
#include "phi/core/signatures/batch_norm_grad.args.gen.h"
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
absl::Status BatchNormKernel(const ReferenceContext&,
                             const BatchNormArgs& args) {
  const bool running =
      (args.is_test && !args.trainable_statistics) || args.use_global_stats;
  const auto channels = Channels(args.x, args.data_format);
  for (size_t c = 0; c < channels.size(); ++c) {
    const auto& set = channels[c];
    const Moments old = {At<ParameterOf<T>>(args.mean, c),
                         At<ParameterOf<T>>(args.variance, c)};
    Moments used = old, updated = old;
    const bool normalize = running || set.size() != 1;
    if (!running && set.size() > 1) {
      used = ComputeMoments<T>(args.x, set);
      const auto mixed = [&](long double before, long double batch) {
        const long double share = args.momentum;
        return (share == 0 ? 0 : before * share) +
               (share == 1 ? 0 : batch * (1 - share));
      };
      updated.mean = mixed(old.mean, used.mean);
      updated.variance = mixed(old.variance, used.variance);
    }
    if (!normalize) used = {0, 1};
    const long double inverse = 1 / std::sqrt(used.variance + args.epsilon);
    const long double factor = Parameter<T>(args.scale, c, 1);
    const long double shift = Parameter<T>(args.bias, c, 0);
    for (int64_t i : set) {
      const long double v = Wide<T>(args.x, i);
      StoreElement<T>(
          args.out, i,
          normalize ? (v - used.mean) * inverse * factor + shift : v);
    }
    StoreParameter<T>(args.mean_out, c, updated.mean);
    StoreParameter<T>(args.variance_out, c, updated.variance);
    StoreParameter<T>(args.saved_mean, c, used.mean);
    StoreParameter<T>(args.saved_variance, c, inverse);
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
absl::Status BatchNormGradKernel(const ReferenceContext&,
                                 const BatchNormGradArgs& args) {
  const bool running =
      (args.is_test && !args.trainable_statistics) || args.use_global_stats;
  const auto channels = Channels(args.x, args.data_format);
  for (size_t c = 0; c < channels.size(); ++c) {
    const auto& set = channels[c];
    const NormalizedSet stats = {At<ParameterOf<T>>(args.saved_mean, c),
                                 At<ParameterOf<T>>(args.saved_variance, c),
                                 running};
    if (!running && set.size() == 1) {  // Passed on as it was.
      if (args.x_grad != nullptr) {
        StoreElement<T>(args.x_grad, set[0], Wide<T>(args.out_grad, set[0]));
      }
      StoreParameter<T>(args.scale_grad, c, 0);
      StoreParameter<T>(args.bias_grad, c, 0);
      continue;
    }
    const long double factor = Parameter<T>(args.scale, c, 1);
    if (args.x_grad != nullptr) {
      NormalizedGrad<T>(
          args.x, set, stats,
          [&](int64_t i) { return Wide<T>(args.out_grad, i) * factor; },
          args.x_grad);
    }
    long double by_scale = 0, by_bias = 0;
    for (int64_t i : set) {
      const long double g = Wide<T>(args.out_grad, i);
      by_scale += g * (Wide<T>(args.x, i) - stats.mean) * stats.inverse;
      by_bias += g;
    }
    StoreParameter<T>(args.scale_grad, c, by_scale);
    StoreParameter<T>(args.bias_grad, c, by_bias);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_BATCH_NORM_H_
