// SPDX-License-Identifier: Apache-2.0
// Convolutions of images whose channels are blocked: [batch, blocks of
// channels, height, width, block] in memory. Depthwise ones and those of 1 x 1
// alone, to the bits that conv_engine.h computes from planes: a result is
// summed in the same order.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_BLOCKS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_BLOCKS_H_

#include "framework/types/layout_descriptor.h"
#include "phi/kernels/cpu/conv/conv_geometry.h"

namespace switchyard::phi::kernels::cpu {

// The convolutions that ConvBlocks() knows.
enum class BlockedConv { kNone, kDepthwise, kPointwise };

// Returns which of them a convolution is; the batch does not matter.
BlockedConv BlockedConvOf(const ConvGeometry& g);

// Returns the layout of its filter for images of a block: the output channels
// are blocked, and in a pointwise one the input channels too.
LayoutDescriptor BlockedFilter(BlockedConv kind, int64_t block);

// Convolves. Requires that BlockedConvOf(g) is not kNone, and channels that are
// padded with zeros to whole blocks; those of `out` are then too.
template <typename T>
absl::Status ConvBlocks(Allocator& allocator, const ConvGeometry& g,
                        int64_t block, const T* input, const T* filter, T* out);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_BLOCKS_H_
