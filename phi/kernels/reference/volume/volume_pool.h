// SPDX-License-Identifier: Apache-2.0
// Reference kernels of pool3d, of the poolings that yield positions, of unpool
// and unpool3d, and of their gradients, in double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_VOLUME_VOLUME_POOL_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_VOLUME_VOLUME_POOL_H_

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/max_pool2d_with_index.args.gen.h"
#include "phi/core/signatures/pool3d.args.gen.h"
#include "phi/core/signatures/pool3d_grad.args.gen.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The elements of a window, by their indices in x, and what a mean over them
// divides by.
struct PooledWindow {
  std::vector<Index> elements;
  double padded = 1;  // Its size with the padding that a mean may count.
};

// A pooling over the spatial axes of x, 2 or 3 of them.
class SpatialPool {
 public:
  SpatialPool(const DenseTensor& x, const Shape& out,
              std::vector<int64_t> kernel, absl::Span<const int> strides,
              absl::Span<const int> paddings, std::string_view algorithm,
              bool whole, bool adaptive, bool last)
      : x_(x),
        out_(out),
        kernel_(std::move(kernel)),
        strides_(strides),
        paddings_(paddings),
        algorithm_(algorithm),
        whole_(whole),
        adaptive_(adaptive),
        axes_(x.rank() - 2),
        first_(last ? 1 : 2) {}

  // The window of the result's element at row-major position i.
  PooledWindow At(int64_t i) const {
    const Index o = Unravel(out_, i);
    PooledWindow window;
    window.elements = {o};
    for (int axis = 0; axis < axes_; ++axis) {
      int64_t begin, end, reach;
      Along(axis, o[first_ + axis], &begin, &end, &reach);
      window.padded *= static_cast<double>(reach);
      std::vector<Index> longer;
      for (const Index& at : window.elements) {
        for (int64_t p = begin; p < end; ++p) {
          longer.push_back(at);
          longer.back()[first_ + axis] = p;
        }
      }
      window.elements = std::move(longer);
    }
    return window;
  }

  // The element that is largest: the first of equal ones, the last NaN.
  template <typename T>
  Index Largest(const PooledWindow& window) const {
    Index best = window.elements[0];
    for (const Index& at : window.elements) {
      const double v = Value<T>(at);
      if (v > Value<T>(best) || std::isnan(v)) best = at;
    }
    return best;
  }
  // Where an element of x lies in its plane.
  int64_t InPlane(const Index& at) const {
    int64_t position = 0;
    for (int axis = 0; axis < axes_; ++axis) {
      position = position * x_.extent(first_ + axis) + at[first_ + axis];
    }
    return position;
  }

 private:
  template <typename T>
  double Value(const Index& at) const {
    return reference::At<T>(x_, at);
  }
  void Along(int axis, int64_t o, int64_t* begin, int64_t* end,
             int64_t* reach) const {
    const int64_t extent = x_.extent(first_ + axis);
    const int64_t outputs = out_.extent(first_ + axis);
    if (whole_ || adaptive_) {
      *begin = o * extent / outputs;
      *end = ((o + 1) * extent + outputs - 1) / outputs;
      *reach = *end - *begin;
      return;
    }
    int64_t before = 0;
    const int64_t stride = strides_[axis];
    if (algorithm_ == "EXPLICIT" || algorithm_ == "WHOLE") {
      const bool both = static_cast<int>(paddings_.size()) == 2 * axes_;
      before = paddings_[both ? 2 * axis : axis];
    } else if (algorithm_ == "SAME") {
      const int64_t covered =
          ((extent + stride - 1) / stride - 1) * stride + kernel_[axis];
      before = std::max<int64_t>(0, covered - extent) / 2;
    }
    const int64_t start = o * stride - before;
    const int64_t stop = std::min(start + kernel_[axis], extent + before);
    *reach = stop - start;
    *begin = std::max<int64_t>(start, 0);
    *end = std::min(stop, extent);
  }

  const DenseTensor& x_;
  Shape out_;
  std::vector<int64_t> kernel_;
  absl::Span<const int> strides_, paddings_;
  std::string_view algorithm_;
  bool whole_, adaptive_;
  int axes_, first_;
};

template <typename S>
inline constexpr auto kPool3dSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Pool3dKernel(const ReferenceContext&, const Pool3dArgs& args) {
  const SpatialPool pool(args.x, args.out->shape(),
                         {args.kernel_size.begin(), args.kernel_size.end()},
                         args.strides, args.paddings, args.padding_algorithm,
                         args.global_pooling, args.adaptive,
                         args.data_format == "NDHWC");
  for (int64_t i = 0; i < args.out->numel(); ++i) {
    const PooledWindow window = pool.At(i);
    double result = 0;
    if (args.pooling_type == "max") {
      result = At<T>(args.x, pool.Largest<T>(window));
    } else {
      for (const Index& at : window.elements) result += At<T>(args.x, at);
      result /= args.exclusive ? static_cast<double>(window.elements.size())
                               : window.padded;
    }
    args.out->mutable_data<T>()[i] = static_cast<T>(result);
  }
  return absl::OkStatus();
}

template <typename T>
void StorePooled(const std::vector<double>& sums, DenseTensor* x_grad) {
  for (int64_t i = 0; i < x_grad->numel(); ++i) {
    x_grad->mutable_data<T>()[i] = static_cast<T>(sums[i]);
  }
}

template <typename S>
inline constexpr auto kPool3dGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Pool3dGradKernel(const ReferenceContext&,
                              const Pool3dGradArgs& args) {
  const SpatialPool pool(args.x, args.out.shape(),
                         {args.kernel_size.begin(), args.kernel_size.end()},
                         args.strides, args.paddings, args.padding_algorithm,
                         args.global_pooling, args.adaptive,
                         args.data_format == "NDHWC");
  std::vector<double> sums(args.x.numel());
  for (int64_t i = 0; i < args.out.numel(); ++i) {
    const PooledWindow window = pool.At(i);
    const double g = At<T>(args.out_grad, i);
    if (args.pooling_type == "max") {
      sums[Ravel(args.x.shape(), pool.Largest<T>(window))] += g;
      continue;
    }
    const double count = args.exclusive
                             ? static_cast<double>(window.elements.size())
                             : window.padded;
    for (const Index& at : window.elements) {
      sums[Ravel(args.x.shape(), at)] += g / count;
    }
  }
  StorePooled<T>(sums, args.x_grad);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMaxPool2dWithIndexSpec =
    KernelSpec<S>().AllStrided().Output(S::kMask, Fixed(DataType::kInt32));
template <typename T>
absl::Status MaxPool2dWithIndexKernel(const ReferenceContext&,
                                      const MaxPool2dWithIndexArgs& args) {
  const SpatialPool pool(args.x, args.out->shape(),
                         {args.kernel_size.begin(), args.kernel_size.end()},
                         args.strides, args.paddings, "EXPLICIT",
                         args.global_pooling, args.adaptive, false);
  for (int64_t i = 0; i < args.out->numel(); ++i) {
    const Index at = pool.Largest<T>(pool.At(i));
    args.out->mutable_data<T>()[i] = At<T>(args.x, at);
    args.mask->mutable_data<int32_t>()[i] =
        static_cast<int32_t>(pool.InPlane(at));
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMaxPool3dWithIndexSpec =
    kMaxPool2dWithIndexSpec<S>.Here();
template <typename T>
inline constexpr auto MaxPool3dWithIndexKernel = &MaxPool2dWithIndexKernel<T>;

// RangeError unless positions lie within planes of `pixels`.
inline absl::Status CheckInPlane(std::string_view argument,
                                 const DenseTensor& positions, int64_t pixels) {
  for (int64_t i = 0; i < positions.numel(); ++i) {
    const int64_t at = IntegerAt(positions, i);
    if (at < 0 || at >= pixels) {
      return RangeError(argument, "in [0, " + std::to_string(pixels) + ")",
                        std::to_string(at));
    }
  }
  return absl::OkStatus();
}

inline int64_t PlaneOf(const DenseTensor& x) {
  return x.shape().numel(2, x.rank());
}

template <typename S>
inline constexpr auto kMaxPool2dWithIndexGradSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kX, WithAnyStrides(AnyDtype()))
        .Input(S::kMask, WithAnyStrides(Fixed(DataType::kInt32)));
template <typename T>
absl::Status MaxPool2dWithIndexGradKernel(const ReferenceContext&,
                                          const DenseTensor& x,
                                          const DenseTensor& mask,
                                          const DenseTensor& out_grad,
                                          DenseTensor* x_grad) {
  SY_RETURN_IF_ERROR(CheckInPlane("mask", mask, PlaneOf(x)));
  std::vector<double> sums(x.numel());
  for (int64_t i = 0; i < out_grad.numel(); ++i) {
    sums[i / PlaneOf(out_grad) * PlaneOf(x) + IntegerAt(mask, i)] +=
        At<T>(out_grad, i);
  }
  StorePooled<T>(sums, x_grad);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMaxPool3dWithIndexGradSpec =
    kMaxPool2dWithIndexGradSpec<S>.Here();
template <typename T>
inline constexpr auto MaxPool3dWithIndexGradKernel =
    &MaxPool2dWithIndexGradKernel<T>;

template <typename S>
inline constexpr auto kUnpoolSpec = KernelSpec<S>().AllStrided().Input(
    S::kIndices, WithAnyStrides(OneOf(kIndexDtypes)));
template <typename T>
absl::Status UnpoolKernel(const ReferenceContext&, const DenseTensor& x,
                          const DenseTensor& indices, DenseTensor* out) {
  SY_RETURN_IF_ERROR(CheckInPlane("indices", indices, PlaneOf(*out)));
  std::vector<double> values(out->numel());
  for (int64_t i = 0; i < x.numel(); ++i) {
    values[i / PlaneOf(x) * PlaneOf(*out) + IntegerAt(indices, i)] =
        At<T>(x, i);
  }
  StorePooled<T>(values, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kUnpool3dSpec = kUnpoolSpec<S>.Here();
template <typename T>
inline constexpr auto Unpool3dKernel = &UnpoolKernel<T>;

template <typename S>
inline constexpr auto kUnpoolGradSpec = KernelSpec<S>().AllStrided().Input(
    S::kIndices, WithAnyStrides(OneOf(kIndexDtypes)));
template <typename T>
absl::Status UnpoolGradKernel(const ReferenceContext&,
                              const DenseTensor& indices,
                              const DenseTensor& out_grad,
                              DenseTensor* x_grad) {
  SY_RETURN_IF_ERROR(CheckInPlane("indices", indices, PlaneOf(out_grad)));
  for (int64_t i = 0; i < x_grad->numel(); ++i) {
    const int64_t plane = i / PlaneOf(*x_grad);
    x_grad->mutable_data<T>()[i] =
        At<T>(out_grad, plane * PlaneOf(out_grad) + IntegerAt(indices, i));
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kUnpool3dGradSpec = kUnpoolGradSpec<S>.Here();
template <typename T>
inline constexpr auto Unpool3dGradKernel = &UnpoolGradKernel<T>;

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_VOLUME_VOLUME_POOL_H_
