// SPDX-License-Identifier: Apache-2.0
// The reference kernel of nms, and what reference kernels share about a
// detector's boxes.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_DETECTION_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_DETECTION_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// (x_min, y_min, x_max, y_max).
template <typename T>
using Box = std::array<T, 4>;

// The area of a box whose sides are `longer` longer than its corners tell; 0 if
// its corners are the wrong way round.
template <typename T>
T BoxArea(const Box<T>& box, T longer) {
  if (box[2] < box[0] || box[3] < box[1]) return 0;
  return (box[2] - box[0] + longer) * (box[3] - box[1] + longer);
}

// Returns the area that two boxes share, as a part of what they cover together.
template <typename T>
T Overlap(const Box<T>& a, const Box<T>& b, T longer) {
  if (b[0] > a[2] || b[2] < a[0] || b[1] > a[3] || b[3] < a[1]) return 0;
  const T width = std::min(a[2], b[2]) - std::max(a[0], b[0]) + longer;
  const T height = std::min(a[3], b[3]) - std::max(a[1], b[1]) + longer;
  const T shared = width * height;
  return shared / (BoxArea(a, longer) + BoxArea(b, longer) - shared);
}

template <typename S>
inline constexpr auto kNmsSpec = KernelSpec<S>().AllStrided().Output(
    S::kOut, SelfAllocated(Fixed(DataType::kInt64)));
template <typename T>
absl::Status NmsKernel(const ReferenceContext& context, const DenseTensor& x,
                       double threshold, DenseTensor* out) {
  std::vector<Box<T>> boxes(x.extent(0));
  for (int64_t i = 0; i < x.numel(); ++i) boxes[i / 4][i % 4] = At<T>(x, i);
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < x.extent(0); ++i) {
    const bool goes = std::any_of(kept.begin(), kept.end(), [&](int64_t k) {
      const Box<T>&a = boxes[k], &b = boxes[i];
      const T width = std::min(a[2], b[2]) - std::max(a[0], b[0]);
      const T height = std::min(a[3], b[3]) - std::max(a[1], b[1]);
      const T shared = std::max(width, T{0}) * std::max(height, T{0});
      const T both = (a[2] - a[0]) * (a[3] - a[1]) +
                     (b[2] - b[0]) * (b[3] - b[1]) - shared;
      return shared / both > static_cast<T>(threshold);
    });
    if (!goes) kept.push_back(i);
  }
  const Shape shape({static_cast<int64_t>(kept.size())});
  SY_RETURN_IF_ERROR(AllocateOutput(context, DataType::kInt64, shape, out));
  std::copy(kept.begin(), kept.end(), out->mutable_data<int64_t>());
  return absl::OkStatus();
}

// A box of an image that may stay.
template <typename T>
struct Detection {
  int64_t label;
  T score;
  int64_t box;
};

template <typename T>
bool IsBetter(const Detection<T>& a, const Detection<T>& b) {
  return a.score > b.score;
}

// The boxes of one class of one image that stay, best first.
template <typename T>
std::vector<Detection<T>> Chosen(const std::vector<Box<T>>& boxes,
                                 std::vector<Detection<T>> candidates,
                                 int top_k, float threshold, float eta,
                                 bool normalized) {
  std::stable_sort(candidates.begin(), candidates.end(), IsBetter<T>);
  if (top_k >= 0 && static_cast<size_t>(top_k) < candidates.size()) {
    candidates.resize(top_k);
  }
  std::vector<Detection<T>> kept;
  T limit = static_cast<T>(threshold);
  for (const Detection<T>& one : candidates) {
    const bool stays =
        std::all_of(kept.begin(), kept.end(), [&](const Detection<T>& other) {
          return Overlap<T>(boxes[one.box], boxes[other.box],
                            normalized ? 0 : 1) <= limit;
        });
    if (!stays) continue;
    kept.push_back(one);
    if (eta < 1 && limit > T{0.5}) limit *= static_cast<T>(eta);
  }
  return kept;
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_DETECTION_H_
