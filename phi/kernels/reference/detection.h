// SPDX-License-Identifier: Apache-2.0
// Reference kernels of a detector's boxes.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_H_

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
                       float threshold, DenseTensor* out) {
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

template <typename S>
inline constexpr auto kMulticlassNmsSpec =
    KernelSpec<S>()
        .AllStrided()
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kIndex, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kNmsRoisNum, Fixed(DataType::kInt32));
template <typename T>
absl::Status MulticlassNmsKernel(
    const ReferenceContext& context, const DenseTensor& bboxes,
    const DenseTensor& scores, float score_threshold, int nms_top_k,
    int keep_top_k, float nms_threshold, bool normalized, float nms_eta,
    int background_label, DenseTensor* out, DenseTensor* index,
    DenseTensor* nms_rois_num) {
  const int64_t images = bboxes.extent(0), count = bboxes.extent(1);
  std::vector<T> rows;
  std::vector<int32_t> numbers;
  for (int64_t image = 0; image < images; ++image) {
    std::vector<Box<T>> boxes(count);
    for (int64_t i = 0; i < count * 4; ++i) {
      boxes[i / 4][i % 4] = At<T>(bboxes, image * count * 4 + i);
    }
    std::vector<Detection<T>> kept;
    for (int64_t label = 0; label < scores.extent(1); ++label) {
      if (label == background_label) continue;
      std::vector<Detection<T>> candidates;
      for (int64_t box = 0; box < count; ++box) {
        const T score = At<T>(scores, Index{image, label, box});
        if (score > static_cast<T>(score_threshold)) {
          candidates.push_back({label, score, box});
        }
      }
      const auto chosen = Chosen(boxes, std::move(candidates), nms_top_k,
                                 nms_threshold, nms_eta, normalized);
      kept.insert(kept.end(), chosen.begin(), chosen.end());
    }
    if (keep_top_k >= 0 && static_cast<size_t>(keep_top_k) < kept.size()) {
      std::stable_sort(kept.begin(), kept.end(), IsBetter<T>);
      kept.resize(keep_top_k);
      std::stable_sort(kept.begin(), kept.end(),
                       [](const Detection<T>& a, const Detection<T>& b) {
                         return a.label < b.label;
                       });
    }
    nms_rois_num->mutable_data<int32_t>()[image] =
        static_cast<int32_t>(kept.size());
    for (const Detection<T>& one : kept) {
      rows.push_back(static_cast<T>(one.label));
      rows.push_back(one.score);
      rows.insert(rows.end(), boxes[one.box].begin(), boxes[one.box].end());
      numbers.push_back(static_cast<int32_t>(image * count + one.box));
    }
  }
  const auto total = static_cast<int64_t>(numbers.size());
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, bboxes.dtype(), Shape({total, 6}), out));
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, DataType::kInt32, Shape({total, 1}), index));
  std::copy(rows.begin(), rows.end(), out->mutable_data<T>());
  std::copy(numbers.begin(), numbers.end(), index->mutable_data<int32_t>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_H_
