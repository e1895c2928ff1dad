// SPDX-License-Identifier: Apache-2.0
// Reference kernels of conv3d, conv3d_transpose and their gradients, and of
// unfold and fold, by all products one by one, in double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_VOLUME_VOLUME_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_VOLUME_VOLUME_H_

#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/conv3d.args.gen.h"
#include "phi/core/signatures/conv3d_grad.args.gen.h"
#include "phi/core/signatures/conv3d_transpose.args.gen.h"
#include "phi/core/signatures/conv3d_transpose_grad.args.gen.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// Extent i (depth, height, width) of a tensor of volumes.
inline int64_t VolumeExtent(const DenseTensor& x, std::string_view format,
                            int i) {
  return x.extent((format == "NDHWC" ? 1 : 2) + i);
}
inline int64_t VolumeChannels(const DenseTensor& x, std::string_view format) {
  return x.extent(format == "NDHWC" ? 4 : 1);
}
inline Index VolumeIndex(std::string_view format, int64_t n, int64_t c,
                         const Index& p) {
  return format == "NDHWC" ? Index{n, p[0], p[1], p[2], c}
                           : Index{n, c, p[0], p[1], p[2]};
}

// The attributes of a convolution of volumes.
struct VolumeAttrs {
  absl::Span<const int> strides, paddings;
  std::string_view algorithm;
  int groups;
  absl::Span<const int> dilations;
  std::string_view format;
};

// Every product of a convolution from `large` to `small` (of a transposed one,
// from `small` to `large`): calls visit(index in small, in large, in filter).
// The filter is [channels of small, channels of large / groups, ...].
template <typename Visit>
void ForEachVolumeTerm(const DenseTensor& large, const DenseTensor& filter,
                       const DenseTensor& small, const VolumeAttrs& a,
                       bool transposed, const Visit& visit) {
  int64_t before[3], dilation[3];
  for (int i = 0; i < 3; ++i) {
    const bool same = a.algorithm == "SAME";
    dilation[i] = same || a.dilations.empty() ? 1 : a.dilations[i];
    before[i] = 0;
    if (a.algorithm == "EXPLICIT" || a.algorithm == "WHOLE") {
      before[i] = a.paddings.size() == 6 ? a.paddings[2 * i] : a.paddings[i];
    } else if (same) {
      const int64_t extent =
          VolumeExtent(transposed ? small : large, a.format, i);
      const int64_t outputs = (extent + a.strides[i] - 1) / a.strides[i];
      const int64_t covered =
          outputs == 0 ? 0
                       : (outputs - 1) * a.strides[i] + filter.extent(2 + i);
      before[i] = covered > extent ? (covered - extent) / 2 : 0;
    }
  }
  const int64_t width = filter.extent(1);
  const int64_t per_group = VolumeChannels(small, a.format) / a.groups;
  const Shape all({small.extent(0), VolumeChannels(small, a.format),
                   VolumeExtent(small, a.format, 0),
                   VolumeExtent(small, a.format, 1),
                   VolumeExtent(small, a.format, 2), width});
  const Shape taps({filter.extent(2), filter.extent(3), filter.extent(4)});
  for (int64_t i = 0; i < all.numel(); ++i) {
    const Index s = Unravel(all, i);
    const int64_t channel = s[1] / per_group * width + s[5];
    for (int64_t t = 0; t < taps.numel(); ++t) {
      const Index k = Unravel(taps, t);
      Index p = {};
      bool inside = true;
      for (int axis = 0; axis < 3; ++axis) {
        p[axis] = s[2 + axis] * a.strides[axis] - before[axis] +
                  k[axis] * dilation[axis];
        inside = inside && p[axis] >= 0 &&
                 p[axis] < VolumeExtent(large, a.format, axis);
      }
      if (!inside) continue;
      visit(VolumeIndex(a.format, s[0], s[1], Index{s[2], s[3], s[4]}),
            VolumeIndex(a.format, s[0], channel, p),
            Index{s[1], s[5], k[0], k[1], k[2]});
    }
  }
}

// Sums in double that become a tensor; a null one is left alone.
class VolumeSums {
 public:
  explicit VolumeSums(const Shape& shape)
      : shape_(shape), sums_(shape.numel()) {}
  void Add(const Index& at, double v) { sums_[Ravel(shape_, at)] += v; }
  template <typename T>
  void Store(DenseTensor* out) const {
    for (int64_t i = 0; out != nullptr && i < out->numel(); ++i) {
      out->mutable_data<T>()[i] = static_cast<T>(sums_[i]);
    }
  }

 private:
  Shape shape_;
  std::vector<double> sums_;
};

template <typename S>
inline constexpr auto kConv3dSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Conv3dKernel(const ReferenceContext&, const Conv3dArgs& args) {
  VolumeSums sums(args.out->shape());
  ForEachVolumeTerm(
      args.input, args.filter, *args.out,
      {args.strides, args.paddings, args.padding_algorithm, args.groups,
       args.dilations, args.data_format},
      false, [&](const Index& o, const Index& i, const Index& f) {
        sums.Add(o, double{At<T>(args.input, i)} * At<T>(args.filter, f));
      });
  sums.Store<T>(args.out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kConv3dGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Conv3dGradKernel(const ReferenceContext&,
                              const Conv3dGradArgs& args) {
  VolumeSums input_sums(args.input.shape()), filter_sums(args.filter.shape());
  ForEachVolumeTerm(args.input, args.filter, args.out_grad,
                    {args.strides, args.paddings, args.padding_algorithm,
                     args.groups, args.dilations, args.data_format},
                    false, [&](const Index& o, const Index& i, const Index& f) {
                      const double g = At<T>(args.out_grad, o);
                      input_sums.Add(i, g * At<T>(args.filter, f));
                      filter_sums.Add(f, g * At<T>(args.input, i));
                    });
  input_sums.Store<T>(args.input_grad);
  filter_sums.Store<T>(args.filter_grad);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kConv3dTransposeSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Conv3dTransposeKernel(const ReferenceContext&,
                                   const Conv3dTransposeArgs& args) {
  VolumeSums sums(args.out->shape());
  ForEachVolumeTerm(*args.out, args.filter, args.x,
                    {args.strides, args.paddings, args.padding_algorithm,
                     args.groups, args.dilations, args.data_format},
                    true, [&](const Index& i, const Index& o, const Index& f) {
                      sums.Add(
                          o, double{At<T>(args.x, i)} * At<T>(args.filter, f));
                    });
  sums.Store<T>(args.out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kConv3dTransposeGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Conv3dTransposeGradKernel(const ReferenceContext&,
                                       const Conv3dTransposeGradArgs& args) {
  VolumeSums x_sums(args.x.shape()), filter_sums(args.filter.shape());
  ForEachVolumeTerm(args.out_grad, args.filter, args.x,
                    {args.strides, args.paddings, args.padding_algorithm,
                     args.groups, args.dilations, args.data_format},
                    true, [&](const Index& i, const Index& o, const Index& f) {
                      const double g = At<T>(args.out_grad, o);
                      x_sums.Add(i, g * At<T>(args.filter, f));
                      filter_sums.Add(f, g * At<T>(args.x, i));
                    });
  x_sums.Store<T>(args.x_grad);
  filter_sums.Store<T>(args.filter_grad);
  return absl::OkStatus();
}

// Calls visit(index in the images, index in the columns) for each element of a
// window that lies within its image [batch, channels, height, width].
template <typename Visit>
void ForEachUnfolded(const Shape& images, absl::Span<const int> kernel_sizes,
                     absl::Span<const int> strides,
                     absl::Span<const int> paddings,
                     absl::Span<const int> dilations, const Visit& visit) {
  const bool four = paddings.size() == 4;
  int64_t count[2];
  for (int i = 0; i < 2; ++i) {
    const int64_t reach = int64_t{dilations[i]} * (kernel_sizes[i] - 1) + 1;
    count[i] = (images.extent(2 + i) + paddings[i] +
                paddings[four ? 2 + i : i] - reach) /
                   strides[i] +
               1;
  }
  const Shape columns({images.extent(0), images.extent(1), kernel_sizes[0],
                       kernel_sizes[1], count[0], count[1]});
  for (int64_t i = 0; i < columns.numel(); ++i) {
    const Index at = Unravel(columns, i);
    const int64_t y = at[4] * strides[0] - paddings[0] + at[2] * dilations[0];
    const int64_t x = at[5] * strides[1] - paddings[1] + at[3] * dilations[1];
    const bool inside =
        y >= 0 && y < images.extent(2) && x >= 0 && x < images.extent(3);
    if (inside) visit(Index{at[0], at[1], y, x}, i);
  }
}

template <typename S>
inline constexpr auto kUnfoldSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status UnfoldKernel(const ReferenceContext&, const DenseTensor& x,
                          absl::Span<const int> kernel_sizes,
                          absl::Span<const int> strides,
                          absl::Span<const int> paddings,
                          absl::Span<const int> dilations, DenseTensor* out) {
  T* to = out->mutable_data<T>();
  for (int64_t i = 0; i < out->numel(); ++i) to[i] = T{};
  ForEachUnfolded(x.shape(), kernel_sizes, strides, paddings, dilations,
                  [&](const Index& image, int64_t column) {
                    to[column] = At<T>(x, image);
                  });
  return absl::OkStatus();
}

// Adds columns up to images.
template <typename T>
void FoldColumns(const DenseTensor& columns, absl::Span<const int> kernel_sizes,
                 absl::Span<const int> strides, absl::Span<const int> paddings,
                 absl::Span<const int> dilations, DenseTensor* images) {
  std::vector<SumOf<T>> sums(images->numel());
  ForEachUnfolded(images->shape(), kernel_sizes, strides, paddings, dilations,
                  [&](const Index& image, int64_t column) {
                    sums[Ravel(images->shape(), image)] +=
                        static_cast<SumOf<T>>(At<T>(columns, column));
                  });
  for (int64_t i = 0; i < images->numel(); ++i) {
    images->mutable_data<T>()[i] = static_cast<T>(sums[i]);
  }
}

template <typename S>
inline constexpr auto kUnfoldGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status UnfoldGradKernel(const ReferenceContext&, const DenseTensor&,
                              const DenseTensor& out_grad,
                              absl::Span<const int> kernel_sizes,
                              absl::Span<const int> strides,
                              absl::Span<const int> paddings,
                              absl::Span<const int> dilations,
                              DenseTensor* x_grad) {
  FoldColumns<T>(out_grad, kernel_sizes, strides, paddings, dilations, x_grad);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kFoldSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status FoldKernel(const ReferenceContext&, const DenseTensor& x,
                        absl::Span<const int>,
                        absl::Span<const int> kernel_sizes,
                        absl::Span<const int> strides,
                        absl::Span<const int> paddings,
                        absl::Span<const int> dilations, DenseTensor* out) {
  FoldColumns<T>(x, kernel_sizes, strides, paddings, dilations, out);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_VOLUME_VOLUME_H_
