// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of rank tables on the CPU: the table itself, and
// what orders or shortens a batch by it.
#include "phi/fluid/ranked/rank_table.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/lod_rank_table.gen.h"
#include "phi/core/signatures/max_sequence_len.gen.h"
#include "phi/core/signatures/reorder_lod_tensor_by_rank.gen.h"
#include "phi/core/signatures/restore_lod_tensor_by_rank.gen.h"
#include "phi/core/signatures/shrink_rnn_memory.gen.h"
#include "phi/core/signatures/shrink_rnn_memory_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/lod_rank_table.gen.h"
#include "phi/legacy/max_sequence_len.gen.h"
#include "phi/legacy/reorder_lod_tensor_by_rank.gen.h"
#include "phi/legacy/restore_lod_tensor_by_rank.gen.h"
#include "phi/legacy/shrink_rnn_memory.gen.h"
#include "phi/legacy/shrink_rnn_memory_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

template <typename T>
class LodRankTableCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    SY_ASSIGN_OR_RETURN(const int level, context.Attr<int>("level"));
    const int levels = static_cast<int>(lod->offsets.size());
    if (level >= levels) {
      return RangeError(
          "level", "in [0, " + std::to_string(levels) + "), the levels of x",
          std::to_string(level));
    }
    const Offsets& offsets = lod->offsets[level];
    std::vector<int64_t> order(offsets.size() - 1);
    std::iota(order.begin(), order.end(), int64_t{0});
    const auto length = [&](int64_t i) { return offsets[i + 1] - offsets[i]; };
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return length(a) > length(b);
    });
    SY_RETURN_IF_ERROR(context.Allocate("Out", DataType::kInt64,
                                        Shape({SequenceCount(offsets), 2})));
    int64_t* to = context.Output("Out")->template mutable_data<int64_t>();
    for (const int64_t i : order) {
      *to++ = i;
      *to++ = length(i);
    }
    if (level == 0) return absl::OkStatus();
    LoD above;
    above.offsets.assign(lod->offsets.begin(), lod->offsets.begin() + level);
    context.SetLod("Out", std::move(above));
    return absl::OkStatus();
  }
};

template <typename T>
class MaxSequenceLenCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const RankTable table, ReadRankTable(context));
    *context.Output("Out")->template mutable_data<int64_t>() = table.steps();
    return absl::OkStatus();
  }
};

namespace {

absl::StatusOr<int64_t> StepOf(const ExecutionContext& context) {
  const DenseTensor& i = *context.Input("I");
  const int64_t step = i.dtype() == DataType::kInt32
                           ? int64_t{*i.data<int32_t>()}
                           : *i.data<int64_t>();
  if (step >= 0) return step;
  return RangeError("i", "0 or more", std::to_string(step));
}

// The first sequences of X, or rows, that a step still has.
absl::StatusOr<SubSequences> Remaining(const ExecutionContext& context) {
  const DenseTensor& x = *context.Input("X");
  if (x.lod() != nullptr) {
    SY_RETURN_IF_ERROR(context.Sequences("X").status());
  }
  SY_ASSIGN_OR_RETURN(const RankTable table, ReadRankTable(context));
  SY_ASSIGN_OR_RETURN(const int64_t step, StepOf(context));
  const int64_t count = table.SequencesAt(step);
  if (count <= CountAt(x, 0)) {
    return SubSequencesOf(x.lod().get(), 0, 0, count);
  }
  return ArgumentError("x",
                       "of at least " + std::to_string(count) +
                           " rows or sequences, as many as are longer than i",
                       std::to_string(CountAt(x, 0)));
}

// The rows of X in another order, and their sequences.
struct Order {
  RowSources sources;
  LoD lod;
};

// Orders the rows of X, or its sequences, by the table, or as they were before
// they were in the order of the table.
absl::StatusOr<Order> Reordered(const ExecutionContext& context, bool back) {
  const DenseTensor& x = *context.Input("X");
  if (x.lod() != nullptr) {
    SY_RETURN_IF_ERROR(context.Sequences("X").status());
  }
  SY_ASSIGN_OR_RETURN(const RankTable table, ReadRankTable(context));
  if (CountAt(x, 0) != table.size()) {
    return ArgumentError("x",
                         "of " + std::to_string(table.size()) +
                             " rows or sequences, as rank_table",
                         std::to_string(CountAt(x, 0)));
  }
  Order order;
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

}  // namespace

template <typename T>
class ShrinkRnnMemoryCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const SubSequences part, Remaining(context));
    SY_RETURN_IF_ERROR(
        context.Allocate("Out", x.dtype(), WithRows(x.shape(), part.rows())));
    std::copy_n(x.data<T>(), part.rows() * RowWidth(x),
                context.Output("Out")->template mutable_data<T>());
    if (x.lod() == nullptr) return absl::OkStatus();
    SequenceJoiner joiner(part.lengths.size());
    joiner.Append(part);
    context.SetLod("Out", LoD{joiner.TakeOffsets()});
    return absl::OkStatus();
  }
};

template <typename T>
class ShrinkRnnMemoryGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    DenseTensor* x_grad = context.Output("X@GRAD");
    if (x_grad == nullptr) return absl::OkStatus();
    SY_ASSIGN_OR_RETURN(const SubSequences part, Remaining(context));
    SY_RETURN_IF_ERROR(CheckRows(out_grad, part.rows()));
    T* rest = std::copy_n(out_grad.data<T>(), out_grad.numel(),
                          x_grad->template mutable_data<T>());
    std::fill_n(rest, x_grad->numel() - out_grad.numel(), T{0});
    return absl::OkStatus();
  }
};

template <typename T>
class OrderKernel : public OpKernel<T> {
 protected:
  static absl::Status Run(const ExecutionContext& context, bool back) {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(Order order, Reordered(context, back));
    SY_RETURN_IF_ERROR(context.Allocate("Out", x.dtype(), x.shape()));
    CopyRows<T>(x, order.sources, context.Output("Out"));
    if (x.lod() != nullptr) context.SetLod("Out", std::move(order.lod));
    return absl::OkStatus();
  }
};

template <typename T>
class ReorderLodTensorByRankCpuKernel final : public OrderKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    return OrderKernel<T>::Run(context, false);
  }
};

template <typename T>
class RestoreLodTensorByRankCpuKernel final : public OrderKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    return OrderKernel<T>::Run(context, true);
  }
};

}  // namespace fluid

constexpr auto kLodRankTableSpec = KernelSpec<LodRankTableSignature>().Output(
    LodRankTableSignature::kOut, SelfAllocated(Fixed(DataType::kInt64)));
SY_REGISTER_FLUID_KERNEL(lod_rank_table, cpu, fluid::LodRankTableCpuKernel,
                         legacy_lod_rank_table, kLodRankTableSpec, int32, int64,
                         float32, float64);

constexpr auto kMaxSequenceLenSpec = KernelSpec<MaxSequenceLenSignature>();
SY_REGISTER_FLUID_KERNEL(max_sequence_len, cpu, fluid::MaxSequenceLenCpuKernel,
                         legacy_max_sequence_len, kMaxSequenceLenSpec, int64);

constexpr auto kShrinkRnnMemorySpec =
    KernelSpec<ShrinkRnnMemorySignature>()
        .Input(ShrinkRnnMemorySignature::kRankTable, Fixed(DataType::kInt64))
        .Input(ShrinkRnnMemorySignature::kI, OneOf(kIndexDtypes))
        .Output(ShrinkRnnMemorySignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(shrink_rnn_memory, cpu,
                         fluid::ShrinkRnnMemoryCpuKernel,
                         legacy_shrink_rnn_memory, kShrinkRnnMemorySpec, int32,
                         int64, float32, float64);

constexpr auto kShrinkRnnMemoryGradSpec =
    KernelSpec<ShrinkRnnMemoryGradSignature>()
        .Input(ShrinkRnnMemoryGradSignature::kRankTable,
               Fixed(DataType::kInt64))
        .Input(ShrinkRnnMemoryGradSignature::kI, OneOf(kIndexDtypes));
SY_REGISTER_FLUID_KERNEL(shrink_rnn_memory_grad, cpu,
                         fluid::ShrinkRnnMemoryGradCpuKernel,
                         legacy_shrink_rnn_memory_grad,
                         kShrinkRnnMemoryGradSpec, float32, float64);

constexpr auto kReorderLodTensorByRankSpec =
    KernelSpec<ReorderLodTensorByRankSignature>()
        .Input(ReorderLodTensorByRankSignature::kRankTable,
               Fixed(DataType::kInt64))
        .Output(ReorderLodTensorByRankSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(reorder_lod_tensor_by_rank, cpu,
                         fluid::ReorderLodTensorByRankCpuKernel,
                         legacy_reorder_lod_tensor_by_rank,
                         kReorderLodTensorByRankSpec, int32, int64, float32,
                         float64);

constexpr auto kRestoreLodTensorByRankSpec =
    KernelSpec<RestoreLodTensorByRankSignature>()
        .Input(RestoreLodTensorByRankSignature::kRankTable,
               Fixed(DataType::kInt64))
        .Output(RestoreLodTensorByRankSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(restore_lod_tensor_by_rank, cpu,
                         fluid::RestoreLodTensorByRankCpuKernel,
                         legacy_reorder_lod_tensor_by_rank_grad,
                         kRestoreLodTensorByRankSpec, int32, int64, float32,
                         float64);

}  // namespace switchyard::phi
