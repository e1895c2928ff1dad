// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of density_prior_box on the CPU.
#include <cmath>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "phi/core/signatures/density_prior_box.gen.h"
#include "phi/fluid/prior_cells.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/density_prior_box.gen.h"

namespace switchyard::phi {
namespace fluid {

// About each cell of Input a grid of boxes for each size and ratio, `density`
// of them along each side, within the image.
template <typename T>
class DensityPriorBoxCpuKernel final : public OpKernel<T> {
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
    Grids grids;
    SY_ASSIGN_OR_RETURN(grids.sizes, context.Attr<FloatList>("fixed_sizes"));
    SY_ASSIGN_OR_RETURN(grids.ratios, context.Attr<FloatList>("fixed_ratios"));
    SY_ASSIGN_OR_RETURN(grids.densities,
                        context.Attr<absl::Span<const int>>("densities"));
    const PriorCells<T> cells(input.shape(), image.shape(), step_w, step_h,
                              offset);
    // Boxes lie on whole pixels of a square as wide as the mean of the steps.
    grids.side = std::trunc((cells.step_w() + cells.step_h()) * T{0.5});
    DenseTensor* out = context.Output("Boxes");
    if (out->numel() > 0) {
      T* const to = out->mutable_data<T>();
      const int64_t size = out->numel() / cells.count();
      ParallelFor(0, cells.count(), 64, [&](int64_t begin, int64_t end) {
        for (int64_t cell = begin; cell < end; ++cell) {
          WriteCell(cells, grids, cells.centre(cell), to + cell * size);
        }
      });
      ClipToImage(out->numel(), to);
      if (clip) ClipToUnit(out->numel(), to);
    }
    RepeatVariances<T>(variances, context.Output("Variances"));
    return absl::OkStatus();
  }

 private:
  struct Grids {
    FloatList sizes;
    FloatList ratios;
    absl::Span<const int> densities;
    T side;
  };

  static void WriteCell(const PriorCells<T>& cells, const Grids& grids,
                        const BoxCentre<T>& centre, T* box) {
    for (size_t i = 0; i < grids.sizes.size(); ++i) {
      const int density = grids.densities[i];
      const T shift = std::trunc(grids.side / static_cast<T>(density));
      const T before = -grids.side / 2 + shift / 2;
      for (const float ratio : grids.ratios) {
        const T root = std::sqrt(static_cast<T>(ratio));
        const T size = grids.sizes[i];
        const HalfSides<T> half = {size * root / 2, size / root / 2};
        for (int64_t k = 0; k < int64_t{density} * density; ++k) {
          const auto row = static_cast<T>(k / density);
          const auto column = static_cast<T>(k % density);
          box = cells.Write({centre.x + before + column * shift,
                             centre.y + before + row * shift},
                            half, box);
        }
      }
    }
  }

  // The corners at the top left are at least 0, the others at most 1.
  static void ClipToImage(int64_t count, T* values) {
    for (int64_t i = 0; i < count; ++i) {
      values[i] =
          i % 4 < 2 ? std::max(values[i], T{0}) : std::min(values[i], T{1});
    }
  }
};

}  // namespace fluid

constexpr auto kSpec =
    KernelSpec<DensityPriorBoxSignature>().AllStrided().Input(
        DensityPriorBoxSignature::kImage, WithAnyStrides(AnyDtype()));
SY_REGISTER_FLUID_KERNEL(density_prior_box, cpu,
                         fluid::DensityPriorBoxCpuKernel,
                         legacy_density_prior_box, kSpec, float32, float64);

}  // namespace switchyard::phi
