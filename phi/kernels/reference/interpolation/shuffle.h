// SPDX-License-Identifier: Apache-2.0
// Reference kernels of pixel_shuffle, pixel_unshuffle, channel_shuffle and its
// gradient: for each element of the result the one that it comes from.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_SHUFFLE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_SHUFFLE_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/window.h"

namespace switchyard::phi::kernels::reference {

// Sets element (n, c, h, w) of `out` to x's element source(n, c, h, w).
template <typename T, typename Source>
void SetFrom(const DenseTensor& x, std::string_view data_format,
             const Source& source, DenseTensor* out) {
  const Image from(x, data_format), to(*out, data_format);
  for (int64_t n = 0; n < to.batch(); ++n) {
    for (int64_t c = 0; c < to.channels(); ++c) {
      for (int64_t h = 0; h < to.extent(0); ++h) {
        for (int64_t w = 0; w < to.extent(1); ++w) {
          const Index s = source(c, h, w);
          out->mutable_data<T>()[to.position(n, c, h, w)] =
              At<T>(x, from.index(n, s[0], s[1], s[2]));
        }
      }
    }
  }
}

template <typename S>
inline constexpr auto kPixelShuffleSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status PixelShuffleKernel(const ReferenceContext&, const DenseTensor& x,
                                int r, std::string_view data_format,
                                DenseTensor* out) {
  SetFrom<T>(
      x, data_format,
      [r](int64_t c, int64_t h, int64_t w) {
        return Index{c * r * r + h % r * r + w % r, h / r, w / r};
      },
      out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPixelUnshuffleSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status PixelUnshuffleKernel(const ReferenceContext&, const DenseTensor& x,
                                  int r, std::string_view data_format,
                                  DenseTensor* out) {
  SetFrom<T>(
      x, data_format,
      [r](int64_t c, int64_t h, int64_t w) {
        return Index{c / (r * r), h * r + c / r % r, w * r + c % r};
      },
      out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kChannelShuffleSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ChannelShuffleKernel(const ReferenceContext&, const DenseTensor& x,
                                  int groups, std::string_view data_format,
                                  DenseTensor* out) {
  const int64_t width = Image(x, data_format).channels() / groups;
  SetFrom<T>(
      x, data_format,
      [=](int64_t c, int64_t h, int64_t w) {
        return Index{c % groups * width + c / groups, h, w};
      },
      out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kChannelShuffleGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ChannelShuffleGradKernel(const ReferenceContext&,
                                      const DenseTensor& out_grad, int groups,
                                      std::string_view data_format,
                                      DenseTensor* x_grad) {
  const int64_t width = Image(out_grad, data_format).channels() / groups;
  SetFrom<T>(
      out_grad, data_format,
      [=](int64_t c, int64_t h, int64_t w) {
        return Index{c % width * groups + c / width, h, w};
      },
      x_grad);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_SHUFFLE_H_
