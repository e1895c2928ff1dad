// SPDX-License-Identifier: Apache-2.0
// tril or triu, as `lower` says.
#ifndef SWITCHYARD_PHI_COMPOSITE_TRIL_TRIU_H_
#define SWITCHYARD_PHI_COMPOSITE_TRIL_TRIU_H_

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void TrilTriu(Ops& ops, const V& x, int diagonal, bool lower, V* out) {
  if (out == nullptr) return;
  *out = lower ? ops.tril(x, diagonal) : ops.triu(x, diagonal);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_TRIL_TRIU_H_
