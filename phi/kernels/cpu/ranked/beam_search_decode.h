// SPDX-License-Identifier: Apache-2.0
// beam_search_decode on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RANKED_BEAM_SEARCH_DECODE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RANKED_BEAM_SEARCH_DECODE_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "framework/tensor/tensor_array.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// The candidates of a step: where the prefixes of each source sentence begin,
// and the candidates of each prefix.
struct DecodedStep {
  const Offsets* sources;
  const Offsets* prefixes;
  const int64_t* ids;
};

// The step number `at`; its scores are one for each candidate.
inline absl::StatusOr<DecodedStep> DecodedStepAt(const TensorArray& ids,
                                                 const TensorArray& scores,
                                                 int64_t at) {
  const DenseTensor* element = ids.elements()[at].get();
  const DenseTensor* score = scores.elements()[at].get();
  if (element == nullptr || score == nullptr) {
    return ArgumentError(element == nullptr ? "ids" : "scores",
                         "written at each position",
                         "nothing at " + std::to_string(at));
  }
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("ids", *element));
  if (lod->offsets.size() != 2) {
    return ArgumentError("ids", "of two levels of sequences",
                         std::to_string(lod->offsets.size()));
  }
  if (element->numel() != element->extent(0) ||
      score->numel() != element->numel()) {
    return ArgumentError(
        "scores",
        "of one element for each of ids, a column, at " + std::to_string(at),
        ToString(score->shape()) + " for " + ToString(element->shape()));
  }
  return DecodedStep{&lod->offsets[0], &lod->offsets[1],
                     element->data<int64_t>()};
}

// The prefix among [begin, end) that a candidate continues; the last where no
// other does.
inline int64_t ContinuedPrefix(const DecodedStep& step, int64_t begin,
                               int64_t end, int64_t candidate) {
  int64_t prefix = begin;
  while (prefix + 1 < end && (*step.prefixes)[prefix + 1] <= candidate) {
    ++prefix;
  }
  return prefix;
}

// The sentences that lead to the candidates of the last step, the best first.
template <typename T>
class BeamSearchDecode {
 public:
  static absl::Status Run(const CpuContext& context, const TensorArray& ids,
                          const TensorArray& scores, int beam_size, int end_id,
                          DenseTensor* sentence_ids,
                          DenseTensor* sentence_scores) {
    if (ids.length() == 0 || scores.length() != ids.length()) {
      return ArgumentError("scores", "of as many elements as ids, one or more",
                           std::to_string(scores.length()) + " for " +
                               std::to_string(ids.length()));
    }
    std::vector<Source> sources;
    for (int64_t at = ids.length() - 1; at >= 0; --at) {
      SY_ASSIGN_OR_RETURN(const DecodedStep step,
                          DecodedStepAt(ids, scores, at));
      const int64_t count = SequenceCount(*step.sources);
      if (at == ids.length() - 1) {
        sources.resize(count);
      } else if (static_cast<size_t>(count) != sources.size()) {
        return ArgumentError("ids",
                             "of " + std::to_string(sources.size()) +
                                 " source sentences at each position",
                             std::to_string(count));
      }
      const T* score = scores.elements()[at]->template data<T>();
      for (int64_t s = 0; s < count; ++s) {
        SY_RETURN_IF_ERROR(
            StepBack(step, score, s, beam_size, end_id, &sources[s]));
      }
    }
    return Write(context, scores, sentence_ids, sentence_scores, beam_size,
                 &sources);
  }

 private:
  // From the last word to the first.
  struct Sentence {
    std::vector<int64_t> ids;
    std::vector<T> scores;
    int64_t prefix;  // At the step that comes next on the way back.
  };
  using Source = std::vector<Sentence>;

  // Adds the words of a step. The last step at which a source sentence still
  // has candidates says which sentences it has.
  static absl::Status StepBack(const DecodedStep& step, const T* score,
                               int64_t s, int beam_size, int end_id,
                               Source* sentences) {
    const int64_t begin = (*step.sources)[s], end = (*step.sources)[s + 1];
    const int64_t first = (*step.prefixes)[begin];
    const int64_t last = (*step.prefixes)[end];
    if (sentences->empty()) {
      if (last - first > beam_size) {
        return ArgumentError("ids",
                             "of at most beam_size candidates of a source "
                             "sentence, " +
                                 std::to_string(beam_size),
                             std::to_string(last - first));
      }
      for (int64_t candidate = first; candidate < last; ++candidate) {
        sentences->push_back({{step.ids[candidate]},
                              {score[candidate]},
                              ContinuedPrefix(step, begin, end, candidate)});
      }
      return absl::OkStatus();
    }
    for (Sentence& sentence : *sentences) {
      const int64_t candidate = sentence.prefix;
      if (candidate < first || candidate >= last) {
        return ArgumentError("ids",
                             "of a candidate for each prefix of the step after",
                             std::to_string(last - first));
      }
      // After an end there are only ends.
      if (step.ids[candidate] != end_id) {
        sentence.ids.push_back(step.ids[candidate]);
        sentence.scores.push_back(score[candidate]);
      }
      sentence.prefix = ContinuedPrefix(step, begin, end, candidate);
    }
    return absl::OkStatus();
  }

  static absl::Status Write(const CpuContext& context,
                            const TensorArray& scores,
                            DenseTensor* sentence_ids,
                            DenseTensor* sentence_scores, int beam_size,
                            std::vector<Source>* sources) {
    Offsets by_source = {0}, by_sentence = {0};
    for (Source& sentences : *sources) {
      std::stable_sort(sentences.begin(), sentences.end(),
                       [](const Sentence& a, const Sentence& b) {
                         return a.scores.front() > b.scores.front();
                       });
      for (const Sentence& sentence : sentences) {
        AppendSequence(static_cast<int64_t>(sentence.ids.size()), &by_sentence);
      }
      for (int64_t i = sentences.size(); i < beam_size; ++i) {
        AppendSequence(0, &by_sentence);
      }
      AppendSequence(beam_size, &by_source);
    }
    const Shape shape({by_sentence.back()});
    SY_RETURN_IF_ERROR(
        AllocateAnew(context, DataType::kInt64, shape, sentence_ids));
    SY_RETURN_IF_ERROR(
        AllocateAnew(context, scores.dtype(), shape, sentence_scores));
    int64_t* ids = sentence_ids->mutable_data<int64_t>();
    T* score = sentence_scores->mutable_data<T>();
    for (const Source& sentences : *sources) {
      for (const Sentence& sentence : sentences) {
        ids = std::copy(sentence.ids.rbegin(), sentence.ids.rend(), ids);
        score =
            std::copy(sentence.scores.rbegin(), sentence.scores.rend(), score);
      }
    }
    const LoD lod = {{std::move(by_source), std::move(by_sentence)}};
    SetLod(lod, sentence_ids);
    SetLod(lod, sentence_scores);
    return absl::OkStatus();
  }
};

template <typename S>
inline constexpr auto kBeamSearchDecodeSpec =
    KernelSpec<S>()
        .Input(S::kIds, WithAnyStrides(Fixed(DataType::kInt64)))
        .Input(S::kScores, AnyStrides())
        .Output(S::kSentenceIds, SelfAllocated(Fixed(DataType::kInt64)))
        .Output(S::kSentenceScores, SelfAllocated(ArgDef()));
template <typename T>
absl::Status BeamSearchDecodeKernel(const CpuContext& context,
                                    const TensorArray& ids,
                                    const TensorArray& scores, int beam_size,
                                    int end_id, DenseTensor* sentence_ids,
                                    DenseTensor* sentence_scores) {
  return BeamSearchDecode<T>::Run(context, ids, scores, beam_size, end_id,
                                  sentence_ids, sentence_scores);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RANKED_BEAM_SEARCH_DECODE_H_
