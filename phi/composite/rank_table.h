// SPDX-License-Identifier: Apache-2.0
// Gradients of orders by rank tables, made of operators: the other order, of
// the sequences that the result has.
#ifndef SWITCHYARD_PHI_COMPOSITE_RANK_TABLE_H_
#define SWITCHYARD_PHI_COMPOSITE_RANK_TABLE_H_

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ReorderLodTensorByRankGrad(Ops& ops, const V& rank_table, const V& out,
                                const V& out_grad, V* x_grad) {
  *x_grad = ops.restore_lod_tensor_by_rank(ops.with_sequences(out_grad, out),
                                           rank_table);
}

template <typename Ops, typename V = typename Ops::Value>
void RestoreLodTensorByRankGrad(Ops& ops, const V& rank_table, const V& out,
                                const V& out_grad, V* x_grad) {
  *x_grad = ops.reorder_lod_tensor_by_rank(ops.with_sequences(out_grad, out),
                                           rank_table);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_RANK_TABLE_H_
