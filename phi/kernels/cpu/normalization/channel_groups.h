// SPDX-License-Identifier: Apache-2.0
// Groups of channels, which group_norm and instance_norm normalize one by one:
// where their elements are, and how kernels read and write them.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_CHANNEL_GROUPS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_CHANNEL_GROUPS_H_

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/memory/buffer.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/kernels/cpu/conversion/half_conversion.h"
#include "phi/kernels/cpu/conversion/widened_tensor.h"
#include "phi/kernels/cpu/normalization/norm_simd.h"
#include "phi/kernels/functors/wide_row.h"

namespace switchyard::phi::kernels::cpu {

// x as items of groups of `width` channels, each of `area` elements, which are
// adjacent unless the channels are the last axis.
struct ChannelGroups {
  int64_t items, groups, width;
  int64_t area = 1;
  bool last;

  ChannelGroups(const Shape& shape, int64_t channels, int64_t groups, bool last)
      : items(shape.extent(0)),
        groups(groups),
        width(groups == 0 ? 0 : channels / groups),
        last(last) {
    const int channel = last ? shape.rank() - 1 : 1;
    for (int axis = 1; axis < shape.rank(); ++axis) {
      if (axis != channel) area *= shape.extent(axis);
    }
    // They are adjacent then, too.
    if (area == 1) this->last = false;
  }
  static ChannelGroups Of(const Shape& shape, int groups,
                          std::string_view data_format) {
    const bool last =
        data_format == "NHWC" || data_format == "NLC" || data_format == "NDHWC";
    return {shape, shape.extent(last ? shape.rank() - 1 : 1), groups, last};
  }
  // Each channel by itself.
  static ChannelGroups OfChannels(const Shape& shape) {
    return {shape, shape.extent(1), shape.extent(1), false};
  }

  int64_t channels() const { return groups * width; }
  int64_t count() const { return items * groups; }
  int64_t size() const { return width * area; }  // Elements of a group.
  // Groups a chunk. There are few chunks, since each has memory of its own.
  int64_t grain() const {
    return std::max({int64_t{1}, (1 << 14) / std::max<int64_t>(1, size()),
                     (count() + 63) / 64});
  }
};

// The elements of groups in the type that they are computed in: where they are
// if that is possible, else in memory of the chunk.
template <typename T>
class GroupMemory {
 public:
  using C = ComputeType<T>;

  explicit GroupMemory(const ChannelGroups& of) : of_(of) {}

  // Makes memory for every chunk, where groups are copied.
  absl::Status Prepare(const CpuContext& context) {
    if (!copies()) return absl::OkStatus();
    const int64_t chunks = ChunkCount(0, of_.count(), of_.grain());
    SY_ASSIGN_OR_RETURN(
        memory_, context.allocator().Allocate(chunks * of_.size() * sizeof(C)));
    return absl::OkStatus();
  }

  // Returns the elements of a group of `x`, channel by channel.
  const C* Read(const T* x, int64_t group) const {
    if constexpr (!kIsHalf<T>) {
      if (!of_.last) return x + group * of_.size();
    }
    C* const to = Own(group);
    if (!of_.last) {
      if constexpr (kIsHalf<T>) {
        WidenSpan(x + group * of_.size(), of_.size(), to);
      }
      return to;
    }
    const T* const from = x + FirstOf(group);
    for (int64_t j = 0; j < of_.area; ++j) {
      for (int64_t w = 0; w < of_.width; ++w) {
        to[w * of_.area + j] = static_cast<C>(from[j * of_.channels() + w]);
      }
    }
    return to;
  }
  // Returns where the elements of a group of `out` are to be written; then
  // Finish() puts them there.
  C* Write(T* out, int64_t group) const {
    if constexpr (!kIsHalf<T>) {
      if (!of_.last) return out + group * of_.size();
    }
    return Own(group);
  }
  void Finish(T* out, int64_t group) const {
    if (!copies()) return;
    const C* const from = Own(group);
    if (!of_.last) {
      if constexpr (kIsHalf<T>) {
        Narrow(DataTypeOf<T>::value, from, of_.size(),
               out + group * of_.size());
      }
      return;
    }
    T* const to = out + FirstOf(group);
    for (int64_t j = 0; j < of_.area; ++j) {
      for (int64_t w = 0; w < of_.width; ++w) {
        to[j * of_.channels() + w] = static_cast<T>(from[w * of_.area + j]);
      }
    }
  }

 private:
  bool copies() const { return kIsHalf<T> || of_.last; }
  C* Own(int64_t group) const {
    return static_cast<C*>(memory_->data()) + group / of_.grain() * of_.size();
  }
  // Where the group's first element is, if the channels are the last axis.
  int64_t FirstOf(int64_t group) const {
    return group / of_.groups * of_.area * of_.channels() +
           group % of_.groups * of_.width;
  }

  const ChannelGroups& of_;
  RefPtr<Buffer> memory_;
};

// A parameter, a number a channel, of the type of x or of what x is computed
// in.
template <typename T>
class ChannelParameter {
 public:
  using C = ComputeType<T>;

  explicit ChannelParameter(const DenseTensor* parameter) {
    if (parameter == nullptr) return;
    if (parameter->dtype() == DataTypeOf<C>::value) {
      data_ = parameter->data<C>();
      return;
    }
    const T* const narrow = parameter->data<T>();
    copy_.assign(narrow, narrow + parameter->numel());
    data_ = copy_.data();
  }

  // Null if it is absent.
  const C* data() const { return data_; }
  C At(int64_t channel, C absent) const {
    return data_ == nullptr ? absent : data_[channel];
  }
  // Those of channels from `channel` on; null if it is absent.
  const C* From(int64_t channel) const {
    return data_ == nullptr ? nullptr : data_ + channel;
  }

 private:
  const C* data_ = nullptr;
  std::vector<C> copy_;
};

// Elements whose sum is found in the type itself; sums of more are added up in
// the wider one.
inline constexpr int64_t kSumBlock = 4096;

template <typename C, typename Sum>
typename WideRow<C>::Wide SumByBlocks(int64_t size, const Sum& sum) {
  typename WideRow<C>::Wide total = 0;
  for (int64_t p = 0; p < size; p += kSumBlock) {
    total += sum(p, std::min(kSumBlock, size - p));
  }
  return total;
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_CHANNEL_GROUPS_H_
