// SPDX-License-Identifier: Apache-2.0
// Reference kernels of the optimizers, in double, as their papers write them.
// An output may be the input that it updates: every element is read before it
// is written.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_H_

#include <cmath>
#include <string>
#include <string_view>

#include "framework/base/status.h"
#include "framework/tensor/selected_rows.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename T, typename Context>
absl::Status SgdKernel(const Context&, const DenseTensor& param,
                       const DenseTensor& learning_rate,
                       const DenseTensor& grad, DenseTensor* param_out) {
  const double rate = At<T>(learning_rate, 0);
  for (int64_t i = 0; i < param.numel(); ++i) {
    param_out->mutable_data<T>()[i] =
        static_cast<T>(At<T>(param, i) - rate * At<T>(grad, i));
  }
  return absl::OkStatus();
}

// A row that occurs twice is stepped twice.
template <typename T, typename Context>
absl::Status SgdSelectedRowsKernel(const Context&, const DenseTensor& param,
                                   const DenseTensor& learning_rate,
                                   const SelectedRows& grad,
                                   DenseTensor* param_out) {
  const int64_t height = param.rank() == 0 ? 1 : param.extent(0);
  const int64_t width = height == 0 ? 0 : param.numel() / height;
  for (const int64_t row : grad.rows()) {
    if (row < 0 || row >= height) {
      return RangeError("grad",
                        "of rows in [0, " + std::to_string(height) + ")",
                        std::to_string(row));
    }
  }
  const auto rows = static_cast<int64_t>(grad.rows().size());
  if (grad.values().numel() != rows * width) {
    return ArgumentError("grad",
                         "of " + std::to_string(rows * width) + " values",
                         std::to_string(grad.values().numel()));
  }
  for (int64_t i = 0; i < param.numel(); ++i) {
    param_out->mutable_data<T>()[i] = At<T>(param, i);
  }
  const double rate = At<T>(learning_rate, 0);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < width; ++c) {
      T& v = param_out->mutable_data<T>()[grad.rows()[r] * width + c];
      v = static_cast<T>(v - rate * At<T>(grad.values(), r * width + c));
    }
  }
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status MomentumKernel(const Context&, const DenseTensor& param,
                            const DenseTensor& grad,
                            const DenseTensor& velocity,
                            const DenseTensor& learning_rate, float mu,
                            bool use_nesterov,
                            std::string_view regularization_method,
                            float regularization_coeff, DenseTensor* param_out,
                            DenseTensor* velocity_out) {
  const double rate = At<T>(learning_rate, 0);
  const double decay =
      regularization_method == "l2_decay" ? regularization_coeff : 0.0;
  for (int64_t i = 0; i < param.numel(); ++i) {
    const double p = At<T>(param, i);
    const double g = At<T>(grad, i) + decay * p;
    const double v = At<T>(velocity, i) * mu + g;
    velocity_out->mutable_data<T>()[i] = static_cast<T>(v);
    param_out->mutable_data<T>()[i] =
        static_cast<T>(p - rate * (use_nesterov ? g + v * mu : v));
  }
  return absl::OkStatus();
}

// Kingma and Ba, "Adam", 2015, algorithm 1, with the correction of bias taken
// into the step: beta1_pow and beta2_pow are the powers of this step.
template <typename T, typename Context>
absl::Status AdamKernel(
    const Context&, const DenseTensor& param, const DenseTensor& grad,
    const DenseTensor& learning_rate, const DenseTensor& moment1,
    const DenseTensor& moment2, const DenseTensor& beta1_pow,
    const DenseTensor& beta2_pow, float beta1, float beta2, float epsilon,
    DenseTensor* param_out, DenseTensor* moment1_out, DenseTensor* moment2_out,
    DenseTensor* beta1_pow_out, DenseTensor* beta2_pow_out) {
  const double pow1 = At<T>(beta1_pow, 0);
  const double pow2 = At<T>(beta2_pow, 0);
  const double rate =
      At<T>(learning_rate, 0) * std::sqrt(1 - pow2) / (1 - pow1);
  const double floor = epsilon * std::sqrt(1 - pow2);
  for (int64_t i = 0; i < param.numel(); ++i) {
    const double p = At<T>(param, i);
    const double g = At<T>(grad, i);
    const double m = beta1 * double{At<T>(moment1, i)} + (1.0 - beta1) * g;
    const double v = beta2 * double{At<T>(moment2, i)} + (1.0 - beta2) * g * g;
    moment1_out->mutable_data<T>()[i] = static_cast<T>(m);
    moment2_out->mutable_data<T>()[i] = static_cast<T>(v);
    param_out->mutable_data<T>()[i] =
        static_cast<T>(p - rate * (m / (std::sqrt(v) + floor)));
  }
  beta1_pow_out->mutable_data<T>()[0] = static_cast<T>(pow1 * beta1);
  beta2_pow_out->mutable_data<T>()[0] = static_cast<T>(pow2 * beta2);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_H_
