// SPDX-License-Identifier: Apache-2.0
// Gradients of orders by rank tables, made of operators: the other order, of
// the sequences that the result has.
#ifndef SWITCHYARD_PHI_COMPOSITE_RANK_TABLE_H_
#define SWITCHYARD_PHI_COMPOSITE_RANK_TABLE_H_

#include "phi/composite/calls/of_rank_table.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

inline void ReorderLodTensorByRankGrad(Ops& ops, const Value& rank_table,
                                       const Value& out, const Value& out_grad,
                                       Value* x_grad) {
  *x_grad = op::restore_lod_tensor_by_rank(
      ops, op::with_sequences(ops, out_grad, out), rank_table);
}

inline void RestoreLodTensorByRankGrad(Ops& ops, const Value& rank_table,
                                       const Value& out, const Value& out_grad,
                                       Value* x_grad) {
  *x_grad = op::reorder_lod_tensor_by_rank(
      ops, op::with_sequences(ops, out_grad, out), rank_table);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_RANK_TABLE_H_
