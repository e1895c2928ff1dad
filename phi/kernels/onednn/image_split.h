// SPDX-License-Identifier: Apache-2.0
// ImageSplit: how an operator over images is cut for a team of threads.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_IMAGE_SPLIT_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_IMAGE_SPLIT_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "dnnl.hpp"
#include "phi/kernels/onednn/onednn_context.h"
#include "phi/shapes/window.h"

namespace switchyard::phi::kernels::onednn {

// A cut into ranges of images where there are some, otherwise into ranges of
// the channels of each image, or of the rows of its results; what a part is
// made of.
struct ImageSplit {
  enum class Axis { kImages, kChannels, kRows };

  OnednnSplit split;
  Axis axis;
  std::vector<OnednnBuffer> buffers;

  // The batch and the channels of a part, and its windows along the rows.
  int64_t Batch(const OnednnPart& part) const {
    return axis == Axis::kImages ? part.extent : part.items;
  }
  int64_t Channels(const OnednnPart& part, int64_t all) const {
    return axis == Axis::kChannels ? part.extent : all;
  }
  WindowAxis Rows(const OnednnPart& part, const WindowAxis& all) const;
};

// A tensor of the operator: oneDNN's axis of its images, and that of the
// channels that are cut. -1: it has none, or each part reads all of it.
struct SplitTensor {
  void* data;
  dnnl::memory::desc desc;
  int batch_axis = 0;
  int channel_axis = 1;
  // Windows read its rows; those of other images are of results.
  bool has_windows = false;
};

// How long all images take on one thread, and what a part has at least: of the
// channels, where there are enough.
struct ImageWork {
  double microseconds;
  int64_t least_channels = 1;
  double least_microseconds = kOnednnPartMicroseconds;
};

// Returns the cut for `channels` channels in `batch` images. Where the channels
// do not make two parts, the rows are cut if `rows` are given and every image
// has them one after another.
ImageSplit SplitImages(int64_t batch, int64_t channels, const ImageWork& work,
                       absl::Span<const SplitTensor> tensors,
                       const WindowAxis* rows = nullptr);

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_IMAGE_SPLIT_H_
