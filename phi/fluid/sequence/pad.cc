// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of sequence_pad and its gradient on the CPU.
#include <algorithm>
#include <string>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/sequence_pad.gen.h"
#include "phi/core/signatures/sequence_pad_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/sequence_pad.gen.h"
#include "phi/legacy/sequence_pad_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// The rows of each padded sequence: padded_length, or those of the longest one.
absl::StatusOr<int64_t> PaddedLength(const ExecutionContext& context,
                                     const Offsets& offsets) {
  SY_ASSIGN_OR_RETURN(const int padded_length,
                      context.Attr<int>("padded_length"));
  int64_t longest = 0;
  for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
    longest = std::max(longest, offsets[i + 1] - offsets[i]);
  }
  if (padded_length == -1) return longest;
  if (padded_length >= longest) return padded_length;
  return ArgumentError(
      "padded_length",
      "-1 or at least " + std::to_string(longest) + ", the longest sequence",
      std::to_string(padded_length));
}

}  // namespace

// Out: [sequences, padded length, ...], Length: int64 [sequences]. PadValue is
// one element or a row.
template <typename T>
class SequencePadCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    const DenseTensor& pad_value = *context.Input("PadValue");
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    const Offsets& offsets = lod->offsets.back();
    const int64_t count = SequenceCount(offsets), width = RowWidth(x);
    SY_ASSIGN_OR_RETURN(const int64_t length, PaddedLength(context, offsets));
    if (pad_value.numel() != 1 && pad_value.numel() != width) {
      return ArgumentError("pad_value",
                           "of 1 element or " + std::to_string(width),
                           ToString(pad_value.shape()));
    }
    Shape shape({count, length});
    for (int axis = 1; axis < x.rank(); ++axis)
      shape.push_back(x.shape()[axis]);
    SY_RETURN_IF_ERROR(context.Allocate("Out", x.dtype(), shape));
    SY_RETURN_IF_ERROR(
        context.Allocate("Length", DataType::kInt64, Shape({count})));
    T* to = context.Output("Out")->template mutable_data<T>();
    int64_t* lengths = context.Output("Length")->mutable_data<int64_t>();
    const T* pad = pad_value.data<T>();
    for (int64_t i = 0; i < count; ++i) {
      lengths[i] = offsets[i + 1] - offsets[i];
      to =
          std::copy_n(x.data<T>() + offsets[i] * width, lengths[i] * width, to);
      for (int64_t row = lengths[i]; row < length; ++row) {
        if (pad_value.numel() == width) {
          to = std::copy_n(pad, width, to);
        } else {
          to = std::fill_n(to, width, pad[0]);
        }
      }
    }
    return absl::OkStatus();
  }
};

template <typename T>
class SequencePadGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    const Offsets& offsets = lod->offsets.back();
    const int64_t count = SequenceCount(offsets);
    SY_RETURN_IF_ERROR(CheckRows(out_grad, count));
    SY_ASSIGN_OR_RETURN(const int64_t length, PaddedLength(context, offsets));
    if (out_grad.extent(1) != length) {
      return ArgumentError("out_grad",
                           "of " + std::to_string(length) + " rows a sequence",
                           ToString(out_grad.shape()));
    }
    DenseTensor* x_grad = context.Output("X@GRAD");
    if (x_grad == nullptr) return absl::OkStatus();
    const int64_t width = RowWidth(*x_grad);
    T* to = x_grad->template mutable_data<T>();
    for (int64_t i = 0; i < count; ++i) {
      to = std::copy_n(out_grad.data<T>() + i * length * width,
                       (offsets[i + 1] - offsets[i]) * width, to);
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSequencePadSpec =
    KernelSpec<SequencePadSignature>()
        .Output(SequencePadSignature::kOut, SelfAllocated(ArgDef()))
        .Output(SequencePadSignature::kLength,
                SelfAllocated(fluid::KernelTypeOf(DataType::kInt64)));
SY_REGISTER_FLUID_KERNEL(sequence_pad, cpu, fluid::SequencePadCpuKernel,
                         legacy_sequence_pad, kSequencePadSpec, int32, int64,
                         float32, float64);

constexpr auto kSequencePadGradSpec = KernelSpec<SequencePadGradSignature>();
SY_REGISTER_FLUID_KERNEL(sequence_pad_grad, cpu,
                         fluid::SequencePadGradCpuKernel,
                         legacy_sequence_pad_grad, kSequencePadGradSpec,
                         float32, float64);

}  // namespace switchyard::phi
