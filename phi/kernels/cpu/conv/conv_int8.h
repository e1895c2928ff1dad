// SPDX-License-Identifier: Apache-2.0
// conv2d_int8 on the CPU, for what oneDNN has no code for and for CPUs without
// VNNI: conv2d's kernel on the integers as float32, whose sums are exact up to
// 2^24, then the rest in one pass. No product is lost to 16 bits.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_INT8_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_INT8_H_

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/conv2d_int8.args.gen.h"
#include "phi/kernels/cpu/conv/conv.h"
#include "phi/kernels/cpu/conv/conv_engine.h"
#include "phi/kernels/cpu/conv/conv_epilogue.h"
#include "phi/kernels/cpu/conv/int8_rows.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

// The steps that follow the sums of a channel.
struct Int8Epilogue {
  ConvPostOp<float> activate;
  const float* multipliers;
  const float* biases;    // Null: none.
  const float* residual;  // Null: none.

  // Replaces `count` sums of a channel, the first of which is number `first`.
  void Apply(int64_t channel, int64_t first, int64_t count, float* sums) const {
    const float factor = multipliers[channel];
    const float offset = biases == nullptr ? 0.0f : biases[channel];
    for (int64_t i = 0; i < count; ++i) {
      float x = sums[i] * factor + offset;
      if (residual != nullptr) x += residual[first + i];
      sums[i] = activate(x);
    }
  }
};

template <typename S>
inline constexpr auto kConv2dInt8Spec =
    KernelSpec<S>()
        .Inputs({S::kMultiplier, S::kBias, S::kResidual, S::kOutFactor},
                Fixed(DataType::kFloat32))
        .Output(S::kOut,
                OneOf(DataTypeSet(DataType::kFloat32, DataType::kInt8)))
        .When(PostOpsAmong(S::kPostOps, PostOpKinds::All(), 1));
template <typename T>
absl::Status Conv2dInt8Kernel(const CpuContext& context,
                              const Conv2dInt8Args& args) {
  Allocator& allocator = context.allocator();
  SY_ASSIGN_OR_RETURN(const ConvGeometry g,
                      MakeGeometry(args.input.shape(), args.filter.shape(),
                                   {args.strides, args.paddings,
                                    args.padding_algorithm, args.dilations},
                                   args.groups));
  SY_ASSIGN_OR_RETURN(const auto x,
                      Workspace<float>::Make(allocator, args.input.numel()));
  SY_ASSIGN_OR_RETURN(const auto w,
                      Workspace<float>::Make(allocator, args.filter.numel()));
  SY_ASSIGN_OR_RETURN(
      const auto own,
      Workspace<float>::Make(
          allocator, args.out_factor == nullptr ? 0 : args.out->numel()));
  WidenRow(args.input.data<T>(), args.input.numel(), x.data());
  WidenRow(args.filter.data<T>(), args.filter.numel(), w.data());
  float* const sums =
      args.out_factor == nullptr ? args.out->mutable_data<float>() : own.data();
  SY_RETURN_IF_ERROR(ConvForward(allocator, g, x.data(), w.data(), sums));
  const Int8Epilogue epilogue = {
      ConvPostOp<float>(args.post_ops.only()), args.multiplier.data<float>(),
      args.bias == nullptr ? nullptr : args.bias->data<float>(),
      args.residual == nullptr ? nullptr : args.residual->data<float>()};
  const int64_t channels = args.out->extent(1);
  const int64_t plane = args.out->extent(2) * args.out->extent(3);
  constexpr int64_t kElementsOfAChunk = 1 << 14;
  ParallelFor(0, args.out->extent(0) * channels,
              std::max<int64_t>(1, kElementsOfAChunk / (plane + 1)),
              [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) {
                  float* const at = sums + row * plane;
                  epilogue.Apply(row % channels, row * plane, plane, at);
                  if (args.out_factor == nullptr) continue;
                  QuantizeRow(at, args.out_factor->data<float>()[0], plane,
                              args.out->mutable_data<int8_t>() + row * plane);
                }
              });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_INT8_H_
