// SPDX-License-Identifier: Apache-2.0
// filter_by_instag and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_FILTER_BY_INSTAG_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_FILTER_BY_INSTAG_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// Where the items of an input begin: its sequences, or each row is one.
inline absl::StatusOr<Offsets> ItemOffsets(std::string_view argument,
                                           const DenseTensor& tensor,
                                           bool sequences) {
  if (sequences) {
    SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences(argument, tensor));
    return lod->offsets.back();
  }
  Offsets offsets(tensor.extent(0) + 1);
  for (size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] = static_cast<int64_t>(i);
  }
  return offsets;
}

// The items of ins, and the numbers of those that have a tag of filter_tag.
struct KeptItems {
  Offsets items;
  std::vector<int64_t> numbers;
};

inline absl::StatusOr<KeptItems> ReadKeptItems(const DenseTensor& ins,
                                               const DenseTensor& ins_tag,
                                               const DenseTensor& filter_tag,
                                               bool is_lod) {
  KeptItems kept;
  SY_ASSIGN_OR_RETURN(kept.items, ItemOffsets("ins", ins, is_lod));
  SY_ASSIGN_OR_RETURN(
      const Offsets of_tags,
      ItemOffsets("ins_tag", ins_tag, ins_tag.lod() != nullptr));
  if (of_tags.size() != kept.items.size()) {
    return ArgumentError(
        "ins_tag",
        "of " + std::to_string(SequenceCount(kept.items)) + " items, as ins",
        std::to_string(SequenceCount(of_tags)));
  }
  const int64_t* wanted = filter_tag.data<int64_t>();
  for (int64_t i = 0; i < SequenceCount(of_tags); ++i) {
    const int64_t* own = ins_tag.data<int64_t>();
    if (std::find_first_of(own + of_tags[i], own + of_tags[i + 1], wanted,
                           wanted + filter_tag.numel()) !=
        own + of_tags[i + 1]) {
      kept.numbers.push_back(i);
    }
  }
  return kept;
}

// The rows of ins that are rows of out.
inline RowSources KeptRows(const KeptItems& kept) {
  RowSources sources;
  for (const int64_t i : kept.numbers) {
    for (int64_t row = kept.items[i]; row < kept.items[i + 1]; ++row) {
      sources.push_back(row);
    }
  }
  return sources;
}

// out: the items of ins with a tag of filter_tag. loss_weight: 1 for each.
// index_map: where each begins in out and in ins, and its length. Where none is
// kept out is a row of out_val_if_empty, which loss_weight 0 takes out.
template <typename T>
class FilterByInstag {
 public:
  static absl::Status Run(const CpuContext& context, const DenseTensor& ins,
                          const DenseTensor& ins_tag,
                          const DenseTensor& filter_tag, bool is_lod,
                          int64_t out_val_if_empty, DenseTensor* out,
                          DenseTensor* loss_weight, DenseTensor* index_map) {
    SY_ASSIGN_OR_RETURN(const KeptItems kept,
                        ReadKeptItems(ins, ins_tag, filter_tag, is_lod));
    const RowSources sources = KeptRows(kept);
    const bool none = kept.numbers.empty();
    const int64_t items = none ? 1 : static_cast<int64_t>(kept.numbers.size());
    const int64_t rows = none ? 1 : static_cast<int64_t>(sources.size());
    SY_RETURN_IF_ERROR(
        AllocateAnew(context, ins.dtype(), WithRows(ins.shape(), rows), out));
    SY_RETURN_IF_ERROR(AllocateAnew(context, DataType::kFloat32,
                                    Shape({items, 1}), loss_weight));
    SY_RETURN_IF_ERROR(
        AllocateAnew(context, DataType::kInt64, Shape({items, 3}), index_map));
    Offsets ends = {0};
    std::vector<int64_t> map = {0, 1, 1};
    if (none) {
      std::fill_n(out->mutable_data<T>(), out->numel(),
                  static_cast<T>(out_val_if_empty));
      AppendSequence(1, &ends);
    } else {
      CopySourceRows<T>(ins, sources, out);
      map.clear();
      for (const int64_t i : kept.numbers) {
        const int64_t length = kept.items[i + 1] - kept.items[i];
        map.insert(map.end(), {ends.back(), kept.items[i], length});
        AppendSequence(length, &ends);
      }
    }
    Finish(out, loss_weight, index_map, none, map, std::move(ends));
    return absl::OkStatus();
  }

 private:
  static void Finish(DenseTensor* out, DenseTensor* loss_weight,
                     DenseTensor* index_map, bool none,
                     const std::vector<int64_t>& map, Offsets ends) {
    Offsets each = {0};
    while (each.size() < ends.size()) AppendSequence(1, &each);
    SetLod(LoD{{std::move(ends)}}, out);
    if (loss_weight != nullptr) {
      std::fill_n(loss_weight->mutable_data<float>(), loss_weight->numel(),
                  none ? 0.0f : 1.0f);
      SetLod(LoD{{each}}, loss_weight);
    }
    if (index_map != nullptr) {
      std::copy(map.begin(), map.end(), index_map->mutable_data<int64_t>());
      SetLod(LoD{{each}}, index_map);
    }
  }
};

template <typename S>
inline constexpr auto kFilterByInstagSpec =
    KernelSpec<S>()
        .Input(S::kInsTag, Fixed(DataType::kInt64))
        .Input(S::kFilterTag, Fixed(DataType::kInt64))
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kLossWeight, SelfAllocated(Fixed(DataType::kFloat32)))
        .Output(S::kIndexMap, SelfAllocated(Fixed(DataType::kInt64)));
template <typename T>
absl::Status FilterByInstagKernel(const CpuContext& context,
                                  const DenseTensor& ins,
                                  const DenseTensor& ins_tag,
                                  const DenseTensor& filter_tag, bool is_lod,
                                  int64_t out_val_if_empty, DenseTensor* out,
                                  DenseTensor* loss_weight,
                                  DenseTensor* index_map) {
  return FilterByInstag<T>::Run(context, ins, ins_tag, filter_tag, is_lod,
                                out_val_if_empty, out, loss_weight, index_map);
}

template <typename S>
inline constexpr auto kFilterByInstagGradSpec =
    KernelSpec<S>()
        .Input(S::kInsTag, Fixed(DataType::kInt64))
        .Input(S::kFilterTag, Fixed(DataType::kInt64));
template <typename T>
absl::Status FilterByInstagGradKernel(const CpuContext&, const DenseTensor& ins,
                                      const DenseTensor& ins_tag,
                                      const DenseTensor& filter_tag,
                                      const DenseTensor& out_grad, bool is_lod,
                                      DenseTensor* ins_grad) {
  SY_ASSIGN_OR_RETURN(const KeptItems kept,
                      ReadKeptItems(ins, ins_tag, filter_tag, is_lod));
  const RowSources sources = KeptRows(kept);
  SY_RETURN_IF_ERROR(CheckGradientRows(
      out_grad,
      kept.numbers.empty() ? 1 : static_cast<int64_t>(sources.size())));
  AddToSourceRows<T>(out_grad, sources, ins_grad);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_FILTER_BY_INSTAG_H_
