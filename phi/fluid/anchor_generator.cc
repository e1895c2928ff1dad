// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of anchor_generator on the CPU.
#include <cmath>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "phi/core/signatures/anchor_generator.gen.h"
#include "phi/fluid/prior_cells.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/anchor_generator.gen.h"

namespace switchyard::phi {
namespace fluid {

// Boxes in pixels about the centre of each cell of Input, by ratio and size.
template <typename T>
class AnchorGeneratorCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const Shape& map = context.Input("Input")->shape();
    SY_ASSIGN_OR_RETURN(const FloatList stride,
                        context.Attr<FloatList>("stride"));
    SY_ASSIGN_OR_RETURN(const float offset, context.Attr<float>("offset"));
    SY_ASSIGN_OR_RETURN(const FloatList variances,
                        context.Attr<FloatList>("variances"));
    SY_ASSIGN_OR_RETURN(const std::vector<HalfSides<T>> halves,
                        Halves(context));
    const int64_t rows = map.extent(2), columns = map.extent(3);
    const auto count = static_cast<int64_t>(halves.size());
    T* const to = context.Output("Anchors")->template mutable_data<T>();
    ParallelFor(0, rows * columns, 256, [&](int64_t begin, int64_t end) {
      for (int64_t cell = begin; cell < end; ++cell) {
        const T x = Centre(cell % columns, stride[0], offset);
        const T y = Centre(cell / columns, stride[1], offset);
        T* box = to + cell * count * 4;
        for (const HalfSides<T>& half : halves) {
          *box++ = x - half.width;
          *box++ = y - half.height;
          *box++ = x + half.width;
          *box++ = y + half.height;
        }
      }
    });
    RepeatVariances<T>(variances, context.Output("Variances"));
    return absl::OkStatus();
  }

 private:
  static T Centre(int64_t cell, T stride, T offset) {
    return static_cast<T>(cell) * stride + offset * (stride - 1);
  }

  // Half the way from the first to the last pixel of each anchor.
  static absl::StatusOr<std::vector<HalfSides<T>>> Halves(
      const ExecutionContext& context) {
    SY_ASSIGN_OR_RETURN(const FloatList sizes,
                        context.Attr<FloatList>("anchor_sizes"));
    SY_ASSIGN_OR_RETURN(const FloatList ratios,
                        context.Attr<FloatList>("aspect_ratios"));
    SY_ASSIGN_OR_RETURN(const FloatList stride,
                        context.Attr<FloatList>("stride"));
    const T stride_w = stride[0], stride_h = stride[1];
    std::vector<HalfSides<T>> halves;
    for (const float ratio : ratios) {
      const T width =
          std::round(std::sqrt(stride_w * stride_h / static_cast<T>(ratio)));
      const T height = std::round(width * static_cast<T>(ratio));
      for (const float size : sizes) {
        const auto side = static_cast<T>(size);
        halves.push_back({(side / stride_w * width - 1) / 2,
                          (side / stride_h * height - 1) / 2});
      }
    }
    return halves;
  }
};

}  // namespace fluid

constexpr auto kSpec = KernelSpec<AnchorGeneratorSignature>().AllStrided();
SY_REGISTER_FLUID_KERNEL(anchor_generator, cpu, fluid::AnchorGeneratorCpuKernel,
                         legacy_anchor_generator, kSpec, float32, float64);

}  // namespace switchyard::phi
