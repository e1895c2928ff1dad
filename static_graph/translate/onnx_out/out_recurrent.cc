// SPDX-License-Identifier: Apache-2.0
// Recurrent layers: ONNX has an operator for each layer of ours.
#include <string>
#include <utility>

#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

// A cell of ONNX: its operator, and which of our gates each of its gates is.
struct Cell {
  std::string type;
  Integers gates;
};

Cell CellOf(std::string_view mode) {
  if (mode == "LSTM") return {"LSTM", {0, 3, 1, 2}};
  if (mode == "GRU") return {"GRU", {1, 0, 2}};
  return {"RNN", {0}};
}

// Rows of a matrix or bias with its gates in ONNX's order.
OnnxName InOrder(OutCall& call, const OnnxName& rows, const Cell& cell,
                 int64_t size) {
  std::vector<OnnxName> parts;
  for (const int64_t gate : cell.gates) {
    parts.push_back(Slice(call, rows, 0, gate * size, (gate + 1) * size));
  }
  return parts.size() == 1 ? parts[0]
                           : call.Node("Concat", parts, {{"axis", int64_t{0}}});
}

OnnxName Together(OutCall& call, const std::vector<OnnxName>& parts,
                  int64_t axis) {
  return parts.size() == 1 ? parts[0]
                           : call.Node("Concat", parts, {{"axis", axis}});
}

// Reads one layer's part of the weights, and writes the layer.
class Layers {
 public:
  explicit Layers(OutCall& call)
      : call_(call),
        cell_(CellOf(call.Text("mode"))),
        relu_(call.Text("mode") == "RNN_RELU"),
        size_(call.Int("hidden_size")),
        layers_(call.Int("num_layers")),
        directions_(call.Flag("is_bidirec") ? 2 : 1),
        weights_(call.List("weight_list")),
        states_(call.List("pre_state")),
        after_(states_.size()) {}

  void Write() {
    const bool drops = layers_ > 1 && !call_.Flag("is_test") &&
                       call_.Float("dropout_prob") != 0;
    if (drops) return call_.Refuse("it draws random numbers in training");
    if (weights_.size() != static_cast<size_t>(4 * layers_ * directions_)) {
      return call_.Refuse("it has no biases");
    }
    OnnxName x = call_.In("x");
    for (int64_t layer = 0; layer < layers_; ++layer) x = Layer(x, layer);
    call_.Out("out", x);
    std::vector<OnnxName> states;
    for (const auto& parts : after_) {
      states.push_back(Together(call_, parts, 0));
    }
    call_.OutList("state", states);
  }

 private:
  // The n-th weight of each direction of a layer, those of biases included.
  std::vector<OnnxName> Of(int64_t layer, int64_t n) {
    const bool bias = n >= 2;
    std::vector<OnnxName> parts;
    for (int64_t d = 0; d < directions_; ++d) {
      const int64_t at = 2 * (layer * directions_ + d) + n % 2 +
                         (bias ? 2 * layers_ * directions_ : 0);
      parts.push_back(
          InOrder(call_, weights_[static_cast<size_t>(at)], cell_, size_));
    }
    return parts;
  }

  OnnxName Stacked(const std::vector<OnnxName>& parts) {
    std::vector<OnnxName> wide;
    for (const OnnxName& part : parts) {
      wide.push_back(Unsqueeze(call_, part, {0}));
    }
    return Together(call_, wide, 0);
  }

  OnnxName Layer(const OnnxName& x, int64_t layer) {
    const std::vector<OnnxName> inner = Of(layer, 2);
    const std::vector<OnnxName> outer = Of(layer, 3);
    std::vector<OnnxName> biases;
    for (size_t d = 0; d < inner.size(); ++d) {
      biases.push_back(Together(call_, {inner[d], outer[d]}, 0));
    }
    OnnxName lengths;
    if (call_.Has("sequence_length")) {
      lengths = Cast(call_, call_.In("sequence_length"), DataType::kInt32);
    }
    std::vector<OnnxName> inputs = {x, Stacked(Of(layer, 0)),
                                    Stacked(Of(layer, 1)), Stacked(biases),
                                    lengths};
    for (const OnnxName& state : states_) {
      inputs.push_back(layers_ == 1
                           ? state
                           : Slice(call_, state, 0, layer * directions_,
                                   (layer + 1) * directions_));
    }
    std::vector<WrittenAttribute> attributes = {
        {"hidden_size", size_},
        {"direction",
         std::string(directions_ == 2 ? "bidirectional" : "forward")}};
    if (cell_.type == "GRU") {
      attributes.push_back({"linear_before_reset", int64_t{1}});
    }
    if (relu_) {
      attributes.push_back(
          {"activations",
           std::vector<std::string>(static_cast<size_t>(directions_), "Relu")});
    }
    const std::vector<OnnxName> results = call_.Nodes(
        cell_.type, inputs, 1 + states_.size(), std::move(attributes));
    for (size_t i = 0; i < after_.size(); ++i) {
      after_[i].push_back(results[1 + i]);
    }
    const OnnxName rows = Transpose(call_, results[0], {0, 2, 1, 3});
    return Reshape(call_, rows, {0, 0, directions_ * size_});
  }

  OutCall& call_;
  const Cell cell_;
  const bool relu_;
  const int64_t size_;
  const int64_t layers_;
  const int64_t directions_;
  const std::vector<OnnxName> weights_;
  const std::vector<OnnxName> states_;
  std::vector<std::vector<OnnxName>> after_;  // By state, of each layer.
};

void Rnn(OutCall& call) { Layers(call).Write(); }

constexpr OutForm kForms[] = {{"rnn", Rnn}};

}  // namespace

absl::Span<const OutForm> RecurrentOutForms() { return kForms; }

}  // namespace switchyard::static_graph
