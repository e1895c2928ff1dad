// SPDX-License-Identifier: Apache-2.0
// sequence_enumerate on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_ENUMERATE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_ENUMERATE_H_

#include <cstdint>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kSequenceEnumerateSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
// out: [rows, win_size], for each row of x, [rows] or [rows, 1], it and those
// that follow in its sequence, pad_value after the last.
template <typename T>
absl::Status SequenceEnumerateKernel(const CpuContext& context,
                                     const DenseTensor& x, int win_size,
                                     int pad_value, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", x));
  SY_RETURN_IF_ERROR(
      AllocateAnew(context, x.dtype(), Shape({x.extent(0), win_size}), out));
  const Offsets& offsets = lod->offsets.back();
  T* to = out->mutable_data<T>();
  for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
    for (int64_t row = offsets[i]; row < offsets[i + 1]; ++row) {
      for (int64_t k = row; k < row + win_size; ++k) {
        *to++ = k < offsets[i + 1] ? x.data<T>()[k] : T{pad_value};
      }
    }
  }
  out->SetLod(x.lod());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_ENUMERATE_H_
