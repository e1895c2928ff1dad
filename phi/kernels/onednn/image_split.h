// SPDX-License-Identifier: Apache-2.0
// ImageSplit: how an operator over images is cut for a team of threads.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_IMAGE_SPLIT_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_IMAGE_SPLIT_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "dnnl.hpp"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi::kernels::onednn {

// A cut into ranges of images where there are some, and otherwise into ranges
// of the channels of each image; what a part is made of.
struct ImageSplit {
  OnednnSplit split;
  bool by_images;
  std::vector<OnednnBuffer> buffers;

  // The batch and the channels of a part, of the numbers that
  // OnednnContext::MakePart gets.
  int64_t Batch(int64_t items, int64_t extent) const {
    return by_images ? extent : items;
  }
  int64_t Channels(int64_t extent, int64_t all) const {
    return by_images ? all : extent;
  }
};

// A tensor of the operator: oneDNN's axis of its images, and that of the
// channels that are cut. -1: it has none, or each part reads all of it.
struct SplitTensor {
  void* data;
  dnnl::memory::desc desc;
  int batch_axis = 0;
  int channel_axis = 1;
};

// Returns the cut for `channels` channels in `batch` images that take some
// `microseconds` on one thread. Ranges of channels have at least
// `least_channels`, where there are enough.
ImageSplit SplitImages(int64_t batch, int64_t channels, double microseconds,
                       int64_t least_channels,
                       absl::Span<const SplitTensor> tensors);

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_IMAGE_SPLIT_H_
