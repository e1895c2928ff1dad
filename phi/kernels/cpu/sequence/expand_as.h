// SPDX-License-Identifier: Apache-2.0
// sequence_expand_as and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_EXPAND_AS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_EXPAND_AS_H_

#include <cstdint>
#include <string>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// Row i of x for each row of sequence i of y.
inline absl::StatusOr<RowSources> SourcesByLength(const DenseTensor& x,
                                                  const Offsets& offsets) {
  if (x.extent(0) != SequenceCount(offsets)) {
    return ArgumentError("x",
                         "of " + std::to_string(SequenceCount(offsets)) +
                             " rows, one for each sequence of y",
                         ToString(x.shape()));
  }
  RowSources sources;
  for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
    sources.insert(sources.end(), offsets[i + 1] - offsets[i], i);
  }
  return sources;
}

template <typename S>
inline constexpr auto kSequenceExpandAsSpec =
    KernelSpec<S>()
        .Input(S::kY, AnyDtype())
        .Output(S::kOut, SelfAllocated(ArgDef()));
// out: row i of x as often as sequence i of y is long, with the sequences of y.
template <typename T>
absl::Status SequenceExpandAsKernel(const CpuContext& context,
                                    const DenseTensor& x, const DenseTensor& y,
                                    DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("y", y));
  const Offsets& offsets = lod->offsets[0];
  SY_ASSIGN_OR_RETURN(const RowSources sources, SourcesByLength(x, offsets));
  SY_RETURN_IF_ERROR(AllocateAnew(context, x.dtype(),
                                  WithRows(x.shape(), offsets.back()), out));
  CopySourceRows<T>(x, sources, out);
  SetLod(LoD{{offsets}}, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSequenceExpandAsGradSpec =
    KernelSpec<S>().Input(S::kY, AnyDtype());
template <typename T>
absl::Status SequenceExpandAsGradKernel(const CpuContext&, const DenseTensor& x,
                                        const DenseTensor& y,
                                        const DenseTensor& out_grad,
                                        DenseTensor* x_grad) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("y", y));
  const Offsets& offsets = lod->offsets[0];
  SY_ASSIGN_OR_RETURN(const RowSources sources, SourcesByLength(x, offsets));
  SY_RETURN_IF_ERROR(CheckGradientRows(out_grad, offsets.back()));
  AddToSourceRows<T>(out_grad, sources, x_grad);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_EXPAND_AS_H_
