// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of lod_reset and its gradient on the CPU.
#include <algorithm>
#include <utility>

#include "absl/types/span.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/lod_reset.gen.h"
#include "phi/core/signatures/lod_reset_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/lod_reset.gen.h"
#include "phi/legacy/lod_reset_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

template <typename Integer>
Offsets OffsetsOf(const DenseTensor& y) {
  return Offsets(y.data<Integer>(), y.data<Integer>() + y.numel());
}

// The sequences that X gets: those of Y, else the elements of Y, else
// target_lod, as offsets.
absl::StatusOr<LoD> Target(const ExecutionContext& context) {
  const DenseTensor& x = *context.Input("X");
  const DenseTensor* y = context.Input("Y");
  LoD target;
  if (y != nullptr && y->lod() != nullptr) {
    target = *y->lod();
    SY_RETURN_IF_ERROR(Annotate(Validate(target, x.extent(0)), "y"));
    return target;
  }
  Offsets last;
  if (y == nullptr) {
    SY_ASSIGN_OR_RETURN(const auto target_lod,
                        context.Attr<absl::Span<const int64_t>>("target_lod"));
    last.assign(target_lod.begin(), target_lod.end());
  } else if (y->dtype() == DataType::kInt32) {
    last = OffsetsOf<int32_t>(*y);
  } else if (y->dtype() == DataType::kInt64) {
    last = OffsetsOf<int64_t>(*y);
  } else {
    return TypeError("y", "int32 or int64 without sequences", Name(y->dtype()));
  }
  SY_ASSIGN_OR_RETURN(const bool append, context.Attr<bool>("append"));
  if (append && x.lod() != nullptr) {
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    target = *lod;
  }
  target.offsets.push_back(std::move(last));
  SY_RETURN_IF_ERROR(Validate(target, x.extent(0)));
  return target;
}

}  // namespace

// Out: the elements of X in other sequences.
template <typename T>
class LodResetCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(LoD target, Target(context));
    SY_RETURN_IF_ERROR(context.Allocate("Out", x.dtype(), x.shape()));
    std::copy_n(x.data<T>(), x.numel(),
                context.Output("Out")->template mutable_data<T>());
    context.SetLod("Out", std::move(target));
    return absl::OkStatus();
  }
};

template <typename T>
class LodResetGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    DenseTensor* x_grad = context.Output("X@GRAD");
    if (x_grad == nullptr) return absl::OkStatus();
    std::copy_n(out_grad.data<T>(), out_grad.numel(),
                x_grad->template mutable_data<T>());
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kLodResetSpec =
    KernelSpec<LodResetSignature>()
        .Input(LodResetSignature::kY, AnyDtype())
        .Output(LodResetSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(lod_reset, cpu, fluid::LodResetCpuKernel,
                         legacy_lod_reset, kLodResetSpec, int32, int64, float32,
                         float64);

constexpr auto kLodResetGradSpec = KernelSpec<LodResetGradSignature>();
SY_REGISTER_FLUID_KERNEL(lod_reset_grad, cpu, fluid::LodResetGradCpuKernel,
                         legacy_lod_reset_grad, kLodResetGradSpec, float32,
                         float64);

}  // namespace switchyard::phi
