// SPDX-License-Identifier: Apache-2.0
// The matrix product of old programs: alpha * x y.
#ifndef SWITCHYARD_PHI_COMPOSITE_LEGACY_MATMUL_H_
#define SWITCHYARD_PHI_COMPOSITE_LEGACY_MATMUL_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void LegacyMatmul(Ops& ops, const V& x, const V& y, bool transpose_x,
                  bool transpose_y, float alpha, V* out) {
  if (out == nullptr) return;
  *out = ops.matmul(x, y, transpose_x, transpose_y);
  if (alpha != 1.0f) *out = ops.scale(*out, Scalar(alpha), Scalar(0.0), true);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LEGACY_MATMUL_H_
