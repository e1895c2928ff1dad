// SPDX-License-Identifier: Apache-2.0
// sequence_pad and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_PAD_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_PAD_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// The rows of each padded sequence: padded_length, or those of the longest one.
inline absl::StatusOr<int64_t> PaddedLength(int padded_length,
                                            const Offsets& offsets) {
  int64_t longest = 0;
  for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
    longest = std::max(longest, offsets[i + 1] - offsets[i]);
  }
  if (padded_length == -1) return longest;
  if (padded_length >= longest) return padded_length;
  return ArgumentError(
      "padded_length",
      "-1 or at least " + std::to_string(longest) + ", the longest sequence",
      std::to_string(padded_length));
}

template <typename S>
inline constexpr auto kSequencePadSpec =
    KernelSpec<S>()
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kLength, SelfAllocated(Fixed(DataType::kInt64)));
// out: [sequences, padded length, ...], length: int64 [sequences]. pad_value is
// one element or a row.
template <typename T>
absl::Status SequencePadKernel(const CpuContext& context, const DenseTensor& x,
                               const DenseTensor& pad_value, int padded_length,
                               DenseTensor* out, DenseTensor* length) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", x));
  const Offsets& offsets = lod->offsets.back();
  const int64_t count = SequenceCount(offsets), width = RowWidth(x);
  SY_ASSIGN_OR_RETURN(const int64_t steps,
                      PaddedLength(padded_length, offsets));
  if (pad_value.numel() != 1 && pad_value.numel() != width) {
    return ArgumentError("pad_value",
                         "of 1 element or " + std::to_string(width),
                         ToString(pad_value.shape()));
  }
  Shape shape({count, steps});
  for (int axis = 1; axis < x.rank(); ++axis) shape.push_back(x.shape()[axis]);
  SY_RETURN_IF_ERROR(AllocateAnew(context, x.dtype(), shape, out));
  SY_RETURN_IF_ERROR(
      AllocateAnew(context, DataType::kInt64, Shape({count}), length));
  T* to = out->mutable_data<T>();
  int64_t* lengths = length->mutable_data<int64_t>();
  const T* pad = pad_value.data<T>();
  for (int64_t i = 0; i < count; ++i) {
    lengths[i] = offsets[i + 1] - offsets[i];
    to = std::copy_n(x.data<T>() + offsets[i] * width, lengths[i] * width, to);
    for (int64_t row = lengths[i]; row < steps; ++row) {
      if (pad_value.numel() == width) {
        to = std::copy_n(pad, width, to);
      } else {
        to = std::fill_n(to, width, pad[0]);
      }
    }
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSequencePadGradSpec = KernelSpec<S>();
template <typename T>
absl::Status SequencePadGradKernel(const CpuContext&, const DenseTensor& x,
                                   const DenseTensor& out_grad,
                                   int padded_length, DenseTensor* x_grad) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", x));
  const Offsets& offsets = lod->offsets.back();
  const int64_t count = SequenceCount(offsets);
  SY_RETURN_IF_ERROR(CheckGradientRows(out_grad, count));
  SY_ASSIGN_OR_RETURN(const int64_t length,
                      PaddedLength(padded_length, offsets));
  if (out_grad.extent(1) != length) {
    return ArgumentError("out_grad",
                         "of " + std::to_string(length) + " rows a sequence",
                         ToString(out_grad.shape()));
  }
  if (x_grad == nullptr) return absl::OkStatus();
  const int64_t width = RowWidth(*x_grad);
  T* to = x_grad->mutable_data<T>();
  for (int64_t i = 0; i < count; ++i) {
    to = std::copy_n(out_grad.data<T>() + i * length * width,
                     (offsets[i + 1] - offsets[i]) * width, to);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_PAD_H_
