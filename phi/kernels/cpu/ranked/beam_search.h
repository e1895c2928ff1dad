// SPDX-License-Identifier: Apache-2.0
// beam_search on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RANKED_BEAM_SEARCH_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RANKED_BEAM_SEARCH_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/beam_search.args.gen.h"
#include "phi/kernels/cpu/ranked/beam.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// The rows at which the prefixes of the source sentences begin: the sequences
// of `level`, counted in rows.
inline absl::StatusOr<Offsets> BeamSources(const DenseTensor& scores,
                                           int level) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("scores", scores));
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

// The best continuations of all prefixes of a source sentence, for each.
template <typename T>
class BeamSearch {
 public:
  static absl::Status Run(const CpuContext& context,
                          const BeamSearchArgs& args) {
    const int level = args.level;
    const int beam_size = args.beam_size;
    const int end_id = args.end_id;
    const bool is_accumulated = args.is_accumulated;
    SY_ASSIGN_OR_RETURN(Offsets sources, BeamSources(args.scores, level));
    const Search search = {args.pre_ids, args.pre_scores, args.ids,
                           args.scores,  end_id,          is_accumulated};
    std::vector<std::vector<BeamCandidate<T>>> by_prefix(
        static_cast<size_t>(sources.back()));
    int64_t selected = 0;
    for (int64_t s = 0; s < SequenceCount(sources); ++s) {
      Beam<T> beam(static_cast<size_t>(beam_size));
      for (int64_t row = sources[s]; row < sources[s + 1]; ++row) {
        search.AddCandidates(row, &beam);
      }
      if (search.HasEnded(beam)) continue;
      for (const BeamCandidate<T>& candidate : beam.best()) {
        by_prefix[candidate.prefix].push_back(candidate);
        ++selected;
      }
    }
    return Write(context, args, by_prefix, selected, std::move(sources));
  }

 private:
  struct Search {
    const DenseTensor& pre_ids;
    const DenseTensor& pre_scores;
    const DenseTensor* ids;
    const DenseTensor& scores;
    int end_id;
    bool is_accumulated;

    void AddCandidates(int64_t row, Beam<T>* beam) const {
      const int64_t width = RowWidth(scores);
      const T before = pre_scores.data<T>()[row];
      if (pre_ids.data<int64_t>()[row] == end_id) {
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
      const int64_t* before = pre_ids.data<int64_t>();
      return std::all_of(beam.best().begin(), beam.best().end(),
                         [&](const BeamCandidate<T>& candidate) {
                           return candidate.id == end_id &&
                                  before[candidate.prefix] == end_id;
                         });
    }
  };

  static absl::Status Write(
      const CpuContext& context, const BeamSearchArgs& args,
      const std::vector<std::vector<BeamCandidate<T>>>& by_prefix,
      int64_t selected, Offsets sources) {
    const Shape shape({selected, 1});
    SY_RETURN_IF_ERROR(
        AllocateAnew(context, DataType::kInt64, shape, args.selected_ids));
    SY_RETURN_IF_ERROR(AllocateAnew(context, args.scores.dtype(), shape,
                                    args.selected_scores));
    SY_RETURN_IF_ERROR(AllocateAnew(context, DataType::kInt32,
                                    Shape({selected}), args.parent_idx));
    int64_t* ids = args.selected_ids->mutable_data<int64_t>();
    T* scores = args.selected_scores->mutable_data<T>();
    DenseTensor* parent_idx = args.parent_idx;
    int32_t* parents =
        parent_idx == nullptr ? nullptr : parent_idx->mutable_data<int32_t>();
    Offsets prefixes = {0};
    for (const std::vector<BeamCandidate<T>>& candidates : by_prefix) {
      for (const BeamCandidate<T>& candidate : candidates) {
        *ids++ = candidate.id;
        *scores++ = candidate.score;
        if (parents != nullptr) {
          *parents++ = static_cast<int32_t>(candidate.prefix);
        }
      }
      AppendSequence(static_cast<int64_t>(candidates.size()), &prefixes);
    }
    const LoD lod = {{std::move(sources), std::move(prefixes)}};
    SetLod(lod, args.selected_ids);
    SetLod(lod, args.selected_scores);
    return absl::OkStatus();
  }
};

template <typename S>
inline constexpr auto kBeamSearchSpec =
    KernelSpec<S>()
        .Input(S::kPreIds, Fixed(DataType::kInt64))
        .Input(S::kIds, Fixed(DataType::kInt64))
        .Output(S::kSelectedIds, SelfAllocated(Fixed(DataType::kInt64)))
        .Output(S::kSelectedScores, SelfAllocated(ArgDef()))
        .Output(S::kParentIdx, SelfAllocated(Fixed(DataType::kInt32)));
template <typename T>
absl::Status BeamSearchKernel(const CpuContext& context,
                              const BeamSearchArgs& args) {
  return BeamSearch<T>::Run(context, args);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RANKED_BEAM_SEARCH_H_
