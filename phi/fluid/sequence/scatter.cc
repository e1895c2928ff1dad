// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of sequence_scatter and its gradient on the CPU.
#include <algorithm>
#include <string>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/sequence_scatter.gen.h"
#include "phi/core/signatures/sequence_scatter_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/sequence_scatter.gen.h"
#include "phi/legacy/sequence_scatter_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// The element of X that each update is added to.
absl::StatusOr<std::vector<int64_t>> Targets(const ExecutionContext& context) {
  const DenseTensor& x = *context.Input("X");
  const DenseTensor& ids = *context.Input("Ids");
  SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("Ids"));
  const Offsets& offsets = lod->offsets.back();
  if (SequenceCount(offsets) != x.extent(0)) {
    return ArgumentError(
        "ids",
        "of " + std::to_string(x.extent(0)) + " sequences, the rows of x",
        std::to_string(SequenceCount(offsets)));
  }
  const int64_t width = x.extent(1);
  std::vector<int64_t> targets;
  for (int64_t i = 0; i < x.extent(0); ++i) {
    for (int64_t j = offsets[i]; j < offsets[i + 1]; ++j) {
      const int64_t id = ids.dtype() == DataType::kInt32
                             ? int64_t{ids.data<int32_t>()[j]}
                             : ids.data<int64_t>()[j];
      if (id < 0 || id >= width) {
        return RangeError("ids", "in [0, " + std::to_string(width) + ")",
                          std::to_string(id));
      }
      targets.push_back(i * width + id);
    }
  }
  return targets;
}

}  // namespace

template <typename T>
class SequenceScatterCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const std::vector<int64_t> targets, Targets(context));
    SY_RETURN_IF_ERROR(context.Allocate("Out", x.dtype(), x.shape()));
    T* out = context.Output("Out")->template mutable_data<T>();
    std::copy_n(x.data<T>(), x.numel(), out);
    const T* updates = context.Input("Updates")->template data<T>();
    for (const int64_t target : targets) out[target] += *updates++;
    context.ShareLod("X", "Out");
    return absl::OkStatus();
  }
};

template <typename T>
class SequenceScatterGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    SY_ASSIGN_OR_RETURN(const std::vector<int64_t> targets, Targets(context));
    if (DenseTensor* x_grad = context.Output("X@GRAD")) {
      std::copy_n(out_grad.data<T>(), out_grad.numel(),
                  x_grad->template mutable_data<T>());
    }
    if (DenseTensor* updates_grad = context.Output("Updates@GRAD")) {
      T* to = updates_grad->template mutable_data<T>();
      for (const int64_t target : targets) *to++ = out_grad.data<T>()[target];
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSequenceScatterSpec =
    KernelSpec<SequenceScatterSignature>()
        .Input(SequenceScatterSignature::kIds, OneOf(kIndexDtypes))
        .Output(SequenceScatterSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(sequence_scatter, cpu, fluid::SequenceScatterCpuKernel,
                         legacy_sequence_scatter, kSequenceScatterSpec, int32,
                         int64, float32, float64);

constexpr auto kSequenceScatterGradSpec =
    KernelSpec<SequenceScatterGradSignature>()
        .Input(SequenceScatterGradSignature::kIds, OneOf(kIndexDtypes))
        .Input(SequenceScatterGradSignature::kX, AnyDtype())
        .Input(SequenceScatterGradSignature::kUpdates, AnyDtype());
SY_REGISTER_FLUID_KERNEL(sequence_scatter_grad, cpu,
                         fluid::SequenceScatterGradCpuKernel,
                         legacy_sequence_scatter_grad, kSequenceScatterGradSpec,
                         float32, float64);

}  // namespace switchyard::phi
