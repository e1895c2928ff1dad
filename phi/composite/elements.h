// SPDX-License-Identifier: Apache-2.0
// Arithmetic with numbers, as steps of composites. Not operators' composites
// themselves.
#ifndef SWITCHYARD_PHI_COMPOSITE_ELEMENTS_H_
#define SWITCHYARD_PHI_COMPOSITE_ELEMENTS_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "phi/composite/calls/full_like.gen.h"
#include "phi/composite/calls/scale.gen.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// Returns v * factor + summand.
inline Value Linear(Ops& ops, const Value& v, double factor, double summand) {
  return op::scale(ops, v, Scalar(factor), Scalar(summand), true);
}

// Returns v * factor.
inline Value Times(Ops& ops, const Value& v, double factor) {
  return Linear(ops, v, factor, 0);
}

// Returns a tensor of the dtype and shape of `like`, full of a number.
inline Value FullLike(Ops& ops, const Value& like, double number) {
  return op::full_like(ops, like, Scalar(number), DataType::kUndefined);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ELEMENTS_H_
