// SPDX-License-Identifier: Apache-2.0
// pool2d by oneDNN.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_POOLING_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_POOLING_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/image_layouts.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/short_text.h"
#include "phi/core/signatures/pool2d.args.gen.h"
#include "phi/kernels/onednn/layouts.h"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi::kernels::onednn {

// Blocks of channels, or the channels last: planes, which oneDNN pools element
// by element, take 30 times as long and are reordered.
template <typename S>
absl::Status Pool2dLayouts(const LayoutCall& call, TensorLayouts* layouts) {
  const auto format =
      call.attrs[S::kDataFormat].template Get<std::string_view>();
  FollowImage(format, layouts);
  if (ChannelBlock(layouts->inputs[0], format) > 0) return absl::OkStatus();
  TakeStrided(layouts);
  if (format == "NHWC") return absl::OkStatus();
  const int64_t block = OnednnChannelBlock();
  if (call.inputs[S::kX]->extent(1) < block) {
    return absl::UnavailableError("fewer channels than a block has");
  }
  layouts->inputs[0] = BlockedImage(block, format);
  layouts->outputs[0] = layouts->inputs[0];
  return absl::OkStatus();
}

// Means of windows of one size that lie within the padded image, padding not
// counted: oneDNN gives these values too. Its largest elements are others: it
// passes over NaN and starts from the lowest finite number instead of
// -infinity. On smaller tensors a primitive's call costs more than it wins. The
// batch may be empty, nothing else.
template <typename S>
inline constexpr auto kPool2dSpec =
    KernelSpec<S>()
        .Layouts(DataLayout::kBlocked, &Pool2dLayouts<S>)
        .When(AttrEquals(S::kPoolingType, ShortText("avg")))
        .When(AttrEquals(S::kCeilMode, false))
        .When(AttrEquals(S::kExclusive, true))
        .When(AttrEquals(S::kGlobalPooling, false))
        .When(AttrEquals(S::kAdaptive, false))
        .When(ItemElementsAtLeast(S::kX, 1 << 13));
template <typename T>
absl::Status Pool2dKernel(const OnednnContext& context, const Pool2dArgs& args);

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_POOLING_H_
