// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/rnn/rnn.h"

#include <string>

#include "framework/base/float_text.h"
#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/creation/creation.h"
#include "phi/infermeta/data_movement/manipulation.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/shapes/rnn.h"

namespace switchyard::phi {
namespace {

struct RnnAttrs {
  double dropout_prob;
  bool is_bidirec;
  int hidden_size;
  int num_layers;
  std::string_view mode;
};

// A call's attributes, resolved.
struct RnnSizes {
  RecurrentCell cell;
  int64_t layers, directions, hidden;
};

absl::StatusOr<RnnSizes> ResolveAttrs(const RnnAttrs& attrs) {
  const auto cell = ParseRecurrentCell(attrs.mode);
  if (!cell) {
    return ArgumentError("mode",
                         "\"LSTM\", \"GRU\", \"RNN_TANH\" or \"RNN_RELU\"",
                         Quoted(attrs.mode));
  }
  if (!(attrs.dropout_prob >= 0 && attrs.dropout_prob <= 1)) {
    return ArgumentError("dropout_prob", "in [0, 1]",
                         ShortestText(attrs.dropout_prob));
  }
  if (attrs.hidden_size < 1) {
    return ArgumentError("hidden_size", "1 or more",
                         std::to_string(attrs.hidden_size));
  }
  if (attrs.num_layers < 1) {
    return ArgumentError("num_layers", "1 or more",
                         std::to_string(attrs.num_layers));
  }
  return RnnSizes{*cell, attrs.num_layers, attrs.is_bidirec ? 2 : 1,
                  attrs.hidden_size};
}

absl::Status CheckCount(std::string_view argument, MetaList list,
                        int64_t count) {
  if (static_cast<int64_t>(list.size()) == count) return absl::OkStatus();
  return ArgumentError(argument, "of " + std::to_string(count) + " tensors",
                       std::to_string(list.size()));
}

// The weights in their order, against what x and the attributes demand.
absl::Status CheckWeights(const TensorSpec& x, MetaList weights,
                          const RnnSizes& sizes) {
  const int64_t lanes = sizes.layers * sizes.directions;
  SY_RETURN_IF_ERROR(CheckCount("weight_list", weights, 4 * lanes));
  const Dim rows(GateCount(sizes.cell) * sizes.hidden);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    const Dim width = lane < sizes.directions
                          ? x.shape[2]
                          : Dim(sizes.directions * sizes.hidden);
    const Shape shapes[] = {Shape({rows, width}),
                            Shape({rows, Dim(sizes.hidden)}), Shape({rows}),
                            Shape({rows})};
    for (int64_t i = 0; i < 4; ++i) {
      // The biases are after all matrices.
      const int64_t at = (i / 2) * 2 * lanes + 2 * lane + i % 2;
      SY_RETURN_IF_ERROR(CheckDtypeAndShape(
          "weight_list", weights[static_cast<size_t>(at)], x.dtype, shapes[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckStates(std::string_view argument, const TensorSpec& x,
                         MetaList states, const RnnSizes& sizes) {
  SY_RETURN_IF_ERROR(CheckCount(argument, states, StateCount(sizes.cell)));
  const Shape shape(
      {Dim(sizes.layers * sizes.directions), x.shape[1], Dim(sizes.hidden)});
  for (size_t i = 0; i < states.size(); ++i) {
    SY_RETURN_IF_ERROR(CheckDtypeAndShape(argument, states[i], x.dtype, shape));
  }
  return absl::OkStatus();
}

absl::StatusOr<RnnSizes> CheckCall(const TensorSpec& x, MetaList pre_state,
                                   MetaList weight_list,
                                   const TensorSpec* sequence_length,
                                   const RnnAttrs& attrs) {
  SY_ASSIGN_OR_RETURN(const RnnSizes sizes, ResolveAttrs(attrs));
  SY_RETURN_IF_ERROR(CheckRank("x", x, 3));
  SY_RETURN_IF_ERROR(CheckStates("pre_state", x, pre_state, sizes));
  SY_RETURN_IF_ERROR(CheckWeights(x, weight_list, sizes));
  if (sequence_length != nullptr) {
    SY_RETURN_IF_ERROR(CheckIndexDtype("sequence_length", *sequence_length));
    SY_RETURN_IF_ERROR(
        CheckShape("sequence_length", *sequence_length, Shape({x.shape[1]})));
  }
  return sizes;
}

Shape OutShape(const TensorSpec& x, const RnnSizes& sizes) {
  return Shape({x.shape[0], x.shape[1], Dim(sizes.directions * sizes.hidden)});
}

Shape ReserveShape(const TensorSpec& x, const RnnSizes& sizes) {
  return Shape({Dim(sizes.layers), Dim(sizes.directions), x.shape[0],
                x.shape[1], Dim(ReservedCount(sizes.cell) * sizes.hidden)});
}

}  // namespace

absl::Status RnnInferMeta(const TensorSpec& x, MetaList pre_state,
                          MetaList weight_list,
                          const TensorSpec* sequence_length,
                          const TensorSpec* rng, double dropout_prob,
                          bool is_bidirec, int /*input_size*/, int hidden_size,
                          int num_layers, std::string_view mode,
                          bool /*is_test*/, int64_t /*stream*/, TensorSpec* out,
                          TensorSpec* dropout_state, MetaOutputs state,
                          TensorSpec* reserve) {
  SY_RETURN_IF_ERROR(CheckRng(rng));
  SY_ASSIGN_OR_RETURN(
      const RnnSizes sizes,
      CheckCall(x, pre_state, weight_list, sequence_length,
                {dropout_prob, is_bidirec, hidden_size, num_layers, mode}));
  const Shape shape = OutShape(x, sizes);
  SY_RETURN_IF_ERROR(SetOutput(out, x.dtype, shape));
  SY_RETURN_IF_ERROR(SetOutput(dropout_state, DataType::kUInt8, shape));
  SY_RETURN_IF_ERROR(SetOutput(reserve, x.dtype, ReserveShape(x, sizes)));
  return UnchangedListInferMeta(pre_state, state);
}

absl::Status RnnGradInferMeta(
    const TensorSpec& x, MetaList pre_state, MetaList weight_list,
    const TensorSpec* sequence_length, const TensorSpec& dropout_state,
    const TensorSpec& reserve, const TensorSpec& out_grad, MetaList state_grad,
    double dropout_prob, bool is_bidirec, int hidden_size, int num_layers,
    std::string_view mode, bool /*is_test*/, TensorSpec* x_grad,
    MetaOutputs pre_state_grad, MetaOutputs weight_list_grad) {
  SY_ASSIGN_OR_RETURN(
      const RnnSizes sizes,
      CheckCall(x, pre_state, weight_list, sequence_length,
                {dropout_prob, is_bidirec, hidden_size, num_layers, mode}));
  const Shape shape = OutShape(x, sizes);
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("dropout_state", dropout_state,
                                        DataType::kUInt8, shape));
  SY_RETURN_IF_ERROR(
      CheckDtypeAndShape("reserve", reserve, x.dtype, ReserveShape(x, sizes)));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("out_grad", out_grad, x.dtype, shape));
  SY_RETURN_IF_ERROR(CheckStates("state_grad", x, state_grad, sizes));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(x, x_grad));
  SY_RETURN_IF_ERROR(UnchangedListInferMeta(pre_state, pre_state_grad));
  return UnchangedListInferMeta(weight_list, weight_list_grad);
}

}  // namespace switchyard::phi
