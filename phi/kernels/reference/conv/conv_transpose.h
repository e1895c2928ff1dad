// SPDX-License-Identifier: Apache-2.0
// Reference kernels of conv2d_transpose and its gradient, in double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_TRANSPOSE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_TRANSPOSE_H_

#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/conv2d_transpose.args.gen.h"
#include "phi/core/signatures/conv2d_transpose_grad.args.gen.h"
#include "phi/kernels/reference/window.h"

namespace switchyard::phi::kernels::reference {

// Every product of a transposed convolution: element (n, c, h, w) of x times
// element (c, m, kh, kw) of the filter is a part of element (n, group * width +
// m, h * stride - before + kh * dilation, ...) of out.
class ConvTransposeTerms {
 public:
  ConvTransposeTerms(const DenseTensor& x, const DenseTensor& filter,
                     const DenseTensor& out, absl::Span<const int> strides,
                     absl::Span<const int> paddings, std::string_view algorithm,
                     int groups, absl::Span<const int> dilations,
                     std::string_view data_format)
      : x_(x, data_format),
        out_(out, data_format),
        filter_(filter),
        groups_(groups) {
    for (int axis = 0; axis < 2; ++axis) {
      stride_[axis] = strides[axis];
      dilation_[axis] =
          algorithm == "SAME" || dilations.empty() ? 1 : dilations[axis];
      before_[axis] = PaddingBefore(paddings, algorithm, axis, x_.extent(axis),
                                    filter.extent(2 + axis), strides[axis]);
    }
  }

  // Calls visit(index in x, in the filter, in out).
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (int64_t n = 0; n < x_.batch(); ++n) {
      for (int64_t c = 0; c < x_.channels(); ++c) {
        for (int64_t h = 0; h < x_.extent(0); ++h) {
          for (int64_t w = 0; w < x_.extent(1); ++w) {
            VisitElement(n, c, h, w, visit);
          }
        }
      }
    }
  }

 private:
  template <typename Visit>
  void VisitElement(int64_t n, int64_t c, int64_t h, int64_t w,
                    const Visit& visit) const {
    const int64_t width = filter_.extent(1);
    const int64_t first = c / (x_.channels() / groups_) * width;
    for (int64_t m = 0; m < width; ++m) {
      for (int64_t kh = 0; kh < filter_.extent(2); ++kh) {
        for (int64_t kw = 0; kw < filter_.extent(3); ++kw) {
          const int64_t y = h * stride_[0] - before_[0] + kh * dilation_[0];
          const int64_t z = w * stride_[1] - before_[1] + kw * dilation_[1];
          if (!out_.inside(y, z)) continue;
          visit(x_.index(n, c, h, w), Index{c, m, kh, kw},
                out_.index(n, first + m, y, z));
        }
      }
    }
  }

  Image x_, out_;
  const DenseTensor& filter_;
  int64_t groups_;
  int64_t stride_[2], dilation_[2], before_[2];
};

template <typename T>
void StoreSums(const std::vector<double>& sums, DenseTensor* out) {
  if (out == nullptr) return;
  for (int64_t i = 0; i < out->numel(); ++i) {
    out->mutable_data<T>()[i] = static_cast<T>(sums[i]);
  }
}

template <typename S>
inline constexpr auto kConv2dTransposeSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Conv2dTransposeKernel(const ReferenceContext&,
                                   const Conv2dTransposeArgs& args) {
  const ConvTransposeTerms terms(args.x, args.filter, *args.out, args.strides,
                                 args.paddings, args.padding_algorithm,
                                 args.groups, args.dilations, args.data_format);
  std::vector<double> sums(args.out->numel());
  terms.ForEach([&](const Index& i, const Index& f, const Index& o) {
    sums[Ravel(args.out->shape(), o)] +=
        double{At<T>(args.x, i)} * At<T>(args.filter, f);
  });
  StoreSums<T>(sums, args.out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kConv2dTransposeGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Conv2dTransposeGradKernel(const ReferenceContext&,
                                       const Conv2dTransposeGradArgs& args) {
  const ConvTransposeTerms terms(
      args.x, args.filter, args.out_grad, args.strides, args.paddings,
      args.padding_algorithm, args.groups, args.dilations, args.data_format);
  std::vector<double> x_sums(args.x.numel()), filter_sums(args.filter.numel());
  terms.ForEach([&](const Index& i, const Index& f, const Index& o) {
    const double g = At<T>(args.out_grad, o);
    x_sums[Ravel(args.x.shape(), i)] += g * At<T>(args.filter, f);
    filter_sums[Ravel(args.filter.shape(), f)] += g * At<T>(args.x, i);
  });
  StoreSums<T>(x_sums, args.x_grad);
  StoreSums<T>(filter_sums, args.filter_grad);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_TRANSPOSE_H_
