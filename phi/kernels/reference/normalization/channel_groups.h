// SPDX-License-Identifier: Apache-2.0
// Parts of the reference kernels of group_norm and instance_norm, in long
// double: the elements of groups of channels are normalized set by set.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_CHANNEL_GROUPS_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_CHANNEL_GROUPS_H_

#include <cmath>
#include <string_view>
#include <vector>

#include "phi/kernels/reference/normalization/normalization.h"

namespace switchyard::phi::kernels::reference {

// The elements of a tensor by item, group and channel.
class GroupedChannels {
 public:
  GroupedChannels(const Shape& shape, int64_t groups,
                  std::string_view data_format)
      : last_(data_format == "NHWC" || data_format == "NLC" ||
              data_format == "NDHWC"),
        channels_(shape.extent(last_ ? shape.rank() - 1 : 1)),
        groups_(groups),
        items_(shape.extent(0)),
        area_(1) {
    for (int axis = 1; axis < shape.rank(); ++axis) {
      if (axis != (last_ ? shape.rank() - 1 : 1)) area_ *= shape.extent(axis);
    }
  }

  int64_t channels() const { return channels_; }
  // The number of all groups of all items.
  int64_t count() const { return items_ * groups_; }
  // The positions of the elements of a group, an item's after the other's.
  std::vector<int64_t> Set(int64_t group) const {
    const int64_t width = channels_ / groups_;
    const int64_t item = group / groups_;
    const int64_t first = group % groups_ * width;
    std::vector<int64_t> set;
    for (int64_t c = first; c < first + width; ++c) {
      for (int64_t j = 0; j < area_; ++j) {
        set.push_back(last_ ? (item * area_ + j) * channels_ + c
                            : (item * channels_ + c) * area_ + j);
      }
    }
    return set;
  }
  int64_t ChannelOf(int64_t position) const {
    return last_ ? position % channels_ : position / area_ % channels_;
  }

 private:
  bool last_;
  int64_t channels_, groups_, items_, area_;
};

// Element i of an optional parameter of the type of x, or of its statistics.
template <typename T>
long double ChannelParameter(const DenseTensor* p, int64_t i,
                             long double absent) {
  if (p != nullptr && p->dtype() == DataTypeOf<T>::value) return Wide<T>(*p, i);
  return Parameter<T>(p, i, absent);
}
template <typename T>
void StoreChannel(DenseTensor* out, int64_t i, long double value) {
  if (out != nullptr && out->dtype() == DataTypeOf<T>::value) {
    return StoreElement<T>(out, i, value);
  }
  StoreParameter<T>(out, i, value);
}

// Which tensors a call normalizes; `inverse` is saved in place of the variance
// where that is so.
struct GroupNormTensors {
  const DenseTensor& x;
  const DenseTensor* scale;
  const DenseTensor* bias;
  double epsilon;
  bool saves_inverse;
};

template <typename T>
void NormalizeSets(const GroupNormTensors& call, const GroupedChannels& of,
                   DenseTensor* out, DenseTensor* mean, DenseTensor* spread) {
  for (int64_t group = 0; group < of.count(); ++group) {
    const auto set = of.Set(group);
    const Moments moments = ComputeMoments<T>(call.x, set);
    const long double inverse = 1 / std::sqrt(moments.variance + call.epsilon);
    for (int64_t i : set) {
      const int64_t c = of.ChannelOf(i);
      StoreElement<T>(out, i,
                      (Wide<T>(call.x, i) - moments.mean) * inverse *
                              ChannelParameter<T>(call.scale, c, 1) +
                          ChannelParameter<T>(call.bias, c, 0));
    }
    StoreParameter<T>(mean, group, moments.mean);
    StoreParameter<T>(spread, group,
                      call.saves_inverse ? inverse : moments.variance);
  }
}

// The gradients that come in, the last two of which may be null, ...
struct GroupNormGrads {
  const DenseTensor& out;
  const DenseTensor* mean;
  const DenseTensor* spread;
};

// ... and those that go out, any of which may be null. From x alone: the saved
// statistics are rounded.
struct GroupNormResults {
  DenseTensor* x;
  DenseTensor* scale;
  DenseTensor* bias;
};

template <typename T>
void DifferentiateSets(const GroupNormTensors& call, const GroupedChannels& of,
                       const GroupNormGrads& grads,
                       const GroupNormResults& results) {
  std::vector<long double> by_scale(of.channels()), by_bias(of.channels());
  for (int64_t group = 0; group < of.count(); ++group) {
    const auto set = of.Set(group);
    const long double size = set.size();
    const Moments moments = ComputeMoments<T>(call.x, set);
    const long double inverse = 1 / std::sqrt(moments.variance + call.epsilon);
    const auto normal = [&](int64_t i) {
      return (Wide<T>(call.x, i) - moments.mean) * inverse;
    };
    const auto g = [&](int64_t i) {
      return Wide<T>(grads.out, i) *
             ChannelParameter<T>(call.scale, of.ChannelOf(i), 1);
    };
    long double level = 0, slope = 0;
    for (int64_t i : set) {
      level += g(i);
      slope += g(i) * normal(i);
      by_scale[of.ChannelOf(i)] += Wide<T>(grads.out, i) * normal(i);
      by_bias[of.ChannelOf(i)] += Wide<T>(grads.out, i);
    }
    if (results.x == nullptr) continue;
    const long double mean_grad = Parameter<T>(grads.mean, group, 0);
    const long double spread_grad = Parameter<T>(grads.spread, group, 0);
    const long double by_variance =
        call.saves_inverse ? -spread_grad * inverse * inverse * inverse / 2
                           : spread_grad;
    for (int64_t i : set) {
      const long double centred = Wide<T>(call.x, i) - moments.mean;
      StoreElement<T>(
          results.x, i,
          inverse * (g(i) - level / size - normal(i) * slope / size) +
              (mean_grad + 2 * by_variance * centred) / size);
    }
  }
  for (int64_t c = 0; c < of.channels(); ++c) {
    StoreChannel<T>(results.scale, c, by_scale[c]);
    StoreChannel<T>(results.bias, c, by_bias[c]);
  }
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_CHANNEL_GROUPS_H_
