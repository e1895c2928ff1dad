// SPDX-License-Identifier: Apache-2.0
// Reference kernels of batch_norm, layer_norm and their gradients, in long
// double: sets of elements of x are each shifted and scaled to mean 0 and
// variance 1, then by parameters.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_H_

#include <cmath>
#include <string_view>
#include <type_traits>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/float16.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The type of parameters and statistics.
template <typename T>
using ParameterOf = std::conditional_t<sizeof(T) == 2, float, T>;

template <typename T>
long double Wide(const DenseTensor& x, int64_t i) {
  return static_cast<ParameterOf<T>>(At<T>(x, i));
}
// Element i of an optional parameter.
template <typename T>
long double Parameter(const DenseTensor* p, int64_t i, long double absent) {
  return p == nullptr ? absent : At<ParameterOf<T>>(*p, i);
}
template <typename T>
void StoreParameter(DenseTensor* out, int64_t i, long double value) {
  if (out == nullptr) return;
  out->mutable_data<ParameterOf<T>>()[i] = static_cast<ParameterOf<T>>(value);
}
template <typename T>
void StoreElement(DenseTensor* out, int64_t i, long double value) {
  out->mutable_data<T>()[i] =
      static_cast<T>(static_cast<ParameterOf<T>>(value));
}

struct Moments {
  long double mean, variance;
};

// Of the elements of x whose positions are listed.
template <typename T>
Moments MomentsOf(const DenseTensor& x, const std::vector<int64_t>& set) {
  Moments moments = {0, 0};
  for (int64_t i : set) moments.mean += Wide<T>(x, i);
  moments.mean /= static_cast<long double>(set.size());
  for (int64_t i : set) {
    const long double d = Wide<T>(x, i) - moments.mean;
    moments.variance += d * d;
  }
  moments.variance /= static_cast<long double>(set.size());
  return moments;
}

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

template <typename T, typename Context>
absl::Status BatchNormKernel(const Context&, const DenseTensor& x,
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
      used = MomentsOf<T>(x, set);
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

// What a set of elements has of its own: its moments; `constant` if they don't
// depend on it.
struct NormalizedSet {
  long double mean, inverse;
  bool constant;
};

// x_grad of one set; g(i) is out_grad times scale.
template <typename T, typename Slope>
void NormalizedGrad(const DenseTensor& x, const std::vector<int64_t>& set,
                    const NormalizedSet& stats, const Slope& g,
                    DenseTensor* x_grad) {
  const auto normalized = [&](int64_t i) {
    return (Wide<T>(x, i) - stats.mean) * stats.inverse;
  };
  long double mean = 0, slope = 0;
  for (int64_t i : set) {
    mean += g(i);
    slope += g(i) * normalized(i);
  }
  const long double count = stats.constant ? HUGE_VALL : set.size();
  for (int64_t i : set) {
    StoreElement<T>(
        x_grad, i,
        stats.inverse * (g(i) - mean / count - normalized(i) * slope / count));
  }
}

template <typename T, typename Context>
absl::Status BatchNormGradKernel(
    const Context&, const DenseTensor& x, const DenseTensor* scale,
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

// The positions of the elements of row r of `width`.
inline std::vector<int64_t> Row(int64_t r, int64_t width) {
  std::vector<int64_t> set(width);
  for (int64_t j = 0; j < width; ++j) set[j] = r * width + j;
  return set;
}

inline int64_t RowWidth(const DenseTensor& x, int begin_norm_axis) {
  return x.shape().numel(begin_norm_axis, x.rank());
}

template <typename T, typename Context>
absl::Status LayerNormKernel(const Context&, const DenseTensor& x,
                             const DenseTensor* scale, const DenseTensor* bias,
                             float epsilon, int begin_norm_axis,
                             DenseTensor* out, DenseTensor* mean,
                             DenseTensor* variance) {
  const int64_t width = RowWidth(x, begin_norm_axis);
  const int64_t rows = width == 0 ? 0 : x.numel() / width;
  for (int64_t r = 0; r < rows; ++r) {
    const auto set = Row(r, width);
    const Moments moments = MomentsOf<T>(x, set);
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

template <typename T, typename Context>
absl::Status LayerNormGradKernel(
    const Context&, const DenseTensor& x, const DenseTensor* scale,
    const DenseTensor*, const DenseTensor& mean, const DenseTensor& variance,
    const DenseTensor& out_grad, float epsilon, int begin_norm_axis,
    DenseTensor* x_grad, DenseTensor* scale_grad, DenseTensor* bias_grad) {
  const int64_t width = RowWidth(x, begin_norm_axis);
  const int64_t rows = width == 0 ? 0 : x.numel() / width;
  std::vector<long double> by_scale(width), by_bias(width);
  for (int64_t r = 0; r < rows; ++r) {
    const auto set = Row(r, width);
    const NormalizedSet stats = {
        At<ParameterOf<T>>(mean, r),
        1 / std::sqrt(
                static_cast<long double>(At<ParameterOf<T>>(variance, r)) +
                epsilon),
        false};
    if (x_grad != nullptr) {
      NormalizedGrad<T>(
          x, set, stats,
          [&](int64_t i) {
            return Wide<T>(out_grad, i) * Parameter<T>(scale, i % width, 1);
          },
          x_grad);
    }
    for (int64_t i : set) {
      const long double g = Wide<T>(out_grad, i);
      by_scale[i % width] += g * (Wide<T>(x, i) - stats.mean) * stats.inverse;
      by_bias[i % width] += g;
    }
  }
  for (int64_t j = 0; j < width; ++j) {
    StoreParameter<T>(scale_grad, j, by_scale[j]);
    StoreParameter<T>(bias_grad, j, by_bias[j]);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_H_
