// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of sequence_expand_as and its gradient on the CPU.
#include <string>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/sequence_expand_as.gen.h"
#include "phi/core/signatures/sequence_expand_as_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/sequence_expand_as.gen.h"
#include "phi/legacy/sequence_expand_as_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// Row i of X for each row of sequence i of Y.
absl::StatusOr<RowSources> ExpandAs(const ExecutionContext& context,
                                    const Offsets& offsets) {
  const DenseTensor& x = *context.Input("X");
  if (x.extent(0) != SequenceCount(offsets)) {
    return ArgumentError("x",
                         "of " + std::to_string(SequenceCount(offsets)) +
                             " rows, one for each sequence of y",
                         ToString(x.shape()));
  }
  RowSources sources;
  for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
    sources.insert(sources.end(), offsets[i + 1] - offsets[i], i);
  }
  return sources;
}

}  // namespace

// Out: row i of X as often as sequence i of Y is long, with the sequences of Y.
template <typename T>
class SequenceExpandAsCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("Y"));
    const Offsets& offsets = lod->offsets[0];
    SY_ASSIGN_OR_RETURN(const RowSources sources, ExpandAs(context, offsets));
    SY_RETURN_IF_ERROR(context.Allocate("Out", x.dtype(),
                                        WithRows(x.shape(), offsets.back())));
    CopyRows<T>(x, sources, context.Output("Out"));
    context.SetLod("Out", LoD{{offsets}});
    return absl::OkStatus();
  }
};

template <typename T>
class SequenceExpandAsGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("Y"));
    const Offsets& offsets = lod->offsets[0];
    SY_ASSIGN_OR_RETURN(const RowSources sources, ExpandAs(context, offsets));
    SY_RETURN_IF_ERROR(CheckRows(out_grad, offsets.back()));
    AddRows<T>(out_grad, sources, context.Output("X@GRAD"));
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSequenceExpandAsSpec =
    KernelSpec<SequenceExpandAsSignature>()
        .Input(SequenceExpandAsSignature::kY, AnyDtype())
        .Output(SequenceExpandAsSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(sequence_expand_as, cpu,
                         fluid::SequenceExpandAsCpuKernel,
                         legacy_sequence_expand_as, kSequenceExpandAsSpec,
                         int32, int64, float32, float64);

constexpr auto kSequenceExpandAsGradSpec =
    KernelSpec<SequenceExpandAsGradSignature>().Input(
        SequenceExpandAsGradSignature::kY, AnyDtype());
SY_REGISTER_FLUID_KERNEL(sequence_expand_as_grad, cpu,
                         fluid::SequenceExpandAsGradCpuKernel,
                         legacy_sequence_expand_as_grad,
                         kSequenceExpandAsGradSpec, float32, float64);

}  // namespace switchyard::phi
