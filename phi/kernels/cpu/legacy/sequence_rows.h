// SPDX-License-Identifier: Apache-2.0
// Kernels on the CPU that move or combine the rows of sequences: the functional
// forms of kernels that were guests (phi/fluid/sequence).
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

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_LEGACY_SEQUENCE_ROWS_H_
