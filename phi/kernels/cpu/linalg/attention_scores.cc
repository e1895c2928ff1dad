// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/linalg/attention_scores.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/linalg/attention_scores.cc"
#include "phi/kernels/cpu/simd/simd_targets.h"
// After it: the headers of each instruction set.
#include "phi/kernels/cpu/simd/vector_tails-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

template <typename T>
HWY_INLINE void Finish(const ScoreLine<T>& line) {
  const VectorTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  const auto scale = hn::Set(d, line.scale);
  const bool own = line.mask != nullptr && line.mask_step == 1;
  const auto shared = hn::Set(
      d, line.mask != nullptr && line.mask_step == 0 ? *line.mask : T{0});
  for (int64_t j = 0; j < line.count; j += kLanes) {
    const int64_t rest = line.count - j;
    const auto x = LoadSome(line.products + j, rest, T{0});
    const auto added = own ? LoadSome(line.mask + j, rest, T{0}) : shared;
    StoreSome<T>(hn::Add(hn::Mul(x, scale), added), rest, line.products + j);
  }
  if (line.mask == nullptr || own || line.mask_step == 0) return;
  for (int64_t j = 0; j < line.count; ++j) {
    line.products[j] += line.mask[j * line.mask_step];
  }
}

void FinishFloat(const ScoreLine<float>& line) { Finish(line); }
void FinishDouble(const ScoreLine<double>& line) { Finish(line); }

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {
namespace {
HWY_EXPORT(FinishFloat);
HWY_EXPORT(FinishDouble);
}  // namespace

void FinishScores(const ScoreLine<float>& line) {
  HWY_DYNAMIC_DISPATCH(FinishFloat)(line);
}
void FinishScores(const ScoreLine<double>& line) {
  HWY_DYNAMIC_DISPATCH(FinishDouble)(line);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE
