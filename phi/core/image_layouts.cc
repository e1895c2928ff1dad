// SPDX-License-Identifier: Apache-2.0
#include "phi/core/image_layouts.h"

#include <algorithm>

namespace switchyard::phi {

int64_t ChannelBlock(LayoutDescriptor layout, std::string_view data_format) {
  if (layout.strided() || layout.rank() != 4 || layout.num_blocks() != 1) {
    return 0;
  }
  const int64_t block = layout.block(0).extent;
  return layout == BlockedImage(block, data_format) ? block : 0;
}

LayoutDescriptor BlockedImage(int64_t block, std::string_view data_format) {
  if (data_format == "NHWC") {
    return *LayoutDescriptor::Make({0, 3, 1, 2}, {{3, block}});
  }
  return *LayoutDescriptor::Make({0, 1, 2, 3}, {{1, block}});
}

LayoutDescriptor ChannelsFirst() {
  return *LayoutDescriptor::Make({0, 3, 1, 2}, {});
}

LayoutDescriptor ChannelsInnermost() {
  return *LayoutDescriptor::Make({0, 2, 3, 1}, {});
}

void FollowImage(std::string_view data_format, TensorLayouts* layouts) {
  const LayoutDescriptor image = layouts->inputs[0];
  TakeStrided(layouts);
  const bool first = data_format == "NHWC" && image == ChannelsFirst();
  if (!first && ChannelBlock(image, data_format) == 0) return;
  layouts->inputs[0] = image;
  layouts->outputs[0] = image;
}

void TakeStrided(TensorLayouts* layouts) {
  std::fill(layouts->inputs.begin(), layouts->inputs.end(), LayoutDescriptor());
  std::fill(layouts->outputs.begin(), layouts->outputs.end(),
            LayoutDescriptor());
}

}  // namespace switchyard::phi
