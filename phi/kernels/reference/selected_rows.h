// SPDX-License-Identifier: Apache-2.0
// Reference kernels of sums with SelectedRows: element by element, each summed
// in double over all rows of its number.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_SELECTED_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_SELECTED_ROWS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/selected_rows.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// Writes dense + rows; RangeError before that for a row number outside.
template <typename T>
absl::Status SumOfDenseAndRows(std::string_view argument,
                               const SelectedRows& rows,
                               const DenseTensor& dense, DenseTensor* out) {
  for (const int64_t row : rows.rows()) {
    if (row < 0 || row >= rows.height()) {
      return RangeError(argument,
                        "of rows in [0, " + std::to_string(rows.height()) + ")",
                        std::to_string(row));
    }
  }
  const int64_t count = static_cast<int64_t>(rows.rows().size());
  const int64_t width = count == 0 ? 1 : rows.values().numel() / count;
  for (int64_t i = 0; i < dense.numel(); ++i) {
    double sum = At<T>(dense, i);
    for (int64_t r = 0; r < count; ++r) {
      if (rows.rows()[r] == i / width) {
        sum += At<T>(rows.values(), r * width + i % width);
      }
    }
    out->mutable_data<T>()[i] = static_cast<T>(sum);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAddSelectedRowsSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
// The rows of x, then those of y.
template <typename T>
absl::Status AddSelectedRowsKernel(const ReferenceContext& context,
                                   const SelectedRows& x, const SelectedRows& y,
                                   SelectedRows* out) {
  Shape shape = x.values().shape();
  shape[0] = Dim(static_cast<int64_t>(x.rows().size() + y.rows().size()));
  DenseTensor values;
  values.SetMeta(x.dtype(), shape, x.place());
  SY_RETURN_IF_ERROR(context.Allocate(&values));
  std::vector<int64_t> rows;
  int64_t written = 0;
  for (const SelectedRows* part : {&x, &y}) {
    for (const int64_t row : part->rows()) rows.push_back(row);
    for (int64_t i = 0; i < part->values().numel(); ++i) {
      values.mutable_data<T>()[written++] = At<T>(part->values(), i);
    }
  }
  *out = SelectedRows(x.height(), std::move(rows), std::move(values));
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAddRowsToDenseSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status AddRowsToDenseKernel(const ReferenceContext&, const DenseTensor& x,
                                  const SelectedRows& y, DenseTensor* out) {
  return SumOfDenseAndRows<T>("y", y, x, out);
}

template <typename S>
inline constexpr auto kAddDenseToRowsSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status AddDenseToRowsKernel(const ReferenceContext&,
                                  const SelectedRows& x, const DenseTensor& y,
                                  DenseTensor* out) {
  return SumOfDenseAndRows<T>("x", x, y, out);
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_SELECTED_ROWS_H_
