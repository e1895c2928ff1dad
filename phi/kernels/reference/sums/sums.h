// SPDX-License-Identifier: Apache-2.0
// Reference kernels of sums of tensors that are not dense: element by element,
// each summed in double, over all rows of its number where it is of
// SelectedRows.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_SUMS_SUMS_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_SUMS_SUMS_H_

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/selected_rows.h"
#include "framework/tensor/sparse.h"
#include "framework/tensor/tensor_array.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"
#include "phi/kernels/reference/sparse/sparse_parts.h"

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

template <typename S>
inline constexpr auto kAddArraysSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
// Each sum is a new element; one that is empty counts as zeros.
template <typename T>
absl::Status AddArraysKernel(const ReferenceContext& context,
                             const TensorArray& x, const TensorArray& y,
                             TensorArray* out) {
  std::vector<TensorArray::Element> sums;
  for (int64_t k = 0; k < std::max(x.length(), y.length()); ++k) {
    const DenseTensor* a = k < x.length() ? x.elements()[k].get() : nullptr;
    const DenseTensor* b = k < y.length() ? y.elements()[k].get() : nullptr;
    const DenseTensor* like = a != nullptr ? a : b;
    sums.emplace_back();
    if (like == nullptr) continue;
    if (a != nullptr && b != nullptr && a->shape() != b->shape()) {
      return ArgumentError(
          "y", "of shape " + ToString(a->shape()) + " at " + std::to_string(k),
          ToString(b->shape()));
    }
    DenseTensor sum;
    sum.SetMeta(x.dtype(), like->shape(), x.place());
    SY_RETURN_IF_ERROR(context.Allocate(&sum));
    for (int64_t i = 0; i < sum.numel(); ++i) {
      double total = a == nullptr ? -0.0 : static_cast<double>(At<T>(*a, i));
      if (b != nullptr) total += static_cast<double>(At<T>(*b, i));
      sum.mutable_data<T>()[i] = static_cast<T>(total);
    }
    sums.back() = std::make_shared<const DenseTensor>(std::move(sum));
  }
  const TensorArray& longer = x.length() >= y.length() ? x : y;
  *out = TensorArray(x.dtype(), longer.element_shape(), x.place(),
                     ElementList(std::move(sums)));
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAddCooSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
// Values of one pattern are added; else those of x stand before those of y.
template <typename T>
absl::Status AddCooKernel(const ReferenceContext& context,
                          const SparseCooTensor& x, const SparseCooTensor& y,
                          SparseCooTensor* out) {
  SparseParts sum = TakeApart<T>(x);
  const SparseParts other = TakeApart<T>(y);
  if (sum.axes != other.axes) {
    return ArgumentError("y", "of " + std::to_string(sum.axes) + " sparse axes",
                         std::to_string(other.axes));
  }
  const bool same = SamePattern(sum, other);
  for (size_t i = 0; i < other.parts.size(); ++i) {
    if (same) {
      AddBlock(other.parts[i].block, &sum.parts[i].block);
    } else {
      sum.parts.push_back(other.parts[i]);
    }
  }
  return Assemble<T>(context, sum, out);
}

template <typename S>
inline constexpr auto kAddCsrSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status AddCsrKernel(const ReferenceContext& context,
                          const SparseCsrTensor& x, const SparseCsrTensor& y,
                          SparseCsrTensor* out) {
  SparseParts sum = TakeApart<T>(x);
  const SparseParts other = TakeApart<T>(y);
  if (!SamePattern(sum, other)) {
    return ArgumentError("y", "of the pattern of x (or both as COO)",
                         "another pattern");
  }
  for (size_t i = 0; i < other.parts.size(); ++i) {
    AddBlock(other.parts[i].block, &sum.parts[i].block);
  }
  return Assemble<T>(context, sum, out);
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_SUMS_SUMS_H_
