// SPDX-License-Identifier: Apache-2.0
// The kernels of merge_selected_rows on the CPU. How rows become one each:
// phi/kernels/cpu/optimizer/merged_rows.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SUMS_MERGE_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SUMS_MERGE_ROWS_H_

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/selected_rows.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/optimizer/merged_rows.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kMergeSelectedRowsSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
// Copies or sums each row into its place. RangeError for a row number that is
// none of the matrix's.
template <typename T>
absl::Status MergeSelectedRowsKernel(const CpuContext& context,
                                     const SelectedRows& x, SelectedRows* out) {
  for (const int64_t row : x.rows()) {
    if (row >= 0 && row < x.height()) continue;
    return RangeError("x", "of rows in [0, " + std::to_string(x.height()) + ")",
                      std::to_string(row));
  }
  const int64_t count = static_cast<int64_t>(x.rows().size());
  const int64_t width = count == 0 ? 0 : x.values().numel() / count;
  const MergedRows<T> merged(x, width);
  Shape shape = x.values().shape();
  shape[0] = Dim(merged.size());
  DenseTensor values;
  values.SetMeta(x.dtype(), shape, x.place());
  SY_RETURN_IF_ERROR(context.Allocate(&values));
  std::vector<int64_t> rows;
  rows.reserve(static_cast<size_t>(merged.size()));
  T* to = values.mutable_data<T>();
  for (int64_t i = 0; i < merged.size(); ++i) {
    rows.push_back(merged.row(i));
    to = std::copy_n(merged.values(i), width, to);
  }
  *out = SelectedRows(x.height(), std::move(rows), std::move(values));
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMergeDenseSpec = KernelSpec<S>();
// A dense gradient has each row once.
template <typename T>
absl::Status MergeDenseKernel(const CpuContext&, const DenseTensor& x,
                              DenseTensor* out) {
  std::copy_n(x.data<T>(), x.numel(), out->mutable_data<T>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SUMS_MERGE_ROWS_H_
