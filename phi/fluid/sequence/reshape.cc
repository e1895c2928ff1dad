// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of sequence_reshape and its gradient on the CPU.
#include <algorithm>
#include <string>
#include <utility>

#include "framework/base/checked_math.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/sequence_reshape.gen.h"
#include "phi/core/signatures/sequence_reshape_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/sequence_reshape.gen.h"
#include "phi/legacy/sequence_reshape_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// Out: [elements / new_dim, new_dim], the elements of X, [rows, width], in
// their order; each sequence has the elements that it had.
template <typename T>
class SequenceReshapeCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    SY_ASSIGN_OR_RETURN(const int new_dim, context.Attr<int>("new_dim"));
    const int64_t width = x.extent(1);
    Offsets offsets;
    for (const int64_t row : lod->offsets.back()) {
      // Without columns there may be any number of rows.
      const int64_t elements = CheckedMultiply(row, width).value_or(0);
      if (elements % new_dim != 0) {
        return ArgumentError("new_dim",
                             "a divisor of the elements of each sequence, " +
                                 std::to_string(elements) + " up to row " +
                                 std::to_string(row),
                             std::to_string(new_dim));
      }
      offsets.push_back(elements / new_dim);
    }
    SY_RETURN_IF_ERROR(
        context.Allocate("Out", x.dtype(), Shape({offsets.back(), new_dim})));
    std::copy_n(x.data<T>(), x.numel(),
                context.Output("Out")->template mutable_data<T>());
    LoD resized = *lod;
    resized.offsets.back() = std::move(offsets);
    context.SetLod("Out", std::move(resized));
    return absl::OkStatus();
  }
};

template <typename T>
class SequenceReshapeGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    DenseTensor* x_grad = context.Output("X@GRAD");
    if (x_grad == nullptr) return absl::OkStatus();
    if (out_grad.numel() != x_grad->numel()) {
      return ArgumentError(
          "out_grad", "of " + std::to_string(x_grad->numel()) + " elements",
          ToString(out_grad.shape()));
    }
    std::copy_n(out_grad.data<T>(), out_grad.numel(),
                x_grad->template mutable_data<T>());
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSequenceReshapeSpec =
    KernelSpec<SequenceReshapeSignature>().Output(
        SequenceReshapeSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(sequence_reshape, cpu, fluid::SequenceReshapeCpuKernel,
                         legacy_sequence_reshape, kSequenceReshapeSpec, int32,
                         int64, float32, float64);

constexpr auto kSequenceReshapeGradSpec =
    KernelSpec<SequenceReshapeGradSignature>();
SY_REGISTER_FLUID_KERNEL(sequence_reshape_grad, cpu,
                         fluid::SequenceReshapeGradCpuKernel,
                         legacy_sequence_reshape_grad, kSequenceReshapeGradSpec,
                         float32, float64);

}  // namespace switchyard::phi
