// SPDX-License-Identifier: Apache-2.0
// Reference kernels: activations that compare with a threshold.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_THRESHOLD_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_THRESHOLD_H_

#include <cmath>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kSoftshrinkSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SoftshrinkKernel(const ReferenceContext&, const DenseTensor& x,
                              double threshold, DenseTensor* out) {
  return Unary<T, double>(x, out, [=](double v) {
    return v > threshold               ? v - threshold
           : v < -threshold            ? v + threshold
           : std::fabs(v) <= threshold ? 0
                                       : v;
  });
}

template <typename S>
inline constexpr auto kHardshrinkSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status HardshrinkKernel(const ReferenceContext&, const DenseTensor& x,
                              double threshold, DenseTensor* out) {
  return Unary<T, double>(x, out, [=](double v) {
    return v >= -threshold && v <= threshold ? 0 : v;
  });
}

template <typename S>
inline constexpr auto kThresholdedReluSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ThresholdedReluKernel(const ReferenceContext&,
                                   const DenseTensor& x, double threshold,
                                   double value, DenseTensor* out) {
  return Unary<T, double>(x, out,
                          [=](double v) { return v <= threshold ? value : v; });
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_THRESHOLD_H_
