// SPDX-License-Identifier: Apache-2.0
// one_hot of indices whose last axis, of extent 1, drops.
#ifndef SWITCHYARD_PHI_COMPOSITE_LEGACY_ONE_HOT_H_
#define SWITCHYARD_PHI_COMPOSITE_LEGACY_ONE_HOT_H_

#include <cstdint>

#include "framework/base/status.h"
#include "framework/types/shape.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void LegacyOneHot(Ops& ops, const V& x, int num_classes,
                  bool allow_out_of_range, V* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  const int last = shape.rank() - 1;
  if (last < 0 || !MayEqual(shape[last], Dim(1))) {
    return ops.Fail(
        ArgumentError("x", "of extent 1 along the last axis", ToString(shape)));
  }
  *out = ops.one_hot(ops.squeeze(x, {int64_t{last}}), num_classes,
                     allow_out_of_range);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LEGACY_ONE_HOT_H_
