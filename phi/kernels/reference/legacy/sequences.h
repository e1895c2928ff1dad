// SPDX-License-Identifier: Apache-2.0
// The reference kernel of with_sequences.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_LEGACY_SEQUENCES_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_LEGACY_SEQUENCES_H_

#include <memory>
#include <utility>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/lod.h"
#include "framework/types/float16.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kWithSequencesSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kLike, WithAnyStrides(AnyDtype()))
        .Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status WithSequencesKernel(const ReferenceContext& context,
                                 const DenseTensor& x, const DenseTensor& like,
                                 DenseTensor* out) {
  SY_RETURN_IF_ERROR(AllocateOutput(context, x.dtype(), x.shape(), out));
  for (int64_t i = 0; i < x.numel(); ++i) {
    out->mutable_data<T>()[i] = At<T>(x, i);
  }
  out->SetLod(nullptr);
  if (like.lod() == nullptr || x.rank() == 0) return absl::OkStatus();
  auto lod = LodFromLengths(SequenceLengths(*like.lod()), x.extent(0));
  if (lod.ok()) out->SetLod(std::make_shared<const LoD>(*std::move(lod)));
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_LEGACY_SEQUENCES_H_
