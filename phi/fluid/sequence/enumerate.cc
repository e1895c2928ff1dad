// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of sequence_enumerate on the CPU.
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/sequence_enumerate.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/sequence_enumerate.gen.h"

namespace switchyard::phi {
namespace fluid {

// Out: [rows, win_size], for each row of X, [rows] or [rows, 1], it and those
// that follow in its sequence, pad_value after the last.
template <typename T>
class SequenceEnumerateCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    SY_ASSIGN_OR_RETURN(const int win_size, context.Attr<int>("win_size"));
    SY_ASSIGN_OR_RETURN(const int pad_value, context.Attr<int>("pad_value"));
    SY_RETURN_IF_ERROR(
        context.Allocate("Out", x.dtype(), Shape({x.extent(0), win_size})));
    const Offsets& offsets = lod->offsets.back();
    T* to = context.Output("Out")->template mutable_data<T>();
    for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
      for (int64_t row = offsets[i]; row < offsets[i + 1]; ++row) {
        for (int64_t k = row; k < row + win_size; ++k) {
          *to++ = k < offsets[i + 1] ? x.data<T>()[k] : T{pad_value};
        }
      }
    }
    context.ShareLod("X", "Out");
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSequenceEnumerateSpec =
    KernelSpec<SequenceEnumerateSignature>().Output(
        SequenceEnumerateSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(sequence_enumerate, cpu,
                         fluid::SequenceEnumerateCpuKernel,
                         legacy_sequence_enumerate, kSequenceEnumerateSpec,
                         int32, int64);

}  // namespace switchyard::phi
