// SPDX-License-Identifier: Apache-2.0
// hsigmoid_loss and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_MANY_CLASSES_HSIGMOID_LOSS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_MANY_CLASSES_HSIGMOID_LOSS_H_

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/hsigmoid_loss.args.gen.h"
#include "phi/core/signatures/hsigmoid_loss_grad.args.gen.h"
#include "phi/kernels/cpu/sequence/results.h"

namespace switchyard::phi::kernels::cpu {

// A decision on the way to a class.
struct ClassDecision {
  int64_t node;
  bool bit;
};
using ClassWays = std::vector<std::vector<ClassDecision>>;  // By row.

// In the complete tree class c is the leaf c + num_classes, node n being the
// parent of 2n and 2n + 1, the root 1; nodes count from 0 in w.
inline std::vector<ClassDecision> WayToClass(int64_t leaf) {
  std::vector<ClassDecision> way;
  for (; leaf > 1; leaf /= 2) way.push_back({leaf / 2 - 1, leaf % 2 == 1});
  return way;
}

inline absl::StatusOr<ClassWays> ReadClassWays(
    const DenseTensor& x, const DenseTensor& label, const DenseTensor& w,
    const DenseTensor* path, const DenseTensor* code, int num_classes) {
  const int64_t rows = x.extent(0);
  const int64_t nodes = w.extent(0);
  ClassWays ways(static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows; ++i) {
    if (path == nullptr) {
      const int64_t own = label.data<int64_t>()[i];
      if (own < 0 || own >= num_classes) {
        return RangeError("label",
                          "in [0, " + std::to_string(num_classes) + ")",
                          std::to_string(own));
      }
      ways[i] = WayToClass(own + num_classes);
      continue;
    }
    const int64_t depth = path->extent(1);
    const int64_t* node = path->data<int64_t>() + i * depth;
    const int64_t* bit = code->data<int64_t>() + i * depth;
    for (int64_t j = 0; j < depth; ++j) {
      const int64_t own = node[j];
      if (own < 0) break;
      if (own >= nodes) {
        return RangeError(
            "path", "less than " + std::to_string(nodes) + ", the rows of w",
            std::to_string(own));
      }
      ways[i].push_back({own, bit[j] != 0});
    }
  }
  return ways;
}

template <typename S>
inline constexpr auto kHsigmoidLossSpec = KernelSpec<S>().Inputs(
    {S::kLabel, S::kPath, S::kCode}, Fixed(DataType::kInt64));
// pre_out: log(1 + exp(z)) of each decision's z, which is cut off at -40
// and 40. out: their sum, less the z of decisions for 1.
template <typename T>
absl::Status HsigmoidLossKernel(const CpuContext&,
                                const HsigmoidLossArgs& args) {
  SY_ASSIGN_OR_RETURN(const ClassWays ways,
                      ReadClassWays(args.x, args.label, args.w, args.path,
                                    args.code, args.num_classes));
  DenseTensor* losses = args.pre_out;
  const int64_t depth = losses->extent(1);
  const int64_t width = args.x.extent(1);
  const T* x = args.x.data<T>();
  const T* w = args.w.data<T>();
  const DenseTensor* bias = args.bias;
  T* loss = losses->template mutable_data<T>();
  T* out = args.out->mutable_data<T>();
  for (size_t i = 0; i < ways.size(); ++i, x += width, loss += depth) {
    T sum = 0;
    for (int64_t j = 0; j < depth; ++j) {
      T z = 0;
      const bool decides = j < static_cast<int64_t>(ways[i].size());
      if (decides) {
        const T* weights = w + ways[i][j].node * width;
        for (int64_t k = 0; k < width; ++k) z += weights[k] * x[k];
        if (bias != nullptr) z += bias->data<T>()[ways[i][j].node];
        z = std::clamp(z, T{-40}, T{40});
        if (ways[i][j].bit) sum -= z;
      }
      loss[j] = std::log(T{1} + std::exp(z));
      sum += loss[j];
    }
    out[i] = sum;
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kHsigmoidLossGradSpec = KernelSpec<S>().Inputs(
    {S::kLabel, S::kPath, S::kCode}, Fixed(DataType::kInt64));
template <typename T>
absl::Status HsigmoidLossGradKernel(const CpuContext&,
                                    const HsigmoidLossGradArgs& args) {
  SY_ASSIGN_OR_RETURN(const ClassWays ways,
                      ReadClassWays(args.x, args.label, args.w, args.path,
                                    args.code, args.num_classes));
  const DenseTensor& losses = args.pre_out;
  const int64_t depth = losses.extent(1);
  const int64_t width = args.x.extent(1);
  const T* x = args.x.data<T>();
  const T* w = args.w.data<T>();
  const T* out_grad = args.out_grad.data<T>();
  T* const x_grad = ZeroedData<T>(args.x_grad);
  T* const w_grad = ZeroedData<T>(args.w_grad);
  T* const bias_grad =
      args.bias != nullptr ? ZeroedData<T>(args.bias_grad) : nullptr;
  for (size_t i = 0; i < ways.size(); ++i) {
    for (size_t j = 0; j < ways[i].size(); ++j) {
      const ClassDecision& decision = ways[i][j];
      const T loss = losses.data<T>()[static_cast<int64_t>(i) * depth +
                                      static_cast<int64_t>(j)];
      // 1 - exp(-log(1 + exp(z))) is the sigmoid of z.
      const T grad = out_grad[i] * (T{1} - std::exp(-loss) -
                                    static_cast<T>(decision.bit ? 1 : 0));
      const int64_t row = static_cast<int64_t>(i) * width;
      const int64_t node = decision.node * width;
      for (int64_t k = 0; k < width; ++k) {
        if (x_grad != nullptr) x_grad[row + k] += grad * w[node + k];
        if (w_grad != nullptr) w_grad[node + k] += grad * x[row + k];
      }
      if (bias_grad != nullptr) bias_grad[decision.node] += grad;
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_MANY_CLASSES_HSIGMOID_LOSS_H_
