// SPDX-License-Identifier: Apache-2.0
// warpctc and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_WARPCTC_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_WARPCTC_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/alignment/labels.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// One sequence of logits and its labels. Step t of the logits is the row
// begin + t * stride of logits.
struct CtcSequence {
  int64_t begin;
  int64_t stride;
  int64_t steps;
  // Copied once, since another thread may write label.
  std::vector<int64_t> labels;
};

// The sequences of logits: rows of a LoD, or with logits_length the columns of
// [steps, batch, classes].
inline absl::StatusOr<std::vector<CtcSequence>> LogitSequences(
    const DenseTensor& logits, const DenseTensor* logits_length) {
  std::vector<CtcSequence> sequences;
  if (const DenseTensor* length = logits_length) {
    const int64_t batch = logits.extent(1);
    SY_ASSIGN_OR_RETURN(
        const std::vector<int64_t> steps,
        ReadLengths("logits_length", *length, batch, logits.extent(0)));
    for (int64_t i = 0; i < batch; ++i) {
      sequences.push_back({i, batch, steps[i], {}});
    }
    return sequences;
  }
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("logits", logits));
  const Offsets& offsets = lod->offsets.back();
  for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
    sequences.push_back({offsets[i], 1, offsets[i + 1] - offsets[i], {}});
  }
  return sequences;
}

inline absl::StatusOr<std::vector<CtcSequence>> ReadCtcSequences(
    const DenseTensor& logits, const DenseTensor& label,
    const DenseTensor* logits_length, const DenseTensor* labels_length,
    int64_t classes, int64_t blank) {
  SY_ASSIGN_OR_RETURN(std::vector<CtcSequence> sequences,
                      LogitSequences(logits, logits_length));
  SY_ASSIGN_OR_RETURN(
      const std::vector<LabelRange> labels,
      ReadRanges("label", label, "labels_length", labels_length));
  if (labels.size() != sequences.size()) {
    return ArgumentError(
        "label",
        "of " + std::to_string(sequences.size()) + " sequences, as logits",
        std::to_string(labels.size()));
  }
  for (size_t i = 0; i < labels.size(); ++i) {
    for (int64_t k = 0; k < labels[i].length; ++k) {
      const int64_t value = LabelAt(label, labels[i].begin + k);
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
T AddLogs(T a, T b) {
  if (a < b) std::swap(a, b);
  return b == -std::numeric_limits<T>::infinity()
             ? a
             : a + std::log1p(std::exp(b - a));
}

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
        if (s > 0) sum = AddLogs(sum, before[s - 1]);
        if (Skips(s)) sum = AddLogs(sum, before[s - 2]);
        alpha[t * size + s] = sum + LogY(t, s);
      }
    }
    for (int64_t t = steps_ - 2; t >= 0; --t) {
      for (int64_t s = 0; s < size; ++s) {
        const double* after = &beta[(t + 1) * size];
        double sum = after[s];
        if (s + 1 < size) sum = AddLogs(sum, after[s + 1]);
        if (s + 2 < size && Skips(s + 2)) sum = AddLogs(sum, after[s + 2]);
        beta[t * size + s] = sum + LogY(t, s);
      }
    }
    double total = alpha[steps_ * size - 1];
    if (size > 1) total = AddLogs(total, alpha[steps_ * size - 2]);
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

// loss: [sequences, 1], 0 where the labels need more steps than there are.
// warpctcgrad: [greatest number of steps, sequences, classes], the gradient of
// each loss.
template <typename T>
class Warpctc {
 public:
  static absl::Status Run(const CpuContext& context, const DenseTensor& logits,
                          const DenseTensor& label,
                          const DenseTensor* logits_length,
                          const DenseTensor* labels_length, int blank,
                          DenseTensor* loss, DenseTensor* warpctcgrad) {
    const int64_t classes = logits.extent(logits.rank() - 1);
    SY_ASSIGN_OR_RETURN(const auto sequences,
                        ReadCtcSequences(logits, label, logits_length,
                                         labels_length, classes, blank));
    const auto count = static_cast<int64_t>(sequences.size());
    int64_t longest = logits_length != nullptr ? logits.extent(0) : 0;
    for (const CtcSequence& one : sequences) {
      longest = std::max(longest, one.steps);
    }
    SY_RETURN_IF_ERROR(
        AllocateAnew(context, logits.dtype(), Shape({count, 1}), loss));
    SY_RETURN_IF_ERROR(AllocateAnew(context, logits.dtype(),
                                    Shape({longest, count, classes}),
                                    warpctcgrad));
    T* losses = loss->mutable_data<T>();
    T* gradients = warpctcgrad->mutable_data<T>();
    std::fill_n(gradients, warpctcgrad->numel(), T{});
    for (int64_t i = 0; i < count; ++i) {
      losses[i] = T{};
      const CtcSequence& one = sequences[i];
      CtcLoss ctc(LogSoftmax(logits.data<T>(), one, classes), one.steps,
                  classes, one.labels, blank);
      if (!ctc.feasible()) continue;
      std::vector<double> own;
      losses[i] = static_cast<T>(ctc.Compute(&own));
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

template <typename S>
inline constexpr auto kWarpctcSpec =
    KernelSpec<S>()
        .Input(S::kLabel, OneOf(kIndexDtypes))
        .Input(S::kLogitsLength, OneOf(kIndexDtypes))
        .Input(S::kLabelsLength, OneOf(kIndexDtypes))
        .Output(S::kLoss, SelfAllocated(ArgDef()))
        .Output(S::kWarpctcgrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status WarpctcKernel(const CpuContext& context, const DenseTensor& logits,
                           const DenseTensor& label,
                           const DenseTensor* logits_length,
                           const DenseTensor* labels_length, int blank, bool,
                           DenseTensor* loss, DenseTensor* warpctcgrad) {
  return Warpctc<T>::Run(context, logits, label, logits_length, labels_length,
                         blank, loss, warpctcgrad);
}

template <typename S>
inline constexpr auto kWarpctcGradSpec =
    KernelSpec<S>().Input(S::kLogitsLength, OneOf(kIndexDtypes));
// logits_grad: warpctcgrad times loss_grad, in the places of logits;
// divided by the number of steps where norm_by_times.
template <typename T>
absl::Status WarpctcGradKernel(const CpuContext&, const DenseTensor& logits,
                               const DenseTensor* logits_length,
                               const DenseTensor& warpctcgrad,
                               const DenseTensor& loss_grad, bool norm_by_times,
                               DenseTensor* logits_grad) {
  // Halves are multiplied as float.
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  SY_ASSIGN_OR_RETURN(const auto sequences,
                      LogitSequences(logits, logits_length));
  const auto count = static_cast<int64_t>(sequences.size());
  if (warpctcgrad.extent(1) != count || loss_grad.extent(0) != count) {
    return ArgumentError(
        "loss_grad",
        "of " + std::to_string(count) +
            " rows, and warpctcgrad of that many columns",
        ToString(loss_grad.shape()) + " and " + ToString(warpctcgrad.shape()));
  }
  if (logits_grad == nullptr) return absl::OkStatus();
  const int64_t classes = warpctcgrad.extent(2);
  T* to = logits_grad->template mutable_data<T>();
  std::fill_n(to, logits_grad->numel(), T{});
  for (int64_t i = 0; i < count; ++i) {
    const CtcSequence& one = sequences[i];
    if (one.steps > warpctcgrad.extent(0)) {
      return ArgumentError("warpctcgrad",
                           "of " + std::to_string(one.steps) + " steps or more",
                           ToString(warpctcgrad.shape()));
    }
    auto factor = static_cast<Wide>(loss_grad.data<T>()[i]);
    if (norm_by_times) {
      factor /= static_cast<Wide>(std::max<int64_t>(one.steps, 1));
    }
    for (int64_t t = 0; t < one.steps; ++t) {
      const T* from = warpctcgrad.data<T>() + (t * count + i) * classes;
      T* row = to + (one.begin + t * one.stride) * classes;
      for (int64_t k = 0; k < classes; ++k) {
        row[k] = static_cast<T>(static_cast<Wide>(from[k]) * factor);
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_WARPCTC_H_
