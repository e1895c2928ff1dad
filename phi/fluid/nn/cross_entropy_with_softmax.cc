// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of softmax_with_cross_entropy and its gradient on
// the CPU, computed in double.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/cross_entropy_with_softmax.gen.h"
#include "phi/core/signatures/cross_entropy_with_softmax_grad.gen.h"
#include "phi/fluid/lanes.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/cross_entropy_with_softmax.gen.h"
#include "phi/legacy/cross_entropy_with_softmax_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// The attributes of both, and Label: class numbers of any integer dtype, or
// distributions.
struct Labels {
  const DenseTensor& label;
  bool soft, use_softmax;
  int64_t ignored;
  Lanes lanes;
  // One a line, unless soft; copied, since another thread may write Label.
  std::vector<int64_t> classes = {};

  static absl::StatusOr<Labels> Of(const ExecutionContext& context,
                                   const Shape& shape) {
    SY_ASSIGN_OR_RETURN(const bool soft, context.Attr<bool>("soft_label"));
    SY_ASSIGN_OR_RETURN(const bool use, context.Attr<bool>("use_softmax"));
    SY_ASSIGN_OR_RETURN(const int ignored, context.Attr<int>("ignore_index"));
    SY_ASSIGN_OR_RETURN(const int axis, context.Attr<int>("axis"));
    SY_ASSIGN_OR_RETURN(const Lanes lanes, MakeLanes(shape, axis));
    Labels labels = {*context.Input("Label"), soft, use, ignored, lanes};
    if (!soft) SY_RETURN_IF_ERROR(labels.ReadClasses());
    return labels;
  }

  // The class of a line as Label holds it now.
  int64_t Read(int64_t line) const {
    switch (label.dtype()) {
      case DataType::kUInt8:
        return label.data<uint8_t>()[line];
      case DataType::kInt8:
        return label.data<int8_t>()[line];
      case DataType::kInt16:
        return label.data<int16_t>()[line];
      case DataType::kInt32:
        return label.data<int32_t>()[line];
      default:
        return label.data<int64_t>()[line];
    }
  }
  // The share of class j of a line, which is not ignored.
  template <typename T>
  double Share(int64_t line, int64_t j) const {
    if (!soft) return classes[line] == j ? 1 : 0;
    return double{label.data<T>()[lanes.begin(line) + j * lanes.stride]};
  }
  bool Ignores(int64_t line) const { return !soft && classes[line] == ignored; }

  absl::Status ReadClasses() {
    for (int64_t i = 0; i < label.numel(); ++i) {
      const int64_t v = Read(i);
      classes.push_back(v);
      if (v == ignored || (v >= 0 && v < lanes.length)) continue;
      return RangeError("label",
                        "in [0, " + std::to_string(lanes.length) +
                            ") or ignore_index (" + std::to_string(ignored) +
                            ")",
                        std::to_string(v));
    }
    return absl::OkStatus();
  }
};

// Softmax of Logits and Loss, -log Softmax at the label.
template <typename T>
class SoftmaxWithCrossEntropyKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& logits = *context.Input("Logits");
    SY_ASSIGN_OR_RETURN(const Labels labels,
                        Labels::Of(context, logits.shape()));
    T* softmax = context.Output("Softmax")->template mutable_data<T>();
    T* loss = context.Output("Loss")->template mutable_data<T>();
    const Lanes& lanes = labels.lanes;
    for (int64_t line = 0; line < lanes.count; ++line) {
      const int64_t at = lanes.begin(line);
      const T* x = logits.data<T>() + at;
      double greatest = x[0], sum = 0, total = 0;
      for (int64_t j = 1; j < lanes.length; ++j) {
        greatest = std::max(greatest, double{x[j * lanes.stride]});
      }
      for (int64_t j = 0; j < lanes.length; ++j) {
        sum += std::exp(double{x[j * lanes.stride]} - greatest);
      }
      for (int64_t j = 0; j < lanes.length; ++j) {
        const double v = x[j * lanes.stride];
        const double log =
            labels.use_softmax ? v - greatest - std::log(sum) : std::log(v);
        softmax[at + j * lanes.stride] =
            static_cast<T>(labels.use_softmax ? std::exp(log) : v);
        if (labels.Ignores(line)) continue;
        const double share = labels.template Share<T>(line, j);
        if (share != 0) total -= share * log;
      }
      loss[line] = static_cast<T>(total);
    }
    return absl::OkStatus();
  }
};

// Logits@GRAD = Loss@GRAD (Softmax - Label); of a softmax that was given,
// -Loss@GRAD Label / Softmax.
template <typename T>
class SoftmaxWithCrossEntropyGradKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& softmax = *context.Input("Softmax");
    SY_ASSIGN_OR_RETURN(const Labels labels,
                        Labels::Of(context, softmax.shape()));
    const T* loss_grad = context.Input("Loss@GRAD")->data<T>();
    T* grad = context.Output("Logits@GRAD")->template mutable_data<T>();
    const Lanes& lanes = labels.lanes;
    for (int64_t line = 0; line < lanes.count; ++line) {
      const double g = loss_grad[line];
      double sum =
          0;  // Of the label's shares: a distribution may have another.
      for (int64_t j = 0; j < lanes.length; ++j) {
        sum += labels.template Share<T>(line, j);
      }
      for (int64_t j = 0; j < lanes.length; ++j) {
        const int64_t at = lanes.begin(line) + j * lanes.stride;
        const double share = labels.template Share<T>(line, j);
        const double probability = softmax.data<T>()[at];
        double slope = 0;
        if (labels.use_softmax) {
          slope = probability * sum - share;
        } else if (share != 0) {
          slope = -share / probability;
        }
        grad[at] = static_cast<T>(labels.Ignores(line) ? 0 : g * slope);
      }
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kCrossEntropySpec =
    KernelSpec<CrossEntropyWithSoftmaxSignature>().Input(
        CrossEntropyWithSoftmaxSignature::kLabel, AnyDtype());
SY_REGISTER_FLUID_KERNEL(cross_entropy_with_softmax, cpu,
                         fluid::SoftmaxWithCrossEntropyKernel,
                         legacy_softmax_with_cross_entropy, kCrossEntropySpec,
                         float32, float64);
constexpr auto kCrossEntropyGradSpec =
    KernelSpec<CrossEntropyWithSoftmaxGradSignature>().Input(
        CrossEntropyWithSoftmaxGradSignature::kLabel, AnyDtype());
SY_REGISTER_FLUID_KERNEL(cross_entropy_with_softmax_grad, cpu,
                         fluid::SoftmaxWithCrossEntropyGradKernel,
                         legacy_softmax_with_cross_entropy_grad,
                         kCrossEntropyGradSpec, float32, float64);

}  // namespace switchyard::phi
