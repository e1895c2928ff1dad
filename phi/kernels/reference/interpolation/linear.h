// SPDX-License-Identifier: Apache-2.0
// Reference kernels of linear_interp, bilinear_interp, trilinear_interp,
// bicubic_interp and their gradients, in double except for positions.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_LINEAR_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_LINEAR_H_

#include <algorithm>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/interpolation/resampling.h"

namespace switchyard::phi::kernels::reference {

// Holds an element of x and its weight in one of the result, along an axis.
struct Share {
  int64_t from;
  double weight;
};

// The cubic convolution kernel with a = -0.75.
inline double CubicWeight(double distance) {
  const double a = -0.75, x = std::abs(distance);
  if (x <= 1) return (a + 2) * x * x * x - (a + 3) * x * x + 1;
  if (x < 2) return a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a;
  return 0;
}

// Position: T for cubic interpolation and that of lines. Of images and volumes
// PaddlePaddle has linear positions and weights in float, and the first of
// images after one rounding.
template <typename Position>
std::vector<Share> SharesAlong(const Resampling& how, bool cubic, int axes,
                               int axis, int64_t in, int64_t out, int64_t i) {
  const float ratio = how.Ratio(axis, in, out);
  const bool centres = how.align_mode == 2 ||
                       (!how.align_corners &&
                        (cubic || how.align_mode == 0 || how.align_mode == 3));
  const bool narrow = !cubic && axes > 1;
  Position at = ratio * float(i);
  if (centres) at = Position(ratio * (double(i) + 0.5) - 0.5);
  if (narrow) at = float(at);
  if (centres && narrow && !(axes == 2 && axis == 0)) {
    const float centre = ratio * (float(i) + 0.5f);
    at = centre - 0.5f;
  }
  if (!cubic) at = std::max<Position>(at, 0);
  const Position floor = std::min(std::floor(at), Position(in - 1));
  const Position beyond = std::min<Position>(at - floor, 1);
  const auto element = [&](int k) {
    return std::clamp<int64_t>(int64_t(floor) + k, 0, in - 1);
  };
  if (!cubic) {
    const double before = narrow ? 1 - float(beyond) : 1 - beyond;
    return {{element(0), before}, {element(1), beyond}};
  }
  std::vector<Share> shares;
  for (int k = -1; k <= 2; ++k) {
    shares.push_back({element(k), CubicWeight(double(beyond) - k)});
  }
  return shares;
}

// Calls visit(index in x, weight) for each element of x that the element
// `index` of the result is made of; one of weight 0 is no part of it.
template <typename Position, typename Visit>
void ForEachShare(const Resampling& how, bool cubic, const Shape& x,
                  const Shape& out, Index index, int axis, double weight,
                  const Visit& visit) {
  if (axis == x.rank() - 2) return visit(index, weight);
  const int at = how.first_axis() + axis;
  for (const Share& share :
       SharesAlong<Position>(how, cubic, x.rank() - 2, axis, x.extent(at),
                             out.extent(at), index[at])) {
    if (share.weight == 0) continue;
    Index from = index;
    from[at] = share.from;
    ForEachShare<Position>(how, cubic, x, out, from, axis + 1,
                           weight * share.weight, visit);
  }
}

// Integers are cut; what rounding keeps just below a whole number is whole.
template <typename T, typename Position>
absl::Status Resample(const Resampling& how, bool cubic, const DenseTensor& x,
                      DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    double sum = 0;
    ForEachShare<Position>(how, cubic, x.shape(), out->shape(),
                           Unravel(out->shape(), i), 0, 1,
                           [&](const Index& from, double weight) {
                             sum += weight * double(At<T>(x, from));
                           });
    if (std::is_integral_v<T>) sum = std::clamp(sum + 1.0 / 1024, 0.0, 255.0);
    out->mutable_data<T>()[i] = static_cast<T>(sum);
  }
  return absl::OkStatus();
}

template <typename T, typename Position>
absl::Status ResampleGrad(const Resampling& how, bool cubic,
                          const DenseTensor& out_grad, DenseTensor* x_grad) {
  std::vector<double> sums(x_grad->numel());
  for (int64_t i = 0; i < out_grad.numel(); ++i) {
    const double grad = At<T>(out_grad, i);
    ForEachShare<Position>(how, cubic, x_grad->shape(), out_grad.shape(),
                           Unravel(out_grad.shape(), i), 0, 1,
                           [&](const Index& from, double weight) {
                             sums[Ravel(x_grad->shape(), from)] +=
                                 weight * grad;
                           });
  }
  for (int64_t i = 0; i < x_grad->numel(); ++i) {
    x_grad->mutable_data<T>()[i] = static_cast<T>(sums[i]);
  }
  return absl::OkStatus();
}

// The type of positions.
template <typename T>
using PositionFor =
    std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename S>
inline constexpr auto kLinearInterpSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status LinearInterpKernel(const ReferenceContext&, const DenseTensor& x,
                                absl::Span<const float> scale,
                                std::string_view data_format,
                                bool align_corners, int align_mode,
                                bool recompute_scale_factor, DenseTensor* out) {
  return Resample<T, PositionFor<T>>(
      {scale, data_format, align_corners, recompute_scale_factor, align_mode},
      false, x, out);
}

template <typename S>
inline constexpr auto kLinearInterpGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status LinearInterpGradKernel(const ReferenceContext&,
                                    const DenseTensor& out_grad,
                                    absl::Span<const float> scale,
                                    std::string_view data_format,
                                    bool align_corners, int align_mode,
                                    bool recompute_scale_factor,
                                    DenseTensor* x_grad) {
  return ResampleGrad<T, PositionFor<T>>(
      {scale, data_format, align_corners, recompute_scale_factor, align_mode},
      false, out_grad, x_grad);
}

template <typename S>
inline constexpr auto kBilinearInterpSpec = KernelSpec<S>().AllStrided();
template <typename T>
inline constexpr auto BilinearInterpKernel = &LinearInterpKernel<T>;
template <typename S>
inline constexpr auto kBilinearInterpGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
inline constexpr auto BilinearInterpGradKernel = &LinearInterpGradKernel<T>;
template <typename S>
inline constexpr auto kTrilinearInterpSpec = KernelSpec<S>().AllStrided();
template <typename T>
inline constexpr auto TrilinearInterpKernel = &LinearInterpKernel<T>;
template <typename S>
inline constexpr auto kTrilinearInterpGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
inline constexpr auto TrilinearInterpGradKernel = &LinearInterpGradKernel<T>;

template <typename S>
inline constexpr auto kBicubicInterpSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status BicubicInterpKernel(const ReferenceContext&, const DenseTensor& x,
                                 absl::Span<const float> scale,
                                 std::string_view data_format,
                                 bool align_corners,
                                 bool recompute_scale_factor, int align_mode,
                                 DenseTensor* out) {
  return Resample<T, PositionFor<T>>(
      {scale, data_format, align_corners, recompute_scale_factor, align_mode},
      true, x, out);
}

template <typename S>
inline constexpr auto kBicubicInterpGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status BicubicInterpGradKernel(const ReferenceContext&,
                                     const DenseTensor& out_grad,
                                     absl::Span<const float> scale,
                                     std::string_view data_format,
                                     bool align_corners,
                                     bool recompute_scale_factor,
                                     int align_mode, DenseTensor* x_grad) {
  return ResampleGrad<T, PositionFor<T>>(
      {scale, data_format, align_corners, recompute_scale_factor, align_mode},
      true, out_grad, x_grad);
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_LINEAR_H_
