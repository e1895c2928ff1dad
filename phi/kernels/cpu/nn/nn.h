// SPDX-License-Identifier: Apache-2.0
// embedding with its gradients, lookup_table and accuracy on the CPU. Gradients
// of one row are added in the order of the indices, by one thread: the bits are
// always the same. Those of float16 and bfloat16 are added in float32.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_NN_NN_H_
#define SWITCHYARD_PHI_KERNELS_CPU_NN_NN_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/selected_rows.h"
#include "framework/types/float16.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conversion/index_copy.h"
#include "phi/kernels/cpu/conversion/widened_tensor.h"

namespace switchyard::phi::kernels::cpu {

// Element i of an int32 or int64 tensor, which is compared, never followed.
inline int64_t IndexAt(const DenseTensor& x, int64_t i) {
  return x.dtype() == DataType::kInt64 ? x.data<int64_t>()[i]
                                       : x.data<int32_t>()[i];
}

// Row i of `out`: row rows[i] of `weight`, zeros where that is `padding_idx`.
template <typename T>
void CopyRows(absl::Span<const int64_t> rows, const DenseTensor& weight,
              int64_t padding_idx, DenseTensor* out) {
  const int64_t width = weight.extent(1);
  const T* table = weight.data<T>();
  T* to = out->mutable_data<T>();
  for (const int64_t row : rows) {
    if (row == padding_idx) {
      std::fill_n(to, width, T{0});
    } else {
      std::copy_n(table + row * width, width, to);
    }
    to += width;
  }
}

template <typename S>
inline constexpr auto kEmbeddingSpec =
    KernelSpec<S>().Input(S::kX, OneOf(kIndexDtypes));
template <typename T>
absl::Status EmbeddingKernel(const CpuContext& context, const DenseTensor& x,
                             const DenseTensor& weight, int64_t padding_idx,
                             DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(
      const Workspace<int64_t> rows,
      CopyIndicesIn(context.allocator(), "x", x, 0, weight.extent(0)));
  CopyRows<T>(rows.span(), weight, padding_idx, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kLookupTableSpec = KernelSpec<S>()
                                             .Input(S::kIds,
                                                    Fixed(DataType::kInt64))
                                             .Output(S::kOut,
                                                     SelfAllocated(ArgDef()));
// `out` has the sequences of `ids`, also where it has no elements, for which
// nothing is launched that does not allocate its output.
template <typename T>
absl::Status LookupTableKernel(const CpuContext& context, const DenseTensor& w,
                               const DenseTensor& ids, int64_t padding_idx,
                               DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(
      const Workspace<int64_t> rows,
      CopyIndicesIn(context.allocator(), "ids", ids, 0, w.extent(0)));
  Shape shape = ids.shape();
  shape[shape.rank() - 1] = w.extent(1);
  SY_RETURN_IF_ERROR(AllocateOutput(context, w.dtype(), shape, out));
  CopyRows<T>(rows.span(), w, padding_idx, out);
  out->SetLod(ids.lod());
  return absl::OkStatus();
}

// Row rows[i] of `weight_grad`: the sum of the rows i of `out_grad`, in this
// order. A rows[i] that is `padding_idx` adds nothing.
template <typename T>
absl::Status AddRows(const CpuContext& context, absl::Span<const int64_t> rows,
                     const DenseTensor& out_grad, int64_t padding_idx,
                     DenseTensor* weight_grad) {
  const int64_t width = weight_grad->extent(1);
  using C = ComputeType<T>;
  WidenedResult<T> sums;
  SY_RETURN_IF_ERROR(sums.Prepare(context, weight_grad));
  std::fill_n(sums.data(), weight_grad->numel(), C{0});
  const T* from = out_grad.data<T>();
  for (size_t i = 0; i < rows.size(); ++i, from += width) {
    if (rows[i] == padding_idx) continue;
    C* row = sums.data() + rows[i] * width;
    for (int64_t j = 0; j < width; ++j) row[j] += static_cast<C>(from[j]);
  }
  sums.Finish();
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kEmbeddingGradSpec =
    KernelSpec<S>()
        .Input(S::kX, OneOf(kIndexDtypes))
        .Input(S::kWeight, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status EmbeddingGradKernel(const CpuContext& context,
                                 const DenseTensor& x,
                                 const DenseTensor& weight,
                                 const DenseTensor& out_grad,
                                 int64_t padding_idx,
                                 DenseTensor* weight_grad) {
  SY_ASSIGN_OR_RETURN(
      const Workspace<int64_t> rows,
      CopyIndicesIn(context.allocator(), "x", x, 0, weight.extent(0)));
  return AddRows<T>(context, rows.span(), out_grad, padding_idx, weight_grad);
}

template <typename S>
inline constexpr auto kLookupTableGradSpec =
    KernelSpec<S>()
        .Input(S::kW, WithAnyStrides(AnyDtype()))
        .Input(S::kIds, Fixed(DataType::kInt64));
template <typename T>
absl::Status LookupTableGradKernel(const CpuContext& context,
                                   const DenseTensor& w, const DenseTensor& ids,
                                   const DenseTensor& out_grad,
                                   int64_t padding_idx, DenseTensor* w_grad) {
  SY_ASSIGN_OR_RETURN(
      const Workspace<int64_t> rows,
      CopyIndicesIn(context.allocator(), "ids", ids, 0, w.extent(0)));
  return AddRows<T>(context, rows.span(), out_grad, padding_idx, w_grad);
}

template <typename S>
inline constexpr auto kEmbeddingSparseGradSpec =
    KernelSpec<S>()
        .Input(S::kX, OneOf(kIndexDtypes))
        .Input(S::kWeight, WithAnyStrides(AnyDtype()))
        .Output(S::kWeightGrad, SelfAllocated(ArgDef()));
// A row for each index that is no padding, in their order; an index that occurs
// twice has two.
template <typename T>
absl::Status EmbeddingSparseGradKernel(const CpuContext& context,
                                       const DenseTensor& x,
                                       const DenseTensor& weight,
                                       const DenseTensor& out_grad,
                                       int64_t padding_idx,
                                       SelectedRows* weight_grad) {
  SY_ASSIGN_OR_RETURN(
      const Workspace<int64_t> indices,
      CopyIndicesIn(context.allocator(), "x", x, 0, weight.extent(0)));
  const int64_t width = weight.extent(1);
  std::vector<int64_t> rows;
  for (const int64_t index : indices.span()) {
    if (index != padding_idx) rows.push_back(index);
  }
  DenseTensor values;
  values.SetMeta(out_grad.dtype(),
                 Shape({static_cast<int64_t>(rows.size()), width}),
                 out_grad.place());
  SY_RETURN_IF_ERROR(context.Allocate(&values));
  const T* from = out_grad.data<T>();
  T* to = values.mutable_data<T>();
  for (const int64_t index : indices.span()) {
    if (index != padding_idx) to = std::copy_n(from, width, to);
    from += width;
  }
  *weight_grad =
      SelectedRows(weight.extent(0), std::move(rows), std::move(values));
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAccuracySpec = KernelSpec<S>()
                                          .Input(S::kX,
                                                 WithAnyStrides(AnyDtype()))
                                          .Input(S::kIndices, AnyDtype())
                                          .Input(S::kLabel, AnyDtype());
template <typename T>
absl::Status AccuracyKernel(const CpuContext&, const DenseTensor& x,
                            const DenseTensor& indices,
                            const DenseTensor& label, DenseTensor* accuracy,
                            DenseTensor* correct, DenseTensor* total) {
  const int64_t rows = x.extent(0), width = x.extent(1);
  int32_t hits = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t wanted = IndexAt(label, r);
    for (int64_t j = 0; j < width; ++j) {
      if (IndexAt(indices, r * width + j) == wanted) {
        ++hits;
        break;
      }
    }
  }
  *accuracy->mutable_data<float>() =
      rows == 0 ? 0.0f : static_cast<float>(hits) / static_cast<float>(rows);
  *correct->mutable_data<int32_t>() = hits;
  *total->mutable_data<int32_t>() = static_cast<int32_t>(rows);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_NN_NN_H_
