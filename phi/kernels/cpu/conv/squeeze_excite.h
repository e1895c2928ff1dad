// SPDX-License-Identifier: Apache-2.0
// squeeze_excite on the CPU: one call that goes over an image twice, channels
// first or in blocks. The products between are of few numbers; one thread
// computes those of an image.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONV_SQUEEZE_EXCITE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_SQUEEZE_EXCITE_H_

#include <algorithm>
#include <optional>

#include "framework/base/checked_math.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/image_layouts.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/squeeze_excite.args.gen.h"
#include "phi/kernels/cpu/conv/conv_epilogue.h"
#include "phi/kernels/cpu/conv/gate_channels.h"
#include "phi/kernels/cpu/conversion/items_in_float.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

// Blocks of 8 channels or more are taken as they come.
template <typename S>
absl::Status SqueezeExciteLayouts(const LayoutCall&, TensorLayouts* layouts) {
  if (ChannelBlock(layouts->inputs[0], "NCHW") % 8 != 0) {
    TakeStrided(layouts);
    return absl::OkStatus();
  }
  FollowImage("NCHW", layouts);
  return absl::OkStatus();
}

// out = function(matrix x + bias); `matrix` is a filter of 1 x 1.
template <typename T>
void Connect(const DenseTensor& matrix, const DenseTensor* bias, const T* x,
             const ConvPostOp<T>& function, T* out) {
  const int64_t rows = matrix.extent(0);
  MultiplyVector(MatrixTimesVector<T>{
      matrix.data<T>(), x, bias == nullptr ? nullptr : bias->data<T>(), rows,
      matrix.extent(1), out});
  for (int64_t i = 0; i < rows; ++i) out[i] = function(out[i]);
}

template <typename S>
inline constexpr auto kSqueezeExciteSpec =
    KernelSpec<S>()
        .Layouts(DataLayout::kStrided, &SqueezeExciteLayouts<S>)
        .When(PostOpsAmong(S::kActivation, PostOpKinds::All(), 1))
        .When(PostOpsAmong(S::kGate, PostOpKinds::All(), 1));
template <typename T>
absl::Status SqueezeExciteOf(const CpuContext& context,
                             const SqueezeExciteArgs& args) {
  if (args.out->numel() == 0) return absl::OkStatus();
  const ConvPostOp<T> activate(args.activation.only());
  const ConvPostOp<T> open(args.gate.only());
  const int64_t images = args.x.extent(0), channels = args.x.extent(1);
  const int64_t pixels = args.x.extent(2) * args.x.extent(3);
  const int64_t block =
      std::max<int64_t>(1, ChannelBlock(args.x.layout(), "NCHW"));
  const int64_t blocks = (channels + block - 1) / block;
  const int64_t hidden = args.squeeze.extent(0);
  // An image has a number for each channel of its blocks, and those of the
  // layer in between.
  const int64_t lanes = blocks * block;
  const int64_t of_image = lanes + hidden;
  const std::optional<int64_t> numbers = CheckedMultiply(images, of_image);
  if (!numbers.has_value()) {
    return absl::ResourceExhaustedError(
        "memory: workspace must have fewer than 2^63 elements");
  }
  SY_ASSIGN_OR_RETURN(const Workspace<T> workspace,
                      Workspace<T>::Make(context.allocator(), *numbers));
  T* const means = workspace.data();
  const auto part = [&](int64_t i) {
    return ImageBlocks<T>{args.x.data<T>() + i * pixels * block, pixels, block,
                          1};
  };
  const auto number = [&](int64_t i) {
    return means + i / blocks * of_image + i % blocks * block;
  };
  constexpr int64_t kElementsOfAThread = 1 << 14;
  const int64_t grain =
      std::max<int64_t>(1, kElementsOfAThread / (pixels * block));
  ParallelFor(0, images * blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) MeansOfChannels(part(i), number(i));
  });
  ParallelFor(
      0, images,
      std::max<int64_t>(1, kElementsOfAThread / (hidden * channels + 1)),
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          T* const own = means + i * of_image;
          Connect(args.squeeze, args.squeeze_bias, own, activate, own + lanes);
          Connect(args.excite, args.excite_bias, own + lanes, open, own);
          const auto shift = static_cast<T>(args.gate_shift);
          for (int64_t c = 0; c < channels; ++c) own[c] += shift;
          std::fill(own + channels, own + lanes, T{0});
        }
      });
  T* const to = args.out->mutable_data<T>();
  ParallelFor(0, images * blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      GateChannels(part(i), number(i), to + i * pixels * block);
    }
  });
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto SqueezeExciteKernel =
    KernelByItemsInFloat<T, &SqueezeExciteOf<FloatFor<T>>, Batched(0, 8)>();

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_SQUEEZE_EXCITE_H_
