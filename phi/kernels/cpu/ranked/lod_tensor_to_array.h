// SPDX-License-Identifier: Apache-2.0
// lod_tensor_to_array and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RANKED_LOD_TENSOR_TO_ARRAY_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RANKED_LOD_TENSOR_TO_ARRAY_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "framework/tensor/tensor_array.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/ranked/rank_table.h"
#include "phi/kernels/cpu/ranked/sub_sequences.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// An element for each step, of the sequences that have it.
template <typename T>
class LodTensorToArray {
 public:
  static absl::Status Run(const CpuContext& context, const DenseTensor& x,
                          const DenseTensor& rank_table, TensorArray* out) {
    SY_ASSIGN_OR_RETURN(const RankTable table, ReadRankTable(rank_table));
    SY_ASSIGN_OR_RETURN(const std::vector<int64_t>* offsets,
                        RankedOffsets(x, table));
    if (table.steps() > TensorArray::kMaxLength) {
      return ArgumentError("x",
                           "of sequences of at most " +
                               std::to_string(TensorArray::kMaxLength) +
                               " steps",
                           std::to_string(table.steps()));
    }
    const size_t below = x.lod()->offsets.size() - table.level() - 1;
    std::vector<SequenceJoiner> steps(table.steps(), SequenceJoiner(below));
    ForEachStepRanked(x, table, *offsets,
                      [&](int64_t step, const SubSequences& part) {
                        steps[step].Append(part);
                      });
    std::vector<DenseTensor> elements;
    for (SequenceJoiner& step : steps) {
      SY_ASSIGN_OR_RETURN(
          elements.emplace_back(),
          DenseTensor::Allocate(x.dtype(), WithRows(x.shape(), step.rows()),
                                context.allocator()));
      if (below == 0) continue;
      elements.back().SetLod(
          std::make_shared<const LoD>(LoD{step.TakeOffsets()}));
    }
    Fill(x, table, *offsets, &elements);
    std::vector<TensorArray::Element> kept;
    for (DenseTensor& element : elements) {
      kept.push_back(std::make_shared<const DenseTensor>(std::move(element)));
    }
    Shape shape = x.shape();
    shape[0] = Dim::Unknown();
    *out = TensorArray(x.dtype(), shape, context.place(),
                       ElementList(std::move(kept)));
    return absl::OkStatus();
  }

 private:
  static void Fill(const DenseTensor& x, const RankTable& table,
                   const std::vector<int64_t>& offsets,
                   std::vector<DenseTensor>* elements) {
    const int64_t width = RowWidth(x);
    std::vector<T*> to;
    for (DenseTensor& element : *elements) {
      to.push_back(element.mutable_data<T>());
    }
    ForEachStepRanked(x, table, offsets,
                      [&](int64_t step, const SubSequences& part) {
                        to[step] = std::copy_n(x.data<T>() + part.begin * width,
                                               part.rows() * width, to[step]);
                      });
  }
};

template <typename S>
inline constexpr auto kLodTensorToArraySpec =
    KernelSpec<S>()
        .Input(S::kRankTable, Fixed(DataType::kInt64))
        .Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status LodTensorToArrayKernel(const CpuContext& context,
                                    const DenseTensor& x,
                                    const DenseTensor& rank_table,
                                    TensorArray* out) {
  return LodTensorToArray<T>::Run(context, x, rank_table, out);
}

template <typename S>
inline constexpr auto kLodTensorToArrayGradSpec =
    KernelSpec<S>()
        .Input(S::kRankTable, Fixed(DataType::kInt64))
        .Input(S::kOutGrad, AnyStrides());
// Where the gradient has no element, or none that is long enough, it is zero.
template <typename T>
absl::Status LodTensorToArrayGradKernel(const CpuContext&, const DenseTensor& x,
                                        const DenseTensor& rank_table,
                                        const TensorArray& out_grad,
                                        DenseTensor* x_grad) {
  if (x_grad == nullptr) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const RankTable table, ReadRankTable(rank_table));
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t>* offsets,
                      RankedOffsets(x, table));
  const int64_t width = RowWidth(x);
  T* const to = x_grad->mutable_data<T>();
  std::fill_n(to, x_grad->numel(), T{0});
  std::vector<int64_t> read(static_cast<size_t>(table.steps()), 0);
  absl::Status status;
  ForEachStepRanked(
      x, table, *offsets, [&](int64_t step, const SubSequences& part) {
        const DenseTensor* element = step < out_grad.length()
                                         ? out_grad.elements()[step].get()
                                         : nullptr;
        if (element == nullptr || !status.ok()) return;
        const int64_t count = part.rows() * width;
        if (read[step] + count > element->numel()) {
          status = ArgumentError("out_grad", "of elements like the result's",
                                 ToString(element->shape()));
          return;
        }
        std::copy_n(element->data<T>() + read[step], count,
                    to + part.begin * width);
        read[step] += count;
      });
  return status;
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RANKED_LOD_TENSOR_TO_ARRAY_H_
