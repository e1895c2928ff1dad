// SPDX-License-Identifier: Apache-2.0
// Packing for Gemm (gemm.h), for one instruction set: rows of the left operand,
// or columns of the right one, as strips that tiles read without gaps.
#include "phi/kernels/cpu/simd/simd_targets.h"

// Read once for each instruction set.
#if defined(SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_PACK_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_PACK_INL_H_
#undef SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_PACK_INL_H_
#else
#define SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_PACK_INL_H_
#endif

#include <algorithm>

#include "phi/kernels/cpu/gemm/gemm_tile.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using GemmTag = hn::ScalableTag<T>;

// Four lanes of four elements, transposed.
HWY_INLINE void Transpose4(const float* from, int64_t lane_stride, float* to,
                           int64_t width) {
  const hn::FixedTag<float, 4> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const auto r0 = hn::LoadU(d, from);
  const auto r1 = hn::LoadU(d, from + lane_stride);
  const auto r2 = hn::LoadU(d, from + 2 * lane_stride);
  const auto r3 = hn::LoadU(d, from + 3 * lane_stride);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
  const auto store = [&](auto v, int64_t p) HWY_ATTR {
    hn::StoreU(hn::BitCast(d, v), d, to + p * width);
  };
  store(hn::InterleaveLower(pairs, low01, low23), 0);
  store(hn::InterleaveUpper(pairs, low01, low23), 1);
  store(hn::InterleaveLower(pairs, high01, high23), 2);
  store(hn::InterleaveUpper(pairs, high01, high23), 3);
}

// How many lanes of how many elements PackFours did.
struct PackedFours {
  int64_t lanes;
  int64_t depth;
};

// The first lanes and elements of a strip that Transpose4 fits. Four lanes at a
// time, to their ends: a power of two apart they share a set of the first
// cache, which has no room for more.
HWY_INLINE PackedFours PackFours(const GemmStrips<float>& strip) {
  const PackedFours done = {strip.lanes / 4 * 4, strip.depth / 4 * 4};
  for (int64_t i = 0; i < done.lanes; i += 4) {
    for (int64_t p = 0; p < done.depth; p += 4) {
      Transpose4(strip.data + i * strip.lane_stride + p, strip.lane_stride,
                 strip.to + p * strip.width + i, strip.width);
    }
  }
  return done;
}
HWY_INLINE PackedFours PackFours(const GemmStrips<double>&) { return {0, 0}; }

// Whole strips whose lanes are adjacent: all strips of one element of the depth
// after the other, as they lie in memory.
template <typename T>
void PackAdjacent(const GemmStrips<T>& strips) {
  const GemmTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(GemmTag<T>());
  const int64_t width = strips.width;
  const int64_t wide = width / kLanes * kLanes;
  for (int64_t p = 0; p < strips.depth; ++p) {
    const T* from = strips.data + p * strips.depth_stride;
    T* to = strips.to + p * width;
    for (int64_t s = 0; s < strips.lanes; s += width) {
      for (int64_t i = 0; i < wide; i += kLanes) {
        hn::StoreU(hn::LoadU(d, from + i), d, to + i);
      }
      for (int64_t i = wide; i < width; ++i) to[i] = from[i];
      from += width;
      to += strips.depth * width;
    }
  }
}

// One strip, of at most `width` lanes.
template <typename T>
void PackStrip(const GemmStrips<T>& strip) {
  const int64_t width = strip.width;
  if (strip.lane_stride == 1 && strip.lanes == width) {
    PackAdjacent(strip);
    return;
  }
  if (strip.lanes < width) std::fill_n(strip.to, strip.depth * width, T{0});
  PackedFours done = {0, 0};
  if (strip.depth_stride == 1) done = PackFours(strip);
  for (int64_t p = 0; p < strip.depth; ++p) {
    const T* from = strip.data + p * strip.depth_stride;
    for (int64_t i = p < done.depth ? done.lanes : 0; i < strip.lanes; ++i) {
      strip.to[p * width + i] = from[i * strip.lane_stride];
    }
  }
}

template <typename T>
void PackStrips(const GemmStrips<T>& strips) {
  GemmStrips<T> strip = strips;
  int64_t i = 0;
  if (strips.lane_stride == 1 && strips.lanes >= strips.width) {
    strip.lanes = i = strips.lanes / strips.width * strips.width;
    PackAdjacent(strip);
  }
  for (; i < strips.lanes; i += strips.width) {
    strip.data = strips.data + i * strips.lane_stride;
    strip.lanes = std::min(strips.width, strips.lanes - i);
    strip.to = strips.to + i * strips.depth;
    PackStrip(strip);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
