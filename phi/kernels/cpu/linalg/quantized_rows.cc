// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/linalg/quantized_rows.h"

#include <algorithm>
#include <cstring>

#include "hwy/cache_control.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/linalg/quantized_rows.cc"
#include "phi/kernels/cpu/simd/simd_targets.h"
// After it: the header of each instruction set.
#include "phi/kernels/cpu/simd/vector_tails-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

using Floats = VectorTag<float>;
using Integers = hn::Rebind<int32_t, Floats>;
using Numbers = hn::Rebind<int8_t, Floats>;
using Bytes = hn::Rebind<uint8_t, Floats>;
using Vector = hn::Vec<Floats>;

// The numbers of as many bytes as a vector has lanes: kPlanes vectors.
template <int kPlanes>
HWY_INLINE void Unpack(const uint8_t* from, Vector* numbers) {
  const Floats d;
  const Integers integers;
  if constexpr (kPlanes == 1) {
    const auto* const signed_from = reinterpret_cast<const int8_t*>(from);
    numbers[0] = hn::ConvertTo(
        d, hn::PromoteTo(integers, hn::LoadU(Numbers(), signed_from)));
  } else {
    const auto pairs = hn::PromoteTo(integers, hn::LoadU(Bytes(), from));
    const auto low = hn::And(pairs, hn::Set(integers, 15));
    const auto eight = hn::Set(integers, 8);
    numbers[0] = hn::ConvertTo(d, hn::Sub(low, eight));
    numbers[1] = hn::ConvertTo(d, hn::Sub(hn::ShiftRight<4>(pairs), eight));
  }
}

template <int kRows, int kColumns>
HWY_INLINE void Clear(Vector (&sums)[kRows][kColumns]) {
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j) sums[i][j] = hn::Zero(Floats());
  }
}

// Adds the products of `count` bytes from `at` on, a vector or less of them.
template <int kPlanes, int kRows, int kColumns>
HWY_INLINE void AddProducts(const QuantizedRows& q, const float* x,
                            const uint8_t* weight, int64_t at, int64_t count,
                            Vector (&sums)[kRows][kColumns]) {
  constexpr int64_t kLanes = hn::MaxLanes(Floats());
  Vector rows[kRows][kPlanes];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
    for (int plane = 0; plane < kPlanes; ++plane) {
      rows[i][plane] =
          LoadSome(x + (i * kPlanes + plane) * q.bytes + at, count, 0.0f);
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < kColumns; ++j) {
    const uint8_t* from = weight + j * q.bytes + at;
    uint8_t part[kLanes] = {};
    if (count < kLanes) {
      std::memcpy(part, from, static_cast<size_t>(count));
      from = part;
    }
    Vector numbers[kPlanes];
    Unpack<kPlanes>(from, numbers);
#pragma GCC unroll 2
    for (int plane = 0; plane < kPlanes; ++plane) {
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) {
        sums[i][j] = hn::MulAdd(rows[i][plane], numbers[plane], sums[i][j]);
      }
    }
  }
}

constexpr int64_t kTilesAhead = 2;

// Whether the weights of later tiles are asked for: rows are too short for the
// processor to foresee them. Long ones would push out what is in use.
template <int kColumns>
HWY_INLINE bool Foresees(const QuantizedRows& q) {
  constexpr int64_t kMost = 1 << 17;
  return kTilesAhead * kColumns * q.bytes <= kMost;
}

// Asks for some bytes; there may be none at that place.
HWY_INLINE void Foresee(const uint8_t* from, int64_t count) {
  constexpr int64_t kLine = 64;
  for (int64_t at = 0; at < count; at += kLine) hwy::Prefetch(from + at);
}

// The elements of kRows rows and kColumns columns of the result.
template <int kPlanes, int kRows, int kColumns>
HWY_INLINE void Tile(const QuantizedRows& q, int64_t row, int64_t column) {
  const Floats d;
  constexpr int64_t kLanes = hn::MaxLanes(Floats());
  const float* const x = q.x + row * kPlanes * q.bytes;
  const uint8_t* const weight = q.weight + column * q.bytes;
  Vector totals[kRows][kColumns];
  Clear(totals);
  // Each step asks for as many bytes of a later tile as it reads.
  const bool foreseen = Foresees<kColumns>(q);
  const uint8_t* const next = weight + kTilesAhead * kColumns * q.bytes;
  for (int64_t group = 0; group < q.groups; ++group) {
    Vector sums[kRows][kColumns];
    Clear(sums);
    int64_t at = group * q.step;
    const int64_t end = std::min(at + q.step, q.bytes);
    for (; at + kLanes <= end; at += kLanes) {
      if (foreseen) Foresee(next + kColumns * at, kColumns * kLanes);
      AddProducts<kPlanes>(q, x, weight, at, kLanes, sums);
    }
    if (at < end) AddProducts<kPlanes>(q, x, weight, at, end - at, sums);
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j) {
      const Vector scale = hn::Set(d, q.scale[(column + j) * q.groups + group]);
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) {
        totals[i][j] = hn::MulAdd(sums[i][j], scale, totals[i][j]);
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j) {
      const float sum = hn::GetLane(hn::SumOfLanes(d, totals[i][j]));
      q.out[(row + i) * q.n + column + j] =
          q.bias == nullptr ? sum : sum + q.bias[column + j];
    }
  }
}

template <int kPlanes, int kRows, int kColumns>
HWY_INLINE void Columns(const QuantizedRows& q, int64_t row, int64_t begin,
                        int64_t end) {
  int64_t column = begin;
  for (; column + kColumns <= end; column += kColumns) {
    Tile<kPlanes, kRows, kColumns>(q, row, column);
  }
  for (; column < end; ++column) Tile<kPlanes, kRows, 1>(q, row, column);
}

// Eight sums at a time keep the arithmetic busy. One row has four: with more
// there are no registers left, and it waits for memory.
template <int kPlanes>
HWY_INLINE void Rows(const QuantizedRows& q, int64_t begin, int64_t end) {
  constexpr int kMany = 4 / kPlanes;
  int64_t row = 0;
  for (; row + kMany <= q.m; row += kMany) {
    Columns<kPlanes, kMany, 8 / kMany>(q, row, begin, end);
  }
  for (; row < q.m; ++row) Columns<kPlanes, 1, 4>(q, row, begin, end);
}

void Multiply(const QuantizedRows& q, int64_t begin, int64_t end) {
  q.packed ? Rows<2>(q, begin, end) : Rows<1>(q, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {
namespace {
HWY_EXPORT(Multiply);
}  // namespace

void MultiplyQuantizedRows(const QuantizedRows& product, int64_t begin,
                           int64_t end) {
  HWY_DYNAMIC_DISPATCH(Multiply)(product, begin, end);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE
