// SPDX-License-Identifier: Apache-2.0
// ctc_align on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_CTC_ALIGN_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_CTC_ALIGN_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/alignment/labels.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// output: of each sequence of input the labels that are not `blank`, without
// those that repeat the one before where merge_repeated. As sequences, [rows,
// 1]; [[-1]] without sequences where no label stays. With input_length a batch
// of the shape of input, filled up with padding_value, and the lengths in
// output_length, [batch, 1].
template <typename T>
class CtcAlign {
 public:
  static absl::Status Run(const CpuContext& context, const DenseTensor& input,
                          const DenseTensor* input_length, int blank,
                          bool merge_repeated, int padding_value,
                          DenseTensor* output, DenseTensor* output_length) {
    SY_ASSIGN_OR_RETURN(
        const std::vector<LabelRange> ranges,
        ReadRanges("input", input, "input_length", input_length));
    std::vector<T> labels;
    Offsets offsets = {0};
    for (const LabelRange& range : ranges) {
      const T* from = input.data<T>() + range.begin;
      for (int64_t i = 0; i < range.length; ++i) {
        const bool repeats = merge_repeated && i > 0 && from[i] == from[i - 1];
        if (from[i] != blank && !repeats) labels.push_back(from[i]);
      }
      offsets.push_back(static_cast<int64_t>(labels.size()));
    }
    return input_length != nullptr
               ? WriteBatch(context, input, padding_value, output,
                            output_length, labels, offsets)
               : WriteSequences(context, input, output, output_length, labels,
                                std::move(offsets));
  }

 private:
  static absl::Status WriteSequences(const CpuContext& context,
                                     const DenseTensor& input,
                                     DenseTensor* output,
                                     DenseTensor* output_length,
                                     const std::vector<T>& labels,
                                     Offsets offsets) {
    const DataType dtype = input.dtype();
    const auto rows = std::max<int64_t>(offsets.back(), 1);
    SY_RETURN_IF_ERROR(AllocateAnew(context, dtype, Shape({rows, 1}), output));
    SY_RETURN_IF_ERROR(
        AllocateAnew(context, dtype, Shape({0, 1}), output_length));
    T* to = output->mutable_data<T>();
    if (labels.empty()) {
      to[0] = -1;
      return absl::OkStatus();
    }
    std::copy(labels.begin(), labels.end(), to);
    SetLod(LoD{{std::move(offsets)}}, output);
    return absl::OkStatus();
  }

  static absl::Status WriteBatch(const CpuContext& context,
                                 const DenseTensor& input, int padding_value,
                                 DenseTensor* output,
                                 DenseTensor* output_length,
                                 const std::vector<T>& labels,
                                 const Offsets& offsets) {
    SY_RETURN_IF_ERROR(
        AllocateAnew(context, input.dtype(), input.shape(), output));
    SY_RETURN_IF_ERROR(AllocateAnew(
        context, input.dtype(), Shape({input.extent(0), 1}), output_length));
    T* to = output->mutable_data<T>();
    std::fill_n(to, input.numel(), T{padding_value});
    for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
      std::copy(labels.begin() + offsets[i], labels.begin() + offsets[i + 1],
                to + i * input.extent(1));
      if (output_length == nullptr) continue;
      output_length->mutable_data<T>()[i] =
          static_cast<T>(offsets[i + 1] - offsets[i]);
    }
    return absl::OkStatus();
  }
};

template <typename S>
inline constexpr auto kCtcAlignSpec =
    KernelSpec<S>()
        .Input(S::kInputLength, OneOf(kIndexDtypes))
        .Output(S::kOutput, SelfAllocated(ArgDef()))
        .Output(S::kOutputLength, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CtcAlignKernel(const CpuContext& context, const DenseTensor& input,
                            const DenseTensor* input_length, int blank,
                            bool merge_repeated, int padding_value,
                            DenseTensor* output, DenseTensor* output_length) {
  return CtcAlign<T>::Run(context, input, input_length, blank, merge_repeated,
                          padding_value, output, output_length);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_CTC_ALIGN_H_
