// SPDX-License-Identifier: Apache-2.0
// embedding with its dense gradient, and lookup_table, on the CPU. Gradients of
// one row are added in the order of the indices, by one thread: the bits are
// always the same. Those of float16 and bfloat16 are added in float32.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_EMBEDDING_H_
#define SWITCHYARD_PHI_KERNELS_CPU_EMBEDDING_H_

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/selected_rows.h"
#include "framework/types/float16.h"
#include "phi/kernels/cpu/float_tensor.h"

namespace switchyard::phi::kernels {

// Index number i of an int32 or int64 tensor.
inline int64_t IndexAt(const DenseTensor& x, int64_t i) {
  return x.dtype() == DataType::kInt64 ? x.data<int64_t>()[i]
                                       : x.data<int32_t>()[i];
}

inline absl::Status CheckIndices(std::string_view argument,
                                 const DenseTensor& x, int64_t height) {
  for (int64_t i = 0; i < x.numel(); ++i) {
    const int64_t index = IndexAt(x, i);
    if (index < 0 || index >= height) {
      return RangeError(argument, "in [0, " + std::to_string(height) + ")",
                        std::to_string(index));
    }
  }
  return absl::OkStatus();
}

// Row i of `out`: row x[i] of `weight`, zeros where that is `padding_idx`.
template <typename T>
void CopyRows(const DenseTensor& x, const DenseTensor& weight,
              int64_t padding_idx, DenseTensor* out) {
  const int64_t width = weight.extent(1);
  const T* table = weight.data<T>();
  T* to = out->mutable_data<T>();
  for (int64_t i = 0; i < x.numel(); ++i, to += width) {
    const int64_t index = IndexAt(x, i);
    if (index == padding_idx) {
      std::fill_n(to, width, T{0});
    } else {
      std::copy_n(table + index * width, width, to);
    }
  }
}

template <typename T, typename Context>
absl::Status EmbeddingKernel(const Context&, const DenseTensor& x,
                             const DenseTensor& weight, int64_t padding_idx,
                             DenseTensor* out) {
  SY_RETURN_IF_ERROR(CheckIndices("x", x, weight.extent(0)));
  CopyRows<T>(x, weight, padding_idx, out);
  return absl::OkStatus();
}

// `out` has the sequences of `ids`.
template <typename T, typename Context>
absl::Status LookupTableKernel(const Context&, const DenseTensor& w,
                               const DenseTensor& ids, int64_t padding_idx,
                               DenseTensor* out) {
  SY_RETURN_IF_ERROR(CheckIndices("ids", ids, w.extent(0)));
  CopyRows<T>(ids, w, padding_idx, out);
  out->SetLod(ids.lod());
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status EmbeddingGradKernel(const Context& context, const DenseTensor& x,
                                 const DenseTensor& weight,
                                 const DenseTensor& out_grad,
                                 int64_t padding_idx,
                                 DenseTensor* weight_grad) {
  SY_RETURN_IF_ERROR(CheckIndices("x", x, weight.extent(0)));
  const int64_t width = weight.extent(1);
  using C = ComputeType<T>;
  FloatResult<T> sums;
  SY_RETURN_IF_ERROR(sums.Prepare(context, weight_grad));
  std::fill_n(sums.data(), weight_grad->numel(), C{0});
  const T* from = out_grad.data<T>();
  for (int64_t i = 0; i < x.numel(); ++i, from += width) {
    const int64_t index = IndexAt(x, i);
    if (index == padding_idx) continue;
    C* row = sums.data() + index * width;
    for (int64_t j = 0; j < width; ++j) row[j] += static_cast<C>(from[j]);
  }
  sums.Finish();
  return absl::OkStatus();
}

// A row for each index that is no padding, in their order; an index that occurs
// twice has two.
template <typename T, typename Context>
absl::Status EmbeddingSparseGradKernel(const Context& context,
                                       const DenseTensor& x,
                                       const DenseTensor& weight,
                                       const DenseTensor& out_grad,
                                       int64_t padding_idx,
                                       SelectedRows* weight_grad) {
  SY_RETURN_IF_ERROR(CheckIndices("x", x, weight.extent(0)));
  const int64_t width = weight.extent(1);
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < x.numel(); ++i) {
    if (IndexAt(x, i) != padding_idx) rows.push_back(IndexAt(x, i));
  }
  DenseTensor values;
  values.SetMeta(out_grad.dtype(),
                 Shape({static_cast<int64_t>(rows.size()), width}),
                 out_grad.place());
  SY_RETURN_IF_ERROR(context.Allocate(&values));
  const T* from = out_grad.data<T>();
  T* to = values.mutable_data<T>();
  for (int64_t i = 0; i < x.numel(); ++i, from += width) {
    if (IndexAt(x, i) != padding_idx) to = std::copy_n(from, width, to);
  }
  weight_grad->set_height(weight.extent(0));
  weight_grad->mutable_rows() = std::move(rows);
  weight_grad->mutable_values() = std::move(values);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_EMBEDDING_H_
