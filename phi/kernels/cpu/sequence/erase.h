// SPDX-License-Identifier: Apache-2.0
// sequence_erase on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_ERASE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_ERASE_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kSequenceEraseSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
// out: x, [rows] or [rows, 1], without the rows that are one of `tokens`.
template <typename T>
absl::Status SequenceEraseKernel(const CpuContext& context,
                                 const DenseTensor& x,
                                 absl::Span<const int64_t> tokens,
                                 DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", x));
  const Offsets& own = lod->offsets.back();
  RowSources kept;
  LoD shortened = *lod;
  Offsets& offsets = shortened.offsets.back();
  for (int64_t i = 0; i < SequenceCount(own); ++i) {
    for (int64_t row = own[i]; row < own[i + 1]; ++row) {
      const int64_t token = x.data<T>()[row];
      if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) {
        kept.push_back(row);
      }
    }
    offsets[i + 1] = static_cast<int64_t>(kept.size());
  }
  SY_RETURN_IF_ERROR(AllocateAnew(context, x.dtype(),
                                  WithRows(x.shape(), offsets.back()), out));
  CopySourceRows<T>(x, kept, out);
  SetLod(std::move(shortened), out);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_ERASE_H_
