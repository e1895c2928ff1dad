// SPDX-License-Identifier: Apache-2.0
// batch_norm and its gradient on the CPU. A channel is one thread's: its spans,
// one an image, are summed in their order.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_BATCH_NORM_H_
#define SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_BATCH_NORM_H_

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conversion/float_tensor.h"
#include "phi/kernels/cpu/data_movement/strided_copy.h"
#include "phi/kernels/cpu/normalization/norm_spans.h"

namespace switchyard::phi::kernels::cpu {

// x as [outer, channels, inner].
struct ChannelSpans {
  int64_t outer, channels, inner;

  ChannelSpans(const Shape& shape, std::string_view data_format) {
    const int axis = data_format == "NHWC" ? shape.rank() - 1 : 1;
    // The product outer * inner of an empty tensor might not fit int64.
    outer = shape.numel() == 0 ? 0 : shape.numel(0, axis);
    channels = shape.extent(axis);
    inner = shape.numel(axis + 1, shape.rank());
  }
  int64_t count() const { return outer * inner; }
  int64_t grain() const {
    return std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, count()));
  }
  int64_t begin(int64_t image, int64_t channel) const {
    return (image * channels + channel) * inner;
  }
  // Spans of one element are no spans: channels go first then.
  bool turned() const { return inner == 1 && outer > 1; }
  void Turn() {
    inner = outer;
    outer = 1;
  }
};

// Copies between [outer, channels] and [channels, outer].
template <typename C>
void TurnElements(const ChannelSpans& s, bool to_channels_first, const C* from,
                  C* to) {
  const Shape shape({s.channels, s.outer});
  const Strides last = {1, s.channels}, first = {s.outer, 1};
  CopyStrided(sizeof(C), shape, from, to_channels_first ? last : first, to,
              to_channels_first ? first : last);
}

// x as its channels' spans, turned into scratch memory if need be.
template <typename C>
absl::StatusOr<const C*> ReadSpans(const DeviceContext& context,
                                   const ChannelSpans& s, const C* x,
                                   RefPtr<Buffer>* scratch) {
  if (!s.turned()) return x;
  SY_ASSIGN_OR_RETURN(
      *scratch, context.allocator().Allocate(s.outer * s.channels * sizeof(C)));
  C* to = static_cast<C*>((*scratch)->data());
  TurnElements(s, true, x, to);
  return to;
}

template <typename S>
inline constexpr auto kBatchNormSpec = KernelSpec<S>()
                                           .Input(S::kMean, AnyDtype())
                                           .Input(S::kVariance, AnyDtype())
                                           .Input(S::kScale, AnyDtype())
                                           .Input(S::kBias, AnyDtype());
template <typename T>
absl::Status BatchNormKernel(const CpuContext& context, const DenseTensor& x,
                             const DenseTensor& mean,
                             const DenseTensor& variance,
                             const DenseTensor* scale, const DenseTensor* bias,
                             bool is_test, float momentum, float epsilon,
                             std::string_view data_format,
                             bool use_global_stats, bool trainable_statistics,
                             DenseTensor* out, DenseTensor* mean_out,
                             DenseTensor* variance_out, DenseTensor* saved_mean,
                             DenseTensor* saved_variance) {
  using C = ComputeType<T>;
  const ChannelSpans given(x.shape(), data_format);
  ChannelSpans s = given;
  FloatInput<T> input;
  FloatResult<T> output;
  RefPtr<Buffer> in_scratch, out_scratch;
  SY_RETURN_IF_ERROR(input.Read(context, x));
  SY_RETURN_IF_ERROR(output.Prepare(context, out));
  SY_ASSIGN_OR_RETURN(const C* from,
                      ReadSpans(context, given, input.data(), &in_scratch));
  C* to = output.data();
  if (given.turned()) {
    s.Turn();
    SY_ASSIGN_OR_RETURN(
        out_scratch,
        context.allocator().Allocate(given.outer * given.channels * sizeof(C)));
    to = static_cast<C*>(out_scratch->data());
  }
  const bool running = (is_test && !trainable_statistics) || use_global_stats;
  const C* old_mean = mean.data<C>();
  const C* old_variance = variance.data<C>();
  const C* factor = scale == nullptr ? nullptr : scale->data<C>();
  const C* shift = bias == nullptr ? nullptr : bias->data<C>();
  C* new_mean = mean_out->mutable_data<C>();
  C* new_variance = variance_out->mutable_data<C>();
  C* used_mean = saved_mean->mutable_data<C>();
  C* used_inverse = saved_variance->mutable_data<C>();
  const int64_t count = s.count();
  const NormSpans<C>& spans = NormSpans<C>::Get();
  ParallelFor(0, s.channels, s.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      C m = old_mean[c], v = old_variance[c];
      C next_mean = m, next_variance = v;
      if (!running && count == 1) {  // As Paddle: passed on as it is.
        used_mean[c] = 0;
        used_inverse[c] = C{1} / std::sqrt(C{1} + C(epsilon));
        to[c] = from[c];
      } else {
        if (!running && count > 1) {
          C sum = 0;
          for (int64_t n = 0; n < s.outer; ++n) {
            sum += spans.sum(from + s.begin(n, c), s.inner);
          }
          m = sum / C(count);
          sum = 0;
          for (int64_t n = 0; n < s.outer; ++n) {
            sum += spans.squares(from + s.begin(n, c), s.inner, m);
          }
          v = sum / C(count);
          next_mean = next_mean * C(momentum) + m * (C{1} - C(momentum));
          next_variance =
              next_variance * C(momentum) + v * (C{1} - C(momentum));
        }
        const C inverse = C{1} / std::sqrt(v + C(epsilon));
        used_mean[c] = m;
        used_inverse[c] = inverse;
        const C by = factor == nullptr ? inverse : inverse * factor[c];
        const C offset = (shift == nullptr ? C{0} : shift[c]) - m * by;
        for (int64_t n = 0; n < s.outer; ++n) {
          spans.affine(from + s.begin(n, c), s.inner, by, offset,
                       to + s.begin(n, c));
        }
      }
      new_mean[c] = next_mean;
      new_variance[c] = next_variance;
    }
  });
  if (given.turned()) TurnElements<C>(given, false, to, output.data());
  output.Finish();
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kBatchNormGradSpec =
    KernelSpec<S>()
        .Input(S::kScale, AnyDtype())
        .Input(S::kBias, WithAnyStrides(AnyDtype()))
        .Input(S::kSavedMean, AnyDtype())
        .Input(S::kSavedVariance, AnyDtype());
template <typename T>
absl::Status BatchNormGradKernel(
    const CpuContext& context, const DenseTensor& x, const DenseTensor* scale,
    const DenseTensor*, const DenseTensor& saved_mean,
    const DenseTensor& saved_variance, const DenseTensor& out_grad, float,
    std::string_view data_format, bool is_test, bool use_global_stats,
    bool trainable_statistics, DenseTensor* x_grad, DenseTensor* scale_grad,
    DenseTensor* bias_grad) {
  using C = ComputeType<T>;
  const ChannelSpans given(x.shape(), data_format);
  ChannelSpans s = given;
  FloatInput<T> input, grad;
  FloatResult<T> output;
  RefPtr<Buffer> in_scratch, grad_scratch, out_scratch;
  SY_RETURN_IF_ERROR(input.Read(context, x));
  SY_RETURN_IF_ERROR(grad.Read(context, out_grad));
  C* to = nullptr;
  if (x_grad != nullptr) {
    SY_RETURN_IF_ERROR(output.Prepare(context, x_grad));
    to = output.data();
  }
  SY_ASSIGN_OR_RETURN(const C* from,
                      ReadSpans(context, given, input.data(), &in_scratch));
  SY_ASSIGN_OR_RETURN(const C* dy,
                      ReadSpans(context, given, grad.data(), &grad_scratch));
  if (given.turned()) {
    s.Turn();
    if (to != nullptr) {
      SY_ASSIGN_OR_RETURN(out_scratch,
                          context.allocator().Allocate(
                              given.outer * given.channels * sizeof(C)));
      to = static_cast<C*>(out_scratch->data());
    }
  }
  const bool running = (is_test && !trainable_statistics) || use_global_stats;
  const C* factor = scale == nullptr ? nullptr : scale->data<C>();
  const C* means = saved_mean.data<C>();
  const C* inverses = saved_variance.data<C>();
  C* by_scale = scale_grad == nullptr ? nullptr : scale_grad->mutable_data<C>();
  C* by_bias = bias_grad == nullptr ? nullptr : bias_grad->mutable_data<C>();
  const int64_t count = s.count();
  const NormSpans<C>& spans = NormSpans<C>::Get();
  ParallelFor(0, s.channels, s.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      const bool passed_on = !running && count == 1;
      const NormStatistics<C> stats = {means[c], inverses[c]};
      NormGradSums<C> sums = {0, 0};
      for (int64_t n = 0; n < s.outer && !passed_on; ++n) {
        const int64_t at = s.begin(n, c);
        const auto part =
            spans.grad_sums(from + at, dy + at, s.inner, stats, nullptr);
        sums.g += part.g;
        sums.gn += part.gn;
      }
      if (by_scale != nullptr) by_scale[c] = sums.gn;
      if (by_bias != nullptr) by_bias[c] = sums.g;
      if (to == nullptr) continue;
      C by = stats.inverse * (factor == nullptr ? C{1} : factor[c]);
      if (passed_on) by = 1;
      const NormGradSums<C> average =
          running || passed_on
              ? NormGradSums<C>{0, 0}
              : NormGradSums<C>{sums.g / C(count), sums.gn / C(count)};
      for (int64_t n = 0; n < s.outer; ++n) {
        const int64_t at = s.begin(n, c);
        spans.grad(from + at, dy + at, s.inner, stats, nullptr, by, average,
                   to + at);
      }
    }
  });
  if (to == nullptr) return absl::OkStatus();
  if (given.turned()) TurnElements<C>(given, false, to, output.data());
  output.Finish();
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_BATCH_NORM_H_
