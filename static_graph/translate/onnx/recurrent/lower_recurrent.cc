// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN, as our operator of one layer, whose gates are in another
// order; step by step if it lacks a feature of the node (recurrent.h).
#include <numeric>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/recurrent/recurrent.h"

namespace switchyard::static_graph {
namespace {

// A kind of cell: our name of it, and our gates by their numbers in ONNX.
struct Cell {
  const char* mode;
  Integers gates;
};

// Whether our operator of a layer has all that the node says.
bool FitsLayer(OnnxCall& call, const char* activations) {
  const std::string direction = call.Text("direction", "forward");
  if (direction != "forward" && direction != "bidirectional" &&
      direction != "reverse") {
    call.Fail(ArgumentError("direction", "forward, reverse or bidirectional",
                            direction));
    return false;
  }
  if ((direction == "reverse" && call.Has(4)) || call.HasAttr("clip") ||
      call.Flag("input_forget", false) || call.Has(7)) {
    return false;
  }
  const ForeignAttr* const given = call.op().attr("activations");
  if (given == nullptr) return true;
  std::string names;
  for (const std::string& name : given->texts()) {
    absl::StrAppend(&names, name, " ");
  }
  const std::string once = activations;
  return names == once || names == once + once;
}

// The rows of the gates of one direction, in our order.
ir::Value Gates(OnnxCall& call, ir::Value rows, const Integers& gates,
                int64_t from, int64_t size) {
  std::vector<ir::Value> parts;
  for (const int64_t gate : gates) {
    parts.push_back(
        Slice(call, rows, 0, from + gate * size, from + (gate + 1) * size));
  }
  if (parts.size() == 1) return parts[0];
  return call.Call("concat", {parts}, {{"axis", 0}});
}

// One direction of a tensor that has them along its first axis.
ir::Value Direction(OnnxCall& call, ir::Value all, int direction) {
  return Squeeze(call, Slice(call, all, 0, direction, direction + 1), {0});
}

// The matrices of each direction, and then their biases, which may be absent.
std::vector<ir::Value> Weights(OnnxCall& call, const Cell& cell, int directions,
                               int64_t size) {
  const auto gates = static_cast<int64_t>(cell.gates.size());
  std::vector<ir::Value> weights, biases;
  for (int d = 0; d < directions && call.ok(); ++d) {
    for (int input = 1; input <= 2; ++input) {
      weights.push_back(
          Gates(call, Direction(call, call.In(input), d), cell.gates, 0, size));
    }
    for (int half = 0; half < 2; ++half) {
      if (!call.Has(3)) {
        biases.push_back(call.Call("full", {},
                                   {{"shape", Integers{gates * size}},
                                    {"value", Scalar(0.0)},
                                    {"dtype", DtypeOf(call.In(0))}}));
        continue;
      }
      biases.push_back(Gates(call, Direction(call, call.In(3), d), cell.gates,
                             half * gates * size, size));
    }
  }
  weights.insert(weights.end(), biases.begin(), biases.end());
  return weights;
}

// A state before the first step: zeros of [directions, batch, size].
ir::Value Before(OnnxCall& call, int input, ir::Value x, int directions,
                 int64_t size, bool batch_first) {
  if (call.Has(input)) {
    const ir::Value state = call.In(input);
    return batch_first ? Transpose(call, state, {1, 0, 2}) : state;
  }
  const std::vector<ir::Value> extents = {IntegerList(call, {directions}),
                                          Extent(call, x, 1),
                                          IntegerList(call, {size})};
  return call.Call(
      "full", {},
      {{"shape", extents}, {"value", Scalar(0.0)}, {"dtype", DtypeOf(x)}});
}

void Recurrent(OnnxCall& call, const Cell& cell) {
  if (!call.ok()) return;
  const bool batch_first = call.Int("layout", 0) != 0;
  const std::string direction = call.Text("direction", "forward");
  const int directions = direction == "bidirectional" ? 2 : 1;
  ir::Value x = call.In(0);
  const ir::Value rows = call.In(2);
  if (!call.ok()) return;
  const Dim width = ShapeOf(rows)[Rank(rows) - 1];
  if (!width.known()) return call.Refuse("R must have a known shape");
  const int64_t size = width.value();
  if (batch_first) x = Transpose(call, x, {1, 0, 2});
  const bool turned = direction == "reverse";
  if (turned) x = call.Call("flip", {x}, {{"axis", Integers{0}}});
  std::vector<ir::Value> states = {
      Before(call, 5, x, directions, size, batch_first)};
  const bool has_cells = std::string_view(cell.mode) == "LSTM";
  if (has_cells) {
    states.push_back(Before(call, 6, x, directions, size, batch_first));
  }
  const ir::Value lengths =
      call.Has(4) ? Cast(call, call.In(4), DataType::kInt32) : ir::Value();
  const std::vector<ir::Value> results = call.CallAll(
      "rnn", {x, states, Weights(call, cell, directions, size), lengths},
      {{"is_bidirec", directions == 2},
       {"input_size",
        ShapeOf(x)[2].known() ? ShapeOf(x)[2].value() : int64_t{0}},
       {"hidden_size", size},
       {"mode", cell.mode},
       {"is_test", true}});
  if (!call.ok()) return;
  ir::Value y =
      ReshapeTo(call, results[0],
                {Extent(call, x, 0), Extent(call, x, 1),
                 IntegerList(call, {directions}), IntegerList(call, {size})});
  if (turned) y = call.Call("flip", {y}, {{"axis", Integers{0}}});
  call.Out(
      0, Transpose(call, y,
                   batch_first ? Integers{1, 0, 2, 3} : Integers{0, 2, 1, 3}));
  for (int i = 0; i < (has_cells ? 2 : 1); ++i) {
    const ir::Value state = results[static_cast<size_t>(2 + i)];
    call.Out(1 + i, batch_first ? Transpose(call, state, {1, 0, 2}) : state);
  }
}

void Lstm(OnnxCall& call) {
  const bool fits = FitsLayer(call, "Sigmoid Tanh Tanh ");
  if (!call.ok()) return;
  if (!fits) return RecurrentSteps(call, CellKind::kLstm);
  Recurrent(call, {"LSTM", {0, 2, 3, 1}});
}

// Ours applies the reset gate after the product with the state.
void Gru(OnnxCall& call) {
  const bool fits = FitsLayer(call, "Sigmoid Tanh ") &&
                    call.Flag("linear_before_reset", false);
  if (!call.ok()) return;
  if (!fits) return RecurrentSteps(call, CellKind::kGru);
  Recurrent(call, {"GRU", {1, 0, 2}});
}

void Rnn(OnnxCall& call) {
  const ForeignAttr* const given = call.op().attr("activations");
  const bool relu = given != nullptr && !given->texts().empty() &&
                    given->texts()[0] == "Relu";
  const bool fits = FitsLayer(call, relu ? "Relu " : "Tanh ");
  if (!call.ok()) return;
  if (!fits) return RecurrentSteps(call, CellKind::kRnn);
  Recurrent(call, {relu ? "RNN_RELU" : "RNN_TANH", {0}});
}

void DynamicQuantizeLstm(OnnxCall& call) {
  RecurrentSteps(call, CellKind::kLstm, RecurrentWeights::kQuantized);
}

constexpr OnnxLowering kLowerings[] = {
    {"GRU", Gru},
    {"LSTM", Lstm},
    {"RNN", Rnn},
    {"DynamicQuantizeLSTM", DynamicQuantizeLstm, kMicrosoft}};

}  // namespace

absl::Span<const OnnxLowering> OnnxRecurrentLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
