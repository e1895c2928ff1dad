// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of sequence_unpad and its gradient on the CPU.
#include <algorithm>
#include <string>
#include <utility>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/sequence_unpad.gen.h"
#include "phi/core/signatures/sequence_unpad_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/sequence_unpad.gen.h"
#include "phi/legacy/sequence_unpad_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// Where the sequences of the result begin.
absl::StatusOr<Offsets> Unpadded(const ExecutionContext& context) {
  const DenseTensor& length = *context.Input("Length");
  const int64_t most = context.Input("X")->extent(1);
  Offsets offsets = {0};
  for (int64_t i = 0; i < length.numel(); ++i) {
    const int64_t own = length.data<int64_t>()[i];
    if (own < 0 || own > most) {
      return RangeError("length", "in [0, " + std::to_string(most) + "]",
                        std::to_string(own));
    }
    AppendSequence(own, &offsets);
  }
  return offsets;
}

}  // namespace

// X: [sequences, padded length, ...]. Out: [rows, ...] ([rows, 1] for X of rank
// 2), the first Length[i] rows of each X[i], as sequences.
template <typename T>
class SequenceUnpadCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(Offsets offsets, Unpadded(context));
    Shape shape({offsets.back()});
    for (int axis = 2; axis < x.rank(); ++axis)
      shape.push_back(x.shape()[axis]);
    if (x.rank() == 2) shape.push_back(1);
    SY_RETURN_IF_ERROR(context.Allocate("Out", x.dtype(), shape));
    const int64_t width = x.shape().numel(2, x.rank());
    const int64_t stride = x.extent(1) * width;
    T* to = context.Output("Out")->template mutable_data<T>();
    for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
      to = std::copy_n(x.data<T>() + i * stride,
                       (offsets[i + 1] - offsets[i]) * width, to);
    }
    context.SetLod("Out", LoD{{std::move(offsets)}});
    return absl::OkStatus();
  }
};

template <typename T>
class SequenceUnpadGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    SY_ASSIGN_OR_RETURN(const Offsets offsets, Unpadded(context));
    SY_RETURN_IF_ERROR(CheckRows(out_grad, offsets.back()));
    DenseTensor* x_grad = context.Output("X@GRAD");
    if (x_grad == nullptr) return absl::OkStatus();
    const int64_t width = x_grad->shape().numel(2, x_grad->rank());
    const int64_t stride = x_grad->extent(1) * width;
    T* to = x_grad->template mutable_data<T>();
    std::fill_n(to, x_grad->numel(), T{0});
    for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
      std::copy_n(out_grad.data<T>() + offsets[i] * width,
                  (offsets[i + 1] - offsets[i]) * width, to + i * stride);
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSequenceUnpadSpec =
    KernelSpec<SequenceUnpadSignature>()
        .Input(SequenceUnpadSignature::kLength,
               fluid::KernelTypeOf(DataType::kInt64))
        .Output(SequenceUnpadSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(sequence_unpad, cpu, fluid::SequenceUnpadCpuKernel,
                         legacy_sequence_unpad, kSequenceUnpadSpec, int32,
                         int64, float32, float64);

constexpr auto kSequenceUnpadGradSpec =
    KernelSpec<SequenceUnpadGradSignature>().Input(
        SequenceUnpadGradSignature::kLength,
        fluid::KernelTypeOf(DataType::kInt64));
SY_REGISTER_FLUID_KERNEL(sequence_unpad_grad, cpu,
                         fluid::SequenceUnpadGradCpuKernel,
                         legacy_sequence_unpad_grad, kSequenceUnpadGradSpec,
                         float32, float64);

}  // namespace switchyard::phi
