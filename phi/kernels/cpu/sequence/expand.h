// SPDX-License-Identifier: Apache-2.0
// sequence_expand and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_EXPAND_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_EXPAND_H_

#include <cstdint>
#include <string>
#include <utility>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// The rows of x that the result has, and its sequences where x has some.
struct SequenceExpansion {
  RowSources sources;
  Offsets offsets = {0};
};

// The level of y that says how often a sequence of x is repeated.
inline absl::StatusOr<const Offsets*> ExpandingLevel(const DenseTensor& y,
                                                     int ref_level) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("y", y));
  const int levels = static_cast<int>(lod->offsets.size());
  if (ref_level < -1 || ref_level >= levels) {
    return RangeError(
        "ref_level", "in [-1, " + std::to_string(levels) + "), the levels of y",
        std::to_string(ref_level));
  }
  return &lod->offsets[ref_level == -1 ? levels - 1 : ref_level];
}

inline absl::StatusOr<SequenceExpansion> ExpandSequences(const DenseTensor& x,
                                                         const DenseTensor& y,
                                                         int ref_level) {
  SY_ASSIGN_OR_RETURN(const Offsets* reference, ExpandingLevel(y, ref_level));
  Offsets own;  // A row of X is a sequence where X has none.
  if (x.lod() != nullptr) {
    SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", x));
    if (lod->offsets.size() > 1) {
      return ArgumentError("x", "of one level of sequences or none",
                           std::to_string(lod->offsets.size()));
    }
    own = lod->offsets[0];
  } else {
    for (int64_t i = 0; i <= x.extent(0); ++i) own.push_back(i);
  }
  if (own.size() != reference->size()) {
    return ArgumentError("x",
                         "of " + std::to_string(SequenceCount(*reference)) +
                             " sequences, as y at its level ref_level",
                         std::to_string(SequenceCount(own)));
  }
  SequenceExpansion expansion;
  for (int64_t i = 0; i < SequenceCount(own); ++i) {
    const int64_t times = (*reference)[i + 1] - (*reference)[i];
    for (int64_t n = 0; n < times; ++n) {
      for (int64_t row = own[i]; row < own[i + 1]; ++row) {
        expansion.sources.push_back(row);
      }
      AppendSequence(own[i + 1] - own[i], &expansion.offsets);
    }
  }
  return expansion;
}

template <typename S>
inline constexpr auto kSequenceExpandSpec =
    KernelSpec<S>()
        .Input(S::kY, AnyDtype())
        .Output(S::kOut, SelfAllocated(ArgDef()));
// out: each sequence of x (each row where it has none) as often as the sequence
// of y at its level ref_level is long. out has sequences where x has.
template <typename T>
absl::Status SequenceExpandKernel(const CpuContext& context,
                                  const DenseTensor& x, const DenseTensor& y,
                                  int ref_level, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(SequenceExpansion expansion,
                      ExpandSequences(x, y, ref_level));
  const auto rows = static_cast<int64_t>(expansion.sources.size());
  SY_RETURN_IF_ERROR(
      AllocateAnew(context, x.dtype(), WithRows(x.shape(), rows), out));
  CopySourceRows<T>(x, expansion.sources, out);
  if (x.lod() != nullptr) {
    SetLod(LoD{{std::move(expansion.offsets)}}, out);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSequenceExpandGradSpec =
    KernelSpec<S>().Input(S::kY, AnyDtype());
template <typename T>
absl::Status SequenceExpandGradKernel(const CpuContext&, const DenseTensor& x,
                                      const DenseTensor& y,
                                      const DenseTensor& out_grad,
                                      int ref_level, DenseTensor* x_grad) {
  SY_ASSIGN_OR_RETURN(const SequenceExpansion expansion,
                      ExpandSequences(x, y, ref_level));
  SY_RETURN_IF_ERROR(CheckGradientRows(
      out_grad, static_cast<int64_t>(expansion.sources.size())));
  AddToSourceRows<T>(out_grad, expansion.sources, x_grad);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_EXPAND_H_
