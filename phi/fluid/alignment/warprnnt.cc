// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of warprnnt and its gradient on the CPU.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/warprnnt.gen.h"
#include "phi/core/signatures/warprnnt_grad.gen.h"
#include "phi/fluid/alignment/labels.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/warprnnt.gen.h"
#include "phi/legacy/warprnnt_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

double LogAdd(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kNone ? a : a + std::log1p(std::exp(b - a));
}

// One item of a batch: its steps and its labels.
struct Transduction {
  int64_t steps;
  std::vector<int64_t> labels;
};

absl::StatusOr<std::vector<Transduction>> ReadTransductions(
    const ExecutionContext& context, int64_t blank) {
  const DenseTensor& input = *context.Input("input");
  const DenseTensor& label = *context.Input("label");
  const int64_t batch = input.extent(0), classes = input.extent(3);
  const int64_t most = std::min(label.extent(1), input.extent(2) - 1);
  SY_ASSIGN_OR_RETURN(
      const std::vector<int64_t> steps,
      ReadLengths("input_lengths", *context.Input("input_lengths"), batch,
                  input.extent(1)));
  SY_ASSIGN_OR_RETURN(
      const std::vector<int64_t> lengths,
      ReadLengths("label_lengths", *context.Input("label_lengths"), batch,
                  most));
  std::vector<Transduction> items(batch);
  for (int64_t i = 0; i < batch; ++i) {
    items[i].steps = steps[i];
    if (steps[i] == 0) {
      return RangeError("input_lengths", "1 or more", "0");
    }
    for (int64_t k = 0; k < lengths[i]; ++k) {
      const int64_t value = IntegerAt(label, i * label.extent(1) + k);
      items[i].labels.push_back(value);
      if (value >= 0 && value < classes && value != blank) continue;
      return RangeError("label",
                        "in [0, " + std::to_string(classes) + ") and not blank",
                        std::to_string(value));
    }
  }
  return items;
}

}  // namespace

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
        beta_((steps_ + 1) * (width_ + 1), kNone) {
    for (int64_t t = steps_ - 1; t >= 0; --t) {
      for (int64_t u = width_ - 1; u >= 0; --u) {
        const bool last = t == steps_ - 1 && u == width_ - 1;
        const double up = Blank(t, u) + (last ? 0 : Beta(t + 1, u));
        const double along =
            u == width_ - 1 ? kNone : Label(t, u) + Beta(t, u + 1);
        beta_[t * (width_ + 1) + u] = LogAdd(up, along);
      }
    }
  }

  double loss() const { return -Beta(0, 0); }

  // Writes the gradient of the loss, that of labels times 1 + `emit`. Nothing
  // where no path is possible: it has no slope.
  void Gradient(double emit, T* gradient) const {
    if (!std::isfinite(Beta(0, 0))) return;
    std::vector<double> alpha((steps_ + 1) * (width_ + 1), kNone);
    alpha[0] = -Beta(0, 0);
    for (int64_t t = 0; t < steps_; ++t) {
      for (int64_t u = 0; u < width_; ++u) {
        const double here = alpha[t * (width_ + 1) + u];
        const bool last = t == steps_ - 1 && u == width_ - 1;
        T* row = gradient + (t * columns_ + u) * classes_;
        double* up = &alpha[(t + 1) * (width_ + 1) + u];
        *up = LogAdd(*up, here + Blank(t, u));
        row[blank_] = static_cast<T>(
            -std::exp(here + Blank(t, u) + (last ? 0 : Beta(t + 1, u))));
        if (u == width_ - 1) continue;
        double* along = &alpha[t * (width_ + 1) + u + 1];
        *along = LogAdd(*along, here + Label(t, u));
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

// loss: [batch], -log of the sum of the probabilities of all alignments.
// warprnntgrad: the gradients of the losses, of the shape of input.
template <typename T>
class WarprnntCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& input = *context.Input("input");
    SY_ASSIGN_OR_RETURN(const int blank, context.Attr<int>("blank"));
    SY_ASSIGN_OR_RETURN(const double emit,
                        context.Attr<double>("fastemit_lambda"));
    SY_ASSIGN_OR_RETURN(const auto items, ReadTransductions(context, blank));
    const int64_t columns = input.extent(2), classes = input.extent(3);
    const int64_t size = input.extent(1) * columns * classes;
    T* loss = context.Output("loss")->template mutable_data<T>();
    DenseTensor* grad = context.Output("warprnntgrad");
    T* gradients = grad == nullptr ? nullptr : grad->template mutable_data<T>();
    if (gradients != nullptr) std::fill_n(gradients, grad->numel(), T{0});
    for (size_t i = 0; i < items.size(); ++i) {
      const int64_t first = static_cast<int64_t>(i) * size;
      const TransducerLoss<T> one(input.data<T>() + first, columns, classes,
                                  blank, items[i]);
      loss[i] = static_cast<T>(one.loss());
      if (gradients != nullptr) one.Gradient(emit, gradients + first);
    }
    return absl::OkStatus();
  }
};

// input@GRAD: warprnntgrad times the gradient of each loss.
template <typename T>
class WarprnntGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& slopes = *context.Input("loss@GRAD");
    const DenseTensor& grad = *context.Input("warprnntgrad");
    DenseTensor* input_grad = context.Output("input@GRAD");
    if (input_grad == nullptr) return absl::OkStatus();
    T* to = input_grad->template mutable_data<T>();
    const int64_t size =
        slopes.numel() == 0 ? 0 : grad.numel() / slopes.numel();
    for (int64_t i = 0; i < grad.numel(); ++i) {
      to[i] = grad.data<T>()[i] * slopes.data<T>()[i / size];
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kWarprnntSpec =
    KernelSpec<WarprnntSignature>()
        .Input(WarprnntSignature::kLabel, OneOf(kIndexDtypes))
        .Input(WarprnntSignature::kInputLengths, OneOf(kIndexDtypes))
        .Input(WarprnntSignature::kLabelLengths, OneOf(kIndexDtypes));
SY_REGISTER_FLUID_KERNEL(warprnnt, cpu, fluid::WarprnntCpuKernel,
                         legacy_warprnnt, kWarprnntSpec, float32, float64);

constexpr auto kWarprnntGradSpec = KernelSpec<WarprnntGradSignature>();
SY_REGISTER_FLUID_KERNEL(warprnnt_grad, cpu, fluid::WarprnntGradCpuKernel,
                         legacy_warprnnt_grad, kWarprnntGradSpec, float32,
                         float64);

}  // namespace switchyard::phi
