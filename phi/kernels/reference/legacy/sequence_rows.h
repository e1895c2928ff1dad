// SPDX-License-Identifier: Apache-2.0
// Reference kernels of operators on the rows of sequences, element by element.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_LEGACY_SEQUENCE_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_LEGACY_SEQUENCE_ROWS_H_

#include <algorithm>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/lod.h"
#include "framework/types/float16.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The lengths of the sequences of the last level of x.
inline absl::StatusOr<std::vector<int64_t>> LastLengths(const DenseTensor& x) {
  if (x.lod() == nullptr || x.lod()->offsets.empty() || x.rank() == 0) {
    return ArgumentError("x", "of sequences (with a LoD)", ToString(x.shape()));
  }
  SY_RETURN_IF_ERROR(Annotate(Validate(*x.lod(), x.extent(0)), "x"));
  return SequenceLengths(*x.lod()).back();
}

// For each row, the row that is as far from the end of its sequence as it is
// from the beginning.
inline absl::StatusOr<std::vector<int64_t>> MirroredRows(const DenseTensor& x) {
  SY_ASSIGN_OR_RETURN(const auto lengths, LastLengths(x));
  std::vector<int64_t> rows;
  int64_t begin = 0;
  for (const int64_t length : lengths) {
    for (int64_t i = 0; i < length; ++i) rows.push_back(begin + length - 1 - i);
    begin += length;
  }
  return rows;
}

template <typename S>
inline constexpr auto kSequenceReverseSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status SequenceReverseKernel(const ReferenceContext& context,
                                   const DenseTensor& x, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const auto rows, MirroredRows(x));
  SY_RETURN_IF_ERROR(AllocateOutput(context, x.dtype(), x.shape(), out));
  const int64_t width = x.shape().numel(1, x.rank());
  for (int64_t i = 0; i < x.numel(); ++i) {
    out->mutable_data<T>()[i] = At<T>(x, rows[i / width] * width + i % width);
  }
  out->SetLod(x.lod());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSequenceReverseGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SequenceReverseGradKernel(const ReferenceContext&,
                                       const DenseTensor& x,
                                       const DenseTensor& out_grad,
                                       DenseTensor* x_grad) {
  SY_ASSIGN_OR_RETURN(const auto rows, MirroredRows(x));
  const int64_t width = x.shape().numel(1, x.rank());
  for (int64_t i = 0; i < x_grad->numel(); ++i) {
    x_grad->mutable_data<T>()[i] =
        At<T>(out_grad, rows[i / width] * width + i % width);
  }
  return absl::OkStatus();
}

// For each row, how many rows there are from it to the end of its sequence or
// item.
inline absl::StatusOr<std::vector<int64_t>> RowsAhead(const DenseTensor& x) {
  std::vector<int64_t> lengths;
  if (x.rank() == 2) {
    SY_ASSIGN_OR_RETURN(lengths, LastLengths(x));
  } else {
    lengths.assign(static_cast<size_t>(x.extent(0)), x.extent(1));
  }
  std::vector<int64_t> ahead;
  for (const int64_t length : lengths) {
    for (int64_t i = length; i > 0; --i) ahead.push_back(i);
  }
  return ahead;
}

template <typename S>
inline constexpr auto kRowConvSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status RowConvKernel(const ReferenceContext& context,
                           const DenseTensor& x, const DenseTensor& filter,
                           DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const auto ahead, RowsAhead(x));
  SY_RETURN_IF_ERROR(AllocateOutput(context, x.dtype(), x.shape(), out));
  const int64_t width = filter.extent(1);
  for (int64_t i = 0; i < x.numel(); ++i) {
    double sum = 0;
    const int64_t rows = std::min(filter.extent(0), ahead[i / width]);
    for (int64_t k = 0; k < rows; ++k) {
      sum += double{At<T>(x, i + k * width)} *
             double{At<T>(filter, k * width + i % width)};
    }
    out->mutable_data<T>()[i] = static_cast<T>(sum);
  }
  out->SetLod(x.lod());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kRowConvGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status RowConvGradKernel(const ReferenceContext&, const DenseTensor& x,
                               const DenseTensor& filter,
                               const DenseTensor& out_grad, DenseTensor* x_grad,
                               DenseTensor* filter_grad) {
  SY_ASSIGN_OR_RETURN(const auto ahead, RowsAhead(x));
  const int64_t width = filter.extent(1);
  std::vector<double> to_x(x.numel()), to_filter(filter.numel());
  for (int64_t i = 0; i < x.numel(); ++i) {
    const int64_t rows = std::min(filter.extent(0), ahead[i / width]);
    const double grad = At<T>(out_grad, i);
    for (int64_t k = 0; k < rows; ++k) {
      to_x[i + k * width] += grad * At<T>(filter, k * width + i % width);
      to_filter[k * width + i % width] += grad * At<T>(x, i + k * width);
    }
  }
  for (int64_t i = 0; x_grad != nullptr && i < x.numel(); ++i) {
    x_grad->mutable_data<T>()[i] = static_cast<T>(to_x[i]);
  }
  for (int64_t i = 0; filter_grad != nullptr && i < filter.numel(); ++i) {
    filter_grad->mutable_data<T>()[i] = static_cast<T>(to_filter[i]);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_LEGACY_SEQUENCE_ROWS_H_
