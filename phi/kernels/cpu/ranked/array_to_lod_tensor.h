// SPDX-License-Identifier: Apache-2.0
// array_to_lod_tensor and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RANKED_ARRAY_TO_LOD_TENSOR_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RANKED_ARRAY_TO_LOD_TENSOR_H_

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

// Checks the elements of the steps that the table has: each is there, like the
// first, with levels as many, and a row or a sequence for each of the step.
inline absl::Status CheckStepElements(const TensorArray& array,
                                      const RankTable& table) {
  if (array.length() < table.steps()) {
    return ArgumentError("array",
                         "of at least " + std::to_string(table.steps()) +
                             " elements, the steps of rank_table",
                         std::to_string(array.length()));
  }
  for (int64_t step = 0; step < table.steps(); ++step) {
    const DenseTensor* element = array.elements()[step].get();
    const DenseTensor* first = array.elements()[0].get();
    if (element == nullptr) {
      return ArgumentError("array", "written at each position",
                           "nothing at " + std::to_string(step));
    }
    const LoD* lod = element->lod().get();
    if (lod != nullptr) {
      SY_RETURN_IF_ERROR(Annotate(Validate(*lod, element->extent(0)), "array"));
    }
    const size_t levels = lod == nullptr ? 0 : lod->offsets.size();
    const size_t wanted =
        first->lod() == nullptr ? 0 : first->lod()->offsets.size();
    if (WithRows(element->shape(), 0) != WithRows(first->shape(), 0) ||
        levels != wanted || CountAt(*element, 0) < table.SequencesAt(step)) {
      return ArgumentError("array",
                           "of elements like " + ToString(first->shape()) +
                               " with " +
                               std::to_string(table.SequencesAt(step)) +
                               " rows or sequences at " + std::to_string(step),
                           ToString(element->shape()));
    }
  }
  return absl::OkStatus();
}

// Calls visit(step, part of its element) for each step of each sequence, one
// sequence after another as they were before they were ranked. The elements
// pass CheckStepElements.
template <typename Visit>
void ForEachStepInOrder(const TensorArray& array, const RankTable& table,
                        const Visit& visit) {
  std::vector<int64_t> ranks(table.items.size());
  for (int64_t rank = 0; rank < table.size(); ++rank) {
    ranks[table.items[rank].index] = rank;
  }
  for (const int64_t rank : ranks) {
    for (int64_t step = 0; step < table.items[rank].length; ++step) {
      visit(step, SubSequencesOf(array.elements()[step]->lod().get(), 0, rank,
                                 rank + 1));
    }
  }
}

// The sequences of the result.
struct JoinedSteps {
  int64_t rows = 0;
  LoD lod;
};

inline JoinedSteps JoinSteps(const TensorArray& array, const RankTable& table) {
  const bool nested =
      table.steps() > 0 && array.elements()[0]->lod() != nullptr;
  SequenceJoiner joiner(nested ? array.elements()[0]->lod()->offsets.size()
                               : 0);
  ForEachStepInOrder(array, table, [&](int64_t, const SubSequences& part) {
    joiner.Append(part);
  });
  JoinedSteps joined;
  joined.rows = joiner.rows();
  if (table.above != nullptr) joined.lod = *table.above;
  std::vector<int64_t> lengths(table.items.size());
  for (const RankTable::Item& item : table.items) {
    lengths[item.index] = item.length;
  }
  Offsets own = {0};
  for (const int64_t length : lengths) AppendSequence(length, &own);
  joined.lod.offsets.push_back(std::move(own));
  for (Offsets& below : joiner.TakeOffsets()) {
    joined.lod.offsets.push_back(std::move(below));
  }
  return joined;
}

// The shape of the result: an element's; extents that no element tells are 0.
inline Shape JoinedShape(const TensorArray& array, int64_t rows) {
  const bool empty = array.length() == 0 || array.elements()[0] == nullptr;
  Shape shape = empty ? array.element_shape() : array.elements()[0]->shape();
  for (int axis = 1; axis < shape.rank(); ++axis) {
    if (!shape[axis].known()) shape[axis] = Dim(0);
  }
  return WithRows(shape, rows);
}

template <typename S>
inline constexpr auto kArrayToLodTensorSpec =
    KernelSpec<S>()
        .Input(S::kArray, AnyStrides())
        .Input(S::kRankTable, Fixed(DataType::kInt64))
        .Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status ArrayToLodTensorKernel(const CpuContext& context,
                                    const TensorArray& array,
                                    const DenseTensor& rank_table,
                                    DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const RankTable table, ReadRankTable(rank_table));
  SY_RETURN_IF_ERROR(CheckStepElements(array, table));
  JoinedSteps joined = JoinSteps(array, table);
  SY_RETURN_IF_ERROR(AllocateAnew(context, array.dtype(),
                                  JoinedShape(array, joined.rows), out));
  const int64_t width = RowWidth(*out);
  T* to = out->mutable_data<T>();
  ForEachStepInOrder(array, table, [&](int64_t step, const SubSequences& p) {
    to = std::copy_n(array.elements()[step]->data<T>() + p.begin * width,
                     p.rows() * width, to);
  });
  SetLod(std::move(joined.lod), out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kArrayToLodTensorGradSpec =
    KernelSpec<S>()
        .Input(S::kArray, AnyStrides())
        .Input(S::kRankTable, Fixed(DataType::kInt64))
        .Output(S::kArrayGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status ArrayToLodTensorGradKernel(const CpuContext& context,
                                        const TensorArray& array,
                                        const DenseTensor& rank_table,
                                        const DenseTensor& out_grad,
                                        TensorArray* array_grad) {
  if (array_grad == nullptr) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const RankTable table, ReadRankTable(rank_table));
  SY_RETURN_IF_ERROR(CheckStepElements(array, table));
  SY_RETURN_IF_ERROR(CheckGradientRows(out_grad, JoinSteps(array, table).rows));
  const int64_t width = RowWidth(out_grad);
  std::vector<DenseTensor> grads;
  for (int64_t step = 0; step < table.steps(); ++step) {
    SY_ASSIGN_OR_RETURN(
        grads.emplace_back(),
        DenseTensor::Allocate(array.dtype(), array.elements()[step]->shape(),
                              context.allocator()));
    std::fill_n(grads.back().mutable_data<T>(), grads.back().numel(), T{0});
  }
  const T* from = out_grad.data<T>();
  ForEachStepInOrder(array, table, [&](int64_t step, const SubSequences& p) {
    std::copy_n(from, p.rows() * width,
                grads[step].template mutable_data<T>() + p.begin * width);
    from += p.rows() * width;
  });
  ElementList elements(static_cast<size_t>(array.length()));
  for (size_t step = 0; step < grads.size(); ++step) {
    elements.Set(step,
                 std::make_shared<const DenseTensor>(std::move(grads[step])));
  }
  *array_grad = TensorArray(array.dtype(), array.element_shape(),
                            context.place(), std::move(elements));
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RANKED_ARRAY_TO_LOD_TENSOR_H_
