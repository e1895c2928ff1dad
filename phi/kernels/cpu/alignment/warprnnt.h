// SPDX-License-Identifier: Apache-2.0
// warprnnt and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_WARPRNNT_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_WARPRNNT_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/alignment/labels.h"

namespace switchyard::phi::kernels::cpu {

inline constexpr double kLogOfZero = -std::numeric_limits<double>::infinity();

inline double AddLogarithms(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kLogOfZero ? a : a + std::log1p(std::exp(b - a));
}

// One item of a batch: its steps and its labels.
struct Transduction {
  int64_t steps;
  std::vector<int64_t> labels;
};

inline absl::StatusOr<std::vector<Transduction>> ReadTransductions(
    const DenseTensor& input, const DenseTensor& label,
    const DenseTensor& input_lengths, const DenseTensor& label_lengths,
    int64_t blank) {
  const int64_t batch = input.extent(0), classes = input.extent(3);
  const int64_t most = std::min(label.extent(1), input.extent(2) - 1);
  SY_ASSIGN_OR_RETURN(
      const std::vector<int64_t> steps,
      ReadLengths("input_lengths", input_lengths, batch, input.extent(1)));
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths,
                      ReadLengths("label_lengths", label_lengths, batch, most));
  std::vector<Transduction> items(batch);
  for (int64_t i = 0; i < batch; ++i) {
    items[i].steps = steps[i];
    if (steps[i] == 0) {
      return RangeError("input_lengths", "1 or more", "0");
    }
    for (int64_t k = 0; k < lengths[i]; ++k) {
      const int64_t value = LabelAt(label, i * label.extent(1) + k);
      items[i].labels.push_back(value);
      if (value >= 0 && value < classes && value != blank) continue;
      return RangeError("label",
                        "in [0, " + std::to_string(classes) + ") and not blank",
                        std::to_string(value));
    }
  }
  return items;
}

// The sums over the paths from (0, 0) to (steps - 1, labels), of which a step
// is the blank, (t, u) to (t + 1, u), or the next label, to (t, u + 1).
template <typename T>
class TransducerLoss {
 public:
  // `scores`: logarithms [steps, columns, classes].
  TransducerLoss(const T* scores, int64_t columns, int64_t classes,
                 int64_t blank, const Transduction& item)
      : scores_(scores),
        columns_(columns),
        classes_(classes),
        blank_(blank),
        steps_(item.steps),
        labels_(item.labels),
        width_(static_cast<int64_t>(item.labels.size()) + 1),
        beta_((steps_ + 1) * (width_ + 1), kLogOfZero) {
    for (int64_t t = steps_ - 1; t >= 0; --t) {
      for (int64_t u = width_ - 1; u >= 0; --u) {
        const bool last = t == steps_ - 1 && u == width_ - 1;
        const double up = Blank(t, u) + (last ? 0 : Beta(t + 1, u));
        const double along =
            u == width_ - 1 ? kLogOfZero : Label(t, u) + Beta(t, u + 1);
        beta_[t * (width_ + 1) + u] = AddLogarithms(up, along);
      }
    }
  }

  double loss() const { return -Beta(0, 0); }

  // Writes the gradient of the loss, that of labels times 1 + `emit`. Nothing
  // where no path is possible: it has no slope.
  void Gradient(double emit, T* gradient) const {
    if (!std::isfinite(Beta(0, 0))) return;
    std::vector<double> alpha((steps_ + 1) * (width_ + 1), kLogOfZero);
    alpha[0] = -Beta(0, 0);
    for (int64_t t = 0; t < steps_; ++t) {
      for (int64_t u = 0; u < width_; ++u) {
        const double here = alpha[t * (width_ + 1) + u];
        const bool last = t == steps_ - 1 && u == width_ - 1;
        T* row = gradient + (t * columns_ + u) * classes_;
        double* up = &alpha[(t + 1) * (width_ + 1) + u];
        *up = AddLogarithms(*up, here + Blank(t, u));
        row[blank_] = static_cast<T>(
            -std::exp(here + Blank(t, u) + (last ? 0 : Beta(t + 1, u))));
        if (u == width_ - 1) continue;
        double* along = &alpha[t * (width_ + 1) + u + 1];
        *along = AddLogarithms(*along, here + Label(t, u));
        row[labels_[u]] = static_cast<T>(
            -std::exp(here + Label(t, u) + Beta(t, u + 1)) * (1 + emit));
      }
    }
  }

 private:
  double Beta(int64_t t, int64_t u) const {
    return beta_[t * (width_ + 1) + u];
  }
  double Blank(int64_t t, int64_t u) const {
    return static_cast<double>(scores_[(t * columns_ + u) * classes_ + blank_]);
  }
  double Label(int64_t t, int64_t u) const {
    return static_cast<double>(
        scores_[(t * columns_ + u) * classes_ + labels_[u]]);
  }

  const T* scores_;
  int64_t columns_, classes_, blank_, steps_;
  const std::vector<int64_t>& labels_;
  int64_t width_;
  std::vector<double> beta_;
};

template <typename S>
inline constexpr auto kWarprnntSpec = KernelSpec<S>()
                                          .Input(S::kLabel, OneOf(kIndexDtypes))
                                          .Input(S::kInputLengths,
                                                 OneOf(kIndexDtypes))
                                          .Input(S::kLabelLengths,
                                                 OneOf(kIndexDtypes));
// loss: [batch], -log of the sum of the probabilities of all alignments.
// warprnntgrad: the gradients of the losses, of the shape of input.
template <typename T>
absl::Status WarprnntKernel(const CpuContext&, const DenseTensor& input,
                            const DenseTensor& label,
                            const DenseTensor& input_lengths,
                            const DenseTensor& label_lengths, int blank,
                            double fastemit_lambda, DenseTensor* loss,
                            DenseTensor* warprnntgrad) {
  SY_ASSIGN_OR_RETURN(
      const auto items,
      ReadTransductions(input, label, input_lengths, label_lengths, blank));
  const int64_t columns = input.extent(2), classes = input.extent(3);
  const int64_t size = input.extent(1) * columns * classes;
  T* losses = loss->mutable_data<T>();
  T* gradients =
      warprnntgrad == nullptr ? nullptr : warprnntgrad->mutable_data<T>();
  if (gradients != nullptr) std::fill_n(gradients, warprnntgrad->numel(), T{0});
  for (size_t i = 0; i < items.size(); ++i) {
    const int64_t first = static_cast<int64_t>(i) * size;
    const TransducerLoss<T> one(input.data<T>() + first, columns, classes,
                                blank, items[i]);
    losses[i] = static_cast<T>(one.loss());
    if (gradients != nullptr) one.Gradient(fastemit_lambda, gradients + first);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kWarprnntGradSpec = KernelSpec<S>();
// input_grad: warprnntgrad times the gradient of each loss.
template <typename T>
absl::Status WarprnntGradKernel(const CpuContext&, const DenseTensor&,
                                const DenseTensor& warprnntgrad,
                                const DenseTensor& loss_grad,
                                DenseTensor* input_grad) {
  if (input_grad == nullptr) return absl::OkStatus();
  T* to = input_grad->mutable_data<T>();
  const int64_t size =
      loss_grad.numel() == 0 ? 0 : warprnntgrad.numel() / loss_grad.numel();
  for (int64_t i = 0; i < warprnntgrad.numel(); ++i) {
    to[i] = warprnntgrad.data<T>()[i] * loss_grad.data<T>()[i / size];
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_WARPRNNT_H_
