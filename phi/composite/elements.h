// SPDX-License-Identifier: Apache-2.0
// Arithmetic with numbers, as steps of composites. Not operators' composites
// themselves.
#ifndef SWITCHYARD_PHI_COMPOSITE_ELEMENTS_H_
#define SWITCHYARD_PHI_COMPOSITE_ELEMENTS_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

// Returns v * factor + summand.
template <typename Ops, typename V>
V Linear(Ops& ops, const V& v, double factor, double summand) {
  return ops.scale(v, Scalar(factor), Scalar(summand), true);
}

// Returns v * factor.
template <typename Ops, typename V>
V Times(Ops& ops, const V& v, double factor) {
  return Linear(ops, v, factor, 0);
}

// Returns a tensor of the dtype and shape of `like`, full of a number.
template <typename Ops, typename V>
V FullLike(Ops& ops, const V& like, double number) {
  return ops.full_like(like, Scalar(number), DataType::kUndefined);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ELEMENTS_H_
