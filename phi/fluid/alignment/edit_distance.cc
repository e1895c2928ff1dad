// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of edit_distance on the CPU.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/edit_distance.gen.h"
#include "phi/fluid/alignment/labels.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/edit_distance.gen.h"

namespace switchyard::phi {
namespace fluid {

// Out: float32 [sequences, 1], the least number of insertions, deletions and
// substitutions that make the sequence of Hyps that of Refs; where `normalized`
// divided by the length of the latter. SequenceNum: int64 [1].
template <typename T>
class EditDistanceCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const bool normalized,
                        context.Attr<bool>("normalized"));
    SY_ASSIGN_OR_RETURN(const std::vector<Range> hyps,
                        ReadRanges(context, "Hyps", "HypsLength"));
    SY_ASSIGN_OR_RETURN(const std::vector<Range> refs,
                        ReadRanges(context, "Refs", "RefsLength"));
    const auto count = static_cast<int64_t>(hyps.size());
    if (refs.size() != hyps.size()) {
      return ArgumentError(
          "refs", "of " + std::to_string(count) + " sequences, as hyps",
          std::to_string(refs.size()));
    }
    for (const Range& ref : refs) {
      if (!normalized || ref.length > 0) continue;
      return ArgumentError("refs",
                           "of sequences with elements where normalized",
                           "an empty one");
    }
    SY_RETURN_IF_ERROR(
        context.Allocate("Out", DataType::kFloat32, Shape({count, 1})));
    float* out = context.Output("Out")->mutable_data<float>();
    const T* hyp = context.Input("Hyps")->data<T>();
    const T* ref = context.Input("Refs")->data<T>();
    for (int64_t i = 0; i < count; ++i) {
      const auto distance =
          static_cast<float>(Distance(hyp + hyps[i].begin, hyps[i].length,
                                      ref + refs[i].begin, refs[i].length));
      out[i] =
          normalized ? distance / static_cast<float>(refs[i].length) : distance;
    }
    *context.Output("SequenceNum")->mutable_data<int64_t>() = count;
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

}  // namespace fluid

constexpr auto kEditDistanceSpec =
    KernelSpec<EditDistanceSignature>()
        .Input(EditDistanceSignature::kHypslength, OneOf(kIndexDtypes))
        .Input(EditDistanceSignature::kRefslength, OneOf(kIndexDtypes))
        .Output(EditDistanceSignature::kOut,
                SelfAllocated(fluid::KernelTypeOf(DataType::kFloat32)))
        .Output(EditDistanceSignature::kSequencenum,
                fluid::KernelTypeOf(DataType::kInt64));
SY_REGISTER_FLUID_KERNEL(edit_distance, cpu, fluid::EditDistanceCpuKernel,
                         legacy_edit_distance, kEditDistanceSpec, int32, int64);

}  // namespace switchyard::phi
