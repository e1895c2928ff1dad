// SPDX-License-Identifier: Apache-2.0
// layer_norm and its gradient on the CPU. A row is one thread's; gradients of
// the parameters are summed over chunks of rows, then over the chunks in order.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_LAYER_NORM_H_
#define SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_LAYER_NORM_H_

#include <algorithm>
#include <cmath>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/layer_norm_grad.args.gen.h"
#include "phi/kernels/cpu/conversion/widened_tensor.h"
#include "phi/kernels/cpu/normalization/norm_simd.h"
#include "phi/kernels/functors/wide_row.h"

namespace switchyard::phi::kernels::cpu {

// The shape of x as rows that are normalized one by one.
struct NormRows {
  int64_t rows, width;

  NormRows(const Shape& shape, int begin_norm_axis)
      : rows(shape.numel(0, begin_norm_axis)),
        width(shape.numel(begin_norm_axis, shape.rank())) {}
  // Rows a chunk. A chunk has sums of its own, so there are not many.
  int64_t grain() const {
    return std::max({int64_t{1}, (1 << 14) / std::max<int64_t>(1, width),
                     (rows + 63) / 64});
  }
};

template <typename S>
inline constexpr auto kLayerNormSpec =
    KernelSpec<S>().Input(S::kScale, AnyDtype()).Input(S::kBias, AnyDtype());
template <typename T>
absl::Status LayerNormKernel(const CpuContext& context, const DenseTensor& x,
                             const DenseTensor* scale, const DenseTensor* bias,
                             double epsilon, int begin_norm_axis,
                             DenseTensor* out, DenseTensor* mean,
                             DenseTensor* variance) {
  using C = ComputeType<T>;
  const NormRows rows(x.shape(), begin_norm_axis);
  WidenedInput<T> input;
  WidenedResult<T> output;
  SY_RETURN_IF_ERROR(input.Read(context, x));
  SY_RETURN_IF_ERROR(output.Prepare(context, out));
  const C* from = input.data();
  C* to = output.data();
  const C* factors = scale == nullptr ? nullptr : scale->data<C>();
  const C* shifts = bias == nullptr ? nullptr : bias->data<C>();
  C* means = mean->mutable_data<C>();
  C* variances = variance->mutable_data<C>();
  const NormSimd<C>& spans = NormSimd<C>::Get();
  ParallelFor(0, rows.rows, rows.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t at = r * rows.width;
      const C m = spans.sum(from + at, rows.width) / C(rows.width);
      const C v = spans.squares(from + at, rows.width, m) / C(rows.width);
      if (SquaresLeaveRange(v, C(epsilon))) {
        const WideRow<C> row(from + at, rows.width, factors, epsilon);
        means[r] = static_cast<C>(row.mean);
        variances[r] = static_cast<C>(row.variance);
        row.Normalize(shifts, to + at);
        continue;
      }
      means[r] = m;
      variances[r] = v;
      spans.normalize(from + at, rows.width,
                      {m, C{1} / std::sqrt(v + C(epsilon))}, factors, shifts,
                      to + at);
    }
  });
  output.Finish();
  return absl::OkStatus();
}

// Sums by scale and by bias, `width` of each, one pair a chunk of rows.
template <typename C>
void AddChunks(const C* parts, int64_t chunks, int64_t width, int64_t offset,
               DenseTensor* grad) {
  if (grad == nullptr) return;
  C* out = grad->mutable_data<C>();
  std::fill_n(out, width, C{0});
  for (int64_t p = 0; p < chunks; ++p) {
    const C* part = parts + 2 * p * width + offset;
    for (int64_t j = 0; j < width; ++j) out[j] += part[j];
  }
}

template <typename S>
inline constexpr auto kLayerNormGradSpec =
    KernelSpec<S>()
        .Input(S::kScale, AnyDtype())
        .Input(S::kBias, WithAnyStrides(AnyDtype()))
        .Input(S::kMean, AnyDtype())
        .Input(S::kVariance, AnyDtype());
template <typename T>
absl::Status LayerNormGradKernel(const CpuContext& context,
                                 const LayerNormGradArgs& args) {
  using C = ComputeType<T>;
  const NormRows rows(args.x.shape(), args.begin_norm_axis);
  const int64_t width = rows.width, grain = rows.grain();
  const int64_t chunks = ChunkCount(0, rows.rows, grain);
  const bool parameters =
      args.scale_grad != nullptr || args.bias_grad != nullptr;
  WidenedInput<T> input, grad;
  WidenedResult<T> output;
  RefPtr<Buffer> sums;
  SY_RETURN_IF_ERROR(input.Read(context, args.x));
  SY_RETURN_IF_ERROR(grad.Read(context, args.out_grad));
  if (args.x_grad != nullptr) {
    SY_RETURN_IF_ERROR(output.Prepare(context, args.x_grad));
  }
  if (parameters) {
    SY_ASSIGN_OR_RETURN(
        sums, context.allocator().Allocate(2 * chunks * width * sizeof(C)));
  }
  C* const parts = parameters ? static_cast<C*>(sums->data()) : nullptr;
  const C* factors = args.scale == nullptr ? nullptr : args.scale->data<C>();
  const NormSimd<C>& spans = NormSimd<C>::Get();
  ParallelFor(0, rows.rows, grain, [&](int64_t begin, int64_t end) {
    C* const part = parameters ? parts + 2 * (begin / grain) * width : nullptr;
    if (parameters) std::fill_n(part, 2 * width, C{0});
    for (int64_t r = begin; r < end; ++r) {
      const C* from = input.data() + r * width;
      const C* dy = grad.data() + r * width;
      if (SquaresLeaveRange(args.variance.data<C>()[r], C(args.epsilon))) {
        const WideRow<C> row(from, width, factors, args.epsilon);
        if (parameters) row.AddParameterGrads(dy, part, part + width);
        if (args.x_grad != nullptr) row.Grad(dy, output.data() + r * width);
        continue;
      }
      const NormStatistics<C> stats = {
          args.mean.data<C>()[r],
          C{1} / std::sqrt(args.variance.data<C>()[r] + C(args.epsilon))};
      if (args.x_grad != nullptr) {
        auto level = spans.grad_sums(from, dy, width, stats, factors);
        level.g /= C(width);
        level.gn /= C(width);
        spans.grad(from, dy, width, stats, factors, stats.inverse, level,
                   output.data() + r * width);
      }
      if (parameters) {
        spans.add_parameter_grads(from, dy, width, stats, part, part + width);
      }
    }
  });
  if (parameters) {
    AddChunks(parts, chunks, width, 0, args.scale_grad);
    AddChunks(parts, chunks, width, width, args.bias_grad);
  }
  if (args.x_grad != nullptr) output.Finish();
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_LAYER_NORM_H_
