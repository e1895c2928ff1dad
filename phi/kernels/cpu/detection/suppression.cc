// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/detection/suppression.h"

#include <algorithm>

#include "phi/core/boxes/box_suppression.h"

namespace switchyard::phi::kernels::cpu {
namespace {

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
  BoxSuppression<T> suppression(
      {rule.threshold, rule.eta, rule.normalized ? T{0} : T{1}}, room);
  int64_t size = 0;
  for (int64_t i = 0; i < best; ++i) {
    if (suppression.Keep(boxes.box(order[i]))) kept[size++] = order[i];
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
