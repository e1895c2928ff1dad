// SPDX-License-Identifier: Apache-2.0
// Parts of the legacy kernels of batch_norm and layer_norm: the elements of a
// tensor that are normalised together, their moments and their gradient. All is
// computed in double.
#ifndef SWITCHYARD_PHI_FLUID_NN_NORMALIZE_H_
#define SWITCHYARD_PHI_FLUID_NN_NORMALIZE_H_

#include <cmath>
#include <cstdint>

#include "framework/tensor/dense_tensor.h"
#include "phi/fluid/elementwise/map.h"

namespace switchyard::phi::fluid {

// The elements that are normalised together: `count` runs of `length`
// neighbours, `stride` apart.
struct NormalSet {
  int64_t first, count, stride, length;

  int64_t size() const { return count * length; }
  int64_t at(int64_t i) const {
    return first + i / length * stride + i % length;
  }
};

// The mean and the biased variance of a set.
struct Moments {
  double mean = 0, variance = 0;
};

template <typename T>
Moments MomentsOf(const T* x, const NormalSet& set) {
  Moments moments;
  for (int64_t i = 0; i < set.size(); ++i) moments.mean += double{x[set.at(i)]};
  moments.mean /= static_cast<double>(set.size());
  for (int64_t i = 0; i < set.size(); ++i) {
    const double d = double{x[set.at(i)]} - moments.mean;
    moments.variance += d * d;
  }
  moments.variance /= static_cast<double>(set.size());
  return moments;
}

// Parameters and statistics of T are of this type, and absent ones neutral.
template <typename T>
double ParameterAt(const DenseTensor* parameter, int64_t i, double absent) {
  return parameter == nullptr ? absent
                              : double{parameter->data<Number<T>>()[i]};
}
template <typename T>
void SetParameter(DenseTensor* parameter, int64_t i, double value) {
  if (parameter == nullptr) return;
  parameter->mutable_data<Number<T>>()[i] = static_cast<Number<T>>(value);
}

// A set as it was normalised: by `mean` and `inverse`, 1 / deviation, which
// followed from its elements unless `fixed`.
struct Normalised {
  double mean, inverse;
  bool fixed;
};

// x_grad of a set, where slope(i) is what flows into element i after it was
// normalised.
template <typename T, typename Slope>
void NormalGrad(const T* x, const NormalSet& set, const Normalised& stats,
                const Slope& slope, T* x_grad) {
  double sum = 0, by_value = 0;
  for (int64_t i = 0; i < set.size() && !stats.fixed; ++i) {
    const double value = (double{x[set.at(i)]} - stats.mean) * stats.inverse;
    sum += slope(i);
    by_value += slope(i) * value;
  }
  const auto size = static_cast<double>(set.size());
  for (int64_t i = 0; i < set.size(); ++i) {
    const double value = (double{x[set.at(i)]} - stats.mean) * stats.inverse;
    const double kept = slope(i) - (sum + value * by_value) / size;
    x_grad[set.at(i)] = static_cast<T>(stats.inverse * kept);
  }
}

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_FLUID_NN_NORMALIZE_H_
