// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/rnn/recurrent.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/sequence/sequence_rules.h"

namespace switchyard::phi {
namespace {

constexpr Dim kAny = Dim::Unknown();

absl::Status CheckActivation(std::string_view attr, std::string_view name) {
  constexpr std::string_view kNames[] = {"sigmoid", "tanh", "relu", "identity"};
  if (std::find(std::begin(kNames), std::end(kNames), name) !=
      std::end(kNames)) {
    return absl::OkStatus();
  }
  return ArgumentError(attr, "sigmoid, tanh, relu or identity",
                       std::string(name));
}

// Checks an input that is projected to `gates` parts, its weight and initial
// states; returns the shape of the states.
absl::StatusOr<Shape> CheckRecurrence(const TensorSpec& input,
                                      const TensorSpec& weight, int gates) {
  SY_RETURN_IF_ERROR(CheckShape("weight", weight, Shape({kAny, kAny})));
  const Dim width = weight.shape[0];
  SY_ASSIGN_OR_RETURN(const Dim parts, Multiply(Dim(gates), width));
  SY_RETURN_IF_ERROR(
      CheckDtypeAndShape("weight", weight, input.dtype, Shape({width, parts})));
  SY_RETURN_IF_ERROR(CheckShape("input", input, Shape({kAny, parts})));
  return Shape({input.shape[0], width});
}

absl::Status CheckInitial(std::string_view argument, const TensorSpec* initial,
                          DataType dtype, Dim width) {
  if (initial == nullptr) return absl::OkStatus();
  return CheckDtypeAndShape(argument, *initial, dtype, Shape({kAny, width}));
}

absl::Status CheckBias(const TensorSpec& bias, DataType dtype, int parts,
                       Dim width) {
  SY_ASSIGN_OR_RETURN(const Dim elements, Multiply(Dim(parts), width));
  return CheckDtypeAndShape("bias", bias, dtype, Shape({1, elements}));
}

// The gradient of an initial state; where that is absent, zeros were, a row for
// each sequence.
absl::Status SetInitialGrad(const TensorSpec* initial, DataType dtype,
                            Dim width, TensorSpec* grad) {
  if (initial != nullptr) return UnchangedInferMeta(*initial, grad);
  return SetOutput(grad, dtype, Shape({kAny, width}));
}

}  // namespace

absl::Status GruInferMeta(const TensorSpec& input, const TensorSpec* h0,
                          const TensorSpec& weight, const TensorSpec* bias,
                          std::string_view activation,
                          std::string_view gate_activation, bool, bool,
                          TensorSpec* hidden, TensorSpec* batch_gate,
                          TensorSpec* batch_reset_hidden_prev,
                          TensorSpec* batch_hidden) {
  SY_RETURN_IF_ERROR(CheckActivation("activation", activation));
  SY_RETURN_IF_ERROR(CheckActivation("gate_activation", gate_activation));
  SY_ASSIGN_OR_RETURN(const Shape states, CheckRecurrence(input, weight, 3));
  SY_RETURN_IF_ERROR(CheckInitial("h0", h0, input.dtype, states[1]));
  if (bias != nullptr) {
    SY_RETURN_IF_ERROR(CheckBias(*bias, input.dtype, 3, states[1]));
  }
  SY_RETURN_IF_ERROR(
      SetSequences(input.dtype, states, input.lod_levels, hidden));
  SY_RETURN_IF_ERROR(SetOutput(batch_gate, input.dtype, input.shape));
  SY_RETURN_IF_ERROR(SetOutput(batch_reset_hidden_prev, input.dtype, states));
  return SetOutput(batch_hidden, input.dtype, states);
}

absl::Status GruGradInferMeta(
    const TensorSpec& input, const TensorSpec* h0, const TensorSpec& weight,
    const TensorSpec* bias, const TensorSpec& hidden,
    const TensorSpec& batch_gate, const TensorSpec& hidden_grad,
    std::string_view activation, std::string_view gate_activation,
    bool is_reverse, bool origin_mode, TensorSpec* input_grad,
    TensorSpec* h0_grad, TensorSpec* weight_grad, TensorSpec* bias_grad) {
  TensorSpec states, gates;
  SY_RETURN_IF_ERROR(GruInferMeta(input, h0, weight, bias, activation,
                                  gate_activation, is_reverse, origin_mode,
                                  &states, &gates, nullptr, nullptr));
  const DataType dtype = input.dtype;
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("hidden", hidden, dtype, states.shape));
  SY_RETURN_IF_ERROR(
      CheckDtypeAndShape("batch_gate", batch_gate, dtype, gates.shape));
  SY_RETURN_IF_ERROR(
      CheckDtypeAndShape("hidden_grad", hidden_grad, dtype, states.shape));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(input, input_grad));
  SY_RETURN_IF_ERROR(SetInitialGrad(h0, dtype, weight.shape[0], h0_grad));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(weight, weight_grad));
  return SetOutput(bias_grad, dtype, Shape({1, weight.shape[1]}));
}

absl::Status LstmInferMeta(
    const TensorSpec& input, const TensorSpec* h0, const TensorSpec* c0,
    const TensorSpec& weight, const TensorSpec& bias, bool use_peepholes, bool,
    std::string_view gate_activation, std::string_view cell_activation,
    std::string_view candidate_activation, TensorSpec* hidden, TensorSpec* cell,
    TensorSpec* batch_gate, TensorSpec* batch_cell_pre_act) {
  SY_RETURN_IF_ERROR(CheckActivation("gate_activation", gate_activation));
  SY_RETURN_IF_ERROR(CheckActivation("cell_activation", cell_activation));
  SY_RETURN_IF_ERROR(
      CheckActivation("candidate_activation", candidate_activation));
  SY_ASSIGN_OR_RETURN(const Shape states, CheckRecurrence(input, weight, 4));
  SY_RETURN_IF_ERROR(CheckInitial("h0", h0, input.dtype, states[1]));
  SY_RETURN_IF_ERROR(CheckInitial("c0", c0, input.dtype, states[1]));
  SY_RETURN_IF_ERROR(
      CheckBias(bias, input.dtype, use_peepholes ? 7 : 4, states[1]));
  SY_RETURN_IF_ERROR(
      SetSequences(input.dtype, states, input.lod_levels, hidden));
  SY_RETURN_IF_ERROR(SetSequences(input.dtype, states, input.lod_levels, cell));
  SY_RETURN_IF_ERROR(SetOutput(batch_gate, input.dtype, input.shape));
  return SetOutput(batch_cell_pre_act, input.dtype, states);
}

absl::Status LstmGradInferMeta(
    const TensorSpec& input, const TensorSpec* h0, const TensorSpec* c0,
    const TensorSpec& weight, const TensorSpec& bias, const TensorSpec& hidden,
    const TensorSpec& cell, const TensorSpec& batch_gate,
    const TensorSpec& batch_cell_pre_act, const TensorSpec* hidden_grad,
    const TensorSpec* cell_grad, bool use_peepholes, bool is_reverse,
    std::string_view gate_activation, std::string_view cell_activation,
    std::string_view candidate_activation, TensorSpec* input_grad,
    TensorSpec* h0_grad, TensorSpec* c0_grad, TensorSpec* weight_grad,
    TensorSpec* bias_grad) {
  TensorSpec states, gates;
  SY_RETURN_IF_ERROR(LstmInferMeta(input, h0, c0, weight, bias, use_peepholes,
                                   is_reverse, gate_activation, cell_activation,
                                   candidate_activation, &states, nullptr,
                                   &gates, nullptr));
  const DataType dtype = input.dtype;
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("hidden", hidden, dtype, states.shape));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("cell", cell, dtype, states.shape));
  SY_RETURN_IF_ERROR(
      CheckDtypeAndShape("batch_gate", batch_gate, dtype, gates.shape));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape(
      "batch_cell_pre_act", batch_cell_pre_act, dtype, states.shape));
  if (hidden_grad != nullptr) {
    SY_RETURN_IF_ERROR(
        CheckDtypeAndShape("hidden_grad", *hidden_grad, dtype, states.shape));
  }
  if (cell_grad != nullptr) {
    SY_RETURN_IF_ERROR(
        CheckDtypeAndShape("cell_grad", *cell_grad, dtype, states.shape));
  }
  SY_RETURN_IF_ERROR(UnchangedInferMeta(input, input_grad));
  SY_RETURN_IF_ERROR(SetInitialGrad(h0, dtype, weight.shape[0], h0_grad));
  SY_RETURN_IF_ERROR(SetInitialGrad(c0, dtype, weight.shape[0], c0_grad));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(weight, weight_grad));
  return UnchangedInferMeta(bias, bias_grad);
}

absl::Status CrfDecodingInferMeta(const TensorSpec& emission,
                                  const TensorSpec& transition,
                                  const TensorSpec* label,
                                  const TensorSpec* length,
                                  TensorSpec* viterbi_path) {
  SY_RETURN_IF_ERROR(CheckShape(
      "emission", emission,
      length == nullptr ? Shape({kAny, kAny}) : Shape({kAny, kAny, kAny})));
  const int rank = emission.shape.rank();
  const Dim tags = emission.shape[rank - 1];
  SY_ASSIGN_OR_RETURN(const Dim rows, Add(tags, Dim(2)));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("transition", transition,
                                        emission.dtype, Shape({rows, tags})));
  Shape path(
      {emission.shape[0], length == nullptr ? Dim(1) : emission.shape[1]});
  if (length != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("length", *length, DataType::kInt64));
    SY_ASSIGN_OR_RETURN(const Dim count, Product(length->shape.dims()));
    if (!MayEqual(count, emission.shape[0])) {
      return ArgumentError("length",
                           "of " + ToString(emission.shape[0]) + " elements",
                           ToString(length->shape));
    }
  }
  if (label != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("label", *label, DataType::kInt64));
    SY_ASSIGN_OR_RETURN(const Dim labels, Product(label->shape.dims()));
    SY_ASSIGN_OR_RETURN(const Dim elements, Product(path.dims()));
    if (!MayEqual(labels, elements)) {
      return ArgumentError("label", "of " + ToString(elements) + " elements",
                           ToString(label->shape));
    }
  }
  SY_RETURN_IF_ERROR(SetOutput(viterbi_path, DataType::kInt64, path));
  if (viterbi_path != nullptr && length == nullptr) {
    viterbi_path->lod_levels = emission.lod_levels;
  }
  return absl::OkStatus();
}

absl::Status LodResetInferMeta(const TensorSpec& x, const TensorSpec* y,
                               bool append, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 1));
  uint8_t levels = append ? x.lod_levels + 1 : 1;
  if (y != nullptr && y->lod_levels > 0) levels = y->lod_levels;
  return SetSequences(x.dtype, x.shape, levels, out);
}

absl::Status SequencePadInferMeta(const TensorSpec& x,
                                  const TensorSpec& pad_value,
                                  int padded_length, TensorSpec* out,
                                  TensorSpec* length) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 1));
  SY_RETURN_IF_ERROR(CheckDtype("pad_value", pad_value, x.dtype));
  if (padded_length < -1) {
    return ArgumentError("padded_length", "-1 or more",
                         std::to_string(padded_length));
  }
  if (x.shape.rank() == kMaxRank) {
    return ArgumentError("x",
                         "of rank " + std::to_string(kMaxRank - 1) + " or less",
                         ToString(x.shape));
  }
  Shape padded({kAny, padded_length == -1 ? kAny : Dim(padded_length)});
  for (int axis = 1; axis < x.shape.rank(); ++axis) {
    padded.push_back(x.shape[axis]);
  }
  SY_RETURN_IF_ERROR(SetOutput(out, x.dtype, padded));
  return SetOutput(length, DataType::kInt64, Shape({kAny}));
}

absl::Status SequencePadGradInferMeta(const TensorSpec& x,
                                      const TensorSpec& out_grad,
                                      int padded_length, TensorSpec* x_grad) {
  TensorSpec out;
  SY_RETURN_IF_ERROR(SequencePadInferMeta(x, x, padded_length, &out, nullptr));
  return SetGrad(x, out_grad, out, x_grad);
}

absl::Status SequenceUnpadInferMeta(const TensorSpec& x,
                                    const TensorSpec& length, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 2));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("length", length, DataType::kInt64,
                                        Shape({x.shape[0]})));
  Shape shape({kAny});
  for (int axis = 2; axis < x.shape.rank(); ++axis) {
    shape.push_back(x.shape[axis]);
  }
  if (x.shape.rank() == 2) shape.push_back(1);
  return SetSequences(x.dtype, shape, 1, out);
}

absl::Status SequenceMaskInferMeta(const TensorSpec& x, AttrValue maxlen,
                                   DataType out_dtype, TensorSpec* y) {
  SY_RETURN_IF_ERROR(CheckIndexDtype("x", x));
  if (out_dtype == DataType::kUndefined || IsComplex(out_dtype)) {
    return TypeError("out_dtype", "a real dtype", Name(out_dtype));
  }
  if (x.shape.rank() == kMaxRank) {
    return ArgumentError("x",
                         "of rank " + std::to_string(kMaxRank - 1) + " or less",
                         ToString(x.shape));
  }
  Shape shape = x.shape;
  shape.push_back(maxlen.known() && maxlen.value() >= 0 ? Dim(maxlen.value())
                                                        : kAny);
  return SetOutput(y, out_dtype, shape);
}

absl::Status GruUnitInferMeta(const TensorSpec& input,
                              const TensorSpec& hidden_prev,
                              const TensorSpec& weight, const TensorSpec* bias,
                              std::string_view activation,
                              std::string_view gate_activation,
                              bool origin_mode, TensorSpec* gate,
                              TensorSpec* reset_hidden_prev,
                              TensorSpec* hidden) {
  TensorSpec states;
  SY_RETURN_IF_ERROR(GruInferMeta(input, nullptr, weight, bias, activation,
                                  gate_activation, false, origin_mode, &states,
                                  gate, nullptr, nullptr));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("hidden_prev", hidden_prev, input.dtype,
                                        states.shape));
  SY_RETURN_IF_ERROR(SetOutput(reset_hidden_prev, input.dtype, states.shape));
  return SetOutput(hidden, input.dtype, states.shape);
}

absl::Status GruUnitGradInferMeta(
    const TensorSpec& input, const TensorSpec& hidden_prev,
    const TensorSpec& weight, const TensorSpec* bias, const TensorSpec& gate,
    const TensorSpec& hidden_grad, std::string_view activation,
    std::string_view gate_activation, bool origin_mode, TensorSpec* input_grad,
    TensorSpec* hidden_prev_grad, TensorSpec* weight_grad,
    TensorSpec* bias_grad) {
  TensorSpec hidden, gates;
  SY_RETURN_IF_ERROR(GruUnitInferMeta(input, hidden_prev, weight, bias,
                                      activation, gate_activation, origin_mode,
                                      &gates, nullptr, &hidden));
  const DataType dtype = input.dtype;
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("gate", gate, dtype, gates.shape));
  SY_RETURN_IF_ERROR(
      CheckDtypeAndShape("hidden_grad", hidden_grad, dtype, hidden.shape));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(input, input_grad));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(hidden_prev, hidden_prev_grad));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(weight, weight_grad));
  return SetOutput(bias_grad, dtype, Shape({1, weight.shape[1]}));
}

absl::Status LstmUnitInferMeta(const TensorSpec& x, const TensorSpec& c_prev,
                               TensorSpec* c, TensorSpec* h) {
  SY_RETURN_IF_ERROR(CheckShape("c_prev", c_prev, Shape({kAny, kAny})));
  SY_ASSIGN_OR_RETURN(const Dim gates, Multiply(Dim(4), c_prev.shape[1]));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("x", x, c_prev.dtype,
                                        Shape({c_prev.shape[0], gates})));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(c_prev, c));
  return UnchangedInferMeta(c_prev, h);
}

absl::Status LstmUnitGradInferMeta(const TensorSpec& x,
                                   const TensorSpec& c_prev,
                                   const TensorSpec* c_grad,
                                   const TensorSpec* h_grad, TensorSpec* x_grad,
                                   TensorSpec* c_prev_grad) {
  SY_RETURN_IF_ERROR(LstmUnitInferMeta(x, c_prev, nullptr, nullptr));
  if (c_grad != nullptr) {
    SY_RETURN_IF_ERROR(
        CheckDtypeAndShape("c_grad", *c_grad, x.dtype, c_prev.shape));
  }
  if (h_grad != nullptr) {
    SY_RETURN_IF_ERROR(
        CheckDtypeAndShape("h_grad", *h_grad, x.dtype, c_prev.shape));
  }
  SY_RETURN_IF_ERROR(UnchangedInferMeta(x, x_grad));
  return UnchangedInferMeta(c_prev, c_prev_grad);
}

absl::Status RowConvInferMeta(const TensorSpec& x, const TensorSpec& filter,
                              TensorSpec* out) {
  const int rank = x.shape.rank();
  if (rank != 2 && rank != 3) {
    return ArgumentError("x", "of rank 2 or 3", ToString(x.shape));
  }
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("filter", filter, x.dtype,
                                        Shape({kAny, x.shape[rank - 1]})));
  return SetSequences(x.dtype, x.shape, x.lod_levels, out);
}

}  // namespace switchyard::phi
