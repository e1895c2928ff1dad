// SPDX-License-Identifier: Apache-2.0
// Sums of tensors that are not dense, on the CPU: those of gradients. Values of
// one row of SelectedRows are added in the order in which they stand, elements
// of tensor arrays one by one, by one thread: the bits are always the same.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SUMS_SUMS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SUMS_SUMS_H_

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/selected_rows.h"
#include "framework/tensor/sparse.h"
#include "framework/tensor/tensor_array.h"
#include "framework/types/float16.h"
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

// Returns the sum of two elements of tensor arrays.
template <typename T>
absl::StatusOr<TensorArray::Element> AddElements(
    const CpuContext& context, size_t position, const TensorArray::Element& x,
    const TensorArray::Element& y) {
  if (x->shape() != y->shape()) {
    return ArgumentError(
        "y", absl::StrCat("of shape ", ToString(x->shape()), " at ", position),
        ToString(y->shape()));
  }
  DenseTensor sum;
  sum.SetMeta(x->dtype(), x->shape(), x->place());
  SY_RETURN_IF_ERROR(context.Allocate(&sum));
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const T* a = x->data<T>();
  const T* b = y->data<T>();
  T* to = sum.mutable_data<T>();
  for (int64_t i = 0; i < x->numel(); ++i) {
    to[i] = static_cast<T>(static_cast<Wide>(a[i]) + static_cast<Wide>(b[i]));
  }
  return std::make_shared<const DenseTensor>(std::move(sum));
}

template <typename S>
inline constexpr auto kAddArraysSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
// Adds element by element; where nothing was written there is nothing to add,
// and what is in one alone is shared, for elements are never written.
template <typename T>
absl::Status AddArraysKernel(const CpuContext& context, const TensorArray& x,
                             const TensorArray& y, TensorArray* out) {
  const auto add = [&](size_t position, const TensorArray::Element& a,
                       const TensorArray::Element& b) {
    return AddElements<T>(context, position, a, b);
  };
  SY_ASSIGN_OR_RETURN(ElementList elements,
                      ElementList::Merge(x.elements(), y.elements(), add));
  const TensorArray& like = x.length() >= y.length() ? x : y;
  *out = TensorArray(x.dtype(), like.element_shape(), x.place(),
                     std::move(elements));
  return absl::OkStatus();
}

inline bool SameNumbers(const DenseTensor& a, const DenseTensor& b) {
  return a.shape() == b.shape() &&
         std::equal(a.data<int64_t>(), a.data<int64_t>() + a.numel(),
                    b.data<int64_t>());
}

template <typename T>
absl::StatusOr<DenseTensor> AddValues(const CpuContext& context,
                                      const DenseTensor& x,
                                      const DenseTensor& y) {
  DenseTensor sum;
  sum.SetMeta(x.dtype(), x.shape(), x.place());
  SY_RETURN_IF_ERROR(context.Allocate(&sum));
  std::transform(x.data<T>(), x.data<T>() + x.numel(), y.data<T>(),
                 sum.mutable_data<T>(), [](T a, T b) { return a + b; });
  return sum;
}

template <typename S>
inline constexpr auto kAddCooSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
// Adds the values of one pattern, as gradients have it; else the values of x
// stand before those of y, and no element is added yet.
template <typename T>
absl::Status AddCooKernel(const CpuContext& context, const SparseCooTensor& x,
                          const SparseCooTensor& y, SparseCooTensor* out) {
  if (SameNumbers(x.indices(), y.indices())) {
    SY_ASSIGN_OR_RETURN(DenseTensor sum,
                        AddValues<T>(context, x.values(), y.values()));
    *out = SparseCooTensor(x.shape(), x.indices(), std::move(sum));
    return absl::OkStatus();
  }
  const int64_t axes = x.indices().extent(0);
  if (y.indices().extent(0) != axes) {
    return ArgumentError("y", absl::StrCat("of ", axes, " sparse axes"),
                         absl::StrCat(y.indices().extent(0)));
  }
  const int64_t first = x.indices().extent(1), second = y.indices().extent(1);
  DenseTensor indices, values;
  indices.SetMeta(DataType::kInt64, Shape({axes, first + second}), x.place());
  SY_RETURN_IF_ERROR(context.Allocate(&indices));
  Shape shape = x.values().shape();
  shape[0] = Dim(first + second);
  values.SetMeta(x.dtype(), shape, x.place());
  SY_RETURN_IF_ERROR(context.Allocate(&values));
  int64_t* to = indices.mutable_data<int64_t>();
  for (int64_t axis = 0; axis < axes; ++axis) {
    to = std::copy_n(x.indices().data<int64_t>() + axis * first, first, to);
    to = std::copy_n(y.indices().data<int64_t>() + axis * second, second, to);
  }
  T* value = values.mutable_data<T>();
  value = std::copy_n(x.values().data<T>(), x.values().numel(), value);
  std::copy_n(y.values().data<T>(), y.values().numel(), value);
  *out = SparseCooTensor(x.shape(), std::move(indices), std::move(values));
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAddCsrSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status AddCsrKernel(const CpuContext& context, const SparseCsrTensor& x,
                          const SparseCsrTensor& y, SparseCsrTensor* out) {
  if (!SameNumbers(x.crows(), y.crows()) || !SameNumbers(x.cols(), y.cols())) {
    return ArgumentError("y", "of the pattern of x (or both as COO)",
                         "another pattern");
  }
  SY_ASSIGN_OR_RETURN(DenseTensor sum,
                      AddValues<T>(context, x.values(), y.values()));
  *out = SparseCsrTensor(x.shape(), x.crows(), x.cols(), std::move(sum));
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SUMS_SUMS_H_
