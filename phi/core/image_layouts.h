// SPDX-License-Identifier: Apache-2.0
// Layouts of images: blocked channels, channels first, channels innermost.
#ifndef SWITCHYARD_PHI_CORE_IMAGE_LAYOUTS_H_
#define SWITCHYARD_PHI_CORE_IMAGE_LAYOUTS_H_

#include <cstdint>
#include <string_view>

#include "phi/core/kernel_layouts.h"

namespace switchyard::phi {

// Returns how many channels lie together at each pixel of an image tensor of
// rank 4 whose memory is [batch, blocks of channels, height, width, block]; 0
// if `layout` is any other. `data_format` is "NCHW" or "NHWC".
int64_t ChannelBlock(LayoutDescriptor layout, std::string_view data_format);

// Returns the layout of which ChannelBlock() is `block`, a power of two from 2
// to 128.
LayoutDescriptor BlockedImage(int64_t block, std::string_view data_format);

// Returns the layout of an NHWC tensor whose memory is [batch, channels,
// height, width].
LayoutDescriptor ChannelsFirst();

// Returns the layout of an NCHW tensor whose memory is [batch, height, width,
// channels].
LayoutDescriptor ChannelsInnermost();

// Fills the layouts of a kernel whose first input may have blocked channels or,
// if it is NHWC, channels first: its first output then has the same layout. All
// other tensors are strided.
void FollowImage(std::string_view data_format, TensorLayouts* layouts);

// Makes all tensors strided.
void TakeStrided(TensorLayouts* layouts);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_IMAGE_LAYOUTS_H_
