// SPDX-License-Identifier: Apache-2.0
// sequence_reshape and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_RESHAPE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_RESHAPE_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "framework/base/checked_math.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kSequenceReshapeSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
// out: [elements / new_dim, new_dim], the elements of x, [rows, width], in
// their order; each sequence has the elements that it had.
template <typename T>
absl::Status SequenceReshapeKernel(const CpuContext& context,
                                   const DenseTensor& x, int new_dim,
                                   DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", x));
  const int64_t width = x.extent(1);
  Offsets offsets;
  for (const int64_t row : lod->offsets.back()) {
    // Without columns there may be any number of rows.
    const int64_t elements = CheckedMultiply(row, width).value_or(0);
    if (elements % new_dim != 0) {
      return ArgumentError("new_dim",
                           "a divisor of the elements of each sequence, " +
                               std::to_string(elements) + " up to row " +
                               std::to_string(row),
                           std::to_string(new_dim));
    }
    offsets.push_back(elements / new_dim);
  }
  SY_RETURN_IF_ERROR(
      AllocateAnew(context, x.dtype(), Shape({offsets.back(), new_dim}), out));
  std::copy_n(x.data<T>(), x.numel(), out->mutable_data<T>());
  LoD resized = *lod;
  resized.offsets.back() = std::move(offsets);
  SetLod(std::move(resized), out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSequenceReshapeGradSpec = KernelSpec<S>();
template <typename T>
absl::Status SequenceReshapeGradKernel(const CpuContext&, const DenseTensor&,
                                       const DenseTensor& out_grad, int,
                                       DenseTensor* x_grad) {
  if (x_grad == nullptr) return absl::OkStatus();
  if (out_grad.numel() != x_grad->numel()) {
    return ArgumentError("out_grad",
                         "of " + std::to_string(x_grad->numel()) + " elements",
                         ToString(out_grad.shape()));
  }
  std::copy_n(out_grad.data<T>(), out_grad.numel(), x_grad->mutable_data<T>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_RESHAPE_H_
