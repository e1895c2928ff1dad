// SPDX-License-Identifier: Apache-2.0
// sequence_concat and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_CONCAT_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_CONCAT_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// The sequences of each x: as many in each.
inline absl::StatusOr<std::vector<const Offsets*>> AllSequences(
    const DenseList& x) {
  std::vector<const Offsets*> all;
  for (size_t i = 0; i < x.size(); ++i) {
    SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", x[i]));
    all.push_back(&lod->offsets.back());
    if (all[i]->size() != all[0]->size()) {
      return ArgumentError("x",
                           "tensors of " +
                               std::to_string(SequenceCount(*all[0])) +
                               " sequences, as the first one",
                           std::to_string(SequenceCount(*all[i])));
    }
  }
  return all;
}

template <typename S>
inline constexpr auto kSequenceConcatSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
// out: sequence i of all x one after another, for each i.
template <typename T>
absl::Status SequenceConcatKernel(const CpuContext& context, DenseList x,
                                  DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const auto all, AllSequences(x));
  Offsets offsets = {0};
  for (int64_t i = 0; i < SequenceCount(*all[0]); ++i) {
    int64_t length = 0;
    for (const Offsets* own : all) length += (*own)[i + 1] - (*own)[i];
    AppendSequence(length, &offsets);
  }
  SY_RETURN_IF_ERROR(AllocateAnew(context, x[0].dtype(),
                                  WithRows(x[0].shape(), offsets.back()), out));
  const int64_t width = RowWidth(x[0]);
  T* to = out->mutable_data<T>();
  for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
    for (size_t k = 0; k < x.size(); ++k) {
      const Offsets& own = *all[k];
      to = std::copy_n(x[k].template data<T>() + own[i] * width,
                       (own[i + 1] - own[i]) * width, to);
    }
  }
  SetLod(LoD{{std::move(offsets)}}, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSequenceConcatGradSpec = KernelSpec<S>();
template <typename T>
absl::Status SequenceConcatGradKernel(const CpuContext&, DenseList x,
                                      const DenseTensor& out_grad,
                                      DenseOutputs x_grad) {
  SY_ASSIGN_OR_RETURN(const auto all, AllSequences(x));
  int64_t rows = 0;
  for (const Offsets* own : all) rows += own->back();
  SY_RETURN_IF_ERROR(CheckGradientRows(out_grad, rows));
  const int64_t width = RowWidth(x[0]);
  const T* from = out_grad.data<T>();
  for (int64_t i = 0; i < SequenceCount(*all[0]); ++i) {
    for (size_t k = 0; k < x.size(); ++k) {
      const int64_t begin = (*all[k])[i], end = (*all[k])[i + 1];
      const int64_t size = (end - begin) * width;
      if (x_grad[k] != nullptr) {
        std::copy_n(from, size,
                    x_grad[k]->template mutable_data<T>() + begin * width);
      }
      from += size;
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_CONCAT_H_
