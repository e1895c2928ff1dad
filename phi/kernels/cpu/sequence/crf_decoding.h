// SPDX-License-Identifier: Apache-2.0
// crf_decoding on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_CRF_DECODING_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_CRF_DECODING_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// A sequence as rows of emission.
struct RowRange {
  int64_t begin;
  int64_t end;
};

// The sequences of a batch [batch, steps, tags] with length.
inline absl::StatusOr<std::vector<RowRange>> PaddedRanges(
    const DenseTensor& emission, const DenseTensor& length) {
  const int64_t batch = emission.extent(0), steps = emission.extent(1);
  std::vector<RowRange> ranges;
  for (int64_t i = 0; i < batch; ++i) {
    const int64_t own = length.data<int64_t>()[i];
    if (own < 0 || own > steps) {
      return RangeError("length", "in [0, " + std::to_string(steps) + "]",
                        std::to_string(own));
    }
    ranges.push_back({i * steps, i * steps + own});
  }
  return ranges;
}

// viterbi_path: int64, for each row of emission the tag on its sequence's path
// of the greatest sum of emissions and transitions (of equals the one through
// the smaller tags); 0 for rows after length. With label 1 where that is the
// label, else 0. transition: [tags + 2, tags], weights to begin with a tag, to
// end with it, and from tag to tag.
template <typename T>
class CrfDecoding {
 public:
  static absl::Status Run(const CpuContext& context,
                          const DenseTensor& emission,
                          const DenseTensor& transition,
                          const DenseTensor* label, const DenseTensor* length,
                          DenseTensor* viterbi_path) {
    std::vector<RowRange> ranges;
    Shape shape;
    if (length != nullptr) {
      SY_ASSIGN_OR_RETURN(ranges, PaddedRanges(emission, *length));
      shape = Shape({emission.extent(0), emission.extent(1)});
    } else {
      SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("emission", emission));
      const Offsets& offsets = lod->offsets.back();
      for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
        ranges.push_back({offsets[i], offsets[i + 1]});
      }
      shape = Shape({emission.extent(0), 1});
    }
    SY_RETURN_IF_ERROR(
        AllocateAnew(context, DataType::kInt64, shape, viterbi_path));
    int64_t* tags = viterbi_path->mutable_data<int64_t>();
    std::fill_n(tags, viterbi_path->numel(), 0);
    for (const RowRange& range : ranges)
      Decode(emission, transition, range, tags);
    if (label != nullptr) {
      const int64_t* labels = label->data<int64_t>();
      for (const RowRange& range : ranges) {
        for (int64_t i = range.begin; i < range.end; ++i) {
          tags[i] = labels[i] == tags[i] ? 1 : 0;
        }
      }
    }
    if (length == nullptr) viterbi_path->SetLod(emission.lod());
    return absl::OkStatus();
  }

 private:
  static void Decode(const DenseTensor& emission, const DenseTensor& transition,
                     const RowRange& range, int64_t* path) {
    const int64_t tags = transition.extent(1);
    const int64_t steps = range.end - range.begin;
    if (steps == 0 || tags == 0) return;
    const T* scores = emission.data<T>() + range.begin * tags;
    const T* begin = transition.data<T>();
    const T* end = begin + tags;
    const T* between = end + tags;
    std::vector<T> best(tags), next(tags);
    std::vector<int64_t> from(steps * tags);
    for (int64_t k = 0; k < tags; ++k) best[k] = begin[k] + scores[k];
    for (int64_t step = 1; step < steps; ++step) {
      for (int64_t to = 0; to < tags; ++to) {
        int64_t chosen = 0;
        T greatest = best[0] + between[to];
        for (int64_t k = 1; k < tags; ++k) {
          const T sum = best[k] + between[k * tags + to];
          if (!(sum > greatest)) continue;
          greatest = sum;
          chosen = k;
        }
        next[to] = greatest + scores[step * tags + to];
        from[step * tags + to] = chosen;
      }
      best.swap(next);
    }
    for (int64_t k = 0; k < tags; ++k) best[k] += end[k];
    int64_t tag = std::max_element(best.begin(), best.end()) - best.begin();
    for (int64_t step = steps - 1; step >= 0; --step) {
      path[range.begin + step] = tag;
      tag = from[step * tags + tag];
    }
  }
};

template <typename S>
inline constexpr auto kCrfDecodingSpec =
    KernelSpec<S>()
        .Input(S::kLabel, Fixed(DataType::kInt64))
        .Input(S::kLength, Fixed(DataType::kInt64))
        .Output(S::kViterbiPath, SelfAllocated(Fixed(DataType::kInt64)));
template <typename T>
absl::Status CrfDecodingKernel(const CpuContext& context,
                               const DenseTensor& emission,
                               const DenseTensor& transition,
                               const DenseTensor* label,
                               const DenseTensor* length,
                               DenseTensor* viterbi_path) {
  return CrfDecoding<T>::Run(context, emission, transition, label, length,
                             viterbi_path);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_CRF_DECODING_H_
