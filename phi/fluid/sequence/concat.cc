// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of sequence_concat and its gradient on the CPU.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/sequence_concat.gen.h"
#include "phi/core/signatures/sequence_concat_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/sequence_concat.gen.h"
#include "phi/legacy/sequence_concat_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// The sequences of each X: as many in each.
absl::StatusOr<std::vector<const Offsets*>> AllOffsets(const DenseList& x) {
  std::vector<const Offsets*> all;
  for (size_t i = 0; i < x.size(); ++i) {
    SY_ASSIGN_OR_RETURN(const LoD* lod,
                        ExecutionContext::SequencesOf("x", x[i]));
    all.push_back(&lod->offsets.back());
    if (all[i]->size() != all[0]->size()) {
      return ArgumentError("x",
                           "tensors of " +
                               std::to_string(SequenceCount(*all[0])) +
                               " sequences, as the first one",
                           std::to_string(SequenceCount(*all[i])));
    }
  }
  return all;
}

}  // namespace

// Out: sequence i of all X one after another, for each i.
template <typename T>
class SequenceConcatCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseList x = context.MultiInput("X");
    SY_ASSIGN_OR_RETURN(const auto all, AllOffsets(x));
    Offsets offsets = {0};
    for (int64_t i = 0; i < SequenceCount(*all[0]); ++i) {
      int64_t length = 0;
      for (const Offsets* own : all) length += (*own)[i + 1] - (*own)[i];
      AppendSequence(length, &offsets);
    }
    SY_RETURN_IF_ERROR(context.Allocate(
        "Out", x[0].dtype(), WithRows(x[0].shape(), offsets.back())));
    const int64_t width = RowWidth(x[0]);
    T* to = context.Output("Out")->template mutable_data<T>();
    for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
      for (size_t k = 0; k < x.size(); ++k) {
        const Offsets& own = *all[k];
        to = std::copy_n(x[k].template data<T>() + own[i] * width,
                         (own[i + 1] - own[i]) * width, to);
      }
    }
    context.SetLod("Out", LoD{{std::move(offsets)}});
    return absl::OkStatus();
  }
};

template <typename T>
class SequenceConcatGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseList x = context.MultiInput("X");
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    const DenseOutputs x_grad = context.MultiOutput("X@GRAD");
    SY_ASSIGN_OR_RETURN(const auto all, AllOffsets(x));
    int64_t rows = 0;
    for (const Offsets* own : all) rows += own->back();
    SY_RETURN_IF_ERROR(CheckRows(out_grad, rows));
    const int64_t width = RowWidth(x[0]);
    const T* from = out_grad.data<T>();
    for (int64_t i = 0; i < SequenceCount(*all[0]); ++i) {
      for (size_t k = 0; k < x.size(); ++k) {
        const int64_t begin = (*all[k])[i], end = (*all[k])[i + 1];
        const int64_t size = (end - begin) * width;
        if (x_grad[k] != nullptr) {
          std::copy_n(from, size,
                      x_grad[k]->template mutable_data<T>() + begin * width);
        }
        from += size;
      }
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSequenceConcatSpec =
    KernelSpec<SequenceConcatSignature>().Output(SequenceConcatSignature::kOut,
                                                 SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(sequence_concat, cpu, fluid::SequenceConcatCpuKernel,
                         legacy_sequence_concat, kSequenceConcatSpec, int32,
                         int64, float32, float64);

constexpr auto kSequenceConcatGradSpec =
    KernelSpec<SequenceConcatGradSignature>();
SY_REGISTER_FLUID_KERNEL(sequence_concat_grad, cpu,
                         fluid::SequenceConcatGradCpuKernel,
                         legacy_sequence_concat_grad, kSequenceConcatGradSpec,
                         float32, float64);

}  // namespace switchyard::phi
