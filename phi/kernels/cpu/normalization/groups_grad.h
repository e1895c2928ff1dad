// SPDX-License-Identifier: Apache-2.0
// The gradient of normalized groups of channels: the one kernel of
// group_norm_grad and instance_norm_grad. A group is one thread's; gradients of
// the parameters are summed over a group's spans, then over the items in order.
//
// With n = (x - mean) * inverse and g = dy * scale: dx = inverse * (g - mean(g)
// - n mean(g n)) + what the gradients of the statistics give.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_GROUPS_GRAD_H_
#define SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_GROUPS_GRAD_H_

#include <cmath>
#include <type_traits>
#include <vector>

#include "phi/kernels/cpu/normalization/channel_groups.h"
#include "phi/kernels/cpu/normalization/normalize_groups.h"

namespace switchyard::phi::kernels::cpu {

// The tensors of a gradient. Borrows all.
template <typename T>
struct GroupGradCall {
  const DenseTensor& x;
  const DenseTensor* scale;
  const DenseTensor& mean;
  const DenseTensor& spread;
  const DenseTensor& out_grad;
  const DenseTensor* mean_grad;  // These two may be null,
  const DenseTensor* spread_grad;
  double epsilon;
  DenseTensor* x_grad;  // and these.
  DenseTensor* scale_grad;
  DenseTensor* bias_grad;
  SavedSpread saved;
};

// Differentiates one group after the other. Borrows its arguments; any number
// of threads may use one, each for groups of its own.
template <typename T>
class GroupGradients {
 public:
  using C = ComputeType<T>;
  using Wide = typename WideRow<C>::Wide;

  // `sums`: two numbers a channel of an item.
  GroupGradients(const GroupGradCall<T>& call, const ChannelGroups& of, C* sums)
      : call_(call), of_(of), scale_(call.scale), sums_(sums) {}

  // Puts the sums of a group's channels, and x's gradient to `dx`, which may be
  // `dy`, unless that is null.
  void Differentiate(int64_t group, const C* x, const C* dy, C* dx) const {
    const C mean = call_.mean.template data<C>()[group];
    const C spread = call_.spread.template data<C>()[group];
    const bool squared = call_.saved == SavedSpread::kVariance;
    const C epsilon = squared ? C(call_.epsilon) : C{0};
    const C variance = squared ? spread : C{1} / (spread * spread);
    if (SquaresLeaveRange(variance, epsilon)) {
      const WideRow<C> row(x, of_.size(), nullptr, call_.epsilon);
      SumWide(group, row, dy);
      if (dx != nullptr) GradWide(group, row, dy, dx);
      return;
    }
    const C inverse = squared ? C{1} / std::sqrt(variance + epsilon) : spread;
    const NormStatistics<C> stats = {mean, inverse};
    Sum(group, stats, x, dy);
    if (dx != nullptr) Grad(group, stats, x, dy, dx);
  }

 private:
  // The part of a group's gradient that is no multiple of dy.
  struct Line {
    Wide slope, shift;
  };

  int64_t FirstChannel(int64_t group) const {
    return group % of_.groups * of_.width;
  }
  // Return the sums of dy, and of dy n, over the group's channel w.
  C& SumOf(int64_t group, int64_t w) const {
    return sums_[2 * (group * of_.width + w)];
  }
  C& ProductOf(int64_t group, int64_t w) const {
    return sums_[2 * (group * of_.width + w) + 1];
  }

  void Sum(int64_t group, NormStatistics<C> stats, const C* x,
           const C* dy) const {
    for (int64_t w = 0; w < of_.width; ++w, x += of_.area, dy += of_.area) {
      if (of_.area == 1) {
        SumOf(group, w) = *dy;
        ProductOf(group, w) = *dy * ((*x - stats.mean) * stats.inverse);
        continue;
      }
      Wide sum = 0, product = 0;
      for (int64_t p = 0; p < of_.area; p += kSumBlock) {
        const auto block = spans_.grad_sums(
            x + p, dy + p, std::min(kSumBlock, of_.area - p), stats, nullptr);
        sum += block.g;
        product += block.gn;
      }
      SumOf(group, w) = static_cast<C>(sum);
      ProductOf(group, w) = static_cast<C>(product);
    }
  }
  void SumWide(int64_t group, const WideRow<C>& row, const C* dy) const {
    for (int64_t w = 0; w < of_.width; ++w) {
      Wide sum = 0, product = 0;
      for (int64_t i = w * of_.area; i < (w + 1) * of_.area; ++i) {
        sum += dy[i];
        product += dy[i] * row.Normal(i);
      }
      SumOf(group, w) = static_cast<C>(sum);
      ProductOf(group, w) = static_cast<C>(product);
    }
  }

  // Requires the group's sums.
  Line LineOf(int64_t group, Wide inverse) const {
    const Wide size = static_cast<Wide>(of_.size());
    Wide level = 0, slope = 0;
    for (int64_t w = 0; w < of_.width; ++w) {
      const Wide factor = scale_.At(FirstChannel(group) + w, 1);
      level += factor * SumOf(group, w);
      slope += factor * ProductOf(group, w);
    }
    Line line = {-inverse * (slope / size), -inverse * (level / size)};
    if (call_.mean_grad != nullptr) {
      line.shift += call_.mean_grad->template data<C>()[group] / size;
    }
    if (call_.spread_grad != nullptr) {
      const Wide grad = call_.spread_grad->template data<C>()[group];
      line.slope += call_.saved == SavedSpread::kVariance
                        ? 2 * grad / inverse / size
                        : -grad * inverse * inverse / size;
    }
    return line;
  }
  void Grad(int64_t group, NormStatistics<C> stats, const C* x, const C* dy,
            C* dx) const {
    const Line line = LineOf(group, stats.inverse);
    const int64_t first = FirstChannel(group);
    const C slope = static_cast<C>(line.slope);
    const C shift = static_cast<C>(line.shift);
    for (int64_t w = 0; w < of_.width; ++w) {
      const C factor = stats.inverse * scale_.At(first + w, 1);
      const int64_t at = w * of_.area;
      if (of_.area == 1) {
        const C normal = (x[w] - stats.mean) * stats.inverse;
        dx[w] = dy[w] * factor + (normal * slope + shift);
        continue;
      }
      spans_.affine_grad(x + at, dy + at, of_.area, stats,
                         {factor, slope, shift}, dx + at);
    }
  }
  void GradWide(int64_t group, const WideRow<C>& row, const C* dy,
                C* dx) const {
    const Line line = LineOf(group, row.inverse);
    const int64_t first = FirstChannel(group);
    for (int64_t i = 0; i < of_.size(); ++i) {
      const Wide factor = row.inverse * scale_.At(first + i / of_.area, 1);
      dx[i] = static_cast<C>(dy[i] * factor + row.Normal(i) * line.slope +
                             line.shift);
    }
  }

  const GroupGradCall<T>& call_;
  const ChannelGroups& of_;
  const ChannelParameter<T> scale_;
  C* const sums_;
  const NormSimd<C>& spans_ = NormSimd<C>::Get();
};

// Adds up every other number of `sums`, of each channel over the items.
template <typename C>
void AddItems(const C* sums, const ChannelGroups& of, DenseTensor* grad) {
  if (grad == nullptr) return;
  const int64_t channels = of.channels();
  std::vector<typename WideRow<C>::Wide> totals(channels);
  for (int64_t item = 0; item < of.items; ++item) {
    for (int64_t c = 0; c < channels; ++c) {
      totals[c] += sums[2 * (item * channels + c)];
    }
  }
  const auto put = [&](auto* to) {
    for (int64_t c = 0; c < channels; ++c) {
      to[c] =
          static_cast<std::decay_t<decltype(*to)>>(static_cast<C>(totals[c]));
    }
  };
  switch (grad->dtype()) {
    case DataType::kFloat16:
      return put(grad->mutable_data<float16>());
    case DataType::kBFloat16:
      return put(grad->mutable_data<bfloat16>());
    default:
      return put(grad->mutable_data<C>());
  }
}

template <typename T>
absl::Status DifferentiateGroups(const CpuContext& context,
                                 const GroupGradCall<T>& call,
                                 const ChannelGroups& of) {
  using C = ComputeType<T>;
  GroupMemory<T> read(of), grads(of);
  SY_RETURN_IF_ERROR(read.Prepare(context));
  SY_RETURN_IF_ERROR(grads.Prepare(context));
  SY_ASSIGN_OR_RETURN(
      const RefPtr<Buffer> memory,
      context.allocator().Allocate(2 * of.items * of.channels() * sizeof(C)));
  C* const sums = static_cast<C*>(memory->data());
  const GroupGradients<T> gradients(call, of, sums);
  const T* const x = call.x.template data<T>();
  const T* const dy = call.out_grad.template data<T>();
  T* const dx = call.x_grad == nullptr
                    ? nullptr
                    : call.x_grad->template mutable_data<T>();
  ParallelFor(0, of.count(), of.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
      gradients.Differentiate(group, read.Read(x, group), grads.Read(dy, group),
                              dx == nullptr ? nullptr : grads.Write(dx, group));
      if (dx != nullptr) grads.Finish(dx, group);
    }
  });
  AddItems(sums, of, call.bias_grad);
  AddItems(sums + 1, of, call.scale_grad);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_GROUPS_GRAD_H_
