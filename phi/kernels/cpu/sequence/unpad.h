// SPDX-License-Identifier: Apache-2.0
// sequence_unpad and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_UNPAD_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_UNPAD_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// Where the sequences of the result begin.
inline absl::StatusOr<Offsets> UnpaddedOffsets(const DenseTensor& x,
                                               const DenseTensor& length) {
  const int64_t most = x.extent(1);
  Offsets offsets = {0};
  for (int64_t i = 0; i < length.numel(); ++i) {
    const int64_t own = length.data<int64_t>()[i];
    if (own < 0 || own > most) {
      return RangeError("length", "in [0, " + std::to_string(most) + "]",
                        std::to_string(own));
    }
    AppendSequence(own, &offsets);
  }
  return offsets;
}

template <typename S>
inline constexpr auto kSequenceUnpadSpec = KernelSpec<S>()
                                               .Input(S::kLength,
                                                      Fixed(DataType::kInt64))
                                               .Output(S::kOut,
                                                       SelfAllocated(ArgDef()));
// x: [sequences, padded length, ...]. out: [rows, ...] ([rows, 1] for x of rank
// 2), the first length[i] rows of each x[i], as sequences.
template <typename T>
absl::Status SequenceUnpadKernel(const CpuContext& context,
                                 const DenseTensor& x,
                                 const DenseTensor& length, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(Offsets offsets, UnpaddedOffsets(x, length));
  Shape shape({offsets.back()});
  for (int axis = 2; axis < x.rank(); ++axis) shape.push_back(x.shape()[axis]);
  if (x.rank() == 2) shape.push_back(1);
  SY_RETURN_IF_ERROR(AllocateAnew(context, x.dtype(), shape, out));
  const int64_t width = x.shape().numel(2, x.rank());
  const int64_t stride = x.extent(1) * width;
  T* to = out->mutable_data<T>();
  for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
    to = std::copy_n(x.data<T>() + i * stride,
                     (offsets[i + 1] - offsets[i]) * width, to);
  }
  SetLod(LoD{{std::move(offsets)}}, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSequenceUnpadGradSpec =
    KernelSpec<S>().Input(S::kLength, Fixed(DataType::kInt64));
template <typename T>
absl::Status SequenceUnpadGradKernel(const CpuContext&, const DenseTensor& x,
                                     const DenseTensor& length,
                                     const DenseTensor& out_grad,
                                     DenseTensor* x_grad) {
  SY_ASSIGN_OR_RETURN(const Offsets offsets, UnpaddedOffsets(x, length));
  SY_RETURN_IF_ERROR(CheckGradientRows(out_grad, offsets.back()));
  if (x_grad == nullptr) return absl::OkStatus();
  const int64_t width = x_grad->shape().numel(2, x_grad->rank());
  const int64_t stride = x_grad->extent(1) * width;
  T* to = x_grad->mutable_data<T>();
  std::fill_n(to, x_grad->numel(), T{0});
  for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
    std::copy_n(out_grad.data<T>() + offsets[i] * width,
                (offsets[i + 1] - offsets[i]) * width, to + i * stride);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_UNPAD_H_
