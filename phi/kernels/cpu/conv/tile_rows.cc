// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/conv/tile_rows.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/conv/tile_rows.cc"
#include "phi/kernels/cpu/simd/simd_targets.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// relu keeps what is no number.
template <typename T>
HWY_INLINE void WriteElement(const TileRow<T>& row, int64_t i) {
  for (int64_t tap = 0; tap < row.taps; ++tap) {
    const T sum = row.products[tap * row.tap_step + i] + row.bias;
    row.to[i * row.taps + tap] = row.relu && sum <= T{0} ? T{0} : sum;
  }
}

template <typename T>
HWY_INLINE int64_t WriteTwoTaps(const TileRow<T>& row) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto bias = hn::Set(d, row.bias), zero = hn::Zero(d);
  const auto finish = [&](const T* from) HWY_ATTR {
    const auto sum = hn::Add(hn::LoadU(d, from), bias);
    return row.relu ? hn::IfThenElse(hn::Le(sum, zero), zero, sum) : sum;
  };
  int64_t i = 0;
  for (; i + lanes <= row.count; i += lanes) {
    hn::StoreInterleaved2(finish(row.products + i),
                          finish(row.products + row.tap_step + i), d,
                          row.to + 2 * i);
  }
  return i;
}

template <typename T>
void WriteOf(const TileRow<T>& row) {
  int64_t i = row.taps == 2 ? WriteTwoTaps(row) : 0;
  for (; i < row.count; ++i) WriteElement(row, i);
}

void WriteFloat(const TileRow<float>& row) { WriteOf(row); }
void WriteDouble(const TileRow<double>& row) { WriteOf(row); }

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {
namespace {
HWY_EXPORT(WriteFloat);
HWY_EXPORT(WriteDouble);
}  // namespace

void WriteTileRow(const TileRow<float>& row) {
  HWY_DYNAMIC_DISPATCH(WriteFloat)(row);
}
void WriteTileRow(const TileRow<double>& row) {
  HWY_DYNAMIC_DISPATCH(WriteDouble)(row);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE
