// SPDX-License-Identifier: Apache-2.0
// Composites of the operators that PaddlePaddle's passes make of several on
// sequences.
#ifndef SWITCHYARD_PHI_COMPOSITE_FUSED_SEQUENCE_H_
#define SWITCHYARD_PHI_COMPOSITE_FUSED_SEQUENCE_H_

#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/shape.h"
#include "phi/composite/fused.h"

namespace switchyard::phi::composite {

// x w, with the sequences of x. Part of the composites below; not an operator's
// composite itself.
template <typename Ops, typename V>
V ProjectedSequences(Ops& ops, const V& x, const V& weight_x) {
  const Shape rows = ops.shape(x), columns = ops.shape(weight_x);
  if (rows.rank() != 2) {
    ops.Fail(ArgumentError("x", "of rank 2", ToString(rows)));
  }
  if (columns.rank() != 2 || !MayEqual(rows[1], columns[0])) {
    ops.Fail(ArgumentError("weight_x",
                           "a matrix of " + ToString(rows[1]) + " rows",
                           ToString(columns)));
  }
  return ops.with_sequences(ops.matmul(x, weight_x, false, false), x);
}

// gru of x weight_x.
template <typename Ops, typename V = typename Ops::Value>
void FusionGru(Ops& ops, const V& x, const V& h0, const V& weight_x,
               const V& weight_h, const V& bias, std::string_view activation,
               std::string_view gate_activation, bool is_reverse,
               bool origin_mode, V* hidden) {
  if (hidden == nullptr) return;
  const V input = ProjectedSequences(ops, x, weight_x);
  *hidden = ops.gru(input, h0, weight_h, bias, activation, gate_activation,
                    is_reverse, origin_mode)[0];
}

// lstm of x weight_x.
template <typename Ops, typename V = typename Ops::Value>
void FusionLstm(Ops& ops, const V& x, const V& weight_x, const V& weight_h,
                const V& bias, const V& h0, const V& c0, bool use_peepholes,
                bool is_reverse, std::string_view gate_activation,
                std::string_view cell_activation,
                std::string_view candidate_activation, V* hidden, V* cell) {
  if (hidden == nullptr && cell == nullptr) return;
  const V input = ProjectedSequences(ops, x, weight_x);
  const std::vector<V> states =
      ops.lstm(input, h0, c0, weight_h, bias, use_peepholes, is_reverse,
               gate_activation, cell_activation, candidate_activation);
  if (hidden != nullptr) *hidden = states[0];
  if (cell != nullptr) *cell = states[1];
}

// relu(sequence_conv(x) + bias), with the sequences of x.
template <typename Ops, typename V = typename Ops::Value>
void FusionSeqconvEltaddRelu(Ops& ops, const V& x, const V& filter,
                             const V& bias, int context_length,
                             int context_start, int context_stride, V* out) {
  if (out == nullptr) return;
  const V product = ops.sequence_conv(x, V(), filter, context_length, false,
                                      context_start, context_stride);
  *out = ops.with_sequences(ops.relu(WithColumnBias(ops, product, bias)), x);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_FUSED_SEQUENCE_H_
