// SPDX-License-Identifier: Apache-2.0
// conv2d_transpose_epilogue on the CPU. Where windows lie side by side, as 2 x
// 2 ones two apart do, it is a product of matrices whose rows are written where
// they belong, bias and activation function applied on the way, some rows of x
// at a time; else conv2d_transpose's kernel and a pass over what that wrote.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_TRANSPOSE_EPILOGUE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_TRANSPOSE_EPILOGUE_H_

#include <algorithm>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/post_ops.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/conv2d_transpose_epilogue.args.gen.h"
#include "phi/kernels/cpu/conv/conv_epilogue.h"
#include "phi/kernels/cpu/conv/conv_geometry.h"
#include "phi/kernels/cpu/conv/conv_transpose.h"
#include "phi/kernels/cpu/conv/tile_rows.h"
#include "phi/kernels/cpu/conversion/items_in_float.h"
#include "phi/kernels/cpu/gemm/gemm.h"
#include "phi/kernels/cpu/linalg/finish_rows.h"

namespace switchyard::phi::kernels::cpu {

// Adds a bias to the elements of a row and applies a function.
template <typename T>
void FinishRow(const ConvPostOp<T>& activate, bool relu, T bias, int64_t count,
               T* row) {
  if (relu) {
    for (int64_t i = 0; i < count; ++i) row[i] = std::max(row[i] + bias, T(0));
    return;
  }
  for (int64_t i = 0; i < count; ++i) row[i] = activate(row[i] + bias);
}

// Returns true if windows lie side by side, and cover the image.
inline bool TilesImage(const WindowAxis& axis) {
  return axis.kernel == axis.stride && axis.dilation == 1 && axis.before == 0 &&
         axis.input == axis.kernel * axis.output;
}

// Writes the rows of the image that rows [begin, end) of x become, of all
// channels of a group, from `products` [taps, rows of x times their width].
// `biases` has a number for each channel, or is null; finish(row) is called for
// each row unless the function is relu.
template <typename T, typename Finish>
void WriteTiles(const ConvGeometry& g, const T* products, int64_t begin,
                int64_t end, const T* biases, bool relu, T* image,
                const Finish& finish) {
  const WindowAxis &h = g.height, &w = g.width;
  const int64_t count = (end - begin) * w.output;
  for (int64_t c = 0; c < g.in_channels; ++c) {
    for (int64_t kh = 0; kh < h.kernel; ++kh) {
      const T* const taps = products + (c * h.kernel + kh) * w.kernel * count;
      for (int64_t y = begin; y < end; ++y) {
        T* const to = image + c * g.in_pixels() + (y * h.stride + kh) * w.input;
        WriteTileRow(TileRow<T>{taps + (y - begin) * w.output, count, w.kernel,
                                w.output, biases == nullptr ? T(0) : biases[c],
                                relu, to});
        if (!relu) finish(to);
      }
    }
  }
}

template <typename S>
inline constexpr auto kConv2dTransposeEpilogueSpec =
    KernelSpec<S>().When(PostOpsAmong(S::kPostOps, PostOpKinds::All(), 1));
template <typename T>
absl::Status Conv2dTransposeEpilogueOf(
    const CpuContext& context, const Conv2dTransposeEpilogueArgs& args) {
  const PostOp step = args.post_ops.only();
  const ConvPostOp<T> activate(step);
  const bool relu = step.kind == PostOpKind::kRelu;
  const T* const biases = args.bias == nullptr ? nullptr : args.bias->data<T>();
  SY_ASSIGN_OR_RETURN(
      const ConvGeometry g,
      MakeTransposedGeometry(
          args.x.shape(), args.filter.shape(), args.out->shape(),
          {args.strides, args.paddings, args.padding_algorithm, args.dilations},
          args.groups));
  const int64_t channels = args.out->extent(1);
  T* const to = args.out->mutable_data<T>();
  if (!TilesImage(g.height) || !TilesImage(g.width)) {
    SY_RETURN_IF_ERROR(Conv2dTransposeOf<T>(
        context, {args.x, args.filter, args.strides, args.paddings,
                  args.padding_algorithm, args.groups, args.dilations, "NCHW",
                  args.out}));
    ParallelFor(0, args.out->extent(0) * channels, 1,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    FinishRow(activate, relu,
                              biases == nullptr ? T(0) : biases[i % channels],
                              g.in_pixels(), to + i * g.in_pixels());
                  }
                });
    return absl::OkStatus();
  }
  if (args.out->numel() == 0) return absl::OkStatus();
  // The products of some rows stay in the second cache.
  constexpr int64_t kProducts = 1 << 15;
  const int64_t height = g.height.output, width = g.width.output;
  const int64_t rows = std::clamp<int64_t>(
      kProducts / std::max<int64_t>(1, g.taps() * width), 1, height);
  const int64_t strips = (height + rows - 1) / rows;
  return ForEachWithWorkspace<T>(
      context.allocator(), g.batch * args.groups * strips, 1,
      CheckedMultiply(g.taps(), rows * width),
      [&](int64_t task, T* products, bool) -> absl::Status {
        const int64_t image = task / strips, group = image % args.groups;
        const int64_t begin = task % strips * rows;
        const int64_t end = std::min(height, begin + rows);
        const GemmProduct<T> product{
            {args.filter.data<T>() + group * g.filter_size(), 1, g.taps()},
            {args.x.data<T>() + image * g.out_size() + begin * width,
             g.out_pixels(), 1},
            products};
        SY_RETURN_IF_ERROR(Gemm(context.allocator(), g.taps(),
                                (end - begin) * width, g.out_channels,
                                absl::MakeConstSpan(&product, 1)));
        const T* const own =
            biases == nullptr ? nullptr : biases + group * g.in_channels;
        WriteTiles(
            g, products, begin, end, own, relu, to + image * g.in_size(),
            [&](T* row) {
              if (step.kind == PostOpKind::kNone) return;
              FinishRows(FinishedRows<T>{nullptr, nullptr, step, 1,
                                         g.width.input, row, g.width.input});
            });
        return absl::OkStatus();
      });
}
template <typename T>
inline constexpr auto Conv2dTransposeEpilogueKernel = KernelByItemsInFloat<
    T, &Conv2dTransposeEpilogueOf<FloatFor<T>>, Batched(0, 9)>();

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_TRANSPOSE_EPILOGUE_H_
