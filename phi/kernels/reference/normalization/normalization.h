// SPDX-License-Identifier: Apache-2.0
// Parts of the reference kernels of batch_norm and layer_norm, in long double:
// a set of elements of x is shifted and scaled to mean 0 and variance 1, then
// by parameters.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_NORMALIZATION_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_NORMALIZATION_H_

#include <cmath>
#include <string_view>
#include <type_traits>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
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

// Mean and variance of a set of elements.
struct Moments {
  long double mean, variance;
};

// Returns the moments of the elements of x whose positions are listed.
template <typename T>
Moments ComputeMoments(const DenseTensor& x, const std::vector<int64_t>& set) {
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

// The moments of a set of elements; `constant` if they don't depend on it.
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

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_NORMALIZATION_H_
