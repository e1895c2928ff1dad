// SPDX-License-Identifier: Apache-2.0
// edit_distance on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_EDIT_DISTANCE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_EDIT_DISTANCE_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/alignment/labels.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// out: float32 [sequences, 1], the least number of insertions, deletions and
// substitutions that make the sequence of hyps that of refs; where `normalized`
// divided by the length of the latter. sequencenum: int64 [1].
template <typename T>
class EditDistance {
 public:
  static absl::Status Run(const CpuContext& context, const DenseTensor& hyps,
                          const DenseTensor& refs,
                          const DenseTensor* hypslength,
                          const DenseTensor* refslength, bool normalized,
                          DenseTensor* sequencenum, DenseTensor* out) {
    SY_ASSIGN_OR_RETURN(const std::vector<LabelRange> found,
                        ReadRanges("hyps", hyps, "hypslength", hypslength));
    SY_ASSIGN_OR_RETURN(const std::vector<LabelRange> wanted,
                        ReadRanges("refs", refs, "refslength", refslength));
    const auto count = static_cast<int64_t>(found.size());
    if (wanted.size() != found.size()) {
      return ArgumentError(
          "refs", "of " + std::to_string(count) + " sequences, as hyps",
          std::to_string(wanted.size()));
    }
    for (const LabelRange& ref : wanted) {
      if (!normalized || ref.length > 0) continue;
      return ArgumentError("refs",
                           "of sequences with elements where normalized",
                           "an empty one");
    }
    SY_RETURN_IF_ERROR(
        AllocateAnew(context, DataType::kFloat32, Shape({count, 1}), out));
    float* distances = out->mutable_data<float>();
    const T* hyp = hyps.data<T>();
    const T* ref = refs.data<T>();
    for (int64_t i = 0; i < count; ++i) {
      const auto distance =
          static_cast<float>(Distance(hyp + found[i].begin, found[i].length,
                                      ref + wanted[i].begin, wanted[i].length));
      distances[i] = normalized
                         ? distance / static_cast<float>(wanted[i].length)
                         : distance;
    }
    *sequencenum->mutable_data<int64_t>() = count;
    return absl::OkStatus();
  }

 private:
  static int64_t Distance(const T* a, int64_t a_length, const T* b,
                          int64_t b_length) {
    // Distances of the part of `a` that was seen to each beginning of `b`.
    std::vector<int64_t> row(b_length + 1);
    std::iota(row.begin(), row.end(), 0);
    for (int64_t i = 0; i < a_length; ++i) {
      int64_t before = row[0];  // Of one element less of both.
      row[0] = i + 1;
      for (int64_t j = 0; j < b_length; ++j) {
        const int64_t replaced = before + (a[i] == b[j] ? 0 : 1);
        before = row[j + 1];
        row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
      }
    }
    return row[b_length];
  }
};

template <typename S>
inline constexpr auto kEditDistanceSpec =
    KernelSpec<S>()
        .Input(S::kHypslength, OneOf(kIndexDtypes))
        .Input(S::kRefslength, OneOf(kIndexDtypes))
        .Output(S::kOut, SelfAllocated(Fixed(DataType::kFloat32)))
        .Output(S::kSequencenum, Fixed(DataType::kInt64));
template <typename T>
absl::Status EditDistanceKernel(const CpuContext& context,
                                const DenseTensor& hyps,
                                const DenseTensor& refs,
                                const DenseTensor* hypslength,
                                const DenseTensor* refslength, bool normalized,
                                DenseTensor* sequencenum, DenseTensor* out) {
  return EditDistance<T>::Run(context, hyps, refs, hypslength, refslength,
                              normalized, sequencenum, out);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_EDIT_DISTANCE_H_
