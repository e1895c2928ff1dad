// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/detection/suppression.h"

#include <algorithm>

#include "phi/core/kept_boxes.h"

namespace switchyard::phi::kernels::cpu {
namespace {

template <typename T>
T Area(const T* box, T longer) {
  if (box[2] < box[0] || box[3] < box[1]) return 0;
  return (box[2] - box[0] + longer) * (box[3] - box[1] + longer);
}

// Intersection over union; sides are `longer` longer than the corners tell.
template <typename T>
T Overlap(const T* a, const T* b, T longer) {
  if (b[0] > a[2] || b[2] < a[0] || b[1] > a[3] || b[3] < a[1]) return 0;
  const T width = std::min(a[2], b[2]) - std::max(a[0], b[0]) + longer;
  const T height = std::min(a[3], b[3]) - std::max(a[1], b[1]) + longer;
  const T shared = width * height;
  return shared / (Area(a, longer) + Area(b, longer) - shared);
}

// True if the boxes, whose corners may be the wrong way round, share more than
// `threshold` of what they cover.
template <typename T>
bool OverlapByMore(const T* a, const T* b, T threshold) {
  const T width = std::min(a[2], b[2]) - std::max(a[0], b[0]);
  const T height = std::min(a[3], b[3]) - std::max(a[1], b[1]);
  const T shared = std::max(width, T{0}) * std::max(height, T{0});
  const T both =
      (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared;
  return shared / both > threshold;
}

}  // namespace

template <typename T>
int64_t Suppress(const SuppressionRule<T>& rule, const ScoredBoxes<T>& boxes,
                 int32_t* order, int32_t* kept, T* room) {
  int64_t candidates = 0;
  for (int64_t i = 0; i < boxes.count; ++i) {
    if (boxes.score(i) > rule.score_threshold) {
      order[candidates++] = static_cast<int32_t>(i);
    }
  }
  // The order is total, so equal scores stay as they are without memory.
  const int64_t best = std::min(candidates, rule.top_k);
  std::partial_sort(order, order + best, order + candidates,
                    [&boxes](int32_t a, int32_t b) {
                      const T first = boxes.score(a), second = boxes.score(b);
                      return first > second || (first == second && a < b);
                    });
  const T longer = rule.normalized ? 0 : 1;
  T threshold = rule.threshold;
  KeptBoxes<T> others(room);
  int64_t size = 0;
  for (int64_t i = 0; i < best; ++i) {
    const T* const box = boxes.box(order[i]);
    const auto fits = [&](const T* other) {
      return Overlap(box, other, longer) <= threshold;
    };
    // Below a limit of 0 no box stays beside another, however far apart.
    const bool stays = threshold >= 0 ? others.AllNear(box, fits) : size == 0;
    if (!stays) continue;
    others.Add(box);
    kept[size++] = order[i];
    if (rule.eta < 1 && threshold > T{0.5}) threshold *= rule.eta;
  }
  return size;
}

template <typename T>
int64_t SuppressInOrder(const T* boxes, int64_t count, T threshold,
                        int64_t* kept) {
  int64_t size = 0;
  for (int64_t i = 0; i < count; ++i) {
    const bool goes = std::any_of(kept, kept + size, [&](int64_t other) {
      return OverlapByMore(boxes + other * 4, boxes + i * 4, threshold);
    });
    if (!goes) kept[size++] = i;
  }
  return size;
}

template int64_t Suppress(const SuppressionRule<float>&,
                          const ScoredBoxes<float>&, int32_t*, int32_t*,
                          float*);
template int64_t Suppress(const SuppressionRule<double>&,
                          const ScoredBoxes<double>&, int32_t*, int32_t*,
                          double*);
template int64_t SuppressInOrder(const float*, int64_t, float, int64_t*);
template int64_t SuppressInOrder(const double*, int64_t, double, int64_t*);

}  // namespace switchyard::phi::kernels::cpu
