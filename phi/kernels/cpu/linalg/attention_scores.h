// SPDX-License-Identifier: Apache-2.0
// FinishScores: what attention does to a line of products before softmax.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_LINALG_ATTENTION_SCORES_H_
#define SWITCHYARD_PHI_KERNELS_CPU_LINALG_ATTENTION_SCORES_H_

#include <cstdint>

namespace switchyard::phi::kernels::cpu {

// A line of products of queries and keys, and what is added to it.
template <typename T>
struct ScoreLine {
  T* products;
  int64_t count;
  T scale;
  const T* mask;      // Null: none.
  int64_t mask_step;  // From element to element; 0: one for all.
};

// Multiplies the products by the scale and adds the mask, in place.
void FinishScores(const ScoreLine<float>& line);
void FinishScores(const ScoreLine<double>& line);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_LINALG_ATTENTION_SCORES_H_
