// SPDX-License-Identifier: Apache-2.0
// Simulated quantisation. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_QUANTISATION_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_QUANTISATION_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_QUANTISATION_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_QUANTISATION_H_
#endif

#include <cstdint>

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// x in whole steps of scale / largest, times their size. Rounds where the
// operators round that the pair is made of elsewhere: the inverse of the scale,
// which is held off 0, times `largest`, then x times that.
template <typename T>
class QuantizeDequantize : public Functor<2> {
 public:
  QuantizeDequantize(int bit_length, int round_type)
      : largest_(static_cast<T>((int64_t{1} << (bit_length - 1)) - 1)),
        size_(static_cast<T>(
            1.0 / static_cast<double>((int64_t{1} << (bit_length - 1)) - 1))),
        to_even_(round_type == 0) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V scale) const {
    const V tiny = Set(d, T(1e-6));
    const V held = IfThenElse(AtMost(scale, tiny), scale + tiny, scale);
    const V factor = Set(d, T(1)) / held * Set(d, largest_);
    const V size = scale * Set(d, size_);
    if (to_even_) {
      const V steps = hwy::HWY_NAMESPACE::Round(x * factor);
      const V low = Set(d, -largest_ - T(1));
      const V bounded = Min(Max(steps, low), Set(d, largest_));
      return IfThenElse(x == x, bounded * size, x);
    }
    const V within = Max(Min(x, scale), Neg(scale));
    const V steps = HalvesAway(d, within * factor);
    return IfThenElse(x == x, steps * size, x);
  }

 private:
  template <class D, class V>
  SY_FUNCTOR V HalvesAway(D d, V x) const {
    const V magnitude = Abs(x);
    const V whole = RoundDown(magnitude);
    const V up =
        IfThenElseZero(AtMost(Set(d, T(0.5)), magnitude - whole), Set(d, T(1)));
    return CopySign(whole + up, x);
  }

  T largest_, size_;
  bool to_even_;
};

SY_FUNCTORS_END

#endif  // per target
