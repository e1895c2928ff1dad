// SPDX-License-Identifier: Apache-2.0
// Reference kernel of similarity_focus: looks for the largest element that is
// left, again and again.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ORDERING_SIMILARITY_FOCUS_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ORDERING_SIMILARITY_FOCUS_H_

#include <cstdint>
#include <set>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kSimilarityFocusSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SimilarityFocusKernel(const ReferenceContext&,
                                   const DenseTensor& x, int axis,
                                   absl::Span<const int> indexes,
                                   DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) out->mutable_data<T>()[i] = 0;
  const int down = axis == 1 ? 2 : 1, along = axis == 3 ? 2 : 3;
  for (int64_t batch = 0; batch < x.extent(0); ++batch) {
    for (const int index : indexes) {
      std::set<int64_t> rows, columns;
      while (true) {
        Index at = {batch, 0, 0, 0}, best = {-1, 0, 0, 0};
        at[axis] = index;
        for (at[down] = 0; at[down] < x.extent(down); ++at[down]) {
          for (at[along] = 0; at[along] < x.extent(along); ++at[along]) {
            if (rows.count(at[down]) + columns.count(at[along]) > 0) continue;
            if (best[0] < 0 || At<T>(x, at) > At<T>(x, best)) best = at;
          }
        }
        if (best[0] < 0) break;
        rows.insert(best[down]);
        columns.insert(best[along]);
        for (best[axis] = 0; best[axis] < x.extent(axis); ++best[axis]) {
          out->mutable_data<T>()[Ravel(out->shape(), best)] = 1;
        }
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ORDERING_SIMILARITY_FOCUS_H_
