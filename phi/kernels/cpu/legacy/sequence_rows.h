// SPDX-License-Identifier: Apache-2.0
// Kernels on the CPU that move or combine the rows of sequences: the functional
// forms of kernels that were legacy ones.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_LEGACY_SEQUENCE_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_LEGACY_SEQUENCE_ROWS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::cpu {

// Where the sequences of x begin, and their end: those of its last level.
// ArgumentError where it has none, or they don't fit its rows.
inline absl::StatusOr<std::vector<int64_t>> RowSequences(const DenseTensor& x) {
  if (x.lod() == nullptr || x.lod()->offsets.empty() || x.rank() == 0) {
    return ArgumentError("x", "of sequences (with a LoD)",
                         ToString(x.shape()) + " without");
  }
  SY_RETURN_IF_ERROR(Annotate(Validate(*x.lod(), x.extent(0)), "x"));
  return x.lod()->offsets.back();
}

// to: the rows of each sequence from last to first. It is its own gradient.
template <typename T>
void ReverseRows(const std::vector<int64_t>& offsets, int64_t width,
                 const T* from, T* to) {
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    for (int64_t row = offsets[i + 1] - 1; row >= offsets[i]; --row) {
      to = std::copy_n(from + row * width, width, to);
    }
  }
}

template <typename S>
inline constexpr auto kSequenceReverseSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status SequenceReverseKernel(const CpuContext& context,
                                   const DenseTensor& x, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const auto offsets, RowSequences(x));
  SY_RETURN_IF_ERROR(AllocateOutput(context, x.dtype(), x.shape(), out));
  ReverseRows(offsets, x.shape().numel(1, x.rank()), x.data<T>(),
              out->mutable_data<T>());
  out->SetLod(x.lod());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSequenceReverseGradSpec = KernelSpec<S>();
template <typename T>
absl::Status SequenceReverseGradKernel(const CpuContext&, const DenseTensor& x,
                                       const DenseTensor& out_grad,
                                       DenseTensor* x_grad) {
  SY_ASSIGN_OR_RETURN(const auto offsets, RowSequences(x));
  ReverseRows(offsets, x.shape().numel(1, x.rank()), out_grad.data<T>(),
              x_grad->mutable_data<T>());
  return absl::OkStatus();
}

// Calls visit(row, later row, row of the filter) for each pair of rows that a
// filter of `ahead` rows connects: within a sequence of x [rows, width], or an
// item of [batch, steps, width].
template <typename Visit>
absl::Status ForEachRowPair(const DenseTensor& x, int64_t ahead,
                            const Visit& visit) {
  std::vector<int64_t> offsets;
  if (x.rank() == 2) {
    SY_ASSIGN_OR_RETURN(offsets, RowSequences(x));
  } else {
    for (int64_t i = 0; i <= x.extent(0); ++i) {
      offsets.push_back(i * x.extent(1));
    }
  }
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    for (int64_t row = offsets[i]; row < offsets[i + 1]; ++row) {
      const int64_t end = std::min(offsets[i + 1], row + ahead);
      for (int64_t later = row; later < end; ++later) {
        visit(row, later, later - row);
      }
    }
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kRowConvSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status RowConvKernel(const CpuContext& context, const DenseTensor& x,
                           const DenseTensor& filter, DenseTensor* out) {
  if (x.rank() == 2) SY_RETURN_IF_ERROR(RowSequences(x).status());
  SY_RETURN_IF_ERROR(AllocateOutput(context, x.dtype(), x.shape(), out));
  const int64_t width = filter.extent(1);
  T* const to = out->mutable_data<T>();
  std::fill_n(to, x.numel(), T{0});
  SY_RETURN_IF_ERROR(ForEachRowPair(
      x, filter.extent(0), [&](int64_t row, int64_t later, int64_t k) {
        const T* const from = x.data<T>() + later * width;
        const T* const weights = filter.data<T>() + k * width;
        for (int64_t j = 0; j < width; ++j) {
          to[row * width + j] += from[j] * weights[j];
        }
      }));
  out->SetLod(x.lod());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kRowConvGradSpec = KernelSpec<S>();
template <typename T>
absl::Status RowConvGradKernel(const CpuContext&, const DenseTensor& x,
                               const DenseTensor& filter,
                               const DenseTensor& out_grad, DenseTensor* x_grad,
                               DenseTensor* filter_grad) {
  if (x.rank() == 2) SY_RETURN_IF_ERROR(RowSequences(x).status());
  const int64_t width = filter.extent(1);
  const auto zeros = [](DenseTensor* grad) -> T* {
    if (grad == nullptr) return nullptr;
    std::fill_n(grad->mutable_data<T>(), grad->numel(), T{0});
    return grad->mutable_data<T>();
  };
  T* const to_x = zeros(x_grad);
  T* const to_filter = zeros(filter_grad);
  return ForEachRowPair(
      x, filter.extent(0), [&](int64_t row, int64_t later, int64_t k) {
        const T* const grad = out_grad.data<T>() + row * width;
        const T* const weights = filter.data<T>() + k * width;
        const T* const from = x.data<T>() + later * width;
        for (int64_t j = 0; to_x != nullptr && j < width; ++j) {
          to_x[later * width + j] += grad[j] * weights[j];
        }
        for (int64_t j = 0; to_filter != nullptr && j < width; ++j) {
          to_filter[k * width + j] += grad[j] * from[j];
        }
      });
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_LEGACY_SEQUENCE_ROWS_H_
