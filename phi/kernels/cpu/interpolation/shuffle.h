// SPDX-License-Identifier: Apache-2.0
// pixel_shuffle, pixel_unshuffle, channel_shuffle and its gradient on the CPU:
// copies between geometries, by the size of elements and not their dtype.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_SHUFFLE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_SHUFFLE_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::cpu {

// Copies x, whose channels hold tiles of factor x factor pixels, to `out`; both
// are contiguous.
void MoveTilesToPixels(const DenseTensor& x, int factor,
                       std::string_view data_format, DenseTensor* out);
// Does the opposite.
void MovePixelsToTiles(const DenseTensor& x, int factor,
                       std::string_view data_format, DenseTensor* out);
// Copies channel (i, k) of x, [rows, columns] of them, to channel (k, i).
void TransposeChannels(const DenseTensor& x, int64_t rows, int64_t columns,
                       std::string_view data_format, DenseTensor* out);

inline int64_t NumChannels(const DenseTensor& x, std::string_view data_format) {
  return x.extent(data_format == "NHWC" ? 3 : 1);
}

template <typename S>
inline constexpr auto kPixelShuffleSpec = KernelSpec<S>();
template <typename T>
absl::Status PixelShuffleKernel(const CpuContext&, const DenseTensor& x,
                                int upscale_factor,
                                std::string_view data_format,
                                DenseTensor* out) {
  MoveTilesToPixels(x, upscale_factor, data_format, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPixelUnshuffleSpec = KernelSpec<S>();
template <typename T>
absl::Status PixelUnshuffleKernel(const CpuContext&, const DenseTensor& x,
                                  int downscale_factor,
                                  std::string_view data_format,
                                  DenseTensor* out) {
  MovePixelsToTiles(x, downscale_factor, data_format, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kChannelShuffleSpec = KernelSpec<S>();
template <typename T>
absl::Status ChannelShuffleKernel(const CpuContext&, const DenseTensor& x,
                                  int groups, std::string_view data_format,
                                  DenseTensor* out) {
  TransposeChannels(x, groups, NumChannels(x, data_format) / groups,
                    data_format, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kChannelShuffleGradSpec = KernelSpec<S>();
template <typename T>
absl::Status ChannelShuffleGradKernel(const CpuContext&,
                                      const DenseTensor& out_grad, int groups,
                                      std::string_view data_format,
                                      DenseTensor* x_grad) {
  TransposeChannels(out_grad, NumChannels(out_grad, data_format) / groups,
                    groups, data_format, x_grad);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_SHUFFLE_H_
