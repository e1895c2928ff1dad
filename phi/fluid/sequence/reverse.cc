// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of sequence_reverse and its gradient on the CPU.
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/sequence_reverse.gen.h"
#include "phi/core/signatures/sequence_reverse_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/sequence_reverse.gen.h"
#include "phi/legacy/sequence_reverse_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

RowSources Reverse(const Offsets& offsets) {
  RowSources sources;
  for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
    for (int64_t row = offsets[i + 1] - 1; row >= offsets[i]; --row) {
      sources.push_back(row);
    }
  }
  return sources;
}

}  // namespace

// Y: the rows of each sequence of X from last to first.
template <typename T>
class SequenceReverseCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    SY_RETURN_IF_ERROR(context.Allocate("Y", x.dtype(), x.shape()));
    CopyRows<T>(x, Reverse(lod->offsets.back()), context.Output("Y"));
    context.ShareLod("X", "Y");
    return absl::OkStatus();
  }
};

template <typename T>
class SequenceReverseGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    AddRows<T>(*context.Input("Y@GRAD"), Reverse(lod->offsets.back()),
               context.Output("X@GRAD"));
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSequenceReverseSpec =
    KernelSpec<SequenceReverseSignature>().Output(
        SequenceReverseSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(sequence_reverse, cpu, fluid::SequenceReverseCpuKernel,
                         legacy_sequence_reverse, kSequenceReverseSpec, int32,
                         int64, float32, float64);

constexpr auto kSequenceReverseGradSpec =
    KernelSpec<SequenceReverseGradSignature>();
SY_REGISTER_FLUID_KERNEL(sequence_reverse_grad, cpu,
                         fluid::SequenceReverseGradCpuKernel,
                         legacy_sequence_reverse_grad, kSequenceReverseGradSpec,
                         float32, float64);

}  // namespace switchyard::phi
