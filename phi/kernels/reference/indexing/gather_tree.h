// SPDX-License-Identifier: Apache-2.0
// The reference kernel of gather_tree: each element on its own, by walking to
// its step from the last one.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_GATHER_TREE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_GATHER_TREE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kGatherTreeSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status GatherTreeKernel(const ReferenceContext&, const DenseTensor& ids,
                              const DenseTensor& parents, DenseTensor* out) {
  std::vector<T> result;
  for (int64_t i = 0; i < ids.numel(); ++i) {
    Index index = Unravel(ids.shape(), i);
    const int64_t step = index[0];
    for (index[0] = ids.extent(0) - 1; index[0] > step; --index[0]) {
      const int64_t parent = At<T>(parents, index);
      if (parent < 0 || parent >= ids.extent(2)) {
        return RangeError("parents",
                          "in [0, " + std::to_string(ids.extent(2)) + ")",
                          std::to_string(parent));
      }
      index[2] = parent;
    }
    result.push_back(At<T>(ids, index));
  }
  for (int64_t i = 0; i < ids.numel(); ++i) {
    out->mutable_data<T>()[i] = result[static_cast<size_t>(i)];
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_INDEXING_GATHER_TREE_H_
