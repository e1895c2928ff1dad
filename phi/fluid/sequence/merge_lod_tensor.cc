// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of merge_lod_tensor and its gradient on the CPU.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/merge_lod_tensor.gen.h"
#include "phi/core/signatures/merge_lod_tensor_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/branches.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/merge_lod_tensor.gen.h"
#include "phi/legacy/merge_lod_tensor_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// The items of both branches, InFalse first, and the order in which Mask takes
// them.
struct Merged {
  Items items[2];
  std::vector<bool> mask;
};

namespace {

absl::StatusOr<Merged> ReadMerged(const ExecutionContext& context) {
  Merged merged;
  SY_ASSIGN_OR_RETURN(merged.items[0], ReadItems(context, "InFalse", 0));
  SY_ASSIGN_OR_RETURN(merged.items[1], ReadItems(context, "InTrue", 0));
  SY_ASSIGN_OR_RETURN(
      merged.mask,
      ReadMask(context, merged.items[0].count() + merged.items[1].count()));
  const int64_t taken =
      std::count(merged.mask.begin(), merged.mask.end(), true);
  if (taken != merged.items[1].count()) {
    return ArgumentError("mask",
                         "true for the " +
                             std::to_string(merged.items[1].count()) +
                             " items of in_true",
                         std::to_string(taken));
  }
  // One without items may lack the sequences that the other has.
  const auto& [without, with] = merged.items;
  if (without.levels.size() != with.levels.size() && without.count() > 0 &&
      with.count() > 0) {
    return ArgumentError(
        "in_false",
        "of " + std::to_string(with.levels.size()) + " levels of sequences",
        std::to_string(without.levels.size()));
  }
  return merged;
}

// Calls visit(branch, item) in the order of the result.
template <typename Visit>
void VisitItems(const Merged& merged, const Visit& visit) {
  int64_t next[] = {0, 0};
  for (const bool branch : merged.mask) visit(branch, next[branch]++);
}

}  // namespace

// Out: the items of InTrue and of InFalse, each in its order, at the places
// where Mask is true and where it is false. Levels of X above `level` stay.
template <typename T>
class MergeLodTensorCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const int level, context.Attr<int>("level"));
    SY_ASSIGN_OR_RETURN(const Merged merged, ReadMerged(context));
    const DenseTensor* from[] = {context.Input("InFalse"),
                                 context.Input("InTrue")};
    const int64_t rows =
        merged.items[0].rows.back() + merged.items[1].rows.back();
    SY_RETURN_IF_ERROR(context.Allocate("Out", from[1]->dtype(),
                                        WithRows(from[1]->shape(), rows)));
    DenseTensor* out = context.Output("Out");
    const int64_t width = RowWidth(*from[1]);
    T* to = out->template mutable_data<T>();
    // An empty branch says nothing of levels.
    const size_t depth =
        merged.items[merged.items[0].count() > 0 ? 0 : 1].levels.size();
    std::vector<Offsets> levels(depth, Offsets{0});
    VisitItems(merged, [&](int branch, int64_t i) {
      const Items& items = merged.items[branch];
      to = std::copy(from[branch]->data<T>() + items.rows[i] * width,
                     from[branch]->data<T>() + items.rows[i + 1] * width, to);
      AppendItem(items, i, &levels);
    });
    if (depth == 0) return absl::OkStatus();
    const DenseTensor& x = *context.Input("X");
    if (level > 0 && x.lod() != nullptr) {
      const std::vector<Offsets>& given = x.lod()->offsets;
      levels.insert(levels.begin(), given.begin(),
                    given.begin() + std::min<size_t>(level, given.size()));
    }
    LoD lod{std::move(levels)};
    SY_RETURN_IF_ERROR(Annotate(Validate(lod, rows), "x"));
    context.SetLod("Out", std::move(lod));
    return absl::OkStatus();
  }
};

template <typename T>
class MergeLodTensorGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const Merged merged, ReadMerged(context));
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    SY_RETURN_IF_ERROR(CheckRows(
        out_grad, merged.items[0].rows.back() + merged.items[1].rows.back()));
    DenseTensor* grads[] = {context.Output("InFalse@GRAD"),
                            context.Output("InTrue@GRAD")};
    const int64_t width = RowWidth(out_grad);
    T* to[] = {nullptr, nullptr};
    for (int branch = 0; branch < 2; ++branch) {
      if (grads[branch] == nullptr) continue;
      to[branch] = grads[branch]->template mutable_data<T>();
    }
    const T* from = out_grad.data<T>();
    VisitItems(merged, [&](int branch, int64_t i) {
      const Offsets& rows = merged.items[branch].rows;
      const int64_t count = (rows[i + 1] - rows[i]) * width;
      if (to[branch] != nullptr) {
        std::copy_n(from, count, to[branch] + rows[i] * width);
      }
      from += count;
    });
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kMergeLodTensorSpec =
    KernelSpec<MergeLodTensorSignature>()
        .Input(MergeLodTensorSignature::kX, AnyDtype())
        .Input(MergeLodTensorSignature::kMask,
               fluid::KernelTypeOf(DataType::kBool))
        .Output(MergeLodTensorSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(merge_lod_tensor, cpu, fluid::MergeLodTensorCpuKernel,
                         legacy_merge_lod_tensor, kMergeLodTensorSpec, int32,
                         int64, float32, float64);

constexpr auto kMergeLodTensorGradSpec =
    KernelSpec<MergeLodTensorGradSignature>().Input(
        MergeLodTensorGradSignature::kMask,
        fluid::KernelTypeOf(DataType::kBool));
SY_REGISTER_FLUID_KERNEL(merge_lod_tensor_grad, cpu,
                         fluid::MergeLodTensorGradCpuKernel,
                         legacy_merge_lod_tensor_grad, kMergeLodTensorGradSpec,
                         float32, float64);

}  // namespace switchyard::phi
