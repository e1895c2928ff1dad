// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of ctc_align on the CPU.
#include <algorithm>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/ctc_align.gen.h"
#include "phi/fluid/alignment/labels.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/ctc_align.gen.h"

namespace switchyard::phi {
namespace fluid {

// Output: of each sequence of Input the labels that are not `blank`, without
// those that repeat the one before where merge_repeated. As sequences, [rows,
// 1]; [[-1]] without sequences where no label stays. With InputLength a batch
// of the shape of Input, filled up with padding_value, and the lengths in
// OutputLength, [batch, 1].
template <typename T>
class CtcAlignCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& input = *context.Input("Input");
    SY_ASSIGN_OR_RETURN(const std::vector<Range> ranges,
                        ReadRanges(context, "Input", "InputLength"));
    SY_ASSIGN_OR_RETURN(const int blank, context.Attr<int>("blank"));
    SY_ASSIGN_OR_RETURN(const bool merge, context.Attr<bool>("merge_repeated"));
    std::vector<T> labels;
    Offsets offsets = {0};
    for (const Range& range : ranges) {
      const T* from = input.data<T>() + range.begin;
      for (int64_t i = 0; i < range.length; ++i) {
        const bool repeats = merge && i > 0 && from[i] == from[i - 1];
        if (from[i] != blank && !repeats) labels.push_back(from[i]);
      }
      offsets.push_back(static_cast<int64_t>(labels.size()));
    }
    return context.HasInput("InputLength")
               ? WriteBatch(context, labels, offsets)
               : WriteSequences(context, labels, std::move(offsets));
  }

 private:
  static absl::Status WriteSequences(const ExecutionContext& context,
                                     const std::vector<T>& labels,
                                     Offsets offsets) {
    const DataType dtype = context.Input("Input")->dtype();
    const auto rows = std::max<int64_t>(offsets.back(), 1);
    SY_RETURN_IF_ERROR(context.Allocate("Output", dtype, Shape({rows, 1})));
    SY_RETURN_IF_ERROR(context.Allocate("OutputLength", dtype, Shape({0, 1})));
    T* to = context.Output("Output")->template mutable_data<T>();
    if (labels.empty()) {
      to[0] = -1;
      return absl::OkStatus();
    }
    std::copy(labels.begin(), labels.end(), to);
    context.SetLod("Output", LoD{{std::move(offsets)}});
    return absl::OkStatus();
  }

  static absl::Status WriteBatch(const ExecutionContext& context,
                                 const std::vector<T>& labels,
                                 const Offsets& offsets) {
    const DenseTensor& input = *context.Input("Input");
    SY_ASSIGN_OR_RETURN(const int padding, context.Attr<int>("padding_value"));
    SY_RETURN_IF_ERROR(
        context.Allocate("Output", input.dtype(), input.shape()));
    SY_RETURN_IF_ERROR(context.Allocate("OutputLength", input.dtype(),
                                        Shape({input.extent(0), 1})));
    T* to = context.Output("Output")->template mutable_data<T>();
    std::fill_n(to, input.numel(), T{padding});
    DenseTensor* lengths = context.Output("OutputLength");
    for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
      std::copy(labels.begin() + offsets[i], labels.begin() + offsets[i + 1],
                to + i * input.extent(1));
      if (lengths == nullptr) continue;
      lengths->mutable_data<T>()[i] =
          static_cast<T>(offsets[i + 1] - offsets[i]);
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kCtcAlignSpec =
    KernelSpec<CtcAlignSignature>()
        .Input(CtcAlignSignature::kInputLength, OneOf(kIndexDtypes))
        .Output(CtcAlignSignature::kOutput, SelfAllocated(ArgDef()))
        .Output(CtcAlignSignature::kOutputLength, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(ctc_align, cpu, fluid::CtcAlignCpuKernel,
                         legacy_ctc_align, kCtcAlignSpec, int32, int64);

}  // namespace switchyard::phi
