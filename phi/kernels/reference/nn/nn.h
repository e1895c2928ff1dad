// SPDX-License-Identifier: Apache-2.0
// Reference kernels of embedding, its gradients and accuracy.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_NN_NN_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_NN_NN_H_

#include <string>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/selected_rows.h"
#include "framework/types/float16.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// Returns a RangeError unless every index is a row of the table.
inline absl::Status CheckRows(std::string_view argument, const DenseTensor& x,
                              int64_t height) {
  for (int64_t i = 0; i < x.numel(); ++i) {
    const int64_t row = IntegerAt(x, i);
    if (row < 0 || row >= height) {
      return RangeError(argument, "in [0, " + std::to_string(height) + ")",
                        std::to_string(row));
    }
  }
  return absl::OkStatus();
}

template <typename T>
void CopyRows(const DenseTensor& x, const DenseTensor& weight,
              int64_t padding_idx, DenseTensor* out) {
  const int64_t width = weight.extent(1);
  for (int64_t i = 0; i < out->numel(); ++i) {
    const int64_t row = IntegerAt(x, i / width);
    out->mutable_data<T>()[i] =
        row == padding_idx ? T{0} : At<T>(weight, row * width + i % width);
  }
}

template <typename S>
inline constexpr auto kEmbeddingSpec = KernelSpec<S>().AllStrided().Input(
    S::kX, WithAnyStrides(OneOf(kIndexDtypes)));
template <typename T>
absl::Status EmbeddingKernel(const ReferenceContext&, const DenseTensor& x,
                             const DenseTensor& weight, int64_t padding_idx,
                             DenseTensor* out) {
  SY_RETURN_IF_ERROR(CheckRows("x", x, weight.extent(0)));
  CopyRows<T>(x, weight, padding_idx, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kLookupTableSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kIds, WithAnyStrides(Fixed(DataType::kInt64)))
        .Output(S::kOut, SelfAllocated(ArgDef()));
// `out` has the sequences of `ids`.
template <typename T>
absl::Status LookupTableKernel(const ReferenceContext& context,
                               const DenseTensor& w, const DenseTensor& ids,
                               int64_t padding_idx, DenseTensor* out) {
  SY_RETURN_IF_ERROR(CheckRows("ids", ids, w.extent(0)));
  Shape shape = ids.shape();
  shape[shape.rank() - 1] = w.extent(1);
  SY_RETURN_IF_ERROR(AllocateOutput(context, w.dtype(), shape, out));
  CopyRows<T>(ids, w, padding_idx, out);
  out->SetLod(ids.lod());
  return absl::OkStatus();
}

template <typename T>
void AddRows(const DenseTensor& x, const DenseTensor& out_grad,
             int64_t padding_idx, DenseTensor* weight_grad) {
  const int64_t width = weight_grad->extent(1);
  std::vector<double> sums(weight_grad->numel());
  for (int64_t i = 0; i < out_grad.numel(); ++i) {
    const int64_t row = IntegerAt(x, i / width);
    if (row != padding_idx) sums[row * width + i % width] += At<T>(out_grad, i);
  }
  for (int64_t w = 0; w < weight_grad->numel(); ++w) {
    weight_grad->mutable_data<T>()[w] = static_cast<T>(sums[w]);
  }
}

template <typename S>
inline constexpr auto kEmbeddingGradSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kX, WithAnyStrides(OneOf(kIndexDtypes)))
        .Input(S::kWeight, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status EmbeddingGradKernel(const ReferenceContext&, const DenseTensor& x,
                                 const DenseTensor& weight,
                                 const DenseTensor& out_grad,
                                 int64_t padding_idx,
                                 DenseTensor* weight_grad) {
  SY_RETURN_IF_ERROR(CheckRows("x", x, weight.extent(0)));
  AddRows<T>(x, out_grad, padding_idx, weight_grad);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kLookupTableGradSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kW, WithAnyStrides(AnyDtype()))
        .Input(S::kIds, WithAnyStrides(Fixed(DataType::kInt64)));
template <typename T>
absl::Status LookupTableGradKernel(const ReferenceContext&,
                                   const DenseTensor& w, const DenseTensor& ids,
                                   const DenseTensor& out_grad,
                                   int64_t padding_idx, DenseTensor* w_grad) {
  SY_RETURN_IF_ERROR(CheckRows("ids", ids, w.extent(0)));
  AddRows<T>(ids, out_grad, padding_idx, w_grad);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kEmbeddingSparseGradSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kX, WithAnyStrides(OneOf(kIndexDtypes)))
        .Input(S::kWeight, WithAnyStrides(AnyDtype()))
        .When(AttrEquals(S::kSparse, true))
        .Output(S::kWeightGrad, SelfAllocated(ArgDef()));
// Computes the gradient as rows: one for each index that is no padding.
template <typename T>
absl::Status EmbeddingSparseGradKernel(const ReferenceContext& context,
                                       const DenseTensor& x,
                                       const DenseTensor& weight,
                                       const DenseTensor& out_grad,
                                       int64_t padding_idx,
                                       SelectedRows* weight_grad) {
  SY_RETURN_IF_ERROR(CheckRows("x", x, weight.extent(0)));
  const int64_t width = weight.extent(1);
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < x.numel(); ++i) {
    if (IntegerAt(x, i) != padding_idx) kept.push_back(i);
  }
  std::vector<int64_t> rows;
  DenseTensor values;
  values.SetMeta(out_grad.dtype(),
                 Shape({static_cast<int64_t>(kept.size()), width}),
                 out_grad.place());
  SY_RETURN_IF_ERROR(context.Allocate(&values));
  for (size_t r = 0; r < kept.size(); ++r) {
    rows.push_back(IntegerAt(x, kept[r]));
    for (int64_t j = 0; j < width; ++j) {
      values.mutable_data<T>()[r * width + j] =
          At<T>(out_grad, kept[r] * width + j);
    }
  }
  *weight_grad =
      SelectedRows(weight.extent(0), std::move(rows), std::move(values));
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAccuracySpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kX, WithAnyStrides(AnyDtype()))
        .Input(S::kIndices, WithAnyStrides(AnyDtype()))
        .Input(S::kLabel, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status AccuracyKernel(const ReferenceContext&, const DenseTensor& x,
                            const DenseTensor& indices,
                            const DenseTensor& label, DenseTensor* accuracy,
                            DenseTensor* correct, DenseTensor* total) {
  int32_t hits = 0;
  const int64_t width = x.extent(1);
  for (int64_t r = 0; r < x.extent(0); ++r) {
    bool hit = false;
    for (int64_t j = 0; j < width; ++j) {
      hit |= IntegerAt(indices, r * width + j) == IntegerAt(label, r);
    }
    hits += hit ? 1 : 0;
  }
  const double share =
      x.extent(0) == 0 ? 0 : hits / static_cast<double>(x.extent(0));
  accuracy->mutable_data<float>()[0] = static_cast<float>(share);
  correct->mutable_data<int32_t>()[0] = hits;
  total->mutable_data<int32_t>()[0] = static_cast<int32_t>(x.extent(0));
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_NN_NN_H_
