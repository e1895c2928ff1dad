// SPDX-License-Identifier: Apache-2.0
// Composites of the operators that PaddlePaddle's passes make of several on
// sequences.
#ifndef SWITCHYARD_PHI_COMPOSITE_FUSED_SEQUENCE_H_
#define SWITCHYARD_PHI_COMPOSITE_FUSED_SEQUENCE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/quoted.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_fused_sequence.h"
#include "phi/composite/elements.h"
#include "phi/composite/fused.h"
#include "phi/composite/fused_bytes.h"
#include "phi/composite/lists.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// x w, with the sequences of x. Part of the composites below; not an operator's
// composite itself.
inline Value ProjectedSequences(Ops& ops, const Value& x,
                                const Value& weight_x) {
  const Shape rows = ops.shape(x), columns = ops.shape(weight_x);
  if (rows.rank() != 2) {
    ops.Fail(ArgumentError("x", "of rank 2", ToString(rows)));
  }
  if (columns.rank() != 2 || !MayEqual(rows[1], columns[0])) {
    ops.Fail(ArgumentError("weight_x",
                           "a matrix of " + ToString(rows[1]) + " rows",
                           ToString(columns)));
  }
  return op::with_sequences(ops, op::matmul(ops, x, weight_x, false, false), x);
}

// A recurrent layer's sequences and weights. Of bytes: the numbers that x
// stands for, and what the weights are once they were bytes. Part of the
// composites below; not an operator's composite itself.
struct RecurrentOperands {
  RecurrentOperands(Ops& ops, const Value& x, const Value& weight_x,
                    const Value& weight_h, float scale_data, float shift_data,
                    absl::Span<const float> scale_weights)
      : bytes(fused_bytes::AreBytes(ops, x)), hidden(weight_h) {
    if (!bytes) {
      input = ProjectedSequences(ops, x, weight_x);
      return;
    }
    for (const Value& weights : {weight_x, weight_h}) {
      if (ops.shape(weights).rank() == 2) continue;
      ops.Fail(
          ArgumentError("weights", "matrices", ToString(ops.shape(weights))));
    }
    const Value numbers = op::with_sequences(
        ops, fused_bytes::Numbers(ops, x, "scale_data", scale_data, shift_data),
        x);
    input = ProjectedSequences(
        ops, numbers,
        fused_bytes::WeightsOfBytes(ops, weight_x, 1, scale_weights));
    hidden = fused_bytes::WeightsOfBytes(ops, weight_h, 1, scale_weights);
  }

  bool bytes;
  Value input;   // The projected sequences.
  Value hidden;  // The weights of the states.
};

// States in bytes with the sequences of x, unless they stay numbers. Part of
// the composites below; not an operator's composite itself.
inline Value StatesInBytes(Ops& ops, const Value& states, const Value& x,
                           float scale_data, float shift_data) {
  return op::with_sequences(
      ops,
      fused_bytes::Bytes(ops, states, scale_data, DataType::kUInt8, shift_data),
      x);
}

// gru of x weight_x.
inline void FusionGru(Ops& ops, const Value& x, const Value& h0,
                      const Value& weight_x, const Value& weight_h,
                      const Value& bias, std::string_view activation,
                      std::string_view gate_activation, bool is_reverse,
                      bool origin_mode, float scale_data, float shift_data,
                      absl::Span<const float> scale_weights,
                      bool force_fp32_output, Value* hidden) {
  if (hidden == nullptr) return;
  const RecurrentOperands of(ops, x, weight_x, weight_h, scale_data, shift_data,
                             scale_weights);
  *hidden = op::gru(ops, of.input, h0, of.hidden, bias, activation,
                    gate_activation, is_reverse, origin_mode)[0];
  if (!of.bytes || force_fp32_output) return;
  *hidden = StatesInBytes(ops, *hidden, x, scale_data, shift_data);
}

// lstm of x weight_x.
inline void FusionLstm(Ops& ops, const Value& x, const Value& weight_x,
                       const Value& weight_h, const Value& bias,
                       const Value& h0, const Value& c0, bool use_peepholes,
                       bool is_reverse, std::string_view gate_activation,
                       std::string_view cell_activation,
                       std::string_view candidate_activation, float scale_data,
                       float shift_data, absl::Span<const float> scale_weights,
                       bool force_fp32_output, Value* hidden, Value* cell) {
  if (hidden == nullptr && cell == nullptr) return;
  const RecurrentOperands of(ops, x, weight_x, weight_h, scale_data, shift_data,
                             scale_weights);
  const std::vector<Value> states = op::lstm(
      ops, of.input, h0, c0, of.hidden, bias, use_peepholes, is_reverse,
      gate_activation, cell_activation, candidate_activation);
  if (cell != nullptr) *cell = states[1];
  if (hidden == nullptr) return;
  *hidden = of.bytes && !force_fp32_output
                ? StatesInBytes(ops, states[0], x, scale_data, shift_data)
                : states[0];
}

// relu(sequence_conv(x) + bias), with the sequences of x.
inline void FusionSeqconvEltaddRelu(Ops& ops, const Value& x,
                                    const Value& filter, const Value& bias,
                                    int context_length, int context_start,
                                    int context_stride, Value* out) {
  if (out == nullptr) return;
  const Value product =
      op::sequence_conv(ops, x, Value(), filter, context_length, false,
                        context_start, context_stride);
  *out = op::with_sequences(
      ops, op::relu(ops, WithColumnBias(ops, product, bias)), x);
}

// lstm of rows of a table, which have the biases of the gates already. What
// `bias` has before the weights of peepholes is not read.
inline void FusedEmbeddingFcLstm(
    Ops& ops, const Value& ids, const Value& embeddings, const Value& weight_h,
    const Value& bias, const Value& h0, const Value& c0, bool use_peepholes,
    bool is_reverse, std::string_view gate_activation,
    std::string_view cell_activation, std::string_view candidate_activation,
    Value* hidden, Value* cell) {
  if (hidden == nullptr && cell == nullptr) return;
  const Shape table = ops.shape(embeddings), given = ops.shape(bias);
  if (table.rank() != 2 || !table[1].known()) {
    return ops.Fail(ArgumentError("embeddings", "a matrix of known width",
                                  ToString(table)));
  }
  const int64_t gates = table[1].value();
  if (given.rank() != 2 || !given[1].known() || given[1].value() < gates) {
    return ops.Fail(ArgumentError(
        "bias", "of shape [1, " + std::to_string(gates) + "] or wider",
        ToString(given)));
  }
  const std::vector<int64_t> axes = {1};
  const auto columns = [&](int64_t begin, int64_t end) {
    const std::vector<int64_t> starts = {begin}, ends = {end};
    return op::slice(ops, bias, axes, starts, ends);
  };
  const std::vector<Value> parts = {FullLike(ops, columns(0, gates), 0),
                                    columns(gates, given[1].value())};
  const Value input = op::lookup_table(ops, embeddings, ids, -1);
  const std::vector<Value> states = op::lstm(
      ops, input, h0, c0, weight_h, Joined(ops, parts, 1), use_peepholes,
      is_reverse, gate_activation, cell_activation, candidate_activation);
  if (hidden != nullptr) *hidden = states[0];
  if (cell != nullptr) *cell = states[1];
}

// A linear layer of the first of x beside the rows of the others, each as often
// as its sequence is long.
inline void FusionSeqexpandConcatFc(Ops& ops, const List& x,
                                    const Value& weight, const Value& bias,
                                    std::string_view activation, Value* out) {
  if (out == nullptr) return;
  if (x.size() < 2) {
    return ops.Fail(
        ArgumentError("x", "of two tensors or more", std::to_string(x.size())));
  }
  if (activation != "identity" && activation != "relu" &&
      activation != "sigmoid" && activation != "tanh") {
    return ops.Fail(ArgumentError(
        "activation", "identity, relu, sigmoid or tanh", Quoted(activation)));
  }
  std::vector<Value> parts = {x[0]};
  for (size_t i = 1; i < x.size(); ++i) {
    parts.push_back(op::sequence_expand_as(ops, x[i], x[0]));
  }
  Value v = op::matmul(ops, Joined(ops, parts, 1), weight, false, false);
  if (ops.defined(bias)) v = WithColumnBias(ops, v, bias);
  if (activation == "relu") v = op::relu(ops, v);
  if (activation == "sigmoid") v = op::sigmoid(ops, v);
  if (activation == "tanh") v = op::tanh(ops, v);
  *out = op::with_sequences(ops, v, x[0]);
}

// Layers of two gru each, one of which runs backwards, side by side.
inline void MultiGru(Ops& ops, const Value& x, const List& weight_x,
                     const List& weight_h, const List& bias,
                     std::string_view activation,
                     std::string_view gate_activation, int layers,
                     bool origin_mode, Value* hidden) {
  if (hidden == nullptr) return;
  if (layers < 1) {
    return ops.Fail(
        ArgumentError("layers", "1 or more", std::to_string(layers)));
  }
  const size_t count = 2 * static_cast<size_t>(layers);
  const auto check = [&](const char* name, size_t size, bool optional) {
    if (size == count || (optional && size == 0)) return;
    ops.Fail(ArgumentError(
        name, "of " + std::to_string(count) + " tensors, two a layer",
        std::to_string(size)));
  };
  check("weight_x", weight_x.size(), false);
  check("weight_h", weight_h.size(), false);
  check("bias", bias.size(), true);
  Value v = x;
  for (size_t i = 0; i < count; i += 2) {
    std::vector<Value> both(2);
    for (size_t j = 0; j < 2; ++j) {
      both[j] =
          op::gru(ops, ProjectedSequences(ops, v, weight_x[i + j]), Value(),
                  weight_h[i + j], bias.size() == 0 ? Value() : bias[i + j],
                  activation, gate_activation, j == 1, origin_mode)[0];
    }
    v = op::with_sequences(ops, Joined(ops, both, 1), x);
  }
  *hidden = v;
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_FUSED_SEQUENCE_H_
