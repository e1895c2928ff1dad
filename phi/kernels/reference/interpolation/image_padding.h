// SPDX-License-Identifier: Apache-2.0
// Reference kernels of pad2d, pad3d and their gradients.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_IMAGE_PADDING_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_IMAGE_PADDING_H_

#include <optional>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// Returns the index in x of an element of the padded image; nullopt where that
// is the padding's value. pad3d's paddings begin with the last axis, those of
// pad2d with the first.
inline std::optional<Index> UnpaddedIndex(const Shape& x, Index index,
                                          absl::Span<const int64_t> paddings,
                                          std::string_view mode,
                                          std::string_view data_format) {
  const int first = data_format.back() == 'C' ? 1 : 2;
  const int spatial = x.rank() - 2;
  for (int i = 0; i < spatial; ++i) {
    const int pair = spatial == 3 ? 2 - i : i;
    const int64_t extent = x.extent(first + i);
    int64_t& at = index[first + i];
    at -= paddings[2 * pair];
    if (mode == "constant" && (at < 0 || at >= extent)) return std::nullopt;
    if (mode == "reflect") {
      if (at < 0) at = -at;
      if (at >= extent) at = extent - 1 - (at - (extent - 1));
    } else if (mode == "circular") {
      while (at < 0) at += extent;
      while (at >= extent) at -= extent;
    } else {
      if (at < 0) at = 0;
      if (at >= extent) at = extent - 1;
    }
  }
  return index;
}

template <typename S>
inline constexpr auto kPad2dSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Pad2dKernel(const ReferenceContext&, const DenseTensor& x,
                         absl::Span<const int64_t> paddings,
                         std::string_view mode, double pad_value,
                         std::string_view data_format, DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const auto from = UnpaddedIndex(x.shape(), Unravel(out->shape(), i),
                                    paddings, mode, data_format);
    out->mutable_data<T>()[i] =
        from.has_value() ? At<T>(x, *from) : static_cast<T>(pad_value);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPad2dGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Pad2dGradKernel(const ReferenceContext&,
                             const DenseTensor& out_grad,
                             absl::Span<const int64_t> paddings,
                             std::string_view mode,
                             std::string_view data_format,
                             DenseTensor* x_grad) {
  std::vector<double> sums(x_grad->numel());
  for (int64_t i = 0; i < out_grad.numel(); ++i) {
    const auto from =
        UnpaddedIndex(x_grad->shape(), Unravel(out_grad.shape(), i), paddings,
                      mode, data_format);
    if (!from.has_value()) continue;
    sums[Ravel(x_grad->shape(), *from)] += double(At<T>(out_grad, i));
  }
  for (int64_t i = 0; i < x_grad->numel(); ++i) {
    x_grad->mutable_data<T>()[i] = static_cast<T>(sums[i]);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPad3dSpec = KernelSpec<S>().AllStrided();
template <typename T>
inline constexpr auto Pad3dKernel = &Pad2dKernel<T>;
template <typename S>
inline constexpr auto kPad3dGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
inline constexpr auto Pad3dGradKernel = &Pad2dGradKernel<T>;

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_IMAGE_PADDING_H_
