// SPDX-License-Identifier: Apache-2.0
// batch_norm and its gradient on the CPU. Where the elements of a channel are
// adjacent in an image, a channel is one thread's: its spans, one an image, are
// summed in their order. Otherwise rows of channels are (batch_norm_rows.h).
#ifndef SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_BATCH_NORM_H_
#define SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_BATCH_NORM_H_

#include <algorithm>
#include <string_view>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/image_layouts.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/batch_norm.args.gen.h"
#include "phi/core/signatures/batch_norm_grad.args.gen.h"
#include "phi/kernels/cpu/conversion/widened_tensor.h"
#include "phi/kernels/cpu/normalization/batch_norm_channels.h"
#include "phi/kernels/cpu/normalization/batch_norm_rows.h"

namespace switchyard::phi::kernels::cpu {

// x as [outer, channels, inner] spans.
struct ChannelSpans {
  int64_t outer, channels, inner;

  explicit ChannelSpans(const NormAxes& x) : channels(x.channels) {
    const Shape& shape = x.shape;
    // The product outer * inner of an empty tensor might not fit int64.
    outer = shape.numel() == 0 ? 0 : shape.numel(0, x.channel);
    inner = shape.numel(x.channel + 1, shape.rank());
  }
  int64_t count() const { return outer * inner; }
  int64_t grain() const {
    return std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, count()));
  }
  int64_t begin(int64_t image, int64_t channel) const {
    return (image * channels + channel) * inner;
  }
};

// Normalizes channel by channel.
template <typename C>
void NormalizeSpans(const ChannelSpans& s, const BatchNormChannels<C>& by,
                    const C* from, C* to) {
  const int64_t count = s.count();
  const NormSimd<C>& spans = NormSimd<C>::Get();
  ParallelFor(0, s.channels, s.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      if (!by.running && count == 1) {
        to[c] = from[c];
        by.PassOn(c);
        continue;
      }
      NormAffine<C> affine;
      if (by.running || count == 0) {
        affine = by.Keep(c);
      } else {
        C sum = 0;
        for (int64_t n = 0; n < s.outer; ++n) {
          sum += spans.sum(from + s.begin(n, c), s.inner);
        }
        const C mean = sum / C(count);
        sum = 0;
        for (int64_t n = 0; n < s.outer; ++n) {
          sum += spans.squares(from + s.begin(n, c), s.inner, mean);
        }
        const C variance = sum / C(count);
        affine =
            SquaresLeaveRange(variance, by.epsilon)
                ? by.Update(c, WideChannel<C>(from + s.begin(0, c), s.outer,
                                              s.begin(1, 0), s.inner))
                : by.Update(c, mean, variance);
      }
      for (int64_t n = 0; n < s.outer; ++n) {
        spans.affine(from + s.begin(n, c), s.inner, affine.factor, affine.shift,
                     to + s.begin(n, c));
      }
    }
  });
}

// Images in other layouts are normalized as they come, to the same bits; sums
// over blocks of channels would run in another order.
template <typename S>
absl::Status BatchNormLayouts(const LayoutCall& call, TensorLayouts* layouts) {
  const auto flag = [&](int attr) {
    return call.attrs[attr].template Get<bool>();
  };
  if ((flag(S::kIsTest) && !flag(S::kTrainableStatistics)) ||
      flag(S::kUseGlobalStats)) {
    FollowImage(call.attrs[S::kDataFormat].template Get<std::string_view>(),
                layouts);
  } else {
    TakeStrided(layouts);
  }
  return absl::OkStatus();
}

template <typename S>
constexpr KernelSpec<S> BatchNormSpec(const char* file = __builtin_FILE(),
                                      int line = __builtin_LINE()) {
  return KernelSpec<S>(file, line)
      .Input(S::kMean, AnyDtype())
      .Input(S::kVariance, AnyDtype())
      .Input(S::kScale, AnyDtype())
      .Input(S::kBias, AnyDtype());
}
// Tensors of half precision are read from widened copies, which are strided.
template <typename S>
inline constexpr auto kBatchNormSpec = SpecByDtype{
    DataTypeSet(DataType::kFloat32, DataType::kFloat64),
    BatchNormSpec<S>().Layouts(DataLayout::kStrided, &BatchNormLayouts<S>),
    BatchNormSpec<S>()};
template <typename T>
absl::Status BatchNormKernel(const CpuContext& context,
                             const BatchNormArgs& args) {
  using C = ComputeType<T>;
  WidenedInput<T> input;
  WidenedResult<T> output;
  SY_RETURN_IF_ERROR(input.Read(context, args.x));
  SY_RETURN_IF_ERROR(output.Prepare(context, args.out));
  const BatchNormChannels<C> channels = {
      args.mean.data<C>(),
      args.variance.data<C>(),
      args.scale == nullptr ? nullptr : args.scale->data<C>(),
      args.bias == nullptr ? nullptr : args.bias->data<C>(),
      args.mean_out->mutable_data<C>(),
      args.variance_out->mutable_data<C>(),
      args.saved_mean->mutable_data<C>(),
      args.saved_variance->mutable_data<C>(),
      C(args.momentum),
      C(args.epsilon),
      (args.is_test && !args.trainable_statistics) || args.use_global_stats};
  const NormAxes axes(args.x, args.data_format);
  const ChannelRows rows(axes);
  if (rows.are_there()) {
    SY_RETURN_IF_ERROR(NormalizeRows<C>(context.allocator(), rows, channels,
                                        input.data(), output.data()));
  } else {
    NormalizeSpans<C>(ChannelSpans(axes), channels, input.data(),
                      output.data());
  }
  output.Finish();
  return absl::OkStatus();
}

// Goes channel by channel.
template <typename C>
void GradOfSpans(const ChannelSpans& s, const BatchNormGradChannels<C>& by,
                 const C* from, const C* dy, C* to) {
  const int64_t count = s.count();
  const NormSimd<C>& spans = NormSimd<C>::Get();
  ParallelFor(0, s.channels, s.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      const bool passed_on = !by.running && count == 1;
      const NormStatistics<C> stats = {by.means[c], by.inverses[c]};
      NormGradSums<C> sums = {0, 0};
      for (int64_t n = 0; n < s.outer && !passed_on; ++n) {
        const int64_t at = s.begin(n, c);
        const auto part =
            spans.grad_sums(from + at, dy + at, s.inner, stats, nullptr);
        sums.g += part.g;
        sums.gn += part.gn;
      }
      by.StoreSums(c, sums);
      if (to == nullptr) continue;
      const NormGradSums<C> average = by.Average(sums, passed_on, count);
      for (int64_t n = 0; n < s.outer; ++n) {
        const int64_t at = s.begin(n, c);
        spans.grad(from + at, dy + at, s.inner, stats, nullptr,
                   passed_on ? C{1} : by.Factor(c), average, to + at);
      }
    }
  });
}

template <typename S>
inline constexpr auto kBatchNormGradSpec =
    KernelSpec<S>()
        .Input(S::kScale, AnyDtype())
        .Input(S::kBias, WithAnyStrides(AnyDtype()))
        .Input(S::kSavedMean, AnyDtype())
        .Input(S::kSavedVariance, AnyDtype());
template <typename T>
absl::Status BatchNormGradKernel(const CpuContext& context,
                                 const BatchNormGradArgs& args) {
  using C = ComputeType<T>;
  WidenedInput<T> input, grad;
  WidenedResult<T> output;
  SY_RETURN_IF_ERROR(input.Read(context, args.x));
  SY_RETURN_IF_ERROR(grad.Read(context, args.out_grad));
  if (args.x_grad != nullptr) {
    SY_RETURN_IF_ERROR(output.Prepare(context, args.x_grad));
  }
  C* const to = args.x_grad == nullptr ? nullptr : output.data();
  const BatchNormGradChannels<C> channels = {
      args.saved_mean.data<C>(),
      args.saved_variance.data<C>(),
      args.scale == nullptr ? nullptr : args.scale->data<C>(),
      args.scale_grad == nullptr ? nullptr : args.scale_grad->mutable_data<C>(),
      args.bias_grad == nullptr ? nullptr : args.bias_grad->mutable_data<C>(),
      (args.is_test && !args.trainable_statistics) || args.use_global_stats};
  const NormAxes axes(args.x, args.data_format);
  const ChannelRows rows(axes);
  if (rows.are_there()) {
    SY_RETURN_IF_ERROR(GradOfRows<C>(context.allocator(), rows, channels,
                                     input.data(), grad.data(), to));
  } else {
    GradOfSpans<C>(ChannelSpans(axes), channels, input.data(), grad.data(), to);
  }
  if (to != nullptr) output.Finish();
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_BATCH_NORM_H_
