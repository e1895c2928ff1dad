// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of sequence_slice and its gradient on the CPU.
#include <string>
#include <utility>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/sequence_slice.gen.h"
#include "phi/core/signatures/sequence_slice_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/sequence_slice.gen.h"
#include "phi/legacy/sequence_slice_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// The rows of X in the result, and its sequences.
struct Pieces {
  RowSources sources;
  Offsets offsets = {0};
};

int64_t Element(const DenseTensor& x, int64_t i) {
  return x.dtype() == DataType::kInt32 ? x.data<int32_t>()[i]
                                       : x.data<int64_t>()[i];
}

absl::StatusOr<Pieces> Cut(const ExecutionContext& context) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
  const Offsets& own = lod->offsets.back();
  const DenseTensor& offset = *context.Input("Offset");
  const DenseTensor& length = *context.Input("Length");
  for (const auto& [name, tensor] :
       {std::make_pair("offset", &offset), std::make_pair("length", &length)}) {
    if (tensor->numel() == SequenceCount(own)) continue;
    return ArgumentError(name,
                         "of " + std::to_string(SequenceCount(own)) +
                             " elements, one for each sequence",
                         ToString(tensor->shape()));
  }
  Pieces pieces;
  for (int64_t i = 0; i < SequenceCount(own); ++i) {
    const int64_t rows = own[i + 1] - own[i];
    const int64_t first = Element(offset, i), count = Element(length, i);
    if (first < 0 || first > rows) {
      return RangeError("offset", "in [0, " + std::to_string(rows) + "]",
                        std::to_string(first));
    }
    if (count < 0 || count > rows - first) {
      return RangeError("length",
                        "in [0, " + std::to_string(rows - first) + "]",
                        std::to_string(count));
    }
    for (int64_t k = 0; k < count; ++k) {
      pieces.sources.push_back(own[i] + first + k);
    }
    AppendSequence(count, &pieces.offsets);
  }
  return pieces;
}

}  // namespace

// Out: of sequence i of X the Length[i] rows from Offset[i] on.
template <typename T>
class SequenceSliceCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(Pieces pieces, Cut(context));
    SY_RETURN_IF_ERROR(context.Allocate(
        "Out", x.dtype(), WithRows(x.shape(), pieces.offsets.back())));
    CopyRows<T>(x, pieces.sources, context.Output("Out"));
    context.SetLod("Out", LoD{{std::move(pieces.offsets)}});
    return absl::OkStatus();
  }
};

template <typename T>
class SequenceSliceGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    SY_ASSIGN_OR_RETURN(const Pieces pieces, Cut(context));
    SY_RETURN_IF_ERROR(CheckRows(out_grad, pieces.offsets.back()));
    AddRows<T>(out_grad, pieces.sources, context.Output("X@GRAD"));
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSequenceSliceSpec =
    KernelSpec<SequenceSliceSignature>()
        .Input(SequenceSliceSignature::kOffset, OneOf(kIndexDtypes))
        .Input(SequenceSliceSignature::kLength, OneOf(kIndexDtypes))
        .Output(SequenceSliceSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(sequence_slice, cpu, fluid::SequenceSliceCpuKernel,
                         legacy_sequence_slice, kSequenceSliceSpec, int32,
                         int64, float32, float64);

constexpr auto kSequenceSliceGradSpec =
    KernelSpec<SequenceSliceGradSignature>()
        .Input(SequenceSliceGradSignature::kOffset, OneOf(kIndexDtypes))
        .Input(SequenceSliceGradSignature::kLength, OneOf(kIndexDtypes));
SY_REGISTER_FLUID_KERNEL(sequence_slice_grad, cpu,
                         fluid::SequenceSliceGradCpuKernel,
                         legacy_sequence_slice_grad, kSequenceSliceGradSpec,
                         float32, float64);

}  // namespace switchyard::phi
