// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of linear_chain_crf and its gradient on the CPU.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/linear_chain_crf.gen.h"
#include "phi/core/signatures/linear_chain_crf_grad.gen.h"
#include "phi/fluid/alignment/labels.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/linear_chain_crf.gen.h"
#include "phi/legacy/linear_chain_crf_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// The logarithm of the sum of exp(values).
double LogSumExp(const std::vector<double>& values) {
  const double most = *std::max_element(values.begin(), values.end());
  if (std::isinf(most)) return most;
  double sum = 0;
  for (const double value : values) sum += std::exp(value - most);
  return most + std::log(sum);
}

// The sequences of Emission, whose labels are checked.
absl::StatusOr<std::vector<Range>> ReadTagged(const ExecutionContext& context) {
  SY_ASSIGN_OR_RETURN(std::vector<Range> ranges,
                      ReadRanges(context, "Emission", "Length"));
  const DenseTensor& emission = *context.Input("Emission");
  const DenseTensor& label = *context.Input("Label");
  const int64_t tags = emission.extent(emission.rank() - 1);
  const int64_t rows = tags == 0 ? 0 : emission.numel() / tags;
  if (label.numel() != rows) {
    return ArgumentError(
        "label", "of " + std::to_string(rows) + " elements, as emission",
        std::to_string(label.numel()));
  }
  for (const Range& range : ranges) {
    for (int64_t i = range.begin; i < range.begin + range.length; ++i) {
      const int64_t tag = label.data<int64_t>()[i];
      if (tag >= 0 && tag < tags) continue;
      return RangeError("label", "in [0, " + std::to_string(tags) + ")",
                        std::to_string(tag));
    }
  }
  return ranges;
}

}  // namespace

// The scores of one sequence as logarithms, in double: of Transition [tags + 2,
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
        alpha[step * tags_ + to] = LogSumExp(terms) + Emission(step, to);
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
        beta[step * tags_ + from] = LogSumExp(terms);
      }
    }
    return beta;
  }
  // The logarithm of the sum over all paths.
  double Total(const std::vector<double>& alpha) const {
    std::vector<double> ends(alpha.end() - tags_, alpha.end());
    for (int64_t i = 0; i < tags_; ++i) ends[i] += End(i);
    return LogSumExp(ends);
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

// LogLikelihood: of each sequence -log of the probability of its labels.
// Alpha: the shares of the tags in the sums over all beginnings; EmissionExps:
// exp(Emission less its row's greatest); TransitionExps: exp(Transition). Rows
// after Length are 0.
template <typename T>
class LinearChainCrfCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const std::vector<Range> ranges, ReadTagged(context));
    const DenseTensor& emission = *context.Input("Emission");
    const DenseTensor& transition = *context.Input("Transition");
    const int64_t tags = transition.extent(1);
    const auto count = static_cast<int64_t>(ranges.size());
    SY_RETURN_IF_ERROR(
        context.Allocate("LogLikelihood", emission.dtype(), Shape({count, 1})));
    SY_RETURN_IF_ERROR(
        context.Allocate("Alpha", emission.dtype(), emission.shape()));
    SY_RETURN_IF_ERROR(
        context.Allocate("EmissionExps", emission.dtype(), emission.shape()));
    SY_RETURN_IF_ERROR(context.Allocate("TransitionExps", emission.dtype(),
                                        transition.shape()));
    T* alphas = Zeroed(context.Output("Alpha"));
    T* exps = Zeroed(context.Output("EmissionExps"));
    if (T* between = Zeroed(context.Output("TransitionExps"))) {
      std::transform(transition.data<T>(),
                     transition.data<T>() + transition.numel(), between,
                     [](T weight) { return std::exp(weight); });
    }
    T* loss = context.Output("LogLikelihood")->template mutable_data<T>();
    const int64_t* labels = context.Input("Label")->template data<int64_t>();
    for (int64_t i = 0; i < count; ++i) {
      loss[i] = T{0};
      const Range& range = ranges[i];
      if (range.length == 0) continue;
      const T* rows = emission.data<T>() + range.begin * tags;
      const TagChain chain(rows, transition.data<T>(), range.length, tags);
      const std::vector<double> alpha = chain.Forward();
      loss[i] = static_cast<T>(chain.Total(alpha) -
                               chain.Score(labels + range.begin));
      if (alphas != nullptr) {
        Normalize(alpha.data(), range.length, tags, true,
                  alphas + range.begin * tags);
      }
      if (exps != nullptr) {
        Normalize(rows, range.length, tags, false, exps + range.begin * tags);
      }
    }
    if (!context.HasInput("Length")) {
      context.ShareLod("Emission", "Alpha");
      context.ShareLod("Emission", "EmissionExps");
    }
    return absl::OkStatus();
  }

 private:
  static T* Zeroed(DenseTensor* out) {
    if (out == nullptr) return nullptr;
    T* data = out->template mutable_data<T>();
    std::fill_n(data, out->numel(), T{0});
    return data;
  }

  // exp of each element less the greatest of its row, or less the logarithm of
  // the row's sum.
  template <typename From>
  static void Normalize(const From* from, int64_t steps, int64_t tags,
                        bool by_sum, T* to) {
    for (int64_t step = 0; step < steps; ++step) {
      const std::vector<double> row(from + step * tags,
                                    from + (step + 1) * tags);
      const double less =
          by_sum ? LogSumExp(row) : *std::max_element(row.begin(), row.end());
      for (int64_t k = 0; k < tags; ++k) {
        to[step * tags + k] = static_cast<T>(std::exp(row[k] - less));
      }
    }
  }
};

template <typename T>
class LinearChainCrfGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const std::vector<Range> ranges, ReadTagged(context));
    const DenseTensor& emission = *context.Input("Emission");
    const DenseTensor& transition = *context.Input("Transition");
    const DenseTensor& slopes = *context.Input("LogLikelihood@GRAD");
    const int64_t tags = transition.extent(1);
    SY_RETURN_IF_ERROR(CheckRows(slopes, static_cast<int64_t>(ranges.size())));
    const int64_t* labels = context.Input("Label")->template data<int64_t>();
    std::vector<double> emission_grad(emission.numel(), 0.0);
    std::vector<double> transition_grad(transition.numel(), 0.0);
    for (size_t i = 0; i < ranges.size(); ++i) {
      const Range& range = ranges[i];
      if (range.length == 0) continue;
      const int64_t first = range.begin * tags;
      TagChain(emission.data<T>() + first, transition.data<T>(), range.length,
               tags)
          .AddGradient(labels + range.begin,
                       static_cast<double>(slopes.data<T>()[i]),
                       emission_grad.data() + first, transition_grad.data());
    }
    Store(emission_grad, context.Output("Emission@GRAD"));
    Store(transition_grad, context.Output("Transition@GRAD"));
    return absl::OkStatus();
  }

 private:
  static void Store(const std::vector<double>& from, DenseTensor* to) {
    if (to == nullptr) return;
    std::transform(from.begin(), from.end(), to->template mutable_data<T>(),
                   [](double value) { return static_cast<T>(value); });
  }
};

}  // namespace fluid

constexpr auto kLinearChainCrfSpec =
    KernelSpec<LinearChainCrfSignature>()
        .Input(LinearChainCrfSignature::kLabel,
               fluid::KernelTypeOf(DataType::kInt64))
        .Input(LinearChainCrfSignature::kLength,
               fluid::KernelTypeOf(DataType::kInt64))
        .Output(LinearChainCrfSignature::kAlpha, SelfAllocated(ArgDef()))
        .Output(LinearChainCrfSignature::kEmissionExps, SelfAllocated(ArgDef()))
        .Output(LinearChainCrfSignature::kTransitionExps,
                SelfAllocated(ArgDef()))
        .Output(LinearChainCrfSignature::kLogLikelihood,
                SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(linear_chain_crf, cpu, fluid::LinearChainCrfCpuKernel,
                         legacy_linear_chain_crf, kLinearChainCrfSpec, float32,
                         float64);

constexpr auto kLinearChainCrfGradSpec =
    KernelSpec<LinearChainCrfGradSignature>()
        .Input(LinearChainCrfGradSignature::kLabel,
               fluid::KernelTypeOf(DataType::kInt64))
        .Input(LinearChainCrfGradSignature::kLength,
               fluid::KernelTypeOf(DataType::kInt64));
SY_REGISTER_FLUID_KERNEL(linear_chain_crf_grad, cpu,
                         fluid::LinearChainCrfGradCpuKernel,
                         legacy_linear_chain_crf_grad, kLinearChainCrfGradSpec,
                         float32, float64);

}  // namespace switchyard::phi
