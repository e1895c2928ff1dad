// SPDX-License-Identifier: Apache-2.0
// The kernel of with_sequences on the CPU. Others on sequences are in
// sequence_rows.h and phi/kernels/cpu/sequence.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_LEGACY_SEQUENCES_H_
#define SWITCHYARD_PHI_KERNELS_CPU_LEGACY_SEQUENCES_H_

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/data_movement/data_movement.h"

namespace switchyard::phi::kernels::cpu {

// It allocates its output so that it runs for one without elements too, which
// has sequences all the same.
template <typename S>
inline constexpr auto kWithSequencesSpec =
    KernelSpec<S>()
        .Input(S::kX, AnyStrides())
        .Input(S::kLike, WithAnyStrides(AnyDtype()))
        .Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status WithSequencesKernel(const CpuContext& context,
                                 const DenseTensor& x, const DenseTensor& like,
                                 DenseTensor* out) {
  SY_RETURN_IF_ERROR(AllocateOutput(context, x.dtype(), x.shape(), out));
  MoveAll(x, out);
  const auto& lod = like.lod();
  const bool fits = lod != nullptr && x.rank() > 0 &&
                    lod->offsets.back().back() == x.extent(0);
  out->SetLod(fits ? lod : nullptr);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_LEGACY_SEQUENCES_H_
