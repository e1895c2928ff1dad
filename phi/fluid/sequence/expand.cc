// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of sequence_expand and its gradient on the CPU.
#include <string>
#include <utility>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/sequence_expand.gen.h"
#include "phi/core/signatures/sequence_expand_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/sequence_expand.gen.h"
#include "phi/legacy/sequence_expand_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// The rows of X that the result has, and its sequences where X has some.
struct Expansion {
  RowSources sources;
  Offsets offsets = {0};
};

// The level of Y that says how often a sequence of X is repeated.
absl::StatusOr<const Offsets*> Reference(const ExecutionContext& context) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("Y"));
  SY_ASSIGN_OR_RETURN(const int ref_level, context.Attr<int>("ref_level"));
  const int levels = static_cast<int>(lod->offsets.size());
  if (ref_level < -1 || ref_level >= levels) {
    return RangeError(
        "ref_level", "in [-1, " + std::to_string(levels) + "), the levels of y",
        std::to_string(ref_level));
  }
  return &lod->offsets[ref_level == -1 ? levels - 1 : ref_level];
}

absl::StatusOr<Expansion> Expand(const ExecutionContext& context) {
  const DenseTensor& x = *context.Input("X");
  SY_ASSIGN_OR_RETURN(const Offsets* reference, Reference(context));
  Offsets own;  // A row of X is a sequence where X has none.
  if (x.lod() != nullptr) {
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    if (lod->offsets.size() > 1) {
      return ArgumentError("x", "of one level of sequences or none",
                           std::to_string(lod->offsets.size()));
    }
    own = lod->offsets[0];
  } else {
    for (int64_t i = 0; i <= x.extent(0); ++i) own.push_back(i);
  }
  if (own.size() != reference->size()) {
    return ArgumentError("x",
                         "of " + std::to_string(SequenceCount(*reference)) +
                             " sequences, as y at its level ref_level",
                         std::to_string(SequenceCount(own)));
  }
  Expansion expansion;
  for (int64_t i = 0; i < SequenceCount(own); ++i) {
    const int64_t times = (*reference)[i + 1] - (*reference)[i];
    for (int64_t n = 0; n < times; ++n) {
      for (int64_t row = own[i]; row < own[i + 1]; ++row) {
        expansion.sources.push_back(row);
      }
      AppendSequence(own[i + 1] - own[i], &expansion.offsets);
    }
  }
  return expansion;
}

}  // namespace

// Out: each sequence of X (each row where it has none) as often as the sequence
// of Y at its level ref_level is long. Out has sequences where X has.
template <typename T>
class SequenceExpandCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(Expansion expansion, Expand(context));
    const auto rows = static_cast<int64_t>(expansion.sources.size());
    SY_RETURN_IF_ERROR(
        context.Allocate("Out", x.dtype(), WithRows(x.shape(), rows)));
    CopyRows<T>(x, expansion.sources, context.Output("Out"));
    if (x.lod() != nullptr) {
      context.SetLod("Out", LoD{{std::move(expansion.offsets)}});
    }
    return absl::OkStatus();
  }
};

template <typename T>
class SequenceExpandGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    SY_ASSIGN_OR_RETURN(const Expansion expansion, Expand(context));
    SY_RETURN_IF_ERROR(
        CheckRows(out_grad, static_cast<int64_t>(expansion.sources.size())));
    AddRows<T>(out_grad, expansion.sources, context.Output("X@GRAD"));
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSequenceExpandSpec =
    KernelSpec<SequenceExpandSignature>()
        .Input(SequenceExpandSignature::kY, AnyDtype())
        .Output(SequenceExpandSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(sequence_expand, cpu, fluid::SequenceExpandCpuKernel,
                         legacy_sequence_expand, kSequenceExpandSpec, int32,
                         int64, float32, float64);

constexpr auto kSequenceExpandGradSpec =
    KernelSpec<SequenceExpandGradSignature>().Input(
        SequenceExpandGradSignature::kY, AnyDtype());
SY_REGISTER_FLUID_KERNEL(sequence_expand_grad, cpu,
                         fluid::SequenceExpandGradCpuKernel,
                         legacy_sequence_expand_grad, kSequenceExpandGradSpec,
                         float32, float64);

}  // namespace switchyard::phi
