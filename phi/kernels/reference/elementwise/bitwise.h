// SPDX-License-Identifier: Apache-2.0
// Reference kernels: logic on the bits of integers, and shifts.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_BITWISE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_BITWISE_H_

#include <cstdint>
#include <type_traits>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

// The other truth value, or the number of all bits that v lacks: -1 - v.
template <typename V>
V Inverted(V v) {
  if constexpr (std::is_same_v<V, bool>) return !v;
  return static_cast<V>(-1 - v);
}

// v doubled `count` times, or for ever where that is negative; the bits of the
// dtype stay.
template <typename V>
V Doubled(V v, V count) {
  uint64_t bits = static_cast<uint64_t>(v);
  const int steps =
      count < V(0) || count > V(64) ? 64 : static_cast<int>(count);
  for (int i = 0; i < steps; ++i) bits += bits;
  return static_cast<V>(bits);
}

// v halved and rounded down `count` times, or for ever.
template <typename V>
V Halved(V v, V count) {
  using Whole =
      std::conditional_t<std::is_same_v<V, uint64_t>, uint64_t, int64_t>;
  Whole rest = static_cast<Whole>(v);
  const int steps =
      count < V(0) || count > V(64) ? 64 : static_cast<int>(count);
  for (int i = 0; i < steps; ++i) rest = (rest - (rest & 1)) / 2;
  return static_cast<V>(rest);
}

SY_FORMULA_2(BitwiseAnd, Own, a, b, a& b)
SY_FORMULA_2(BitwiseOr, Own, a, b, a | b)
SY_FORMULA_2(BitwiseXor, Own, a, b, a ^ b)
SY_FORMULA_2(BitwiseLeftShift, Own, a, b, Doubled(a, b))
SY_FORMULA_2(BitwiseRightShift, Own, a, b, Halved(a, b))
SY_FORMULA_1(BitwiseNot, Own, v, Inverted(v))

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_BITWISE_H_
