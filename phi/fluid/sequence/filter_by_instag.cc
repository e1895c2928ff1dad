// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of filter_by_instag and its gradient on the CPU.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/filter_by_instag.gen.h"
#include "phi/core/signatures/filter_by_instag_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/filter_by_instag.gen.h"
#include "phi/legacy/filter_by_instag_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// Where the items of an input begin: its sequences, or each row is one.
absl::StatusOr<Offsets> ItemOffsets(const ExecutionContext& context,
                                    std::string_view slot, bool sequences) {
  if (sequences) {
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences(slot));
    return lod->offsets.back();
  }
  Offsets offsets(context.Input(slot)->extent(0) + 1);
  for (size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] = static_cast<int64_t>(i);
  }
  return offsets;
}

// The items of Ins, and the numbers of those that have a tag of Filter_tag.
struct Kept {
  Offsets items;
  std::vector<int64_t> numbers;
};

absl::StatusOr<Kept> ReadKept(const ExecutionContext& context) {
  const DenseTensor& tags = *context.Input("Ins_tag");
  const DenseTensor& filter = *context.Input("Filter_tag");
  SY_ASSIGN_OR_RETURN(const bool is_lod, context.Attr<bool>("is_lod"));
  Kept kept;
  SY_ASSIGN_OR_RETURN(kept.items, ItemOffsets(context, "Ins", is_lod));
  SY_ASSIGN_OR_RETURN(const Offsets of_tags,
                      ItemOffsets(context, "Ins_tag", tags.lod() != nullptr));
  if (of_tags.size() != kept.items.size()) {
    return ArgumentError(
        "ins_tag",
        "of " + std::to_string(SequenceCount(kept.items)) + " items, as ins",
        std::to_string(SequenceCount(of_tags)));
  }
  const int64_t* wanted = filter.data<int64_t>();
  for (int64_t i = 0; i < SequenceCount(of_tags); ++i) {
    const int64_t* own = tags.data<int64_t>();
    if (std::find_first_of(own + of_tags[i], own + of_tags[i + 1], wanted,
                           wanted + filter.numel()) != own + of_tags[i + 1]) {
      kept.numbers.push_back(i);
    }
  }
  return kept;
}

// The rows of Ins that are rows of Out.
RowSources RowsOf(const Kept& kept) {
  RowSources sources;
  for (const int64_t i : kept.numbers) {
    for (int64_t row = kept.items[i]; row < kept.items[i + 1]; ++row) {
      sources.push_back(row);
    }
  }
  return sources;
}

}  // namespace

// Out: the items of Ins with a tag of Filter_tag. LossWeight: 1 for each.
// IndexMap: where each begins in Out and in Ins, and its length. Where none is
// kept Out is a row of out_val_if_empty, which LossWeight 0 takes out.
template <typename T>
class FilterByInstagCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& ins = *context.Input("Ins");
    SY_ASSIGN_OR_RETURN(const Kept kept, ReadKept(context));
    SY_ASSIGN_OR_RETURN(const int64_t if_empty,
                        context.Attr<int64_t>("out_val_if_empty"));
    const RowSources sources = RowsOf(kept);
    const bool none = kept.numbers.empty();
    const int64_t items = none ? 1 : static_cast<int64_t>(kept.numbers.size());
    const int64_t rows = none ? 1 : static_cast<int64_t>(sources.size());
    SY_RETURN_IF_ERROR(
        context.Allocate("Out", ins.dtype(), WithRows(ins.shape(), rows)));
    SY_RETURN_IF_ERROR(
        context.Allocate("LossWeight", DataType::kFloat32, Shape({items, 1})));
    SY_RETURN_IF_ERROR(
        context.Allocate("IndexMap", DataType::kInt64, Shape({items, 3})));
    DenseTensor* out = context.Output("Out");
    Offsets ends = {0};
    std::vector<int64_t> map = {0, 1, 1};
    if (none) {
      std::fill_n(out->template mutable_data<T>(), out->numel(),
                  static_cast<T>(if_empty));
      AppendSequence(1, &ends);
    } else {
      CopyRows<T>(ins, sources, out);
      map.clear();
      for (const int64_t i : kept.numbers) {
        const int64_t length = kept.items[i + 1] - kept.items[i];
        map.insert(map.end(), {ends.back(), kept.items[i], length});
        AppendSequence(length, &ends);
      }
    }
    Finish(context, none, map, std::move(ends));
    return absl::OkStatus();
  }

 private:
  static void Finish(const ExecutionContext& context, bool none,
                     const std::vector<int64_t>& map, Offsets ends) {
    Offsets each = {0};
    while (each.size() < ends.size()) AppendSequence(1, &each);
    context.SetLod("Out", LoD{{std::move(ends)}});
    if (DenseTensor* weight = context.Output("LossWeight")) {
      std::fill_n(weight->mutable_data<float>(), weight->numel(),
                  none ? 0.0f : 1.0f);
      context.SetLod("LossWeight", LoD{{each}});
    }
    if (DenseTensor* index_map = context.Output("IndexMap")) {
      std::copy(map.begin(), map.end(), index_map->mutable_data<int64_t>());
      context.SetLod("IndexMap", LoD{{each}});
    }
  }
};

template <typename T>
class FilterByInstagGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const Kept kept, ReadKept(context));
    const RowSources sources = RowsOf(kept);
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    SY_RETURN_IF_ERROR(CheckRows(
        out_grad,
        kept.numbers.empty() ? 1 : static_cast<int64_t>(sources.size())));
    AddRows<T>(out_grad, sources, context.Output("Ins@GRAD"));
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kFilterByInstagSpec =
    KernelSpec<FilterByInstagSignature>()
        .Input(FilterByInstagSignature::kInsTag,
               fluid::KernelTypeOf(DataType::kInt64))
        .Input(FilterByInstagSignature::kFilterTag,
               fluid::KernelTypeOf(DataType::kInt64))
        .Output(FilterByInstagSignature::kOut, SelfAllocated(ArgDef()))
        .Output(FilterByInstagSignature::kLossWeight,
                SelfAllocated(fluid::KernelTypeOf(DataType::kFloat32)))
        .Output(FilterByInstagSignature::kIndexMap,
                SelfAllocated(fluid::KernelTypeOf(DataType::kInt64)));
SY_REGISTER_FLUID_KERNEL(filter_by_instag, cpu, fluid::FilterByInstagCpuKernel,
                         legacy_filter_by_instag, kFilterByInstagSpec, int32,
                         int64, float32, float64);

constexpr auto kFilterByInstagGradSpec =
    KernelSpec<FilterByInstagGradSignature>()
        .Input(FilterByInstagGradSignature::kInsTag,
               fluid::KernelTypeOf(DataType::kInt64))
        .Input(FilterByInstagGradSignature::kFilterTag,
               fluid::KernelTypeOf(DataType::kInt64));
SY_REGISTER_FLUID_KERNEL(filter_by_instag_grad, cpu,
                         fluid::FilterByInstagGradCpuKernel,
                         legacy_filter_by_instag_grad, kFilterByInstagGradSpec,
                         float32, float64);

}  // namespace switchyard::phi
