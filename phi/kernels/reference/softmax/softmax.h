// SPDX-License-Identifier: Apache-2.0
// Reference kernels of the softmax family, in double, line by line, computed
// about the largest element of each. The losses are in cross_entropy.h.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_SOFTMAX_SOFTMAX_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_SOFTMAX_SOFTMAX_H_

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// log(sum of exp(x)) of one line, split as largest + log_sum.
struct LineSum {
  double largest;
  double log_sum;
};

template <typename T>
LineSum SumOfExponentials(const DenseTensor& x, const Lines& lines,
                          int64_t line) {
  double largest = -std::numeric_limits<double>::infinity();
  for (int64_t p = 0; p < lines.extent(); ++p) {
    const double v = At<T>(x, lines.at(line, p));
    if (v > largest || v != v) largest = v;
  }
  double sum = 0;
  for (int64_t p = 0; p < lines.extent(); ++p) {
    sum += std::exp(At<T>(x, lines.at(line, p)) - largest);
  }
  return {largest, std::log(sum)};
}

// out = exp(x) / sum(exp(x)), or its logarithm.
template <typename T>
void SoftmaxLines(const DenseTensor& x, int axis, bool logarithm,
                  DenseTensor* out) {
  const Lines lines(x.shape(), axis);
  for (int64_t line = 0; line < lines.count(); ++line) {
    const LineSum sum = SumOfExponentials<T>(x, lines, line);
    for (int64_t p = 0; p < lines.extent(); ++p) {
      const int64_t i = lines.at(line, p);
      const double log = At<T>(x, i) - sum.largest - sum.log_sum;
      out->mutable_data<T>()[i] =
          static_cast<T>(logarithm ? log : std::exp(log));
    }
  }
}

template <typename S>
inline constexpr auto kSoftmaxSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SoftmaxKernel(const ReferenceContext&, const DenseTensor& x,
                           int axis, DenseTensor* out) {
  SoftmaxLines<T>(x, axis, /*logarithm=*/false, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kLogSoftmaxSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status LogSoftmaxKernel(const ReferenceContext&, const DenseTensor& x,
                              int axis, DenseTensor* out) {
  SoftmaxLines<T>(x, axis, /*logarithm=*/true, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSoftmaxGradSpec = KernelSpec<S>().AllStrided();
// x_grad = out (out_grad - sum(out out_grad)).
template <typename T>
absl::Status SoftmaxGradKernel(const ReferenceContext&, const DenseTensor& out,
                               const DenseTensor& out_grad, int axis,
                               DenseTensor* x_grad) {
  const Lines lines(out.shape(), axis);
  for (int64_t line = 0; line < lines.count(); ++line) {
    double dot = 0;
    for (int64_t p = 0; p < lines.extent(); ++p) {
      const int64_t i = lines.at(line, p);
      dot += double{At<T>(out, i)} * double{At<T>(out_grad, i)};
    }
    for (int64_t p = 0; p < lines.extent(); ++p) {
      const int64_t i = lines.at(line, p);
      x_grad->mutable_data<T>()[i] =
          static_cast<T>(At<T>(out, i) * (At<T>(out_grad, i) - dot));
    }
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kLogSoftmaxGradSpec = KernelSpec<S>().AllStrided();
// x_grad = out_grad - exp(out) sum(out_grad).
template <typename T>
absl::Status LogSoftmaxGradKernel(const ReferenceContext&,
                                  const DenseTensor& out,
                                  const DenseTensor& out_grad, int axis,
                                  DenseTensor* x_grad) {
  const Lines lines(out.shape(), axis);
  for (int64_t line = 0; line < lines.count(); ++line) {
    double sum = 0;
    for (int64_t p = 0; p < lines.extent(); ++p) {
      sum += At<T>(out_grad, lines.at(line, p));
    }
    for (int64_t p = 0; p < lines.extent(); ++p) {
      const int64_t i = lines.at(line, p);
      x_grad->mutable_data<T>()[i] = static_cast<T>(
          At<T>(out_grad, i) - std::exp(double{At<T>(out, i)}) * sum);
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_SOFTMAX_SOFTMAX_H_
