// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of viterbi_decode on the CPU.
#include <algorithm>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/viterbi_decode.gen.h"
#include "phi/fluid/alignment/labels.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/viterbi_decode.gen.h"

namespace switchyard::phi {
namespace fluid {

// Input: [batch, steps, tags], Transition: [tags, tags], Length: of each item.
// Path: int64 [batch, greatest length], the tags of the path of the greatest
// sum, 0 after the length; Scores: [batch], the sums. With
// include_bos_eos_tag the last tag stands before a sequence, and the one before
// it after.
template <typename T>
class ViterbiDecodeCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& input = *context.Input("Input");
    const int64_t batch = input.extent(0), steps = input.extent(1),
                  tags = input.extent(2);
    SY_ASSIGN_OR_RETURN(const bool bounds,
                        context.Attr<bool>("include_bos_eos_tag"));
    SY_ASSIGN_OR_RETURN(
        const std::vector<int64_t> lengths,
        ReadLengths("lengths", *context.Input("Length"), batch, steps));
    int64_t longest = 0;
    for (const int64_t length : lengths) longest = std::max(longest, length);
    SY_RETURN_IF_ERROR(
        context.Allocate("Path", DataType::kInt64, Shape({batch, longest})));
    int64_t* path = context.Output("Path")->mutable_data<int64_t>();
    T* scores = context.Output("Scores")->template mutable_data<T>();
    std::fill_n(path, batch * longest, 0);
    for (int64_t i = 0; i < batch; ++i) {
      scores[i] = Decode(input.data<T>() + i * steps * tags, lengths[i], tags,
                         context.Input("Transition")->data<T>(), bounds,
                         path + i * longest);
    }
    return absl::OkStatus();
  }

 private:
  static T Decode(const T* input, int64_t length, int64_t tags,
                  const T* transition, bool bounds, int64_t* path) {
    if (length == 0 || tags == 0) return T{0};
    const T* start = transition + (tags - 1) * tags;
    const T* stop = transition + (tags - 2) * tags;
    std::vector<T> best(input, input + tags), next(tags);
    std::vector<int64_t> from(length * tags);
    for (int64_t k = 0; k < tags && bounds; ++k) best[k] += start[k];
    for (int64_t step = 1; step < length; ++step) {
      for (int64_t to = 0; to < tags; ++to) {
        int64_t chosen = 0;
        for (int64_t k = 1; k < tags; ++k) {
          if (best[k] + transition[k * tags + to] >
              best[chosen] + transition[chosen * tags + to]) {
            chosen = k;
          }
        }
        from[step * tags + to] = chosen;
        next[to] = best[chosen] + transition[chosen * tags + to] +
                   input[step * tags + to];
      }
      best.swap(next);
    }
    for (int64_t k = 0; k < tags && bounds; ++k) best[k] += stop[k];
    int64_t tag = std::max_element(best.begin(), best.end()) - best.begin();
    const T score = best[tag];
    for (int64_t step = length - 1; step >= 0; --step) {
      path[step] = tag;
      tag = from[step * tags + tag];
    }
    return score;
  }
};

}  // namespace fluid

constexpr auto kViterbiDecodeSpec =
    KernelSpec<ViterbiDecodeSignature>()
        .Input(ViterbiDecodeSignature::kLengths, OneOf(kIndexDtypes))
        .Output(ViterbiDecodeSignature::kPath,
                SelfAllocated(fluid::KernelTypeOf(DataType::kInt64)));
SY_REGISTER_FLUID_KERNEL(viterbi_decode, cpu, fluid::ViterbiDecodeCpuKernel,
                         legacy_viterbi_decode, kViterbiDecodeSpec, float32,
                         float64);

}  // namespace switchyard::phi
