// SPDX-License-Identifier: Apache-2.0
// Non-maximum suppression among the boxes of one class of one image.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_SUPPRESSION_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_SUPPRESSION_H_

#include <cstdint>

namespace switchyard::phi::kernels::cpu {

// Decides which boxes stay; the attributes of multiclass_nms.
template <typename T>
struct SuppressionRule {
  T score_threshold;
  int64_t top_k;  // At most as many as there are boxes.
  T threshold;
  T eta;
  bool normalized;
};

// The boxes of a class, and their scores, at regular distances.
template <typename T>
struct ScoredBoxes {
  const T* boxes;
  const T* scores;
  int64_t count;
  int64_t box_stride;
  int64_t score_stride;

  const T* box(int64_t i) const { return boxes + i * box_stride; }
  T score(int64_t i) const { return scores[i * score_stride]; }
};

// Writes the numbers of the boxes that stay, best first, and returns how many
// they are, at most rule.top_k. `order` has room for all, `kept` for
// rule.top_k, `room` for the corners of as many (KeptBoxes::Room).
template <typename T>
int64_t Suppress(const SuppressionRule<T>& rule, const ScoredBoxes<T>& boxes,
                 int32_t* order, int32_t* kept, T* room);

// Writes the numbers of the boxes that overlap no earlier one that stays by
// more than `threshold`, and returns how many they are. `kept` has room for
// `count` numbers.
template <typename T>
int64_t SuppressInOrder(const T* boxes, int64_t count, T threshold,
                        int64_t* kept);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_SUPPRESSION_H_
