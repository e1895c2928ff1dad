// SPDX-License-Identifier: Apache-2.0
// Reference kernels of cross_entropy_with_softmax and its gradient, in double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_SOFTMAX_CROSS_ENTROPY_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_SOFTMAX_CROSS_ENTROPY_H_

#include <cmath>
#include <string>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/cross_entropy_with_softmax.args.gen.h"
#include "phi/core/signatures/cross_entropy_with_softmax_grad.args.gen.h"
#include "phi/kernels/reference/softmax/softmax.h"

namespace switchyard::phi::kernels::reference {

// Returns a RangeError unless each hard label is a class or `ignore_index`.
inline absl::Status CheckLabels(const DenseTensor& label, int64_t classes,
                                int64_t ignore_index) {
  for (int64_t i = 0; i < label.numel(); ++i) {
    const int64_t v = IntegerAt(label, i);
    if (v == ignore_index || (v >= 0 && v < classes)) continue;
    return RangeError("label",
                      "in [0, " + std::to_string(classes) +
                          ") or ignore_index (" + std::to_string(ignore_index) +
                          ")",
                      std::to_string(v));
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kCrossEntropyWithSoftmaxSpec =
    KernelSpec<S>().AllStrided().Input(S::kLabel, WithAnyStrides(AnyDtype()));
// loss = -sum over classes of label * log(softmax(input)), where a hard label
// is 1 for its class. Without use_softmax the input is the softmax already.
template <typename T>
absl::Status CrossEntropyWithSoftmaxKernel(
    const ReferenceContext&, const CrossEntropyWithSoftmaxArgs& args) {
  const Lines lines(args.input.shape(), args.axis);
  if (!args.soft_label) {
    SY_RETURN_IF_ERROR(
        CheckLabels(args.label, lines.extent(), args.ignore_index));
  }
  for (int64_t line = 0; line < lines.count(); ++line) {
    LineSum sum = {};
    if (args.use_softmax) sum = SumOfExponentials<T>(args.input, lines, line);
    double total = 0;
    for (int64_t p = 0; p < lines.extent(); ++p) {
      const int64_t i = lines.at(line, p);
      const double x = At<T>(args.input, i);
      const double log =
          args.use_softmax ? x - sum.largest - sum.log_sum : std::log(x);
      args.softmax->mutable_data<T>()[i] =
          static_cast<T>(args.use_softmax ? std::exp(log) : x);
      if (args.soft_label) {
        const double weight = At<T>(args.label, i);
        if (weight != 0) total -= weight * log;
      } else if (IntegerAt(args.label, line) == p && p != args.ignore_index) {
        total = -log;
      }
    }
    args.loss->mutable_data<T>()[line] = static_cast<T>(total);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kCrossEntropyWithSoftmaxGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kLabel, WithAnyStrides(AnyDtype()));
// With softmax: loss_grad (softmax sum(label) - label). Without:
// -loss_grad label / softmax. An ignored line has gradient 0.
template <typename T>
absl::Status CrossEntropyWithSoftmaxGradKernel(
    const ReferenceContext&, const CrossEntropyWithSoftmaxGradArgs& args) {
  const Lines lines(args.softmax.shape(), args.axis);
  if (!args.soft_label) {
    SY_RETURN_IF_ERROR(
        CheckLabels(args.label, lines.extent(), args.ignore_index));
  }
  for (int64_t line = 0; line < lines.count(); ++line) {
    const int64_t hard = args.soft_label ? -1 : IntegerAt(args.label, line);
    const bool ignored = !args.soft_label && hard == args.ignore_index;
    double sum = ignored ? 0 : 1;
    for (int64_t p = 0; args.soft_label && p < lines.extent(); ++p) {
      if (p == 0) sum = 0;
      sum += At<T>(args.label, lines.at(line, p));
    }
    const double grad = At<T>(args.loss_grad, line);
    for (int64_t p = 0; p < lines.extent(); ++p) {
      const int64_t i = lines.at(line, p);
      double weight = !ignored && p == hard ? 1 : 0;
      if (args.soft_label) weight = At<T>(args.label, i);
      const double probability = At<T>(args.softmax, i);
      double result = 0;
      if (args.use_softmax) {
        result = ignored ? 0 : grad * (probability * sum - weight);
      } else if (weight != 0) {
        result = -grad * weight / probability;
      }
      args.input_grad->mutable_data<T>()[i] = static_cast<T>(result);
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_SOFTMAX_CROSS_ENTROPY_H_
