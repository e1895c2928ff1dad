// SPDX-License-Identifier: Apache-2.0
// Reference kernels of the optimizers, in double, as their papers write them.
// An output may be the input that it updates: every element is read before it
// is written.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_OPTIMIZER_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_OPTIMIZER_H_

#include <string>
#include <string_view>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/selected_rows.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/momentum_.args.gen.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The type of state and learning rate.
template <typename T>
using StateOf = std::conditional_t<sizeof(T) == 2, float, T>;

template <typename T>
void StoreStepped(DenseTensor* out, int64_t i, double value) {
  out->mutable_data<T>()[i] = static_cast<T>(static_cast<StateOf<T>>(value));
}

template <typename S>
inline constexpr auto kSgdSpec = KernelSpec<S>().AllStrided().Input(
    S::kLearningRate, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status SgdKernel(const ReferenceContext&, const DenseTensor& param,
                       const DenseTensor& learning_rate,
                       const DenseTensor& grad, DenseTensor* param_out) {
  const double rate = At<StateOf<T>>(learning_rate, 0);
  for (int64_t i = 0; i < param.numel(); ++i) {
    StoreStepped<T>(param_out, i, At<T>(param, i) - rate * At<T>(grad, i));
  }
  return absl::OkStatus();
}

// Checks the rows of a gradient, and returns how many elements each has.
inline absl::StatusOr<int64_t> CheckedWidth(const SelectedRows& grad,
                                            const DenseTensor& param) {
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
  return width;
}

template <typename S>
inline constexpr auto kSgdSelectedRowsSpec = KernelSpec<S>().AllStrided();
// A row that occurs twice is stepped twice.
template <typename T>
absl::Status SgdSelectedRowsKernel(const ReferenceContext&,
                                   const DenseTensor& param,
                                   const DenseTensor& learning_rate,
                                   const SelectedRows& grad,
                                   DenseTensor* param_out) {
  SY_ASSIGN_OR_RETURN(const int64_t width, CheckedWidth(grad, param));
  for (int64_t i = 0; i < param.numel(); ++i) {
    param_out->mutable_data<T>()[i] = At<T>(param, i);
  }
  const double rate = At<T>(learning_rate, 0);
  const auto rows = static_cast<int64_t>(grad.rows().size());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < width; ++c) {
      T& v = param_out->mutable_data<T>()[grad.rows()[r] * width + c];
      v = static_cast<T>(v - rate * At<T>(grad.values(), r * width + c));
    }
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMomentumSpec = KernelSpec<S>().AllStrided().Inputs(
    {S::kLearningRate, S::kVelocity}, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status MomentumKernel(const ReferenceContext&, const MomentumArgs& args) {
  using S = StateOf<T>;
  const double rate = At<S>(args.learning_rate, 0);
  const double decay = args.regularization_method == "l2_decay"
                           ? args.regularization_coeff
                           : 0.0;
  for (int64_t i = 0; i < args.param.numel(); ++i) {
    const double p = At<T>(args.param, i);
    const double g =
        double{args.rescale_grad} * At<T>(args.grad, i) + decay * p;
    const double v = At<S>(args.velocity, i) * double{args.mu} + g;
    args.velocity_out->mutable_data<S>()[i] = static_cast<S>(v);
    StoreStepped<T>(args.param_out, i,
                    p - rate * (args.use_nesterov ? g + v * args.mu : v));
  }
  return absl::OkStatus();
}

template <typename T>
void Keep(const DenseTensor* state, DenseTensor* out) {
  if (out == nullptr) return;
  for (int64_t i = 0; i < out->numel(); ++i) {
    out->mutable_data<T>()[i] = At<T>(*state, i);
  }
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_OPTIMIZER_H_
