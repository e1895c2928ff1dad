// SPDX-License-Identifier: Apache-2.0
// VolumeConv: convolutions of volumes as products of matrices, a group of an
// item at a time, over columns (volume_windows.h) of as many slices as fit a
// working memory of bounded size.
//
// Bits: sums run over taps and slices in an order that the shapes decide.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_VOLUME_VOLUME_CONV_H_
#define SWITCHYARD_PHI_KERNELS_CPU_VOLUME_VOLUME_CONV_H_

#include <cstdint>

#include "framework/base/status.h"
#include "framework/memory/buffer.h"
#include "phi/kernels/cpu/volume/volume_windows.h"

namespace switchyard::phi::kernels::cpu {

// A convolution: `input` and `output` are whole tensors, `filter` is [groups *
// out_channels, in_channels, taps].
struct VolumeConv {
  VolumeTensor input, output;
  VolumeWindows windows;
  int64_t groups;
  int64_t in_channels, out_channels;  // Of a group.
};

template <typename T>
absl::Status ConvVolume(Allocator& allocator, const VolumeConv& conv,
                        const T* input, const T* filter, T* output);

template <typename T>
absl::Status ConvVolumeInputGrad(Allocator& allocator, const VolumeConv& conv,
                                 const T* filter, const T* output_grad,
                                 T* input_grad);

template <typename T>
absl::Status ConvVolumeFilterGrad(Allocator& allocator, const VolumeConv& conv,
                                  const T* input, const T* output_grad,
                                  T* filter_grad);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_VOLUME_VOLUME_CONV_H_
