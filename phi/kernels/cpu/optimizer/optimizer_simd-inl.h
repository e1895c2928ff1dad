// SPDX-License-Identifier: Apache-2.0
// Steps of optimizer_simd.h, for one instruction set.
#include "phi/kernels/cpu/simd/simd_targets.h"

// Read once for each instruction set.
#if defined(SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_OPTIMIZER_SIMD_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_OPTIMIZER_SIMD_INL_H_
#undef SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_OPTIMIZER_SIMD_INL_H_
#else
#define SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_OPTIMIZER_SIMD_INL_H_
#endif

#include "phi/kernels/cpu/optimizer/optimizer_simd.h"
#include "phi/kernels/cpu/simd/vector_tails-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

template <typename T>
void SgdOf(const T* param, const T* grad, T rate, int64_t size, T* out) {
  const VectorTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const auto by = hn::Set(d, rate);
  for (int64_t i = 0; i < size; i += kLanes) {
    const int64_t rest = size - i;
    const auto p = LoadSome(param + i, rest, T{0});
    const auto g = LoadSome(grad + i, rest, T{0});
    StoreSome(hn::Sub(p, hn::Mul(by, g)), rest, out + i);
  }
}

template <typename T>
void MomentumOf(const T* param, const T* grad, const T* velocity,
                const MomentumStep<T>& step, int64_t size, T* param_out,
                T* velocity_out) {
  const VectorTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const auto rate = hn::Set(d, step.rate), mu = hn::Set(d, step.mu);
  const auto decay = hn::Set(d, step.decay);
  const auto rescale = hn::Set(d, step.rescale);
  for (int64_t i = 0; i < size; i += kLanes) {
    const int64_t rest = size - i;
    const auto p = LoadSome(param + i, rest, T{0});
    const auto g = hn::Mul(rescale, LoadSome(grad + i, rest, T{0}));
    const auto slope = hn::Add(g, hn::Mul(decay, p));
    const auto speed =
        hn::Add(hn::Mul(mu, LoadSome(velocity + i, rest, T{0})), slope);
    const auto along =
        step.nesterov ? hn::Add(slope, hn::Mul(mu, speed)) : speed;
    StoreSome(hn::Sub(p, hn::Mul(rate, along)), rest, param_out + i);
    StoreSome(speed, rest, velocity_out + i);
  }
}

template <typename T>
void AdamOf(const AdamSpans<T>& s, const AdamStep<T>& step, int64_t size) {
  const VectorTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const auto b1 = hn::Set(d, step.beta1), b2 = hn::Set(d, step.beta2);
  const auto c1 = hn::Set(d, T{1} - step.beta1);
  const auto c2 = hn::Set(d, T{1} - step.beta2);
  const auto rate = hn::Set(d, step.rate), keep = hn::Set(d, step.keep);
  const auto epsilon = hn::Set(d, step.epsilon);
  for (int64_t i = 0; i < size; i += kLanes) {
    const int64_t rest = size - i;
    const auto g = LoadSome(s.grad + i, rest, T{0});
    const auto first = hn::Add(hn::Mul(b1, LoadSome(s.moment1 + i, rest, T{0})),
                               hn::Mul(c1, g));
    const auto second =
        hn::Add(hn::Mul(b2, LoadSome(s.moment2 + i, rest, T{0})),
                hn::Mul(hn::Mul(c2, g), g));
    auto square = second;
    if (s.moment2_max != nullptr) {
      square = hn::Max(second, LoadSome(s.moment2_max + i, rest, T{0}));
      if (s.moment2_max_out != nullptr) {
        StoreSome(square, rest, s.moment2_max_out + i);
      }
    }
    const auto p = hn::Mul(keep, LoadSome(s.param + i, rest, T{0}));
    const auto along = hn::Div(first, hn::Add(hn::Sqrt(square), epsilon));
    StoreSome(first, rest, s.moment1_out + i);
    StoreSome(second, rest, s.moment2_out + i);
    StoreSome(hn::Sub(p, hn::Mul(rate, along)), rest, s.param_out + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
