// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of box_clip on the CPU.
#include <algorithm>
#include <cmath>
#include <string>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/box_clip.gen.h"
#include "phi/fluid/boxes.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/box_clip.gen.h"

namespace switchyard::phi {
namespace fluid {

// Moves boxes into the images that their sequences belong to; ImInfo has their
// height, their width, and the scale from the boxes' image to that size. Boxes
// without sequences belong to one image.
template <typename T>
class BoxClipCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& input = *context.Input("Input");
    const DenseTensor& info = *context.Input("ImInfo");
    SY_ASSIGN_OR_RETURN(const std::vector<int64_t> starts, SequencesOf(input));
    const auto images = static_cast<int64_t>(starts.size()) - 1;
    if (info.extent(0) != images) {
      return ArgumentError("im_info",
                           "of " + std::to_string(images) +
                               " rows, as many as input has sequences",
                           ToString(info.shape()));
    }
    T* const to = context.Output("Output")->template mutable_data<T>();
    const int64_t width = input.shape().numel(1, input.rank());
    for (int64_t i = 0; i < images; ++i) {
      const T* image = info.data<T>() + i * 3;
      // The last pixels of a row and of a column.
      const T most[2] = {std::round(image[1] / image[2]) - 1,
                         std::round(image[0] / image[2]) - 1};
      for (int64_t k = starts[i] * width; k < starts[i + 1] * width; ++k) {
        to[k] = std::max(std::min(input.data<T>()[k], most[k % 2]), T{0});
      }
    }
    context.ShareLod("Input", "Output");
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSpec = KernelSpec<BoxClipSignature>();
SY_REGISTER_FLUID_KERNEL(box_clip, cpu, fluid::BoxClipCpuKernel,
                         legacy_box_clip, kSpec, float32, float64);

}  // namespace switchyard::phi
