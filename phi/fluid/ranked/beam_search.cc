// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of beam_search on the CPU.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/beam_search.gen.h"
#include "phi/fluid/ranked/beam.h"
#include "phi/fluid/ranked/sub_sequences.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/beam_search.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// The rows at which the prefixes of the source sentences begin: the sequences
// of `level`, counted in rows.
absl::StatusOr<Offsets> Sources(const ExecutionContext& context, int level) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("scores"));
  const int levels = static_cast<int>(lod->offsets.size());
  if (level >= levels) {
    return RangeError(
        "level", "in [0, " + std::to_string(levels) + "), the levels of scores",
        std::to_string(level));
  }
  Offsets sources = lod->offsets[level];
  for (int below = level + 1; below < levels; ++below) {
    for (int64_t& offset : sources) offset = lod->offsets[below][offset];
  }
  return sources;
}

}  // namespace

template <typename T>
class BeamSearchCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const int level, context.Attr<int>("level"));
    SY_ASSIGN_OR_RETURN(const int beam_size, context.Attr<int>("beam_size"));
    SY_ASSIGN_OR_RETURN(const int end_id, context.Attr<int>("end_id"));
    SY_ASSIGN_OR_RETURN(const bool is_accumulated,
                        context.Attr<bool>("is_accumulated"));
    SY_ASSIGN_OR_RETURN(Offsets sources, Sources(context, level));
    const Search search = {context, end_id, is_accumulated};
    std::vector<std::vector<Candidate<T>>> by_prefix(
        static_cast<size_t>(sources.back()));
    int64_t selected = 0;
    for (int64_t s = 0; s < SequenceCount(sources); ++s) {
      Beam<T> beam(static_cast<size_t>(beam_size));
      for (int64_t row = sources[s]; row < sources[s + 1]; ++row) {
        search.AddCandidates(row, &beam);
      }
      if (search.HasEnded(beam)) continue;
      for (const Candidate<T>& candidate : beam.best()) {
        by_prefix[candidate.prefix].push_back(candidate);
        ++selected;
      }
    }
    return Write(context, by_prefix, selected, std::move(sources));
  }

 private:
  struct Search {
    const ExecutionContext& context;
    int end_id;
    bool is_accumulated;

    void AddCandidates(int64_t row, Beam<T>* beam) const {
      const DenseTensor& scores = *context.Input("scores");
      const DenseTensor* ids = context.Input("ids");
      const int64_t width = RowWidth(scores);
      const T before = context.Input("pre_scores")->data<T>()[row];
      if (context.Input("pre_ids")->data<int64_t>()[row] == end_id) {
        beam->Add({row, end_id, before});
        return;
      }
      for (int64_t k = 0; k < width; ++k) {
        const T score = scores.data<T>()[row * width + k];
        beam->Add({row,
                   ids == nullptr ? k : ids->data<int64_t>()[row * width + k],
                   is_accumulated ? score : before + std::log(score)});
      }
    }

    // Whether every candidate is an end after an end.
    bool HasEnded(const Beam<T>& beam) const {
      const int64_t* before = context.Input("pre_ids")->data<int64_t>();
      return std::all_of(beam.best().begin(), beam.best().end(),
                         [&](const Candidate<T>& candidate) {
                           return candidate.id == end_id &&
                                  before[candidate.prefix] == end_id;
                         });
    }
  };

  static absl::Status Write(
      const ExecutionContext& context,
      const std::vector<std::vector<Candidate<T>>>& by_prefix, int64_t selected,
      Offsets sources) {
    const Shape shape({selected, 1});
    SY_RETURN_IF_ERROR(
        context.Allocate("selected_ids", DataType::kInt64, shape));
    SY_RETURN_IF_ERROR(context.Allocate(
        "selected_scores", context.Input("scores")->dtype(), shape));
    SY_RETURN_IF_ERROR(
        context.Allocate("parent_idx", DataType::kInt32, Shape({selected})));
    int64_t* ids =
        context.Output("selected_ids")->template mutable_data<int64_t>();
    T* scores = context.Output("selected_scores")->template mutable_data<T>();
    DenseTensor* parent_idx = context.Output("parent_idx");
    int32_t* parents = parent_idx == nullptr
                           ? nullptr
                           : parent_idx->template mutable_data<int32_t>();
    Offsets prefixes = {0};
    for (const std::vector<Candidate<T>>& candidates : by_prefix) {
      for (const Candidate<T>& candidate : candidates) {
        *ids++ = candidate.id;
        *scores++ = candidate.score;
        if (parents != nullptr) {
          *parents++ = static_cast<int32_t>(candidate.prefix);
        }
      }
      AppendSequence(static_cast<int64_t>(candidates.size()), &prefixes);
    }
    const LoD lod = {{std::move(sources), std::move(prefixes)}};
    context.SetLod("selected_ids", lod);
    context.SetLod("selected_scores", lod);
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kBeamSearchSpec =
    KernelSpec<BeamSearchSignature>()
        .Input(BeamSearchSignature::kPreIds, Fixed(DataType::kInt64))
        .Input(BeamSearchSignature::kIds, Fixed(DataType::kInt64))
        .Output(BeamSearchSignature::kSelectedIds,
                SelfAllocated(Fixed(DataType::kInt64)))
        .Output(BeamSearchSignature::kSelectedScores, SelfAllocated(ArgDef()))
        .Output(BeamSearchSignature::kParentIdx,
                SelfAllocated(Fixed(DataType::kInt32)));
SY_REGISTER_FLUID_KERNEL(beam_search, cpu, fluid::BeamSearchCpuKernel,
                         legacy_beam_search, kBeamSearchSpec, float32, float64);

}  // namespace switchyard::phi
