// SPDX-License-Identifier: Apache-2.0
// Rows of float16 and bfloat16 made float, for gemm_half.cc, by one instruction
// set. Exact, so every instruction set and the scalar rest agree.
#include "phi/kernels/cpu/simd_targets.h"

// Read once for each instruction set.
#if defined(SWITCHYARD_PHI_KERNELS_CPU_GEMM_HALF_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_CPU_GEMM_HALF_INL_H_
#undef SWITCHYARD_PHI_KERNELS_CPU_GEMM_HALF_INL_H_
#else
#define SWITCHYARD_PHI_KERNELS_CPU_GEMM_HALF_INL_H_
#endif

#include <cstdint>

#include "framework/types/float16.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Half: the type of ours; Lane: Highway's of the same bits.
template <typename Half, typename Lane>
void WidenRow(const Half* from, int64_t size, float* to) {
  const hn::ScalableTag<float> wide;
  const hn::Rebind<Lane, decltype(wide)> narrow;
  constexpr int64_t kLanes = hn::MaxLanes(wide);
  const auto* lanes = reinterpret_cast<const Lane*>(from);
  int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    hn::StoreU(hn::PromoteTo(wide, hn::LoadU(narrow, lanes + i)), wide, to + i);
  }
  for (; i < size; ++i) to[i] = from[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels
HWY_AFTER_NAMESPACE();

#endif  // per target
