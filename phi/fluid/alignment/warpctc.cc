// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of warpctc and its gradient on the CPU.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/signatures/warpctc.gen.h"
#include "phi/core/signatures/warpctc_grad.gen.h"
#include "phi/fluid/alignment/labels.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/warpctc.gen.h"
#include "phi/legacy/warpctc_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// One sequence of logits and its labels. Step t of the logits is the row
// begin + t * stride of Logits.
struct CtcSequence {
  int64_t begin;
  int64_t stride;
  int64_t steps;
  // Copied once, since another thread may write Label.
  std::vector<int64_t> labels;
};

namespace {

// The sequences of Logits: rows of a LoD, or with LogitsLength the columns of
// [steps, batch, classes].
absl::StatusOr<std::vector<CtcSequence>> LogitSequences(
    const ExecutionContext& context) {
  const DenseTensor& logits = *context.Input("Logits");
  std::vector<CtcSequence> sequences;
  if (const DenseTensor* length = context.Input("LogitsLength")) {
    const int64_t batch = logits.extent(1);
    SY_ASSIGN_OR_RETURN(
        const std::vector<int64_t> steps,
        ReadLengths("logits_length", *length, batch, logits.extent(0)));
    for (int64_t i = 0; i < batch; ++i) {
      sequences.push_back({i, batch, steps[i], {}});
    }
    return sequences;
  }
  SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("Logits"));
  const Offsets& offsets = lod->offsets.back();
  for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
    sequences.push_back({offsets[i], 1, offsets[i + 1] - offsets[i], {}});
  }
  return sequences;
}

absl::StatusOr<std::vector<CtcSequence>> ReadSequences(
    const ExecutionContext& context, int64_t classes, int64_t blank) {
  SY_ASSIGN_OR_RETURN(std::vector<CtcSequence> sequences,
                      LogitSequences(context));
  SY_ASSIGN_OR_RETURN(const std::vector<Range> labels,
                      ReadRanges(context, "Label", "LabelLength"));
  if (labels.size() != sequences.size()) {
    return ArgumentError(
        "label",
        "of " + std::to_string(sequences.size()) + " sequences, as logits",
        std::to_string(labels.size()));
  }
  const DenseTensor& label = *context.Input("Label");
  for (size_t i = 0; i < labels.size(); ++i) {
    for (int64_t k = 0; k < labels[i].length; ++k) {
      const int64_t value = IntegerAt(label, labels[i].begin + k);
      sequences[i].labels.push_back(value);
      if (value >= 0 && value < classes && value != blank) continue;
      return RangeError("label",
                        "in [0, " + std::to_string(classes) + ") and not blank",
                        std::to_string(value));
    }
  }
  return sequences;
}

template <typename T>
T LogSum(T a, T b) {
  if (a < b) std::swap(a, b);
  return b == -std::numeric_limits<T>::infinity()
             ? a
             : a + std::log1p(std::exp(b - a));
}

}  // namespace

// The loss of one sequence, -log of the probability of its labels by all their
// alignments, and its gradient, by the forward and backward variables over the
// labels with blanks between them, in double.
class CtcLoss {
 public:
  // `log_softmax` is [steps, classes].
  CtcLoss(std::vector<double> log_softmax, int64_t steps, int64_t classes,
          const std::vector<int64_t>& labels, int64_t blank)
      : y_(std::move(log_softmax)), steps_(steps), classes_(classes) {
    for (const int64_t label : labels) {
      path_.push_back(blank);
      path_.push_back(label);
    }
    path_.push_back(blank);
  }

  // False if there are fewer steps than the labels need.
  bool feasible() const {
    int64_t needed = static_cast<int64_t>(path_.size()) / 2;
    for (size_t s = 3; s < path_.size(); s += 2) {
      needed += path_[s] == path_[s - 2] ? 1 : 0;
    }
    return steps_ > 0 && needed <= steps_;
  }

  // The loss; `gradient` [steps, classes] becomes that of the logits.
  double Compute(std::vector<double>* gradient) {
    const auto size = static_cast<int64_t>(path_.size());
    const double none = -std::numeric_limits<double>::infinity();
    std::vector<double> alpha(steps_ * size, none), beta(alpha);
    for (int64_t s = 0; s < std::min<int64_t>(size, 2); ++s) {
      alpha[s] = LogY(0, s);
      beta[steps_ * size - 1 - s] = LogY(steps_ - 1, size - 1 - s);
    }
    for (int64_t t = 1; t < steps_; ++t) {
      for (int64_t s = 0; s < size; ++s) {
        const double* before = &alpha[(t - 1) * size];
        double sum = before[s];
        if (s > 0) sum = LogSum(sum, before[s - 1]);
        if (Skips(s)) sum = LogSum(sum, before[s - 2]);
        alpha[t * size + s] = sum + LogY(t, s);
      }
    }
    for (int64_t t = steps_ - 2; t >= 0; --t) {
      for (int64_t s = 0; s < size; ++s) {
        const double* after = &beta[(t + 1) * size];
        double sum = after[s];
        if (s + 1 < size) sum = LogSum(sum, after[s + 1]);
        if (s + 2 < size && Skips(s + 2)) sum = LogSum(sum, after[s + 2]);
        beta[t * size + s] = sum + LogY(t, s);
      }
    }
    double total = alpha[steps_ * size - 1];
    if (size > 1) total = LogSum(total, alpha[steps_ * size - 2]);
    gradient->resize(y_.size());
    for (size_t i = 0; i < y_.size(); ++i) (*gradient)[i] = std::exp(y_[i]);
    for (int64_t t = 0; t < steps_; ++t) {
      for (int64_t s = 0; s < size; ++s) {
        // Both variables have the step's own probability.
        const double both =
            alpha[t * size + s] + beta[t * size + s] - LogY(t, s) - total;
        (*gradient)[t * classes_ + path_[s]] -= std::exp(both);
      }
    }
    return -total;
  }

 private:
  double LogY(int64_t t, int64_t s) const {
    return y_[t * classes_ + path_[s]];
  }
  // Whether position s may follow position s - 2.
  bool Skips(int64_t s) const {
    return s > 1 && s % 2 == 1 && path_[s] != path_[s - 2];
  }

  std::vector<double> y_;
  int64_t steps_;
  int64_t classes_;
  std::vector<int64_t> path_;
};

// Loss: [sequences, 1], 0 where the labels need more steps than there are.
// WarpCTCGrad: [greatest number of steps, sequences, classes], the gradient of
// each loss.
template <typename T>
class WarpctcCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& logits = *context.Input("Logits");
    const int64_t classes = logits.extent(logits.rank() - 1);
    SY_ASSIGN_OR_RETURN(const int blank, context.Attr<int>("blank"));
    SY_ASSIGN_OR_RETURN(const auto sequences,
                        ReadSequences(context, classes, blank));
    const auto count = static_cast<int64_t>(sequences.size());
    int64_t longest = context.HasInput("LogitsLength") ? logits.extent(0) : 0;
    for (const CtcSequence& one : sequences) {
      longest = std::max(longest, one.steps);
    }
    SY_RETURN_IF_ERROR(
        context.Allocate("Loss", logits.dtype(), Shape({count, 1})));
    SY_RETURN_IF_ERROR(context.Allocate("WarpCTCGrad", logits.dtype(),
                                        Shape({longest, count, classes})));
    T* loss = context.Output("Loss")->template mutable_data<T>();
    DenseTensor* grad = context.Output("WarpCTCGrad");
    T* gradients = grad->template mutable_data<T>();
    std::fill_n(gradients, grad->numel(), T{});
    for (int64_t i = 0; i < count; ++i) {
      loss[i] = T{};
      const CtcSequence& one = sequences[i];
      CtcLoss ctc(LogSoftmax(logits.data<T>(), one, classes), one.steps,
                  classes, one.labels, blank);
      if (!ctc.feasible()) continue;
      std::vector<double> own;
      loss[i] = static_cast<T>(ctc.Compute(&own));
      for (int64_t k = 0; k < one.steps * classes; ++k) {
        gradients[(k / classes * count + i) * classes + k % classes] =
            static_cast<T>(own[k]);
      }
    }
    return absl::OkStatus();
  }

 private:
  static std::vector<double> LogSoftmax(const T* logits,
                                        const CtcSequence& sequence,
                                        int64_t classes) {
    std::vector<double> result;
    for (int64_t t = 0; t < sequence.steps; ++t) {
      const T* row = logits + (sequence.begin + t * sequence.stride) * classes;
      double greatest = static_cast<double>(row[0]), sum = 0;
      for (int64_t k = 1; k < classes; ++k) {
        greatest = std::max(greatest, static_cast<double>(row[k]));
      }
      for (int64_t k = 0; k < classes; ++k) {
        sum += std::exp(static_cast<double>(row[k]) - greatest);
      }
      for (int64_t k = 0; k < classes; ++k) {
        result.push_back(static_cast<double>(row[k]) - greatest -
                         std::log(sum));
      }
    }
    return result;
  }
};

// Logits@GRAD: WarpCTCGrad times Loss@GRAD, in the places of Logits; divided by
// the number of steps where norm_by_times.
template <typename T>
class WarpctcGradCpuKernel final : public OpKernel<T> {
  // Halves are multiplied as float.
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    DenseTensor* logits_grad = context.Output("Logits@GRAD");
    SY_ASSIGN_OR_RETURN(const bool by_times,
                        context.Attr<bool>("norm_by_times"));
    SY_ASSIGN_OR_RETURN(const auto sequences, LogitSequences(context));
    const DenseTensor& grad = *context.Input("WarpCTCGrad");
    const DenseTensor& loss_grad = *context.Input("Loss@GRAD");
    const auto count = static_cast<int64_t>(sequences.size());
    if (grad.extent(1) != count || loss_grad.extent(0) != count) {
      return ArgumentError(
          "loss_grad",
          "of " + std::to_string(count) +
              " rows, and warpctcgrad of that many columns",
          ToString(loss_grad.shape()) + " and " + ToString(grad.shape()));
    }
    if (logits_grad == nullptr) return absl::OkStatus();
    const int64_t classes = grad.extent(2);
    T* to = logits_grad->template mutable_data<T>();
    std::fill_n(to, logits_grad->numel(), T{});
    for (int64_t i = 0; i < count; ++i) {
      const CtcSequence& one = sequences[i];
      if (one.steps > grad.extent(0)) {
        return ArgumentError(
            "warpctcgrad", "of " + std::to_string(one.steps) + " steps or more",
            ToString(grad.shape()));
      }
      auto factor = static_cast<Wide>(loss_grad.data<T>()[i]);
      if (by_times) {
        factor /= static_cast<Wide>(std::max<int64_t>(one.steps, 1));
      }
      for (int64_t t = 0; t < one.steps; ++t) {
        const T* from = grad.data<T>() + (t * count + i) * classes;
        T* row = to + (one.begin + t * one.stride) * classes;
        for (int64_t k = 0; k < classes; ++k) {
          row[k] = static_cast<T>(static_cast<Wide>(from[k]) * factor);
        }
      }
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kWarpctcSpec =
    KernelSpec<WarpctcSignature>()
        .Input(WarpctcSignature::kLabel, OneOf(kIndexDtypes))
        .Input(WarpctcSignature::kLogitsLength, OneOf(kIndexDtypes))
        .Input(WarpctcSignature::kLabelsLength, OneOf(kIndexDtypes))
        .Output(WarpctcSignature::kLoss, SelfAllocated(ArgDef()))
        .Output(WarpctcSignature::kWarpctcgrad, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(warpctc, cpu, fluid::WarpctcCpuKernel, legacy_warpctc,
                         kWarpctcSpec, float16, bfloat16, float32, float64);

constexpr auto kWarpctcGradSpec = KernelSpec<WarpctcGradSignature>().Input(
    WarpctcGradSignature::kLogitsLength, OneOf(kIndexDtypes));
SY_REGISTER_FLUID_KERNEL(warpctc_grad, cpu, fluid::WarpctcGradCpuKernel,
                         legacy_warpctc_grad, kWarpctcGradSpec, float16,
                         bfloat16, float32, float64);

}  // namespace switchyard::phi
