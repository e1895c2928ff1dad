// SPDX-License-Identifier: Apache-2.0
// Normalizes groups of channels: the one kernel of group_norm and
// instance_norm. A group is one thread's.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_NORMALIZE_GROUPS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_NORMALIZE_GROUPS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "phi/kernels/cpu/normalization/channel_groups.h"

namespace switchyard::phi::kernels::cpu {

// Which second statistic a kernel saves: the variance, or 1 / sqrt(variance +
// epsilon).
enum class SavedSpread { kVariance, kInverse };

// The tensors of a call. Borrows all.
template <typename T>
struct GroupNormCall {
  const DenseTensor& x;
  const DenseTensor* scale;
  const DenseTensor* bias;
  double epsilon;
  DenseTensor* out;
  DenseTensor* mean;
  DenseTensor* spread;
  SavedSpread saved;
};

// Normalizes one group after the other. Borrows its arguments; any number of
// threads may use one, each for groups of its own.
template <typename T>
class GroupNormalizer {
 public:
  using C = ComputeType<T>;
  using Wide = typename WideRow<C>::Wide;

  GroupNormalizer(const GroupNormCall<T>& call, const ChannelGroups& of)
      : call_(call), of_(of), scale_(call.scale), bias_(call.bias) {}

  // Normalizes the elements of a group to `to`, which may be `from`, and saves
  // its statistics.
  void Normalize(int64_t group, const C* from, C* to) const {
    NormStatistics<C> stats;
    if (!Measure(spans_, group, from, &stats)) {
      return NormalizeWide(group, from, to);
    }
    const int64_t first = group % of_.groups * of_.width;
    if (of_.area == 1) {
      spans_.normalize(from, of_.size(), stats, scale_.From(first),
                       bias_.From(first), to);
      return;
    }
    for (int64_t w = 0; w < of_.width; ++w) {
      spans_.affine_normal(from + w * of_.area, of_.area, stats,
                           scale_.At(first + w, 1), bias_.At(first + w, 0),
                           to + w * of_.area);
    }
  }

  // Does the same to bfloat16 elements without a copy of the group, which would
  // be more than the first cache holds, if it can: returns false if nothing was
  // done.
  bool NormalizeDirectly(int64_t group, const bfloat16* x,
                         bfloat16* out) const {
    const BFloat16NormSimd& spans = BFloat16NormSimd::Get();
    NormStatistics<C> stats;
    if (of_.last || of_.area == 1) return false;
    const bfloat16* const from = x + group * of_.size();
    bfloat16* const to = out + group * of_.size();
    if (!Measure(spans, group, from, &stats)) return false;
    const int64_t first = group % of_.groups * of_.width;
    constexpr int64_t kBlock = 1024;
    float block[kBlock];
    for (int64_t w = 0; w < of_.width; ++w) {
      const C factor = scale_.At(first + w, 1), shift = bias_.At(first + w, 0);
      const int64_t end = (w + 1) * of_.area;
      for (int64_t p = w * of_.area; p < end; p += kBlock) {
        const int64_t count = std::min(kBlock, end - p);
        spans.affine_normal(from + p, count, stats, factor, shift, block);
        Narrow(DataType::kBFloat16, block, count, to + p);
      }
    }
    return true;
  }

 private:
  // Saves a group's statistics, of elements that `spans` takes; returns false
  // if their squares need the wider type.
  template <typename Spans, typename E>
  bool Measure(const Spans& spans, int64_t group, const E* from,
               NormStatistics<C>* stats) const {
    const int64_t size = of_.size();
    const C count = static_cast<C>(size);
    const C mean =
        static_cast<C>(SumByBlocks<C>(size,
                                      [&](int64_t p, int64_t n) {
                                        return spans.sum(from + p, n);
                                      }) /
                       count);
    const C variance =
        static_cast<C>(SumByBlocks<C>(size,
                                      [&](int64_t p, int64_t n) {
                                        return spans.squares(from + p, n, mean);
                                      }) /
                       count);
    if (SquaresLeaveRange(variance, C(call_.epsilon))) return false;
    const C inverse = C{1} / std::sqrt(variance + C(call_.epsilon));
    Save(group, mean, variance, inverse);
    *stats = {mean, inverse};
    return true;
  }
  void NormalizeWide(int64_t group, const C* from, C* to) const {
    const WideRow<C> row(from, of_.size(), nullptr, call_.epsilon);
    Save(group, row.mean, row.variance, row.inverse);
    const int64_t first = group % of_.groups * of_.width;
    for (int64_t i = 0; i < of_.size(); ++i) {
      const int64_t channel = first + i / of_.area;
      to[i] = static_cast<C>(row.Normal(i) * scale_.At(channel, 1) +
                             bias_.At(channel, 0));
    }
  }
  void Save(int64_t group, Wide mean, Wide variance, Wide inverse) const {
    const bool squared = call_.saved == SavedSpread::kVariance;
    call_.mean->template mutable_data<C>()[group] = static_cast<C>(mean);
    call_.spread->template mutable_data<C>()[group] =
        static_cast<C>(squared ? variance : inverse);
  }

  const GroupNormCall<T>& call_;
  const ChannelGroups& of_;
  const ChannelParameter<T> scale_, bias_;
  const NormSimd<C>& spans_ = NormSimd<C>::Get();
};

template <typename T>
absl::Status NormalizeGroups(const CpuContext& context,
                             const GroupNormCall<T>& call,
                             const ChannelGroups& of) {
  GroupMemory<T> memory(of);
  SY_RETURN_IF_ERROR(memory.Prepare(context));
  const GroupNormalizer<T> normalizer(call, of);
  const T* const x = call.x.template data<T>();
  T* const out = call.out->template mutable_data<T>();
  ParallelFor(0, of.count(), of.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
      if constexpr (std::is_same_v<T, bfloat16>) {
        if (normalizer.NormalizeDirectly(group, x, out)) continue;
      }
      // A copy is normalized where it is, which is in the first cache.
      normalizer.Normalize(group, memory.Read(x, group),
                           memory.Write(out, group));
      memory.Finish(out, group);
    }
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_NORMALIZE_GROUPS_H_
