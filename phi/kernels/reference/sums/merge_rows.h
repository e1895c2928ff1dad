// SPDX-License-Identifier: Apache-2.0
// Reference kernels of merge_selected_rows: every row of the tall matrix is
// looked for among those of the gradient.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_SUMS_MERGE_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_SUMS_MERGE_ROWS_H_

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/selected_rows.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kMergeDenseSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status MergeDenseKernel(const ReferenceContext&, const DenseTensor& x,
                              DenseTensor* out) {
  for (int64_t i = 0; i < x.numel(); ++i) {
    out->mutable_data<T>()[i] = At<T>(x, i);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMergeSelectedRowsSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status MergeSelectedRowsKernel(const ReferenceContext& context,
                                     const SelectedRows& x, SelectedRows* out) {
  for (const int64_t row : x.rows()) {
    if (row < 0 || row >= x.height()) {
      return RangeError("x",
                        "of rows in [0, " + std::to_string(x.height()) + ")",
                        std::to_string(row));
    }
  }
  const int64_t count = static_cast<int64_t>(x.rows().size());
  const int64_t width = count == 0 ? 0 : x.values().numel() / count;
  std::vector<int64_t> rows;
  std::vector<double> sums;
  for (int64_t row = 0; row < x.height(); ++row) {
    if (std::count(x.rows().begin(), x.rows().end(), row) == 0) continue;
    rows.push_back(row);
    for (int64_t i = 0; i < width; ++i) {
      double sum = 0;
      for (int64_t r = 0; r < count; ++r) {
        if (x.rows()[r] == row) sum += At<T>(x.values(), r * width + i);
      }
      sums.push_back(sum);
    }
  }
  Shape shape = x.values().shape();
  shape[0] = Dim(static_cast<int64_t>(rows.size()));
  DenseTensor values;
  values.SetMeta(x.dtype(), shape, x.place());
  SY_RETURN_IF_ERROR(context.Allocate(&values));
  std::transform(sums.begin(), sums.end(), values.mutable_data<T>(),
                 [](double sum) { return static_cast<T>(sum); });
  *out = SelectedRows(x.height(), std::move(rows), std::move(values));
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_SUMS_MERGE_ROWS_H_
