// SPDX-License-Identifier: Apache-2.0
// Layouts of tensors as oneDNN describes them, and back.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_LAYOUTS_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_LAYOUTS_H_

#include <optional>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "dnnl.hpp"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/layout_descriptor.h"
#include "framework/types/shape.h"

namespace switchyard::phi::kernels::onednn {

// Says how oneDNN numbers the axes of a float32 tensor.
struct OnednnAxes {
  // Indexed by oneDNN's axis: the tensor's. Read without groups.
  absl::Span<const int> order;
  // More than 1: a filter's first axis is two of oneDNN's, [groups, channels of
  // a group], and the others follow.
  int64_t groups = 1;
};

// oneDNN's axes of an image: [batch, channels, height, width].
OnednnAxes ImageAxes(std::string_view data_format);
// oneDNN's axes of a tensor of this rank: the same.
OnednnAxes SameAxes(int rank);

// Returns the description of a contiguous tensor, or of one in another layout.
dnnl::memory::desc MakeDesc(const Shape& shape, LayoutDescriptor layout,
                            const OnednnAxes& axes);
inline dnnl::memory::desc MakeDesc(const DenseTensor& x,
                                   const OnednnAxes& axes) {
  return MakeDesc(x.shape(), x.layout(), axes);
}
// Returns how many channels lie together in the images that suit oneDNN on this
// machine: what its units compute at once in float32.
int64_t OnednnChannelBlock();
// Returns the same for a convolution from `from` channels to `to`.
int64_t OnednnConvBlock(int64_t from, int64_t to);

// Returns a description that leaves the layout to a primitive.
dnnl::memory::desc MakeAnyDesc(const Shape& shape, const OnednnAxes& axes);

// Returns the layout that a primitive chose. Unavailable for one that no
// LayoutDescriptor describes.
absl::StatusOr<LayoutDescriptor> GetLayout(const dnnl::memory::desc& desc,
                                           const OnednnAxes& axes);

// Blocks of an axis of a tensor: how many of its elements each has, and how
// many bytes lie between one and the next.
struct OnednnBlocks {
  int64_t elements;
  int64_t bytes;
};
// Returns the blocks of oneDNN's axis `axis` where each is a piece of memory
// with nothing else in it, once the axes before `first` are fixed; nullopt
// where other axes, or blocks of the axes before, lie in between.
std::optional<OnednnBlocks> FindBlocks(const dnnl::memory::desc& desc, int axis,
                                       int first);

// Calls `ask` with an engine for choosing layouts; oneDNN's exceptions become
// statuses.
absl::Status AskOnednn(
    absl::FunctionRef<absl::Status(const dnnl::engine&)> ask);

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_LAYOUTS_H_
