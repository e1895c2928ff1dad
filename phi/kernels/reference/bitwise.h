// SPDX-License-Identifier: Apache-2.0
// Reference kernels: logic on the bits of integers.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_BITWISE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_BITWISE_H_

#include <type_traits>

#include "phi/kernels/reference/formula.h"

namespace switchyard::phi::kernels::reference {

// The other truth value, or the number of all bits that v lacks: -1 - v.
template <typename V>
V Inverted(V v) {
  if constexpr (std::is_same_v<V, bool>) return !v;
  return static_cast<V>(-1 - v);
}

SY_FORMULA_2(BitwiseAnd, Own, a, b, a& b)
SY_FORMULA_2(BitwiseOr, Own, a, b, a | b)
SY_FORMULA_2(BitwiseXor, Own, a, b, a ^ b)
SY_FORMULA_1(BitwiseNot, Own, v, Inverted(v))

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_BITWISE_H_
