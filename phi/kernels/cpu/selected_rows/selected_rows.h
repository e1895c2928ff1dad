// SPDX-License-Identifier: Apache-2.0
// Sums with SelectedRows on the CPU: those of sparse gradients. Values of one
// row are added in the order in which they stand, by one thread: the bits are
// always the same.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SELECTED_ROWS_SELECTED_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SELECTED_ROWS_SELECTED_ROWS_H_

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/selected_rows.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::cpu {

// Writes dense + rows. RangeError, and nothing is written, if a row number is
// none of the matrix's. `out` may be `dense`.
template <typename T>
absl::Status AddRowsTo(std::string_view argument, const SelectedRows& rows,
                       const DenseTensor& dense, DenseTensor* out) {
  for (const int64_t row : rows.rows()) {
    if (row >= 0 && row < rows.height()) continue;
    return RangeError(argument,
                      "of rows in [0, " + std::to_string(rows.height()) + ")",
                      std::to_string(row));
  }
  const T* x = dense.data<T>();
  T* sum = out->mutable_data<T>();
  if (sum != x) std::copy_n(x, dense.numel(), sum);
  const int64_t width = rows.height() == 0 ? 0 : dense.numel() / rows.height();
  const T* from = rows.values().data<T>();
  for (const int64_t row : rows.rows()) {
    T* const to = sum + row * width;
    for (int64_t i = 0; i < width; ++i) to[i] += from[i];
    from += width;
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAddSelectedRowsSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
// All rows of both, those of x first. A row that is in both is there twice: no
// element is added yet.
template <typename T>
absl::Status AddSelectedRowsKernel(const CpuContext& context,
                                   const SelectedRows& x, const SelectedRows& y,
                                   SelectedRows* out) {
  std::vector<int64_t> rows = x.rows();
  rows.insert(rows.end(), y.rows().begin(), y.rows().end());
  Shape shape = x.values().shape();
  shape[0] = Dim(static_cast<int64_t>(rows.size()));
  DenseTensor values;
  values.SetMeta(x.dtype(), shape, x.place());
  SY_RETURN_IF_ERROR(context.Allocate(&values));
  T* to = values.mutable_data<T>();
  to = std::copy_n(x.values().data<T>(), x.values().numel(), to);
  std::copy_n(y.values().data<T>(), y.values().numel(), to);
  *out = SelectedRows(x.height(), std::move(rows), std::move(values));
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAddRowsToDenseSpec = KernelSpec<S>();
template <typename T>
absl::Status AddRowsToDenseKernel(const CpuContext&, const DenseTensor& x,
                                  const SelectedRows& y, DenseTensor* out) {
  return AddRowsTo<T>("y", y, x, out);
}

template <typename S>
inline constexpr auto kAddDenseToRowsSpec = KernelSpec<S>();
template <typename T>
absl::Status AddDenseToRowsKernel(const CpuContext&, const SelectedRows& x,
                                  const DenseTensor& y, DenseTensor* out) {
  return AddRowsTo<T>("x", x, y, out);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SELECTED_ROWS_SELECTED_ROWS_H_
