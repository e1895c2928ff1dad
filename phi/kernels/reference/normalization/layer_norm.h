// SPDX-License-Identifier: Apache-2.0
// Reference kernels of layer_norm and its gradient.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_LAYER_NORM_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_LAYER_NORM_H_

#include <cmath>
#include <string_view>
#include <type_traits>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/layer_norm_grad.args.gen.h"
#include "phi/kernels/reference/elements.h"
#include "phi/kernels/reference/normalization/normalization.h"

namespace switchyard::phi::kernels::reference {

// The positions of the elements of row r of `width`.
inline std::vector<int64_t> Row(int64_t r, int64_t width) {
  std::vector<int64_t> set(width);
  for (int64_t j = 0; j < width; ++j) set[j] = r * width + j;
  return set;
}

inline int64_t RowWidth(const DenseTensor& x, int begin_norm_axis) {
  return x.shape().numel(begin_norm_axis, x.rank());
}

template <typename S>
inline constexpr auto kLayerNormSpec = KernelSpec<S>()
                                           .AllStrided()
                                           .Input(S::kScale,
                                                  WithAnyStrides(AnyDtype()))
                                           .Input(S::kBias,
                                                  WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status LayerNormKernel(const ReferenceContext&, const DenseTensor& x,
                             const DenseTensor* scale, const DenseTensor* bias,
                             double epsilon, int begin_norm_axis,
                             DenseTensor* out, DenseTensor* mean,
                             DenseTensor* variance) {
  const int64_t width = RowWidth(x, begin_norm_axis);
  const int64_t rows = width == 0 ? 0 : x.numel() / width;
  for (int64_t r = 0; r < rows; ++r) {
    const auto set = Row(r, width);
    const Moments moments = ComputeMoments<T>(x, set);
    const long double inverse = 1 / std::sqrt(moments.variance + epsilon);
    for (int64_t i : set) {
      StoreElement<T>(out, i,
                      (Wide<T>(x, i) - moments.mean) * inverse *
                              Parameter<T>(scale, i % width, 1) +
                          Parameter<T>(bias, i % width, 0));
    }
    StoreParameter<T>(mean, r, moments.mean);
    StoreParameter<T>(variance, r, moments.variance);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kLayerNormGradSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kScale, WithAnyStrides(AnyDtype()))
        .Input(S::kBias, WithAnyStrides(AnyDtype()))
        .Input(S::kMean, WithAnyStrides(AnyDtype()))
        .Input(S::kVariance, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status LayerNormGradKernel(const ReferenceContext&,
                                 const LayerNormGradArgs& args) {
  const int64_t width = RowWidth(args.x, args.begin_norm_axis);
  const int64_t rows = width == 0 ? 0 : args.x.numel() / width;
  std::vector<long double> by_scale(width), by_bias(width);
  for (int64_t r = 0; r < rows; ++r) {
    const auto set = Row(r, width);
    Moments moments = {At<ParameterOf<T>>(args.mean, r),
                       At<ParameterOf<T>>(args.variance, r)};
    // The variance has left the range of its type.
    if (moments.variance + args.epsilon == 0 || std::isinf(moments.variance)) {
      moments = ComputeMoments<T>(args.x, set);
    }
    const NormalizedSet stats = {
        moments.mean, 1 / std::sqrt(moments.variance + args.epsilon), false};
    if (args.x_grad != nullptr) {
      NormalizedGrad<T>(
          args.x, set, stats,
          [&](int64_t i) {
            return Wide<T>(args.out_grad, i) *
                   Parameter<T>(args.scale, i % width, 1);
          },
          args.x_grad);
    }
    for (int64_t i : set) {
      const long double g = Wide<T>(args.out_grad, i);
      by_scale[i % width] +=
          g * (Wide<T>(args.x, i) - stats.mean) * stats.inverse;
      by_bias[i % width] += g;
    }
  }
  for (int64_t j = 0; j < width; ++j) {
    StoreParameter<T>(args.scale_grad, j, by_scale[j]);
    StoreParameter<T>(args.bias_grad, j, by_bias[j]);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_LAYER_NORM_H_
