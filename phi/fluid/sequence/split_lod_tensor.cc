// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of split_lod_tensor and its gradient on the CPU.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/split_lod_tensor.gen.h"
#include "phi/core/signatures/split_lod_tensor_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/branches.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/split_lod_tensor.gen.h"
#include "phi/legacy/split_lod_tensor_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// OutTrue, OutFalse: the items of X whose element of Mask is true, and the
// others, with their sequences from `level` on.
template <typename T>
class SplitLodTensorCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const int level, context.Attr<int>("level"));
    SY_ASSIGN_OR_RETURN(const Items items, ReadItems(context, "X", level));
    SY_ASSIGN_OR_RETURN(const std::vector<bool> mask,
                        ReadMask(context, items.count()));
    SY_RETURN_IF_ERROR(Take(context, items, mask, true, "OutTrue"));
    return Take(context, items, mask, false, "OutFalse");
  }

 private:
  static absl::Status Take(const ExecutionContext& context, const Items& items,
                           const std::vector<bool>& mask, bool branch,
                           const char* slot) {
    const std::string_view name(slot);
    const DenseTensor& x = *context.Input("X");
    const RowSources sources = BranchRows(items, mask, branch);
    SY_RETURN_IF_ERROR(context.Allocate(
        name, x.dtype(),
        WithRows(x.shape(), static_cast<int64_t>(sources.size()))));
    DenseTensor* out = context.Output(name);
    if (out == nullptr) return absl::OkStatus();
    CopyRows<T>(x, sources, out);
    if (items.levels.empty()) return absl::OkStatus();
    std::vector<Offsets> levels(items.levels.size(), Offsets{0});
    for (int64_t i = 0; i < items.count(); ++i) {
      if (mask[i] == branch) AppendItem(items, i, &levels);
    }
    context.SetLod(name, LoD{std::move(levels)});
    return absl::OkStatus();
  }
};

// X@GRAD: the gradients of both branches in the places of their rows; 0 for
// those of a branch that has none.
template <typename T>
class SplitLodTensorGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const int level, context.Attr<int>("level"));
    SY_ASSIGN_OR_RETURN(const Items items, ReadItems(context, "X", level));
    SY_ASSIGN_OR_RETURN(const std::vector<bool> mask,
                        ReadMask(context, items.count()));
    const RowSources rows[] = {BranchRows(items, mask, false),
                               BranchRows(items, mask, true)};
    const DenseTensor* grads[] = {context.Input("OutFalse@GRAD"),
                                  context.Input("OutTrue@GRAD")};
    for (int branch = 0; branch < 2; ++branch) {
      if (grads[branch] == nullptr) continue;
      SY_RETURN_IF_ERROR(
          CheckRows(*grads[branch], static_cast<int64_t>(rows[branch].size())));
    }
    DenseTensor* x_grad = context.Output("X@GRAD");
    if (x_grad == nullptr) return absl::OkStatus();
    T* to = x_grad->template mutable_data<T>();
    std::fill_n(to, x_grad->numel(), T{0});
    const int64_t width = RowWidth(*x_grad);
    for (int branch = 0; branch < 2; ++branch) {
      if (grads[branch] == nullptr) continue;
      const T* from = grads[branch]->template data<T>();
      for (const int64_t row : rows[branch]) {
        std::copy_n(from, width, to + row * width);
        from += width;
      }
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSplitLodTensorSpec =
    KernelSpec<SplitLodTensorSignature>()
        .Input(SplitLodTensorSignature::kMask,
               fluid::KernelTypeOf(DataType::kBool))
        .Output(SplitLodTensorSignature::kOutTrue, SelfAllocated(ArgDef()))
        .Output(SplitLodTensorSignature::kOutFalse, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(split_lod_tensor, cpu, fluid::SplitLodTensorCpuKernel,
                         legacy_split_lod_tensor, kSplitLodTensorSpec, int32,
                         int64, float32, float64);

constexpr auto kSplitLodTensorGradSpec =
    KernelSpec<SplitLodTensorGradSignature>().Input(
        SplitLodTensorGradSignature::kMask,
        fluid::KernelTypeOf(DataType::kBool));
SY_REGISTER_FLUID_KERNEL(split_lod_tensor_grad, cpu,
                         fluid::SplitLodTensorGradCpuKernel,
                         legacy_split_lod_tensor_grad, kSplitLodTensorGradSpec,
                         float32, float64);

}  // namespace switchyard::phi
