// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/conversion/narrow_dtypes.h"

#include <cstring>

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/conversion/narrow_dtypes.cc"
#include "phi/kernels/cpu/simd/simd_targets.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// One vector: Load yields as many wide elements as D has lanes, Store the way
// back. Both know nothing of ends.
struct Float16Lanes {
  using Narrow = uint16_t;
  using Wide = float;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2  // These have instructions.
  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const uint16_t* in) {
    const hn::Rebind<hwy::float16_t, D> half;
    const hn::Rebind<uint16_t, D> bits;
    return hn::PromoteTo(d, hn::BitCast(half, hn::LoadU(bits, in)));
  }
  template <class D>
  static HWY_INLINE void Store(D d, hn::Vec<D> v, uint16_t* out) {
    const hn::Rebind<hwy::float16_t, D> half;
    const hn::Rebind<uint16_t, D> bits;
    (void)d;
    hn::StoreU(hn::BitCast(bits, hn::DemoteTo(half, v)), bits, out);
  }
#else
  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const uint16_t* in) {
    const hn::RebindToUnsigned<D> wide;
    const hn::Rebind<uint16_t, D> narrow;
    const auto bits = hn::PromoteTo(wide, hn::LoadU(narrow, in));
    const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(wide, 0x8000)));
    const auto rest = hn::ShiftLeft<13>(hn::And(bits, hn::Set(wide, 0x7fff)));
    // The exponents differ by 112; multiplying normalises subnormals too.
    const auto scaled =
        hn::BitCast(wide, hn::Mul(hn::BitCast(d, rest), hn::Set(d, 0x1p112f)));
    const auto special = hn::VecFromMask(
        hn::Gt(hn::BitCast(hn::RebindToSigned<D>(), rest),
               hn::Set(hn::RebindToSigned<D>(), (0x7c00 << 13) - 1)));
    const auto exponent =
        hn::And(hn::BitCast(wide, special), hn::Set(wide, 0x7f800000));
    return hn::BitCast(d, hn::Or(sign, hn::Or(scaled, exponent)));
  }
  template <class D>
  static HWY_INLINE void Store(D d, hn::Vec<D> v, uint16_t* out) {
    const hn::RebindToUnsigned<D> wide;
    const hn::RebindToSigned<D> whole;
    const hn::Rebind<uint16_t, D> narrow;
    const auto bits = hn::BitCast(wide, v);
    const auto sign =
        hn::ShiftRight<16>(hn::And(bits, hn::Set(wide, 0x80000000u)));
    const auto rest = hn::And(bits, hn::Set(wide, 0x7fffffff));
    const auto order = hn::BitCast(whole, rest);
    // Normal: the carry of just under half, and one more if odd, rounds.
    const auto odd = hn::And(hn::ShiftRight<13>(rest), hn::Set(wide, 1));
    const auto normal = hn::ShiftRight<13>(
        hn::Add(hn::Sub(rest, hn::Set(wide, (112u << 23) - 0xfff)), odd));
    // Subnormal: the addition of 0.5 rounds at float16's last place.
    const auto half = hn::Set(d, 0.5f);
    const auto tiny =
        hn::Sub(hn::BitCast(wide, hn::Add(hn::BitCast(d, rest), half)),
                hn::BitCast(wide, half));
    const auto nan =
        hn::Or(hn::And(hn::ShiftRight<13>(rest), hn::Set(wide, 0x1ff)),
               hn::Set(wide, 0x7e00));
    auto result = hn::BitCast(whole, normal);
    result = hn::IfThenElse(hn::Lt(order, hn::Set(whole, 113 << 23)),
                            hn::BitCast(whole, tiny), result);
    result = hn::IfThenElse(hn::Gt(order, hn::Set(whole, (143 << 23) - 1)),
                            hn::Set(whole, 0x7c00), result);
    result = hn::IfThenElse(hn::Gt(order, hn::Set(whole, 0x7f800000)),
                            hn::BitCast(whole, nan), result);
    result = hn::Or(result, hn::BitCast(whole, sign));
    hn::StoreU(hn::DemoteTo(narrow, result), narrow, out);
  }
#endif
};

struct BFloat16Lanes {
  using Narrow = uint16_t;
  using Wide = float;
  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const uint16_t* in) {
    const hn::RebindToUnsigned<D> wide;
    const hn::Rebind<uint16_t, D> narrow;
    return hn::BitCast(
        d, hn::ShiftLeft<16>(hn::PromoteTo(wide, hn::LoadU(narrow, in))));
  }
  template <class D>
  static HWY_INLINE void Store(D d, hn::Vec<D> v, uint16_t* out) {
    const hn::RebindToUnsigned<D> wide;
    const hn::RebindToSigned<D> whole;
    const hn::Rebind<uint16_t, D> narrow;
    (void)d;
    const auto bits = hn::BitCast(wide, v);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(wide, 1));
    const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(wide, 0x7fff)));
    const auto quiet = hn::Or(bits, hn::Set(wide, 0x400000));
    const auto result = hn::ShiftRight<16>(
        hn::IfThenElse(hn::RebindMask(wide, hn::IsNaN(v)), quiet, rounded));
    hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(whole, result)), narrow, out);
  }
};

template <typename T>
struct ByteLanes {
  using Narrow = T;
  using Wide = int32_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const T* in) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), in));
  }
  template <class D>
  static HWY_INLINE void Store(D d, hn::Vec<D> v, T* out) {
    const hn::Rebind<uint8_t, D> bytes;
    const hn::Rebind<T, D> narrow;
    // Demotion saturates: only the lowest byte is left to it.
    const auto low = hn::DemoteTo(bytes, hn::And(v, hn::Set(d, 0xff)));
    hn::StoreU(hn::BitCast(narrow, low), narrow, out);
  }
};

struct Int16Lanes {
  using Narrow = int16_t;
  using Wide = int32_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const int16_t* in) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<int16_t, D>(), in));
  }
  template <class D>
  static HWY_INLINE void Store(D d, hn::Vec<D> v, int16_t* out) {
    (void)d;
    const hn::Rebind<int16_t, D> narrow;
    // Demotion saturates: only a number that the lower half holds is left to
    // it.
    const auto low = hn::ShiftRight<16>(hn::ShiftLeft<16>(v));
    hn::StoreU(hn::DemoteTo(narrow, low), narrow, out);
  }
};

struct UInt16Lanes {
  using Narrow = uint16_t;
  using Wide = int32_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const uint16_t* in) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<uint16_t, D>(), in));
  }
  template <class D>
  static HWY_INLINE void Store(D d, hn::Vec<D> v, uint16_t* out) {
    // Demotes as int16, whose bits are the same.
    const hn::Rebind<int16_t, D> narrow;
    const hn::Rebind<uint16_t, D> bits;
    const auto low = hn::ShiftRight<16>(hn::ShiftLeft<16>(v));
    hn::StoreU(hn::BitCast(bits, hn::DemoteTo(narrow, low)), bits, out);
    (void)d;
  }
};

struct UInt32Lanes {
  using Narrow = uint32_t;
  using Wide = int64_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const uint32_t* in) {
    const hn::RebindToUnsigned<D> wide;
    const hn::Rebind<uint32_t, D> narrow;
    return hn::BitCast(d, hn::PromoteTo(wide, hn::LoadU(narrow, in)));
  }
  template <class D>
  static HWY_INLINE void Store(D d, hn::Vec<D> v, uint32_t* out) {
    const hn::RebindToUnsigned<D> wide;
    const hn::Rebind<uint32_t, D> narrow;
    (void)d;
    hn::StoreU(hn::TruncateTo(narrow, hn::BitCast(wide, v)), narrow, out);
  }
};

template <class Lanes>
void WidenSpan(const void* from, int64_t count, void* to) {
  const auto* in = static_cast<const typename Lanes::Narrow*>(from);
  auto* out = static_cast<typename Lanes::Wide*>(to);
  const hn::ScalableTag<typename Lanes::Wide> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(Lanes::Load(d, in + i), d, out + i);
  }
  if (i == count) return;
  typename Lanes::Narrow padded[kLanes] = {};
  typename Lanes::Wide result[kLanes];
  std::memcpy(padded, in + i, (count - i) * sizeof(*in));
  hn::StoreU(Lanes::Load(d, padded), d, result);
  std::memcpy(out + i, result, (count - i) * sizeof(*out));
}

template <class Lanes>
void NarrowSpan(const void* from, int64_t count, void* to) {
  const auto* in = static_cast<const typename Lanes::Wide*>(from);
  auto* out = static_cast<typename Lanes::Narrow*>(to);
  const hn::ScalableTag<typename Lanes::Wide> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Lanes::Store(d, hn::LoadU(d, in + i), out + i);
  }
  if (i == count) return;
  typename Lanes::Wide padded[kLanes] = {};
  typename Lanes::Narrow result[kLanes];
  std::memcpy(padded, in + i, (count - i) * sizeof(*in));
  Lanes::Store(d, hn::LoadU(d, padded), result);
  std::memcpy(out + i, result, (count - i) * sizeof(*out));
}

void WidenOf(DataType dtype, const void* in, int64_t count, void* out) {
  switch (dtype) {
    case DataType::kFloat16:
      return WidenSpan<Float16Lanes>(in, count, out);
    case DataType::kBFloat16:
      return WidenSpan<BFloat16Lanes>(in, count, out);
    case DataType::kInt16:
      return WidenSpan<Int16Lanes>(in, count, out);
    case DataType::kUInt16:
      return WidenSpan<UInt16Lanes>(in, count, out);
    case DataType::kUInt32:
      return WidenSpan<UInt32Lanes>(in, count, out);
    case DataType::kInt8:
      return WidenSpan<ByteLanes<int8_t>>(in, count, out);
    default:  // bool and uint8.
      return WidenSpan<ByteLanes<uint8_t>>(in, count, out);
  }
}

void NarrowOf(DataType dtype, const void* in, int64_t count, void* out) {
  switch (dtype) {
    case DataType::kFloat16:
      return NarrowSpan<Float16Lanes>(in, count, out);
    case DataType::kBFloat16:
      return NarrowSpan<BFloat16Lanes>(in, count, out);
    case DataType::kInt16:
      return NarrowSpan<Int16Lanes>(in, count, out);
    case DataType::kUInt16:
      return NarrowSpan<UInt16Lanes>(in, count, out);
    case DataType::kUInt32:
      return NarrowSpan<UInt32Lanes>(in, count, out);
    default:  // The same bits for all that have one byte.
      return NarrowSpan<ByteLanes<uint8_t>>(in, count, out);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {

HWY_EXPORT(WidenOf);
HWY_EXPORT(NarrowOf);

DataType ComputeDtype(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat16:
    case DataType::kBFloat16:
      return DataType::kFloat32;
    case DataType::kBool:
    case DataType::kInt8:
    case DataType::kUInt8:
    case DataType::kInt16:
    case DataType::kUInt16:
      return DataType::kInt32;
    case DataType::kUInt32:
      return DataType::kInt64;
    default:
      return dtype;
  }
}

void Widen(DataType dtype, const void* in, int64_t count, void* out) {
  HWY_DYNAMIC_DISPATCH(WidenOf)(dtype, in, count, out);
}

void Narrow(DataType dtype, const void* in, int64_t count, void* out) {
  HWY_DYNAMIC_DISPATCH(NarrowOf)(dtype, in, count, out);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE
