// SPDX-License-Identifier: Apache-2.0
// viterbi_decode on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_VITERBI_DECODE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_VITERBI_DECODE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/alignment/labels.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// potentials: [batch, steps, tags], transition_params: [tags, tags], lengths:
// of each item. path: int64 [batch, greatest length], the tags of the path of
// the greatest sum, 0 after the length; scores: [batch], the sums. With
// include_bos_eos_tag the last tag stands before a sequence, and the one before
// it after.
template <typename T>
class ViterbiDecode {
 public:
  static absl::Status Run(const CpuContext& context,
                          const DenseTensor& potentials,
                          const DenseTensor& transition_params,
                          const DenseTensor& lengths, bool include_bos_eos_tag,
                          DenseTensor* scores, DenseTensor* path) {
    const int64_t batch = potentials.extent(0), steps = potentials.extent(1),
                  tags = potentials.extent(2);
    SY_ASSIGN_OR_RETURN(const std::vector<int64_t> steps_of,
                        ReadLengths("lengths", lengths, batch, steps));
    int64_t longest = 0;
    for (const int64_t length : steps_of) longest = std::max(longest, length);
    SY_RETURN_IF_ERROR(
        AllocateAnew(context, DataType::kInt64, Shape({batch, longest}), path));
    int64_t* best_path = path->mutable_data<int64_t>();
    T* sums = scores->mutable_data<T>();
    std::fill_n(best_path, batch * longest, 0);
    for (int64_t i = 0; i < batch; ++i) {
      sums[i] = Decode(potentials.data<T>() + i * steps * tags, steps_of[i],
                       tags, transition_params.data<T>(), include_bos_eos_tag,
                       best_path + i * longest);
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

template <typename S>
inline constexpr auto kViterbiDecodeSpec =
    KernelSpec<S>()
        .Input(S::kLengths, OneOf(kIndexDtypes))
        .Output(S::kPath, SelfAllocated(Fixed(DataType::kInt64)));
template <typename T>
absl::Status ViterbiDecodeKernel(const CpuContext& context,
                                 const DenseTensor& potentials,
                                 const DenseTensor& transition_params,
                                 const DenseTensor& lengths,
                                 bool include_bos_eos_tag, DenseTensor* scores,
                                 DenseTensor* path) {
  return ViterbiDecode<T>::Run(context, potentials, transition_params, lengths,
                               include_bos_eos_tag, scores, path);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_VITERBI_DECODE_H_
