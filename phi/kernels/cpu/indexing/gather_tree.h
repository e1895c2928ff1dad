// SPDX-License-Identifier: Apache-2.0
// Whole sequences from what a beam search chose step by step, on the CPU. All
// inputs are contiguous.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INDEXING_GATHER_TREE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INDEXING_GATHER_TREE_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::cpu {

// Goes back from the last step: a beam's place in a step is what its successor
// names. Only parents that are followed are looked at, all before `out` is
// written.
template <typename S>
inline constexpr auto kGatherTreeSpec = KernelSpec<S>();
template <typename T>
absl::Status GatherTreeKernel(const CpuContext&, const DenseTensor& ids,
                              const DenseTensor& parents, DenseTensor* out) {
  if (ids.numel() == 0) return absl::OkStatus();
  const int64_t beams = ids.extent(2), step = ids.extent(1) * beams;
  const T* chosen = ids.data<T>();
  const T* before = parents.data<T>();
  std::vector<T> sequences(static_cast<size_t>(ids.numel()));
  for (int64_t lane = 0; lane < step; ++lane) {
    const int64_t first = lane / beams * beams;
    int64_t beam = lane % beams;
    for (int64_t t = ids.extent(0) - 1; t >= 0; --t) {
      const int64_t at = t * step + first + beam;
      sequences[static_cast<size_t>(t * step + lane)] = chosen[at];
      beam = t > 0 ? static_cast<int64_t>(before[at]) : 0;
      if (beam < 0 || beam >= beams) {
        return RangeError("parents", "in [0, " + std::to_string(beams) + ")",
                          std::to_string(beam));
      }
    }
  }
  std::copy(sequences.begin(), sequences.end(), out->mutable_data<T>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INDEXING_GATHER_TREE_H_
