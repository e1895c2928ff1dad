// SPDX-License-Identifier: Apache-2.0
// float16 and bfloat16 in float32 inside of a composite: what squares, raises,
// subtracts or sums widens its inputs once and rounds its result once. Not
// operators' composites themselves.
#ifndef SWITCHYARD_PHI_COMPOSITE_WIDENING_H_
#define SWITCHYARD_PHI_COMPOSITE_WIDENING_H_

#include "framework/types/data_type.h"

namespace switchyard::phi::composite {

// Returns v, in float32 if it is of a 16-bit dtype.
template <typename Ops, typename V>
V Widened(Ops& ops, const V& v) {
  const DataType dtype = ops.dtype(v);
  const bool half = dtype == DataType::kFloat16 || dtype == DataType::kBFloat16;
  return half ? ops.cast(v, DataType::kFloat32) : v;
}

// Returns v in `dtype`: itself if it has that already.
template <typename Ops, typename V>
V Narrowed(Ops& ops, const V& v, DataType dtype) {
  return ops.dtype(v) == dtype ? v : ops.cast(v, dtype);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_WIDENING_H_
