// SPDX-License-Identifier: Apache-2.0
// linear_chain_crf and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_LINEAR_CHAIN_CRF_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_LINEAR_CHAIN_CRF_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/alignment/labels.h"
#include "phi/kernels/cpu/sequence/offsets.h"
#include "phi/kernels/cpu/sequence/results.h"

namespace switchyard::phi::kernels::cpu {

// The logarithm of the sum of exp(values).
inline double LogSumOfExp(const std::vector<double>& values) {
  const double most = *std::max_element(values.begin(), values.end());
  if (std::isinf(most)) return most;
  double sum = 0;
  for (const double value : values) sum += std::exp(value - most);
  return most + std::log(sum);
}

// The sequences of emission, whose labels are checked.
inline absl::StatusOr<std::vector<LabelRange>> ReadTagged(
    const DenseTensor& emission, const DenseTensor& label,
    const DenseTensor* length) {
  SY_ASSIGN_OR_RETURN(std::vector<LabelRange> ranges,
                      ReadRanges("emission", emission, "length", length));
  const int64_t tags = emission.extent(emission.rank() - 1);
  const int64_t rows = tags == 0 ? 0 : emission.numel() / tags;
  if (label.numel() != rows) {
    return ArgumentError(
        "label", "of " + std::to_string(rows) + " elements, as emission",
        std::to_string(label.numel()));
  }
  for (const LabelRange& range : ranges) {
    for (int64_t i = range.begin; i < range.begin + range.length; ++i) {
      const int64_t tag = label.data<int64_t>()[i];
      if (tag >= 0 && tag < tags) continue;
      return RangeError("label", "in [0, " + std::to_string(tags) + ")",
                        std::to_string(tag));
    }
  }
  return ranges;
}

// The scores of one sequence as logarithms, in double: of transition [tags + 2,
// tags] the weights to begin with a tag, to end with it, and from tag to tag.
class TagChain {
 public:
  template <typename T>
  TagChain(const T* emission, const T* transition, int64_t steps, int64_t tags)
      : steps_(steps),
        tags_(tags),
        emission_(emission, emission + steps * tags),
        transition_(transition, transition + (tags + 2) * tags) {}

  // alpha [steps, tags]: the logarithm of the sum over the beginnings that end
  // in a tag.
  std::vector<double> Forward() const {
    std::vector<double> alpha(steps_ * tags_), terms(tags_);
    for (int64_t i = 0; i < tags_; ++i) alpha[i] = Begin(i) + Emission(0, i);
    for (int64_t step = 1; step < steps_; ++step) {
      for (int64_t to = 0; to < tags_; ++to) {
        for (int64_t from = 0; from < tags_; ++from) {
          terms[from] = alpha[(step - 1) * tags_ + from] + Between(from, to);
        }
        alpha[step * tags_ + to] = LogSumOfExp(terms) + Emission(step, to);
      }
    }
    return alpha;
  }
  // beta [steps, tags]: the same over what may follow a tag.
  std::vector<double> Backward() const {
    std::vector<double> beta(steps_ * tags_), terms(tags_);
    for (int64_t i = 0; i < tags_; ++i) beta[(steps_ - 1) * tags_ + i] = End(i);
    for (int64_t step = steps_ - 2; step >= 0; --step) {
      for (int64_t from = 0; from < tags_; ++from) {
        for (int64_t to = 0; to < tags_; ++to) {
          terms[to] = Between(from, to) + Emission(step + 1, to) +
                      beta[(step + 1) * tags_ + to];
        }
        beta[step * tags_ + from] = LogSumOfExp(terms);
      }
    }
    return beta;
  }
  // The logarithm of the sum over all paths.
  double Total(const std::vector<double>& alpha) const {
    std::vector<double> ends(alpha.end() - tags_, alpha.end());
    for (int64_t i = 0; i < tags_; ++i) ends[i] += End(i);
    return LogSumOfExp(ends);
  }
  // The score of one path.
  double Score(const int64_t* path) const {
    double score = Begin(path[0]) + End(path[steps_ - 1]);
    for (int64_t step = 0; step < steps_; ++step) {
      score += Emission(step, path[step]);
      if (step > 0) score += Between(path[step - 1], path[step]);
    }
    return score;
  }

  // Adds the gradient of Total() - Score(path), times `slope`.
  void AddGradient(const int64_t* path, double slope, double* emission_grad,
                   double* transition_grad) const {
    const std::vector<double> alpha = Forward(), beta = Backward();
    const double total = Total(alpha);
    for (int64_t i = 0; i < steps_ * tags_; ++i) {
      const double shown = path[i / tags_] == i % tags_ ? 1 : 0;
      const double part =
          slope * (std::exp(alpha[i] + beta[i] - total) - shown);
      emission_grad[i] += part;
      if (i < tags_) transition_grad[i] += part;
      if (i >= (steps_ - 1) * tags_) {
        transition_grad[tags_ + i % tags_] += part;
      }
    }
    double* between = transition_grad + 2 * tags_;
    for (int64_t step = 1; step < steps_; ++step) {
      for (int64_t k = 0; k < tags_ * tags_; ++k) {
        const int64_t from = k / tags_, to = k % tags_;
        const double log = alpha[(step - 1) * tags_ + from] +
                           Between(from, to) + Emission(step, to) +
                           beta[step * tags_ + to] - total;
        const bool shown = path[step - 1] == from && path[step] == to;
        between[k] += slope * (std::exp(log) - (shown ? 1 : 0));
      }
    }
  }

 private:
  double Emission(int64_t step, int64_t tag) const {
    return emission_[step * tags_ + tag];
  }
  double Begin(int64_t tag) const { return transition_[tag]; }
  double End(int64_t tag) const { return transition_[tags_ + tag]; }
  double Between(int64_t from, int64_t to) const {
    return transition_[(2 + from) * tags_ + to];
  }

  int64_t steps_;
  int64_t tags_;
  std::vector<double> emission_;
  std::vector<double> transition_;
};

// log_likelihood: of each sequence -log of the probability of its labels.
// alpha: the shares of the tags in the sums over all beginnings; emission_exps:
// exp(emission less its row's greatest); transition_exps: exp(transition). Rows
// after length are 0.
template <typename T>
class LinearChainCrf {
 public:
  static absl::Status Run(const CpuContext& context,
                          const DenseTensor& emission,
                          const DenseTensor& transition,
                          const DenseTensor& label, const DenseTensor* length,
                          DenseTensor* alpha, DenseTensor* emission_exps,
                          DenseTensor* transition_exps,
                          DenseTensor* log_likelihood) {
    SY_ASSIGN_OR_RETURN(const std::vector<LabelRange> ranges,
                        ReadTagged(emission, label, length));
    const int64_t tags = transition.extent(1);
    const auto count = static_cast<int64_t>(ranges.size());
    SY_RETURN_IF_ERROR(AllocateAnew(context, emission.dtype(),
                                    Shape({count, 1}), log_likelihood));
    SY_RETURN_IF_ERROR(
        AllocateAnew(context, emission.dtype(), emission.shape(), alpha));
    SY_RETURN_IF_ERROR(AllocateAnew(context, emission.dtype(), emission.shape(),
                                    emission_exps));
    SY_RETURN_IF_ERROR(AllocateAnew(context, emission.dtype(),
                                    transition.shape(), transition_exps));
    T* alphas = ZeroedData<T>(alpha);
    T* exps = ZeroedData<T>(emission_exps);
    if (T* between = ZeroedData<T>(transition_exps)) {
      std::transform(transition.data<T>(),
                     transition.data<T>() + transition.numel(), between,
                     [](T weight) { return std::exp(weight); });
    }
    T* loss = log_likelihood->mutable_data<T>();
    const int64_t* labels = label.data<int64_t>();
    for (int64_t i = 0; i < count; ++i) {
      loss[i] = T{0};
      const LabelRange& range = ranges[i];
      if (range.length == 0) continue;
      const T* rows = emission.data<T>() + range.begin * tags;
      const TagChain chain(rows, transition.data<T>(), range.length, tags);
      const std::vector<double> sums = chain.Forward();
      loss[i] =
          static_cast<T>(chain.Total(sums) - chain.Score(labels + range.begin));
      if (alphas != nullptr) {
        Normalize(sums.data(), range.length, tags, true,
                  alphas + range.begin * tags);
      }
      if (exps != nullptr) {
        Normalize(rows, range.length, tags, false, exps + range.begin * tags);
      }
    }
    if (length == nullptr) {
      ShareSequences(emission, alpha);
      ShareSequences(emission, emission_exps);
    }
    return absl::OkStatus();
  }

 private:
  // exp of each element less the greatest of its row, or less the logarithm of
  // the row's sum.
  template <typename From>
  static void Normalize(const From* from, int64_t steps, int64_t tags,
                        bool by_sum, T* to) {
    for (int64_t step = 0; step < steps; ++step) {
      const std::vector<double> row(from + step * tags,
                                    from + (step + 1) * tags);
      const double less =
          by_sum ? LogSumOfExp(row) : *std::max_element(row.begin(), row.end());
      for (int64_t k = 0; k < tags; ++k) {
        to[step * tags + k] = static_cast<T>(std::exp(row[k] - less));
      }
    }
  }
};

template <typename S>
inline constexpr auto kLinearChainCrfSpec =
    KernelSpec<S>()
        .Input(S::kLabel, Fixed(DataType::kInt64))
        .Input(S::kLength, Fixed(DataType::kInt64))
        .Output(S::kAlpha, SelfAllocated(ArgDef()))
        .Output(S::kEmissionExps, SelfAllocated(ArgDef()))
        .Output(S::kTransitionExps, SelfAllocated(ArgDef()))
        .Output(S::kLogLikelihood, SelfAllocated(ArgDef()));
template <typename T>
absl::Status LinearChainCrfKernel(
    const CpuContext& context, const DenseTensor& emission,
    const DenseTensor& transition, const DenseTensor& label,
    const DenseTensor* length, DenseTensor* alpha, DenseTensor* emission_exps,
    DenseTensor* transition_exps, DenseTensor* log_likelihood) {
  return LinearChainCrf<T>::Run(context, emission, transition, label, length,
                                alpha, emission_exps, transition_exps,
                                log_likelihood);
}

template <typename S>
inline constexpr auto kLinearChainCrfGradSpec =
    KernelSpec<S>()
        .Input(S::kLabel, Fixed(DataType::kInt64))
        .Input(S::kLength, Fixed(DataType::kInt64));
template <typename T>
absl::Status LinearChainCrfGradKernel(
    const CpuContext&, const DenseTensor& emission,
    const DenseTensor& transition, const DenseTensor& label,
    const DenseTensor* length, const DenseTensor& log_likelihood_grad,
    DenseTensor* emission_grad, DenseTensor* transition_grad) {
  SY_ASSIGN_OR_RETURN(const std::vector<LabelRange> ranges,
                      ReadTagged(emission, label, length));
  const int64_t tags = transition.extent(1);
  SY_RETURN_IF_ERROR(CheckGradientRows(log_likelihood_grad,
                                       static_cast<int64_t>(ranges.size())));
  const int64_t* labels = label.data<int64_t>();
  std::vector<double> emission_sums(emission.numel(), 0.0);
  std::vector<double> transition_sums(transition.numel(), 0.0);
  for (size_t i = 0; i < ranges.size(); ++i) {
    const LabelRange& range = ranges[i];
    if (range.length == 0) continue;
    const int64_t first = range.begin * tags;
    TagChain(emission.data<T>() + first, transition.data<T>(), range.length,
             tags)
        .AddGradient(labels + range.begin,
                     static_cast<double>(log_likelihood_grad.data<T>()[i]),
                     emission_sums.data() + first, transition_sums.data());
  }
  StoreSums<T>(emission_sums, emission_grad);
  StoreSums<T>(transition_sums, transition_grad);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_LINEAR_CHAIN_CRF_H_
