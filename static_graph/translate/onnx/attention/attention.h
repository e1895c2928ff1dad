// SPDX-License-Identifier: Apache-2.0
// ScoredAttention: the attention that ONNX's operators and ONNX Runtime's have
// in common, once their inputs have heads.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ATTENTION_ATTENTION_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ATTENTION_ATTENTION_H_

#include <vector>

#include "static_graph/translate/onnx/expression.h"

namespace switchyard::static_graph {

// Queries, keys and values of [batch, heads, steps, size]. There may be several
// heads of queries for each head of keys: those one after another share it.
struct AttentionInputs {
  ir::Value q, k, v;
  int64_t shared = 0;  // Heads of queries for one of keys; 0: by the extents.
  double scale = 0;    // 0: 1 / sqrt(size).
  double softcap = 0;  // 0: none.
  // The sum of masks, which is added to the scores; null: nothing. Where a
  // whole row of it is -inf, the query sees no key, and its result is 0.
  ir::Value bias;
  // In which dtype the softmax is taken; kUndefined: that of the scores.
  DataType precision = DataType::kUndefined;
};

// The result, and the scores on their way to it.
struct AttentionResults {
  ir::Value y;       // [batch, heads, steps, size].
  ir::Value scores;  // The scaled products.
  ir::Value capped, biased, weights;
};

AttentionResults ScoredAttention(OnnxCall& call, const AttentionInputs& inputs);

// [batch, steps, heads * size] as [batch, heads, steps, size], and back.
ir::Value SplitHeads(OnnxCall& call, ir::Value x, int64_t heads);
ir::Value JoinHeads(OnnxCall& call, ir::Value x);

// Which keys each query sees, as a bool of [queries, keys], or of [batch, 1,
// queries, keys] where `first` has an axis.
struct VisibleKeys {
  ir::Value q, k;   // For their extents on axis 2.
  ir::Value first;  // The place of the first query among the keys: an int64 of
                    // [1] or [batch, 1, 1, 1]; null: 0.
  bool causal = false;
  int64_t left = -1;   // At most this many keys before a query's place.
  int64_t right = -1;  // At most this many after it.
};
// Null where all of them are.
ir::Value Visible(OnnxCall& call, const VisibleKeys& keys);

// 0 where a mask holds, else -inf.
ir::Value BiasOf(OnnxCall& call, ir::Value mask, DataType dtype);
// The sum of two biases; either may be null.
ir::Value BothBiases(OnnxCall& call, ir::Value a, ir::Value b);

// Turns pairs of the last axis of [batch, steps, heads, size] by angles of
// [batch or 1, steps, pairs]: the elements of a pair are half of the turned
// part apart, or beside one another. Elements after the turned part stay.
ir::Value Turned(OnnxCall& call, ir::Value x, ir::Value cosines,
                 ir::Value sines, bool interleaved);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ATTENTION_ATTENTION_H_
