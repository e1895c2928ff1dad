// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/image_split.h"

#include <algorithm>
#include <optional>

#include "phi/kernels/onednn/layouts.h"

namespace switchyard::phi::kernels::onednn {
namespace {

// From as many images on they are shared out whole.
constexpr int64_t kManyImages = 4;

// How many channels every tensor has together, 0 if one of them mixes channels.
// Blocks are powers of two.
int64_t CommonBlock(absl::Span<const SplitTensor> tensors) {
  int64_t common = 1;
  for (const SplitTensor& tensor : tensors) {
    if (tensor.channel_axis < 0) continue;
    const std::optional<OnednnBlocks> blocks =
        FindBlocks(tensor.desc, tensor.channel_axis, tensor.batch_axis + 1);
    if (!blocks.has_value()) return 0;
    common = std::max(common, blocks->elements);
  }
  return common;
}

bool ImagesAreApart(absl::Span<const SplitTensor> tensors) {
  for (const SplitTensor& tensor : tensors) {
    if (tensor.batch_axis < 0) continue;
    const auto images = FindBlocks(tensor.desc, tensor.batch_axis, 0);
    if (!images.has_value() || images->elements != 1) return false;
  }
  return true;
}

int64_t ImageBytes(const SplitTensor& tensor) {
  if (tensor.batch_axis < 0) return 0;
  return FindBlocks(tensor.desc, tensor.batch_axis, 0)->bytes;
}

ImageSplit ByImages(int64_t batch, double microseconds,
                    absl::Span<const SplitTensor> tensors) {
  ImageSplit result;
  result.by_images = true;
  result.split.extent = batch;
  const bool apart = ImagesAreApart(tensors);
  if (apart) result.split.parts = OnednnParts(batch, microseconds);
  for (const SplitTensor& tensor : tensors) {
    result.buffers.push_back({tensor.data, 0, apart ? ImageBytes(tensor) : 0});
  }
  return result;
}

}  // namespace

ImageSplit SplitImages(int64_t batch, int64_t channels, double microseconds,
                       int64_t least_channels,
                       absl::Span<const SplitTensor> tensors) {
  const int64_t block = CommonBlock(tensors);
  if (batch >= kManyImages || block == 0 || !ImagesAreApart(tensors)) {
    return ByImages(batch, microseconds, tensors);
  }
  const auto image = microseconds / static_cast<double>(batch);
  const int64_t parts = OnednnParts((channels + block - 1) / block, image,
                                    (least_channels + block - 1) / block);
  if (parts == 1) return ByImages(batch, microseconds, tensors);
  ImageSplit result;
  result.by_images = false;
  result.split = {batch, channels, block, parts};
  for (const SplitTensor& tensor : tensors) {
    OnednnBuffer buffer = {tensor.data, ImageBytes(tensor)};
    if (tensor.channel_axis >= 0) {
      const auto own =
          FindBlocks(tensor.desc, tensor.channel_axis, tensor.batch_axis + 1);
      buffer.block_bytes = own->bytes * (block / own->elements);
    }
    result.buffers.push_back(buffer);
  }
  return result;
}

}  // namespace switchyard::phi::kernels::onednn
