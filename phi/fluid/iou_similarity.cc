// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of iou_similarity on the CPU.
#include <algorithm>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "phi/core/signatures/iou_similarity.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/iou_similarity.gen.h"

namespace switchyard::phi {
namespace fluid {

// Out: [boxes of X, boxes of Y], what two boxes share as a part of what they
// cover together. Out has the sequences of X.
template <typename T>
class IouSimilarityCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    const DenseTensor& y = *context.Input("Y");
    SY_ASSIGN_OR_RETURN(const bool normalized,
                        context.Attr<bool>("box_normalized"));
    const T longer = normalized ? 0 : 1;
    const int64_t columns = y.extent(0);
    const T* const from = x.data<T>();
    const T* const others = y.data<T>();
    T* const to = context.Output("Out")->template mutable_data<T>();
    ParallelFor(0, x.extent(0), 1 + 4096 / (columns + 1),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    for (int64_t j = 0; j < columns; ++j) {
                      to[i * columns + j] =
                          Similarity(from + i * 4, others + j * 4, longer);
                    }
                  }
                });
    context.ShareLod("X", "Out");
    return absl::OkStatus();
  }

 private:
  // Corners the wrong way round have an area too, whatever its sign.
  static T Similarity(const T* a, const T* b, T longer) {
    const T both = Product(a, longer) + Product(b, longer);
    const T width = std::min(a[2], b[2]) - std::max(a[0], b[0]) + longer;
    const T height = std::min(a[3], b[3]) - std::max(a[1], b[1]) + longer;
    const T shared = std::max(width, T{0}) * std::max(height, T{0});
    return shared / (both - shared + static_cast<T>(1e-10));
  }
  static T Product(const T* box, T longer) {
    return (box[3] - box[1] + longer) * (box[2] - box[0] + longer);
  }
};

}  // namespace fluid

constexpr auto kSpec = KernelSpec<IouSimilaritySignature>();
SY_REGISTER_FLUID_KERNEL(iou_similarity, cpu, fluid::IouSimilarityCpuKernel,
                         legacy_iou_similarity, kSpec, float32, float64);

}  // namespace switchyard::phi
