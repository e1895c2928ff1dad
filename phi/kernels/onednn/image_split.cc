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

ImageSplit ByImages(int64_t batch, const ImageWork& work,
                    absl::Span<const SplitTensor> tensors) {
  ImageSplit result;
  result.axis = ImageSplit::Axis::kImages;
  result.split.extent = batch;
  const bool apart = ImagesAreApart(tensors);
  if (apart) {
    result.split.parts =
        OnednnParts(batch, work.microseconds, 1, work.least_microseconds);
  }
  for (const SplitTensor& tensor : tensors) {
    result.buffers.push_back({tensor.data, 0, apart ? ImageBytes(tensor) : 0});
  }
  return result;
}

// How many rows of an image a window reaches over.
int64_t Reach(const WindowAxis& rows) {
  return (rows.kernel - 1) * rows.dilation + 1;
}

// How many rows after the image the last window reads.
int64_t ReadAfter(const WindowAxis& rows) {
  const int64_t end =
      (rows.output - 1) * rows.stride + Reach(rows) - rows.before;
  return std::max<int64_t>(end - rows.input, 0);
}

// Whether each of `parts` parts gives the bits of the whole: only the first and
// the last one read padding, and windows skip no row. Where they do, oneDNN has
// other code for other heights.
bool PartsAreAlike(const WindowAxis& rows, int64_t parts) {
  if (Reach(rows) < rows.stride) return false;
  const int64_t least = rows.output / parts;
  const int64_t end = (rows.output - least - 1) * rows.stride + Reach(rows) -
                      rows.before;  // Of the windows before the last part.
  return least * rows.stride >= rows.before && end <= rows.input;
}

// Returns how many bytes each row of an image has; nullopt where other channels
// lie between them.
std::optional<int64_t> RowBytes(const SplitTensor& image) {
  const auto rows = FindBlocks(image.desc, 2, 1);
  if (!rows.has_value() || rows->elements != 1) return std::nullopt;
  return rows->bytes;
}

// Returns the cut by rows; nullopt if it can't be done or does not pay.
std::optional<ImageSplit> ByRows(int64_t batch, const ImageWork& work,
                                 const WindowAxis& rows,
                                 absl::Span<const SplitTensor> tensors) {
  const int64_t parts =
      OnednnParts(rows.output, work.microseconds / static_cast<double>(batch),
                  1, work.least_microseconds);
  if (parts == 1 || !PartsAreAlike(rows, parts)) return std::nullopt;
  ImageSplit result;
  result.axis = ImageSplit::Axis::kRows;
  result.split = {batch, rows.output, 1, parts};
  result.split.first_alone = rows.before > 0;
  result.split.last_alone = ReadAfter(rows) > 0;
  for (const SplitTensor& tensor : tensors) {
    OnednnBuffer buffer = {tensor.data, ImageBytes(tensor)};
    if (tensor.batch_axis >= 0) {
      const std::optional<int64_t> bytes = RowBytes(tensor);
      if (!bytes.has_value()) return std::nullopt;
      buffer.block_bytes = *bytes * (tensor.has_windows ? rows.stride : 1);
      if (tensor.has_windows) buffer.early_bytes = *bytes * rows.before;
    }
    result.buffers.push_back(buffer);
  }
  return result;
}

}  // namespace

WindowAxis ImageSplit::Rows(const OnednnPart& part,
                            const WindowAxis& all) const {
  if (axis != Axis::kRows || part.extent == all.output) return all;
  WindowAxis rows = all;
  rows.output = part.extent;
  rows.before = part.first ? all.before : 0;
  rows.after = part.last ? ReadAfter(all) : 0;
  rows.input =
      (part.extent - 1) * all.stride + Reach(all) - rows.before - rows.after;
  return rows;
}

ImageSplit SplitImages(int64_t batch, int64_t channels, const ImageWork& work,
                       absl::Span<const SplitTensor> tensors,
                       const WindowAxis* rows) {
  const int64_t block = CommonBlock(tensors);
  if (batch >= kManyImages || !ImagesAreApart(tensors)) {
    return ByImages(batch, work, tensors);
  }
  const auto image = work.microseconds / static_cast<double>(batch);
  const int64_t parts =
      block == 0 ? 1
                 : OnednnParts((channels + block - 1) / block, image,
                               (work.least_channels + block - 1) / block,
                               work.least_microseconds);
  if (parts == 1) {
    std::optional<ImageSplit> by_rows;
    if (rows != nullptr) by_rows = ByRows(batch, work, *rows, tensors);
    return by_rows ? *by_rows : ByImages(batch, work, tensors);
  }
  ImageSplit result;
  result.axis = ImageSplit::Axis::kChannels;
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
