// SPDX-License-Identifier: Apache-2.0
// float16 and bfloat16 in float32 inside of a composite: what squares, raises,
// subtracts or sums widens its inputs once and rounds its result once. Not
// operators' composites themselves.
#ifndef SWITCHYARD_PHI_COMPOSITE_WIDENING_H_
#define SWITCHYARD_PHI_COMPOSITE_WIDENING_H_

#include "framework/types/data_type.h"
#include "phi/composite/calls/cast.gen.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// Returns v, in float32 if it is of a 16-bit dtype.
inline Value Widened(Ops& ops, const Value& v) {
  const DataType dtype = ops.dtype(v);
  const bool half = dtype == DataType::kFloat16 || dtype == DataType::kBFloat16;
  return half ? op::cast(ops, v, DataType::kFloat32) : v;
}

// Returns v in `dtype`: itself if it has that already.
inline Value Narrowed(Ops& ops, const Value& v, DataType dtype) {
  return ops.dtype(v) == dtype ? v : op::cast(ops, v, dtype);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_WIDENING_H_
