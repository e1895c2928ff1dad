// SPDX-License-Identifier: Apache-2.0
// The operators by rank tables on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RANKED_RANK_ORDER_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RANKED_RANK_ORDER_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/ranked/rank_table.h"
#include "phi/kernels/cpu/ranked/sub_sequences.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kLodRankTableSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(Fixed(DataType::kInt64)));
template <typename T>
absl::Status LodRankTableKernel(const CpuContext& context, const DenseTensor& x,
                                int level, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", x));
  const int levels = static_cast<int>(lod->offsets.size());
  if (level >= levels) {
    return RangeError("level",
                      "in [0, " + std::to_string(levels) + "), the levels of x",
                      std::to_string(level));
  }
  const Offsets& offsets = lod->offsets[level];
  std::vector<int64_t> order(offsets.size() - 1);
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto length = [&](int64_t i) { return offsets[i + 1] - offsets[i]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return length(a) > length(b); });
  SY_RETURN_IF_ERROR(AllocateAnew(context, DataType::kInt64,
                                  Shape({SequenceCount(offsets), 2}), out));
  int64_t* to = out->mutable_data<int64_t>();
  for (const int64_t i : order) {
    *to++ = i;
    *to++ = length(i);
  }
  if (level == 0) return absl::OkStatus();
  LoD above;
  above.offsets.assign(lod->offsets.begin(), lod->offsets.begin() + level);
  SetLod(std::move(above), out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMaxSequenceLenSpec = KernelSpec<S>();
template <typename T>
absl::Status MaxSequenceLenKernel(const CpuContext&,
                                  const DenseTensor& rank_table,
                                  DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const RankTable table, ReadRankTable(rank_table));
  *out->mutable_data<int64_t>() = table.steps();
  return absl::OkStatus();
}

inline absl::StatusOr<int64_t> ReadStep(const DenseTensor& i) {
  const int64_t step = i.dtype() == DataType::kInt32
                           ? int64_t{*i.data<int32_t>()}
                           : *i.data<int64_t>();
  if (step >= 0) return step;
  return RangeError("i", "0 or more", std::to_string(step));
}

// The first sequences of x, or rows, that a step still has.
inline absl::StatusOr<SubSequences> RemainingSequences(
    const DenseTensor& x, const DenseTensor& rank_table, const DenseTensor& i) {
  if (x.lod() != nullptr) {
    SY_RETURN_IF_ERROR(ReadSequences("x", x).status());
  }
  SY_ASSIGN_OR_RETURN(const RankTable table, ReadRankTable(rank_table));
  SY_ASSIGN_OR_RETURN(const int64_t step, ReadStep(i));
  const int64_t count = table.SequencesAt(step);
  if (count <= CountAt(x, 0)) {
    return SubSequencesOf(x.lod().get(), 0, 0, count);
  }
  return ArgumentError("x",
                       "of at least " + std::to_string(count) +
                           " rows or sequences, as many as are longer than i",
                       std::to_string(CountAt(x, 0)));
}

// The rows of x in another order, and their sequences.
struct RankOrder {
  RowSources sources;
  LoD lod;
};

// Orders the rows of x, or its sequences, by the table, or as they were before
// they were in the order of the table.
inline absl::StatusOr<RankOrder> OrderRows(const DenseTensor& x,
                                           const DenseTensor& rank_table,
                                           bool back) {
  if (x.lod() != nullptr) {
    SY_RETURN_IF_ERROR(ReadSequences("x", x).status());
  }
  SY_ASSIGN_OR_RETURN(const RankTable table, ReadRankTable(rank_table));
  if (CountAt(x, 0) != table.size()) {
    return ArgumentError("x",
                         "of " + std::to_string(table.size()) +
                             " rows or sequences, as rank_table",
                         std::to_string(CountAt(x, 0)));
  }
  RankOrder order;
  SequenceJoiner joiner(x.lod() == nullptr ? 0 : x.lod()->offsets.size());
  std::vector<int64_t> from(table.items.size());
  for (int64_t rank = 0; rank < table.size(); ++rank) {
    const int64_t index = table.items[rank].index;
    from[back ? index : rank] = back ? rank : index;
  }
  for (const int64_t i : from) {
    const SubSequences part = SubSequencesOf(x.lod().get(), 0, i, i + 1);
    joiner.Append(part);
    for (int64_t row = part.begin; row < part.end; ++row) {
      order.sources.push_back(row);
    }
  }
  order.lod.offsets = joiner.TakeOffsets();
  return order;
}

// Writes the rows of x in that order, and their sequences.
template <typename T>
absl::Status WriteOrdered(const CpuContext& context, const DenseTensor& x,
                          const DenseTensor& rank_table, bool back,
                          DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(RankOrder order, OrderRows(x, rank_table, back));
  SY_RETURN_IF_ERROR(AllocateAnew(context, x.dtype(), x.shape(), out));
  CopySourceRows<T>(x, order.sources, out);
  if (x.lod() != nullptr) SetLod(std::move(order.lod), out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kShrinkRnnMemorySpec =
    KernelSpec<S>()
        .Input(S::kRankTable, Fixed(DataType::kInt64))
        .Input(S::kI, OneOf(kIndexDtypes))
        .Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status ShrinkRnnMemoryKernel(const CpuContext& context,
                                   const DenseTensor& x,
                                   const DenseTensor& rank_table,
                                   const DenseTensor& i, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const SubSequences part,
                      RemainingSequences(x, rank_table, i));
  SY_RETURN_IF_ERROR(
      AllocateAnew(context, x.dtype(), WithRows(x.shape(), part.rows()), out));
  std::copy_n(x.data<T>(), part.rows() * RowWidth(x), out->mutable_data<T>());
  if (x.lod() == nullptr) return absl::OkStatus();
  SequenceJoiner joiner(part.lengths.size());
  joiner.Append(part);
  SetLod(LoD{joiner.TakeOffsets()}, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kShrinkRnnMemoryGradSpec =
    KernelSpec<S>()
        .Input(S::kRankTable, Fixed(DataType::kInt64))
        .Input(S::kI, OneOf(kIndexDtypes));
template <typename T>
absl::Status ShrinkRnnMemoryGradKernel(const CpuContext&, const DenseTensor& x,
                                       const DenseTensor& rank_table,
                                       const DenseTensor& i,
                                       const DenseTensor& out_grad,
                                       DenseTensor* x_grad) {
  if (x_grad == nullptr) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const SubSequences part,
                      RemainingSequences(x, rank_table, i));
  SY_RETURN_IF_ERROR(CheckGradientRows(out_grad, part.rows()));
  T* rest = std::copy_n(out_grad.data<T>(), out_grad.numel(),
                        x_grad->mutable_data<T>());
  std::fill_n(rest, x_grad->numel() - out_grad.numel(), T{0});
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kReorderLodTensorByRankSpec =
    KernelSpec<S>()
        .Input(S::kRankTable, Fixed(DataType::kInt64))
        .Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status ReorderLodTensorByRankKernel(const CpuContext& context,
                                          const DenseTensor& x,
                                          const DenseTensor& rank_table,
                                          DenseTensor* out) {
  return WriteOrdered<T>(context, x, rank_table, false, out);
}

template <typename S>
inline constexpr auto kRestoreLodTensorByRankSpec =
    KernelSpec<S>()
        .Input(S::kRankTable, Fixed(DataType::kInt64))
        .Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status RestoreLodTensorByRankKernel(const CpuContext& context,
                                          const DenseTensor& x,
                                          const DenseTensor& rank_table,
                                          DenseTensor* out) {
  return WriteOrdered<T>(context, x, rank_table, true, out);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RANKED_RANK_ORDER_H_
