// SPDX-License-Identifier: Apache-2.0
// Reference kernels of roi_pool and its gradient.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_SAMPLING_ROI_POOL_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_SAMPLING_ROI_POOL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/roi_pool_grad.args.gen.h"
#include "phi/kernels/reference/elements.h"
#include "phi/kernels/reference/sampling/roi_align.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kRoiPoolSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kBoxesNum, WithAnyStrides(Fixed(DataType::kInt32)))
        .Output(S::kArgMax, Fixed(DataType::kInt64));
template <typename T>
absl::Status RoiPoolKernel(const ReferenceContext&, const DenseTensor& x,
                           const DenseTensor& boxes,
                           const DenseTensor* boxes_num, int pooled_height,
                           int pooled_width, double spatial_scale,
                           DenseTensor* out, DenseTensor* arg_max) {
  SY_RETURN_IF_ERROR(CheckImages(boxes, boxes_num, x.extent(0)));
  for (int64_t i = 0; i < out->numel(); ++i) {
    const Index where = Unravel(out->shape(), i);
    int64_t begin[2], end[2];  // Down, across.
    for (int axis = 0; axis < 2; ++axis) {
      const int64_t side = 1 - axis;
      const double low =
          std::round(double(At<T>(boxes, Index{where[0], side})) *
                     double{T(spatial_scale)});
      const double high =
          std::round(double(At<T>(boxes, Index{where[0], side + 2})) *
                     double{T(spatial_scale)});
      const double bin = std::max(high - low + 1, 1.0) /
                         (axis == 0 ? pooled_height : pooled_width);
      const double extent = double(x.extent(2 + axis));
      const double number = double(where[2 + axis]);
      begin[axis] = static_cast<int64_t>(
          std::clamp(low + std::floor(number * bin), 0.0, extent));
      end[axis] = static_cast<int64_t>(
          std::clamp(low + std::ceil((number + 1) * bin), 0.0, extent));
    }
    const int64_t image = ImageOfBox(boxes, boxes_num, x.extent(0), where[0]);
    T largest = 0;
    int64_t number = -1;
    for (int64_t row = begin[0]; row < end[0]; ++row) {
      for (int64_t column = begin[1]; column < end[1]; ++column) {
        const T one = At<T>(x, Index{image, where[1], row, column});
        if (number >= 0 && one <= largest) continue;
        largest = one;
        number = row * x.extent(3) + column;
      }
    }
    out->mutable_data<T>()[i] = largest;
    arg_max->mutable_data<int64_t>()[i] = number;
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kRoiPoolGradSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kBoxesNum, WithAnyStrides(Fixed(DataType::kInt32)))
        .Input(S::kArgMax, WithAnyStrides(Fixed(DataType::kInt64)));
template <typename T>
absl::Status RoiPoolGradKernel(const ReferenceContext&,
                               const RoiPoolGradArgs& args) {
  SY_RETURN_IF_ERROR(CheckImages(args.boxes, args.boxes_num, args.x.extent(0)));
  std::vector<double> sums(args.x.numel());
  for (int64_t i = 0; i < args.out_grad.numel(); ++i) {
    const Index where = Unravel(args.out_grad.shape(), i);
    const int64_t number = At<int64_t>(args.arg_max, i);
    if (number < 0) continue;
    const int64_t image =
        ImageOfBox(args.boxes, args.boxes_num, args.x.extent(0), where[0]);
    sums[Ravel(args.x.shape(), Index{image, where[1], number / args.x.extent(3),
                                     number % args.x.extent(3)})] +=
        double(At<T>(args.out_grad, i));
  }
  for (int64_t i = 0; i < args.x_grad->numel(); ++i) {
    args.x_grad->mutable_data<T>()[i] = static_cast<T>(sums[i]);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_SAMPLING_ROI_POOL_H_
