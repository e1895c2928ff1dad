// SPDX-License-Identifier: Apache-2.0
// sequence_slice and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_SLICE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_SLICE_H_

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

// The rows of x in the result, and its sequences.
struct SlicedRows {
  RowSources sources;
  Offsets offsets = {0};
};

inline int64_t IndexAt(const DenseTensor& x, int64_t i) {
  return x.dtype() == DataType::kInt32 ? x.data<int32_t>()[i]
                                       : x.data<int64_t>()[i];
}

inline absl::StatusOr<SlicedRows> CutSequences(const DenseTensor& x,
                                               const DenseTensor& offset,
                                               const DenseTensor& length) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", x));
  const Offsets& own = lod->offsets.back();
  for (const auto& [name, tensor] :
       {std::make_pair("offset", &offset), std::make_pair("length", &length)}) {
    if (tensor->numel() == SequenceCount(own)) continue;
    return ArgumentError(name,
                         "of " + std::to_string(SequenceCount(own)) +
                             " elements, one for each sequence",
                         ToString(tensor->shape()));
  }
  SlicedRows pieces;
  for (int64_t i = 0; i < SequenceCount(own); ++i) {
    const int64_t rows = own[i + 1] - own[i];
    const int64_t first = IndexAt(offset, i), count = IndexAt(length, i);
    if (first < 0 || first > rows) {
      return RangeError("offset", "in [0, " + std::to_string(rows) + "]",
                        std::to_string(first));
    }
    if (count < 0 || count > rows - first) {
      return RangeError("length",
                        "in [0, " + std::to_string(rows - first) + "]",
                        std::to_string(count));
    }
    for (int64_t k = 0; k < count; ++k) {
      pieces.sources.push_back(own[i] + first + k);
    }
    AppendSequence(count, &pieces.offsets);
  }
  return pieces;
}

template <typename S>
inline constexpr auto kSequenceSliceSpec =
    KernelSpec<S>()
        .Input(S::kOffset, OneOf(kIndexDtypes))
        .Input(S::kLength, OneOf(kIndexDtypes))
        .Output(S::kOut, SelfAllocated(ArgDef()));
// out: of sequence i of x the length[i] rows from offset[i] on.
template <typename T>
absl::Status SequenceSliceKernel(const CpuContext& context,
                                 const DenseTensor& x,
                                 const DenseTensor& offset,
                                 const DenseTensor& length, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(SlicedRows pieces, CutSequences(x, offset, length));
  SY_RETURN_IF_ERROR(AllocateAnew(
      context, x.dtype(), WithRows(x.shape(), pieces.offsets.back()), out));
  CopySourceRows<T>(x, pieces.sources, out);
  SetLod(LoD{{std::move(pieces.offsets)}}, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSequenceSliceGradSpec = KernelSpec<S>()
                                                   .Input(S::kOffset,
                                                          OneOf(kIndexDtypes))
                                                   .Input(S::kLength,
                                                          OneOf(kIndexDtypes));
template <typename T>
absl::Status SequenceSliceGradKernel(const CpuContext&, const DenseTensor& x,
                                     const DenseTensor& offset,
                                     const DenseTensor& length,
                                     const DenseTensor& out_grad,
                                     DenseTensor* x_grad) {
  SY_ASSIGN_OR_RETURN(const SlicedRows pieces, CutSequences(x, offset, length));
  SY_RETURN_IF_ERROR(CheckGradientRows(out_grad, pieces.offsets.back()));
  AddToSourceRows<T>(out_grad, pieces.sources, x_grad);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_SLICE_H_
