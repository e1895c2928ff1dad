// SPDX-License-Identifier: Apache-2.0
// Reference kernels of nearest_interp and its gradient.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_NEAREST_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_NEAREST_H_

#include <complex>
#include <string_view>
#include <type_traits>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/interpolation/resampling.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kNearestInterpSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status NearestInterpKernel(const ReferenceContext&, const DenseTensor& x,
                                 absl::Span<const float> scale,
                                 std::string_view data_format,
                                 bool align_corners,
                                 bool recompute_scale_factor, bool half_pixel,
                                 DenseTensor* out) {
  const Resampling how{scale, data_format, align_corners,
                       recompute_scale_factor, half_pixel ? 2 : 1};
  for (int64_t i = 0; i < out->numel(); ++i) {
    out->mutable_data<T>()[i] = At<T>(
        x,
        NearestIndex(how, x.shape(), out->shape(), Unravel(out->shape(), i)));
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kNearestInterpGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status NearestInterpGradKernel(const ReferenceContext&,
                                     const DenseTensor& out_grad,
                                     absl::Span<const float> scale,
                                     std::string_view data_format,
                                     bool align_corners,
                                     bool recompute_scale_factor,
                                     bool half_pixel, DenseTensor* x_grad) {
  using Sum = std::conditional_t<kIsComplex<T>, std::complex<double>, double>;
  const Resampling how{scale, data_format, align_corners,
                       recompute_scale_factor, half_pixel ? 2 : 1};
  const Shape &shape = x_grad->shape(), &grads = out_grad.shape();
  std::vector<Sum> sums(x_grad->numel());
  for (int64_t i = 0; i < out_grad.numel(); ++i) {
    const Index source = NearestIndex(how, shape, grads, Unravel(grads, i));
    sums[Ravel(shape, source)] += static_cast<Sum>(At<T>(out_grad, i));
  }
  for (int64_t i = 0; i < x_grad->numel(); ++i) {
    x_grad->mutable_data<T>()[i] = static_cast<T>(sums[i]);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_NEAREST_H_
