// SPDX-License-Identifier: Apache-2.0
// iou_similarity on the CPU. Boxes are (x_min, y_min, x_max, y_max).
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_BOXES_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_BOXES_H_

#include <algorithm>
#include <cstdint>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::cpu {

// The area that two boxes share, as a part of all that they cover. Corners the
// wrong way round have an area too, whatever its sign.
template <typename T>
T BoxSimilarity(const T* a, const T* b, T longer) {
  const T width = std::min(a[2], b[2]) - std::max(a[0], b[0]) + longer;
  const T height = std::min(a[3], b[3]) - std::max(a[1], b[1]) + longer;
  const T shared = std::max(width, T{0}) * std::max(height, T{0});
  const T first = (a[3] - a[1] + longer) * (a[2] - a[0] + longer);
  const T second = (b[3] - b[1] + longer) * (b[2] - b[0] + longer);
  return shared / (first + second - shared + static_cast<T>(1e-10));
}

template <typename S>
inline constexpr auto kIouSimilaritySpec = KernelSpec<S>();
template <typename T>
absl::Status IouSimilarityKernel(const CpuContext&, const DenseTensor& x,
                                 const DenseTensor& y, bool box_normalized,
                                 DenseTensor* out) {
  const T longer = box_normalized ? 0 : 1;
  const int64_t columns = y.extent(0);
  const T* const boxes = x.data<T>();
  const T* const others = y.data<T>();
  T* const to = out->mutable_data<T>();
  ParallelFor(0, out->numel(), 4096, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      to[i] = BoxSimilarity(boxes + i / columns * 4, others + i % columns * 4,
                            longer);
    }
  });
  out->SetLod(x.lod());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_BOXES_H_
