// SPDX-License-Identifier: Apache-2.0
// Parts of vectors at the ends of spans, for one instruction set: they are
// padded, so that no element is computed otherwise than the others.
#include "phi/kernels/cpu/simd/simd_targets.h"

// Read once for each instruction set.
#if defined(SWITCHYARD_PHI_KERNELS_CPU_SIMD_VECTOR_TAILS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_CPU_SIMD_VECTOR_TAILS_INL_H_
#undef SWITCHYARD_PHI_KERNELS_CPU_SIMD_VECTOR_TAILS_INL_H_
#else
#define SWITCHYARD_PHI_KERNELS_CPU_SIMD_VECTOR_TAILS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using VectorTag = hn::ScalableTag<T>;

template <typename T>
HWY_INLINE hn::Vec<VectorTag<T>> LoadSome(const T* from, int64_t count,
                                          T fill) {
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  if (count >= kLanes) return hn::LoadU(VectorTag<T>(), from);
  T part[kLanes];
  std::fill_n(part, kLanes, fill);
  std::memcpy(part, from, count * sizeof(T));
  return hn::LoadU(VectorTag<T>(), part);
}

template <typename T>
HWY_INLINE void StoreSome(hn::Vec<VectorTag<T>> v, int64_t count, T* to) {
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  if (count >= kLanes) {
    hn::StoreU(v, VectorTag<T>(), to);
    return;
  }
  T part[kLanes];
  hn::StoreU(v, VectorTag<T>(), part);
  std::memcpy(to, part, count * sizeof(T));
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
