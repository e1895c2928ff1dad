// SPDX-License-Identifier: Apache-2.0
// The figures of each channel in batch_norm and its gradient, whatever the
// order of the elements.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_BATCH_NORM_CHANNELS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_BATCH_NORM_CHANNELS_H_

#include <cmath>
#include <cstdint>

#include "phi/kernels/cpu/normalization/norm_simd.h"
#include "phi/kernels/functors/wide_row.h"

namespace switchyard::phi::kernels::cpu {

// A normalized element is x * factor + shift.
template <typename C>
struct NormAffine {
  C factor, shift;
};

// The inputs and outputs of batch_norm that have an element a channel, and its
// numbers. `scale` and `bias` may be null. A new statistic may be written over
// the old one.
template <typename C>
struct BatchNormChannels {
  const C *mean, *variance, *scale, *bias;
  C *new_mean, *new_variance, *used_mean, *used_inverse;
  C momentum, epsilon;
  bool running;  // The running statistics are used, and stay.

  // Each writes the statistics of a channel that has
  // ... the running ones,
  NormAffine<C> Keep(int64_t c) const {
    const C m = mean[c], v = variance[c];
    new_mean[c] = m;
    new_variance[c] = v;
    return Use(c, m, v);
  }
  // ... those of the batch,
  NormAffine<C> Update(int64_t c, C m, C v) const {
    Move(c, m, v);
    return Use(c, m, v);
  }
  // ... those of the batch, whose variance is out of the range,
  NormAffine<C> Update(int64_t c, const WideChannel<C>& batch) const {
    Move(c, batch.mean, batch.variance);
    return Apply(c, static_cast<C>(batch.mean),
                 static_cast<C>(1 / std::sqrt(batch.variance + epsilon)));
  }
  // ... one element, which is passed on as it is, as in Paddle.
  void PassOn(int64_t c) const {
    new_mean[c] = mean[c];
    new_variance[c] = variance[c];
    used_mean[c] = 0;
    used_inverse[c] = C{1} / std::sqrt(C{1} + epsilon);
  }

 private:
  // A running variance beyond the range of C is infinite. W may be wider.
  template <typename W>
  void Move(int64_t c, W m, W v) const {
    new_mean[c] = Mixed(mean[c], m);
    new_variance[c] = Mixed(variance[c], v);
  }
  // Reads nothing that has no share: 0 times an infinite variance is NaN.
  template <typename W>
  C Mixed(C old, W batch) const {
    if (momentum == C{1}) return old;
    if (momentum == C{0}) return static_cast<C>(batch);
    return static_cast<C>(W{old} * momentum + batch * (C{1} - momentum));
  }
  NormAffine<C> Use(int64_t c, C m, C v) const {
    return Apply(c, m, C{1} / std::sqrt(v + epsilon));
  }
  NormAffine<C> Apply(int64_t c, C m, C inverse) const {
    used_mean[c] = m;
    used_inverse[c] = inverse;
    const C factor = scale == nullptr ? inverse : inverse * scale[c];
    return {factor, (bias == nullptr ? C{0} : bias[c]) - m * factor};
  }
};

// The inputs and outputs of batch_norm's gradient that have an element a
// channel. `scale` and the gradients may be null.
template <typename C>
struct BatchNormGradChannels {
  const C *means, *inverses, *scale;
  C *scale_grad, *bias_grad;
  bool running;

  void StoreSums(int64_t c, NormGradSums<C> sums) const {
    if (scale_grad != nullptr) scale_grad[c] = sums.gn;
    if (bias_grad != nullptr) bias_grad[c] = sums.g;
  }
  // Returns what is taken off each element's gradient.
  NormGradSums<C> Average(NormGradSums<C> sums, bool passed_on,
                          int64_t count) const {
    if (running || passed_on) return {0, 0};
    return {sums.g / C(count), sums.gn / C(count)};
  }
  C Factor(int64_t c) const {
    return inverses[c] * (scale == nullptr ? C{1} : scale[c]);
  }
};

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_BATCH_NORM_CHANNELS_H_
