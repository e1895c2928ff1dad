// SPDX-License-Identifier: Apache-2.0
// Optimizer steps on the CPU. An output may be its input (in place): every
// element is read before it is written, and scalars before anything is.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_H_
#define SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_H_

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "framework/base/status.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/selected_rows.h"

namespace switchyard::phi::kernels {

inline constexpr int64_t kOptimizerGrain = 1 << 15;  // Elements a chunk.

template <typename T, typename Context>
absl::Status SgdKernel(const Context&, const DenseTensor& param,
                       const DenseTensor& learning_rate,
                       const DenseTensor& grad, DenseTensor* param_out) {
  const T rate = *learning_rate.data<T>();
  const T* p = param.data<T>();
  const T* g = grad.data<T>();
  T* out = param_out->mutable_data<T>();
  ParallelFor(0, param.numel(), kOptimizerGrain,
              [=](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  out[i] = p[i] - rate * g[i];
                }
              });
  return absl::OkStatus();
}

// Rows that occur more than once are subtracted one after another.
template <typename T, typename Context>
absl::Status SgdSelectedRowsKernel(const Context&, const DenseTensor& param,
                                   const DenseTensor& learning_rate,
                                   const SelectedRows& grad,
                                   DenseTensor* param_out) {
  const int64_t height = param.rank() == 0 ? 1 : param.extent(0);
  for (int64_t row : grad.rows()) {
    if (row < 0 || row >= height) {
      return RangeError("grad", "rows in [0, " + std::to_string(height) + ")",
                        std::to_string(row));
    }
  }
  const T rate = *learning_rate.data<T>();
  const int64_t width = height == 0 ? 0 : param.numel() / height;
  const T* g = grad.values().data<T>();
  T* out = param_out->mutable_data<T>();
  if (out != param.data<T>()) std::copy_n(param.data<T>(), param.numel(), out);
  for (size_t i = 0; i < grad.rows().size(); ++i) {
    T* row = out + grad.rows()[i] * width;
    for (int64_t j = 0; j < width; ++j) row[j] -= rate * g[i * width + j];
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
  const T rate = *learning_rate.data<T>();
  const T decay =
      regularization_method == "l2_decay" ? T(regularization_coeff) : T{0};
  const T m = mu;
  const T* p = param.data<T>();
  const T* g = grad.data<T>();
  const T* v = velocity.data<T>();
  T* p_out = param_out->mutable_data<T>();
  T* v_out = velocity_out->mutable_data<T>();
  ParallelFor(0, param.numel(), kOptimizerGrain,
              [=](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  const T slope = g[i] + decay * p[i];
                  const T speed = m * v[i] + slope;
                  const T step = use_nesterov ? slope + m * speed : speed;
                  p_out[i] = p[i] - rate * step;
                  v_out[i] = speed;
                }
              });
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status AdamKernel(
    const Context&, const DenseTensor& param, const DenseTensor& grad,
    const DenseTensor& learning_rate, const DenseTensor& moment1,
    const DenseTensor& moment2, const DenseTensor& beta1_pow,
    const DenseTensor& beta2_pow, float beta1, float beta2, float epsilon,
    DenseTensor* param_out, DenseTensor* moment1_out, DenseTensor* moment2_out,
    DenseTensor* beta1_pow_out, DenseTensor* beta2_pow_out) {
  const T b1 = beta1, b2 = beta2;
  const T pow1 = *beta1_pow.data<T>(), pow2 = *beta2_pow.data<T>();
  // Both bias corrections folded into the rate and epsilon (section 2 of the
  // paper, the last paragraph).
  const T correction = std::sqrt(T{1} - pow2);
  const T rate = *learning_rate.data<T>() * correction / (T{1} - pow1);
  const T small = T(epsilon) * correction;
  const T* p = param.data<T>();
  const T* g = grad.data<T>();
  const T* m1 = moment1.data<T>();
  const T* m2 = moment2.data<T>();
  T* p_out = param_out->mutable_data<T>();
  T* m1_out = moment1_out->mutable_data<T>();
  T* m2_out = moment2_out->mutable_data<T>();
  ParallelFor(
      0, param.numel(), kOptimizerGrain, [=](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const T first = b1 * m1[i] + (T{1} - b1) * g[i];
          const T second = b2 * m2[i] + (T{1} - b2) * g[i] * g[i];
          m1_out[i] = first;
          m2_out[i] = second;
          p_out[i] = p[i] - rate * (first / (std::sqrt(second) + small));
        }
      });
  *beta1_pow_out->mutable_data<T>() = pow1 * b1;
  *beta2_pow_out->mutable_data<T>() = pow2 * b2;
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_H_
