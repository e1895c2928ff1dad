// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of crf_decoding on the CPU.
#include <algorithm>
#include <string>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/crf_decoding.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/crf_decoding.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// A sequence as rows of Emission.
struct Range {
  int64_t begin;
  int64_t end;
};

// The sequences of a batch [batch, steps, tags] with Length.
absl::StatusOr<std::vector<Range>> PaddedRanges(const DenseTensor& emission,
                                                const DenseTensor& length) {
  const int64_t batch = emission.extent(0), steps = emission.extent(1);
  std::vector<Range> ranges;
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

}  // namespace

// ViterbiPath: int64, for each row of Emission the tag on its sequence's path
// of the greatest sum of emissions and transitions (of equals the one through
// the smaller tags); 0 for rows after Length. With Label 1 where that is the
// label, else 0. Transition: [tags + 2, tags], weights to begin with a tag, to
// end with it, and from tag to tag.
template <typename T>
class CrfDecodingCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& emission = *context.Input("Emission");
    const DenseTensor* length = context.Input("Length");
    const DenseTensor* label = context.Input("Label");
    std::vector<Range> ranges;
    Shape shape;
    if (length != nullptr) {
      SY_ASSIGN_OR_RETURN(ranges, PaddedRanges(emission, *length));
      shape = Shape({emission.extent(0), emission.extent(1)});
    } else {
      SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("Emission"));
      const Offsets& offsets = lod->offsets.back();
      for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
        ranges.push_back({offsets[i], offsets[i + 1]});
      }
      shape = Shape({emission.extent(0), 1});
    }
    SY_RETURN_IF_ERROR(
        context.Allocate("ViterbiPath", DataType::kInt64, shape));
    DenseTensor* path = context.Output("ViterbiPath");
    int64_t* tags = path->mutable_data<int64_t>();
    std::fill_n(tags, path->numel(), 0);
    const DenseTensor& transition = *context.Input("Transition");
    for (const Range& range : ranges) Decode(emission, transition, range, tags);
    if (label != nullptr) {
      const int64_t* labels = label->data<int64_t>();
      for (const Range& range : ranges) {
        for (int64_t i = range.begin; i < range.end; ++i) {
          tags[i] = labels[i] == tags[i] ? 1 : 0;
        }
      }
    }
    if (length == nullptr) context.ShareLod("Emission", "ViterbiPath");
    return absl::OkStatus();
  }

 private:
  static void Decode(const DenseTensor& emission, const DenseTensor& transition,
                     const Range& range, int64_t* path) {
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

}  // namespace fluid

constexpr auto kCrfDecodingSpec =
    KernelSpec<CrfDecodingSignature>()
        .Input(CrfDecodingSignature::kLabel,
               fluid::KernelTypeOf(DataType::kInt64))
        .Input(CrfDecodingSignature::kLength,
               fluid::KernelTypeOf(DataType::kInt64))
        .Output(CrfDecodingSignature::kViterbiPath,
                SelfAllocated(fluid::KernelTypeOf(DataType::kInt64)));
SY_REGISTER_FLUID_KERNEL(crf_decoding, cpu, fluid::CrfDecodingCpuKernel,
                         legacy_crf_decoding, kCrfDecodingSpec, float32,
                         float64);

}  // namespace switchyard::phi
