// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of prior_box on the CPU.
#include <algorithm>
#include <cmath>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "phi/core/signatures/prior_box.gen.h"
#include "phi/fluid/prior_cells.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/prior_box.gen.h"

namespace switchyard::phi {
namespace fluid {

// Boxes of sizes and ratios about the centre of each cell of Input, as parts of
// the extents of Image.
template <typename T>
class PriorBoxCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& input = *context.Input("Input");
    const DenseTensor& image = *context.Input("Image");
    SY_ASSIGN_OR_RETURN(const float step_w, context.Attr<float>("step_w"));
    SY_ASSIGN_OR_RETURN(const float step_h, context.Attr<float>("step_h"));
    SY_ASSIGN_OR_RETURN(const float offset, context.Attr<float>("offset"));
    SY_ASSIGN_OR_RETURN(const bool clip, context.Attr<bool>("clip"));
    SY_ASSIGN_OR_RETURN(const FloatList variances,
                        context.Attr<FloatList>("variances"));
    SY_ASSIGN_OR_RETURN(const std::vector<HalfSides<T>> halves,
                        Halves(context));
    const PriorCells<T> cells(input.shape(), image.shape(), step_w, step_h,
                              offset);
    DenseTensor* out = context.Output("Boxes");
    const auto count = static_cast<int64_t>(halves.size());
    T* const to = out->mutable_data<T>();
    ParallelFor(0, cells.count(), 256, [&](int64_t begin, int64_t end) {
      for (int64_t cell = begin; cell < end; ++cell) {
        T* box = to + cell * count * 4;
        for (const HalfSides<T>& half : halves) {
          box = cells.Write(cells.centre(cell), half, box);
        }
      }
    });
    if (clip) ClipToUnit(out->numel(), to);
    RepeatVariances<T>(variances, context.Output("Variances"));
    return absl::OkStatus();
  }

 private:
  // Half the sides of a cell's boxes, in their order.
  static absl::StatusOr<std::vector<HalfSides<T>>> Halves(
      const ExecutionContext& context) {
    SY_ASSIGN_OR_RETURN(const FloatList smallest,
                        context.Attr<FloatList>("min_sizes"));
    SY_ASSIGN_OR_RETURN(const FloatList largest,
                        context.Attr<FloatList>("max_sizes"));
    SY_ASSIGN_OR_RETURN(const FloatList listed,
                        context.Attr<FloatList>("aspect_ratios"));
    SY_ASSIGN_OR_RETURN(const bool flip, context.Attr<bool>("flip"));
    SY_ASSIGN_OR_RETURN(const bool sizes_first,
                        context.Attr<bool>("min_max_aspect_ratios_order"));
    const std::vector<float> ratios = Ratios(listed, flip);
    std::vector<HalfSides<T>> halves;
    for (size_t i = 0; i < smallest.size(); ++i) {
      const T size = smallest[i];
      const auto add_square = [&] {
        if (largest.empty()) return;
        const T side = std::sqrt(size * static_cast<T>(largest[i])) / 2;
        halves.push_back({side, side});
      };
      for (size_t k = 0; k < ratios.size(); ++k) {
        const T root = std::sqrt(static_cast<T>(ratios[k]));
        halves.push_back({size * root / 2, size / root / 2});
        if (k == 0 && sizes_first) add_square();
      }
      if (!sizes_first) add_square();
    }
    return halves;
  }

  // 1, and those listed (with their reciprocals) that are not near another.
  static std::vector<float> Ratios(FloatList listed, bool flip) {
    std::vector<float> ratios = {1.0f};
    for (const float ratio : listed) {
      const bool known = std::any_of(
          ratios.begin(), ratios.end(),
          [&](float other) { return std::fabs(ratio - other) < 1e-6; });
      if (known) continue;
      ratios.push_back(ratio);
      if (flip) ratios.push_back(1 / ratio);
    }
    return ratios;
  }
};

}  // namespace fluid

// Only the extents of the maps matter.
constexpr auto kSpec = KernelSpec<PriorBoxSignature>().AllStrided().Input(
    PriorBoxSignature::kImage, WithAnyStrides(AnyDtype()));
SY_REGISTER_FLUID_KERNEL(prior_box, cpu, fluid::PriorBoxCpuKernel,
                         legacy_prior_box, kSpec, float32, float64);

}  // namespace switchyard::phi
