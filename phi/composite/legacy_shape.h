// SPDX-License-Identifier: Apache-2.0
// The extents of a tensor as old programs have them: int32.
#ifndef SWITCHYARD_PHI_COMPOSITE_LEGACY_SHAPE_H_
#define SWITCHYARD_PHI_COMPOSITE_LEGACY_SHAPE_H_

#include "framework/types/data_type.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void LegacyShape(Ops& ops, const V& input, V* out) {
  if (out == nullptr) return;
  *out = ops.cast(ops.shape(input), DataType::kInt32);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LEGACY_SHAPE_H_
