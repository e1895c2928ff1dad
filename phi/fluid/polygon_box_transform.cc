// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of polygon_box_transform on the CPU.
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "phi/core/signatures/polygon_box_transform.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/polygon_box_transform.gen.h"

namespace switchyard::phi {
namespace fluid {

// Input: [images, channels, height, width], distances from each pixel to the
// corners of a polygon, across in even channels and down in odd ones. Output:
// the corners in an image four times as large.
template <typename T>
class PolygonBoxTransformCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& input = *context.Input("Input");
    const int64_t height = input.extent(2), width = input.extent(3);
    const T* const from = input.data<T>();
    T* const to = context.Output("Output")->template mutable_data<T>();
    ParallelFor(0, input.numel(), 1 << 14, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t row = i / width;
        const bool across = row / height % 2 == 0;
        const int64_t pixel = across ? i % width : row % height;
        to[i] = static_cast<T>(pixel * 4) - from[i];
      }
    });
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSpec = KernelSpec<PolygonBoxTransformSignature>();
SY_REGISTER_FLUID_KERNEL(polygon_box_transform, cpu,
                         fluid::PolygonBoxTransformCpuKernel,
                         legacy_polygon_box_transform, kSpec, float32, float64);

}  // namespace switchyard::phi
