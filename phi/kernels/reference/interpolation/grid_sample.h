// SPDX-License-Identifier: Apache-2.0
// Reference kernels of grid_sample and its gradient, in double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_GRID_SAMPLE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_GRID_SAMPLE_H_

#include <cmath>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// A position along an axis of x, in elements, and its derivative by the number
// in the grid.
struct GridPosition {
  double at, slope;
};

// The attributes by which numbers in [-1, 1] mean positions in an image.
struct GridSampling {
  std::string_view mode, padding_mode;
  bool align_corners;

  GridPosition Position(double number, int64_t extent) const {
    const double last = double(extent - 1);
    const double edge = align_corners ? 0 : -0.5;
    const double scale = align_corners ? last / 2 : double(extent) / 2;
    double at = (number + 1) * scale + edge, slope = scale;
    if (padding_mode == "zeros") return {at, slope};
    if (padding_mode == "reflection") {
      const double span = 2 * (last - 2 * edge);
      const double from = std::abs(at - edge);
      if (at < edge) slope = -slope;
      const double rest = span == 0 ? 0 : from - std::floor(from / span) * span;
      if (span != 0 && rest > span - rest) slope = -slope;
      at = std::min(rest, span - rest) + edge;
    }
    if (at < 0) return {0, 0};
    if (at > last) return {last, 0};
    return {at, slope};
  }
};

// One element of x that a sample is made of: its weight, and the derivatives of
// that by each number of the grid.
struct GridShare {
  Index from = {};
  double weight = 1;
  double slopes[3] = {1, 1, 1};
};

// The shares of the sample at `where`, an index of the result; those outside x
// are left out. Numbers of the grid come in the order of the last axis first.
template <typename T>
std::vector<GridShare> SharesOf(const GridSampling& how, const Shape& x,
                                const DenseTensor& grid, const Index& where) {
  const int spatial = x.rank() - 2;
  std::vector<GridShare> shares(1);
  shares[0].from[0] = where[0];
  shares[0].from[1] = where[1];
  for (int axis = 0; axis < spatial; ++axis) {
    Index number = {where[0]};
    for (int i = 0; i < spatial; ++i) number[1 + i] = where[2 + i];
    number[1 + spatial] = spatial - 1 - axis;
    const int64_t extent = x.extent(2 + axis);
    const GridPosition p = how.Position(double(At<T>(grid, number)), extent);
    std::vector<GridShare> longer;
    const bool nearest = how.mode == "nearest";
    const double floor = nearest ? std::round(p.at) : std::floor(p.at);
    for (int k = 0; k < (nearest ? 1 : 2); ++k) {
      const double element = floor + k;
      // NaN is outside.
      if (!(element >= 0 && element < double(extent))) continue;
      const double weight = nearest  ? 1
                            : k == 0 ? 1 - (p.at - floor)
                                     : p.at - floor;
      const double slope = nearest ? 0 : k == 0 ? -p.slope : p.slope;
      for (GridShare share : shares) {
        share.from[2 + axis] = int64_t(element);
        share.weight *= weight;
        for (int other = 0; other < spatial; ++other) {
          share.slopes[other] *= other == axis ? slope : weight;
        }
        longer.push_back(share);
      }
    }
    shares = longer;
  }
  return shares;
}

template <typename S>
inline constexpr auto kGridSampleSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status GridSampleKernel(const ReferenceContext&, const DenseTensor& x,
                              const DenseTensor& grid, std::string_view mode,
                              std::string_view padding_mode, bool align_corners,
                              DenseTensor* out) {
  const GridSampling how{mode, padding_mode, align_corners};
  for (int64_t i = 0; i < out->numel(); ++i) {
    double sum = 0;
    for (const GridShare& share :
         SharesOf<T>(how, x.shape(), grid, Unravel(out->shape(), i))) {
      sum += share.weight * double(At<T>(x, share.from));
    }
    out->mutable_data<T>()[i] = static_cast<T>(sum);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kGridSampleGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status GridSampleGradKernel(const ReferenceContext&, const DenseTensor& x,
                                  const DenseTensor& grid,
                                  const DenseTensor& out_grad,
                                  std::string_view mode,
                                  std::string_view padding_mode,
                                  bool align_corners, DenseTensor* x_grad,
                                  DenseTensor* grid_grad) {
  const GridSampling how{mode, padding_mode, align_corners};
  const int spatial = x.rank() - 2;
  std::vector<double> x_sums(x.numel()), grid_sums(grid.numel());
  for (int64_t i = 0; i < out_grad.numel(); ++i) {
    const Index where = Unravel(out_grad.shape(), i);
    const double g = double(At<T>(out_grad, i));
    for (const GridShare& share : SharesOf<T>(how, x.shape(), grid, where)) {
      x_sums[Ravel(x.shape(), share.from)] += g * share.weight;
      Index number = {where[0]};
      for (int k = 0; k < spatial; ++k) number[1 + k] = where[2 + k];
      for (int axis = 0; axis < spatial; ++axis) {
        number[1 + spatial] = spatial - 1 - axis;
        grid_sums[Ravel(grid.shape(), number)] +=
            g * share.slopes[axis] * double(At<T>(x, share.from));
      }
    }
  }
  for (int64_t i = 0; x_grad != nullptr && i < x_grad->numel(); ++i) {
    x_grad->mutable_data<T>()[i] = static_cast<T>(x_sums[i]);
  }
  for (int64_t i = 0; grid_grad != nullptr && i < grid_grad->numel(); ++i) {
    grid_grad->mutable_data<T>()[i] = static_cast<T>(grid_sums[i]);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_GRID_SAMPLE_H_
