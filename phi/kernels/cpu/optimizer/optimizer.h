// SPDX-License-Identifier: Apache-2.0
// Optimizer steps on the CPU. An output may be its input (in place): every
// element is read before it is written, and scalars before anything is.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_OPTIMIZER_H_
#define SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_OPTIMIZER_H_

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/selected_rows.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/momentum_.args.gen.h"
#include "phi/kernels/cpu/conversion/widened_tensor.h"
#include "phi/kernels/cpu/optimizer/optimizer_simd.h"

namespace switchyard::phi::kernels::cpu {

inline constexpr int64_t kOptimizerGrain = 1 << 15;  // Elements a chunk.

// A parameter in the dtype that it is stepped in, unless null.
template <typename T>
struct MasterParam {
  const ComputeType<T>* in = nullptr;
  ComputeType<T>* out = nullptr;
};

// Calls step(begin, size, param, grad, out) with spans of elements as computed
// in: those of float16 and bfloat16 are widened piece by piece. With a master
// it is the one that is stepped, and `out` is rounded from it.
template <typename T, typename Step>
void ForEachSpan(int64_t count, std::array<const T*, 2> in, T* out,
                 const Step& step, MasterParam<T> master = {}) {
  using C = ComputeType<T>;
  ParallelFor(0, count, kOptimizerGrain, [&](int64_t begin, int64_t end) {
    if constexpr (kIsHalf<T>) {
      constexpr int64_t kPiece = 256;
      C param[kPiece], grad[kPiece];
      for (int64_t at = begin; at < end; at += kPiece) {
        const int64_t size = std::min(kPiece, end - at);
        if (master.in == nullptr) {
          std::copy_n(in[0] + at, size, param);
        } else {
          std::copy_n(master.in + at, size, param);
        }
        std::copy_n(in[1] + at, size, grad);
        step(at, size, param, grad, param);
        for (int64_t i = 0; i < size; ++i) out[at + i] = T(param[i]);
        if (master.out != nullptr) std::copy_n(param, size, master.out + at);
      }
    } else {
      const T* param = master.in == nullptr ? in[0] : master.in;
      step(begin, end - begin, param + begin, in[1] + begin, out + begin);
      if (master.out != nullptr) {
        std::copy(out + begin, out + end, master.out + begin);
      }
    }
  });
}

template <typename S>
inline constexpr auto kSgdSpec = KernelSpec<S>().Input(S::kLearningRate,
                                                       AnyDtype());
template <typename T>
absl::Status SgdKernel(const CpuContext&, const DenseTensor& param,
                       const DenseTensor& learning_rate,
                       const DenseTensor& grad, DenseTensor* param_out) {
  using C = ComputeType<T>;
  const C rate = *learning_rate.data<C>();
  ForEachSpan<T>(param.numel(), {param.data<T>(), grad.data<T>()},
                 param_out->mutable_data<T>(),
                 [rate](int64_t, int64_t size, const C* p, const C* g, C* out) {
                   StepSgd(p, g, rate, size, out);
                 });
  return absl::OkStatus();
}

// Checks the rows of a gradient, and returns how many elements each has.
inline absl::StatusOr<int64_t> CheckRows(const SelectedRows& grad,
                                         const DenseTensor& param) {
  const int64_t height = param.rank() == 0 ? 1 : param.extent(0);
  for (const int64_t row : grad.rows()) {
    if (row < 0 || row >= height) {
      return RangeError("grad", "rows in [0, " + std::to_string(height) + ")",
                        std::to_string(row));
    }
  }
  const int64_t width = height == 0 ? 0 : param.numel() / height;
  const int64_t values = static_cast<int64_t>(grad.rows().size()) * width;
  if (grad.values().numel() != values) {
    return ArgumentError("grad", "of " + std::to_string(values) + " values",
                         std::to_string(grad.values().numel()));
  }
  return width;
}

template <typename S>
inline constexpr auto kSgdSelectedRowsSpec = KernelSpec<S>();
// Rows that occur more than once are subtracted one after another.
template <typename T>
absl::Status SgdSelectedRowsKernel(const CpuContext&, const DenseTensor& param,
                                   const DenseTensor& learning_rate,
                                   const SelectedRows& grad,
                                   DenseTensor* param_out) {
  SY_ASSIGN_OR_RETURN(const int64_t width, CheckRows(grad, param));
  const T rate = *learning_rate.data<T>();
  const T* g = grad.values().data<T>();
  T* out = param_out->mutable_data<T>();
  if (out != param.data<T>()) std::copy_n(param.data<T>(), param.numel(), out);
  for (size_t i = 0; i < grad.rows().size(); ++i) {
    T* row = out + grad.rows()[i] * width;
    for (int64_t j = 0; j < width; ++j) row[j] -= rate * g[i * width + j];
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMomentumSpec =
    KernelSpec<S>().Inputs({S::kLearningRate, S::kVelocity}, AnyDtype());
template <typename T>
absl::Status MomentumKernel(const CpuContext&, const MomentumArgs& args) {
  using C = ComputeType<T>;
  const bool decay = args.regularization_method == "l2_decay";
  const MomentumStep<C> step = {*args.learning_rate.data<C>(), C(args.mu),
                                decay ? C(args.regularization_coeff) : C{0},
                                C(args.rescale_grad), args.use_nesterov};
  const T* p = args.param.data<T>();
  const T* g = args.grad.data<T>();
  const C* v = args.velocity.data<C>();
  T* p_out = args.param_out->mutable_data<T>();
  C* v_out = args.velocity_out->mutable_data<C>();
  ForEachSpan<T>(args.param.numel(), {p, g}, p_out,
                 [=](int64_t begin, int64_t size, const C* wide_p,
                     const C* wide_g, C* wide_out) {
                   StepMomentum(wide_p, wide_g, v + begin, step, size, wide_out,
                                v_out + begin);
                 });
  return absl::OkStatus();
}

// State that a step leaves as it is; optional state may be null.
template <typename C>
void KeepState(const DenseTensor* state, DenseTensor* out) {
  if (out == nullptr || out->data<C>() == state->data<C>()) return;
  std::copy_n(state->data<C>(), state->numel(), out->mutable_data<C>());
}

// The parameter in the dtype that it is stepped in, where it is `used`;
// otherwise none, and what is given stays as it is.
template <typename T>
MasterParam<T> MasterOf(const DenseTensor* in, DenseTensor* out, bool used) {
  using C = ComputeType<T>;
  MasterParam<T> master;
  if (!used) {
    KeepState<C>(in, out);
    return master;
  }
  master.in = in->data<C>();
  if (out != nullptr) master.out = out->mutable_data<C>();
  return master;
}

// Returns whether a step is to leave everything as it is.
inline bool IsSkipped(const DenseTensor* skip_update) {
  return skip_update != nullptr && *skip_update->data<bool>();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_OPTIMIZER_H_
