// SPDX-License-Identifier: Apache-2.0
// Recurrent layers and paths over sequences of rows (LoD). ONNX's layers go
// over [steps, sequences, width], and project their input: by a matrix that
// only orders the gates, since it is projected already.
#include <string>
#include <utility>
#include <vector>

#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_lod.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

// Which of our gates each of ONNX's is, and with which sign.
struct Gates {
  Integers order;
  std::vector<double> signs;
};

// Returns ONNX's name of an activation; the call is refused without one.
std::string Activation(OutCall& call, std::string_view attr) {
  const std::string_view name = call.Text(attr);
  if (name == "sigmoid") return "Sigmoid";
  if (name == "tanh") return "Tanh";
  if (name == "relu") return "Relu";
  call.Refuse("activation " + std::string(name));
  return "";
}

// One layer, while it is written.
class LodLayer {
 public:
  LodLayer(OutCall& call, Gates gates, int64_t width)
      : call_(call),
        rows_(call, "input"),
        gates_(std::move(gates)),
        width_(width),
        dtype_(call.Dtype("input")) {}

  // [1, gates * width, gates * width]: of a row, the gates in ONNX's order.
  OnnxName Order() {
    const auto count = static_cast<int64_t>(gates_.order.size());
    const int64_t side = count * width_;
    std::vector<double> numbers(static_cast<size_t>(side * side), 0);
    for (int64_t row = 0; row < side; ++row) {
      const auto gate = static_cast<size_t>(row / width_);
      const int64_t column = gates_.order[gate] * width_ + row % width_;
      numbers[static_cast<size_t>(row * side + column)] = gates_.signs[gate];
    }
    OnnxName list = call_.FloatList(numbers);
    if (dtype_ != DataType::kFloat32) list = Cast(call_, list, dtype_);
    return Reshape(call_, list, {1, side, side});
  }

  // Parts of `x` along `axis`, one a gate of ours, in ONNX's order and signs.
  OnnxName InOrder(const OnnxName& x, int64_t axis) {
    std::vector<OnnxName> parts;
    for (size_t i = 0; i < gates_.order.size(); ++i) {
      const int64_t at = gates_.order[i] * width_;
      OnnxName part = Slice(call_, x, axis, at, at + width_);
      if (gates_.signs[i] < 0) part = call_.Node("Neg", {part});
      parts.push_back(part);
    }
    return call_.Node("Concat", parts, {{"axis", axis}});
  }

  // [1, 2 * gates * width]: the bias [1, gates * width], and none of states.
  OnnxName Biases(const OnnxName& bias) {
    const auto side = static_cast<int64_t>(gates_.order.size()) * width_;
    const OnnxName none = call_.Node(
        "Expand", {call_.Scalar0(0, dtype_), call_.IntList({1, side})});
    return call_.Node("Concat", {bias.empty() ? none : InOrder(bias, 1), none},
                      {{"axis", int64_t{1}}});
  }

  // The first state [sequences, width] as ONNX has it; empty if there is none.
  OnnxName First(std::string_view input) {
    return call_.Has(input) ? Unsqueeze(call_, call_.In(input), {0}) : "";
  }

  // The inputs but weights, and the states as rows. `more` are inputs after
  // the lengths.
  void Write(const std::string& type, const OnnxName& states,
             const std::vector<OnnxName>& more,
             std::vector<std::string> activations) {
    const OnnxName x =
        Transpose(call_, rows_.Padded(call_.In("input")), {1, 0, 2});
    std::vector<OnnxName> inputs = {
        x, Order(), Unsqueeze(call_, states, {0}),
        Biases(call_.Has("bias") ? call_.In("bias") : ""),
        Cast(call_, rows_.lengths(), DataType::kInt32)};
    inputs.insert(inputs.end(), more.begin(), more.end());
    const bool back = call_.Flag("is_reverse");
    const OnnxName y =
        call_.Node(type, inputs,
                   {{"hidden_size", width_},
                    {"direction", std::string(back ? "reverse" : "forward")},
                    {"activations", std::move(activations)}});
    const OnnxName by_sequence =
        Transpose(call_, Squeeze(call_, y, {1}), {1, 0, 2});
    call_.Out("hidden", rows_.Back(by_sequence, 3));
  }

 private:
  OutCall& call_;
  const SequenceRows rows_;
  const Gates gates_;
  const int64_t width_;
  const DataType dtype_;
};

// Ours has candidate, input, forget and output gate, and weights of the cell
// for the last three.
void Lstm(OutCall& call) {
  if (call.Wants("cell")) return call.Refuse("its cells are read");
  const int64_t width = call.Extent("weight", 0);
  const std::vector<std::string> activations = {
      Activation(call, "gate_activation"),
      Activation(call, "candidate_activation"),
      Activation(call, "cell_activation")};
  if (!call.ok()) return;
  LodLayer layer(call, {{1, 3, 2, 0}, {1, 1, 1, 1}}, width);
  if (!call.ok()) return;
  const OnnxName states =
      layer.InOrder(Transpose(call, call.In("weight"), {1, 0}), 0);
  OnnxName peepholes;
  if (call.Flag("use_peepholes")) {
    std::vector<OnnxName> parts;
    for (const int64_t part : {4, 6, 5}) {
      parts.push_back(
          Slice(call, call.In("bias"), 1, part * width, (part + 1) * width));
    }
    peepholes = call.Node("Concat", parts, {{"axis", int64_t{1}}});
  }
  layer.Write("LSTM", states, {layer.First("h0"), layer.First("c0"), peepholes},
              activations);
}

// Ours has update, reset and candidate. ONNX's update is how much of the state
// stays: 1 - sigmoid(x) is sigmoid(-x).
void Gru(OutCall& call) {
  const bool stays = call.Flag("origin_mode");
  const int64_t width = call.Extent("weight", 0);
  const std::vector<std::string> activations = {
      Activation(call, "gate_activation"), Activation(call, "activation")};
  if (!stays && call.Text("gate_activation") != "sigmoid") {
    return call.Refuse("gates that have no opposite");
  }
  if (!call.ok()) return;
  LodLayer layer(call, {{0, 1, 2}, {stays ? 1.0 : -1.0, 1, 1}}, width);
  if (!call.ok()) return;
  // The weights are those of two gates, and then those of the candidate.
  const OnnxName flat = Reshape(call, call.In("weight"), {-1});
  const int64_t gates = 2 * width * width;
  const OnnxName two =
      Reshape(call, Slice(call, flat, 0, 0, gates), {width, 2 * width});
  const OnnxName candidate = Reshape(
      call, Slice(call, flat, 0, gates, gates + width * width), {width, width});
  const OnnxName all =
      call.Node("Concat", {two, candidate}, {{"axis", int64_t{1}}});
  layer.Write("GRU", layer.InOrder(Transpose(call, all, {1, 0}), 0),
              {layer.First("h0")}, activations);
}

// ---- crf_decoding: the best path, forwards, and from its end back ----

class BestPath {
 public:
  explicit BestPath(OutCall& call)
      : call_(call), rows_(call, "emission"), dtype_(call.Dtype("emission")) {}

  void Write() {
    const OnnxName transition = call_.In("transition");
    const auto row = [&](int64_t i) {
      return Slice(call_, transition, 0, i, i + 1);
    };
    const OnnxName steps =
        Transpose(call_, rows_.Padded(call_.In("emission")), {1, 0, 2});
    const OnnxName first = Squeeze(call_, Slice(call_, steps, 0, 0, 1), {0});
    const OnnxName others = Slice(call_, steps, 0, 1, kEnd);
    const OnnxName there =
        Slice(call_, Transpose(call_, rows_.there(), {1, 0}), 0, 1, kEnd);
    between_ = Unsqueeze(call_, Slice(call_, transition, 0, 2, kEnd), {0});
    const std::vector<OnnxName> forward =
        call_.Nodes("Scan", {call_.Node("Add", {first, row(0)}), others, there},
                    2, {{"body", Forward()}, {"num_scan_inputs", int64_t{2}}});
    const OnnxName last =
        call_.Node("ArgMax", {call_.Node("Add", {forward[0], row(1)})},
                   {{"axis", int64_t{1}}, {"keepdims", int64_t{1}}});
    const Integers back = {1, 1};
    const std::vector<OnnxName> path =
        call_.Nodes("Scan", {last, forward[1], there}, 2,
                    {{"body", Back()},
                     {"num_scan_inputs", int64_t{2}},
                     {"scan_input_directions", back},
                     {"scan_output_directions", Integers{1}}});
    const OnnxName tags =
        call_.Node("Concat", {Unsqueeze(call_, path[0], {0}), path[1]},
                   {{"axis", int64_t{0}}});
    call_.Out("viterbi_path", rows_.Back(Transpose(call_, tags, {1, 0, 2}), 3));
  }

 private:
  static constexpr int64_t kEnd = INT64_MAX;

  WrittenPort Port(DataType dtype, int rank) {
    WrittenPort port{call_.Take("step"), dtype, {}};
    port.extents.assign(static_cast<size_t>(rank), std::string());
    return port;
  }

  // The best sum up to each tag, and the tag before it.
  std::shared_ptr<WrittenGraph> Forward() {
    const WrittenPort best = Port(dtype_, 2);
    const WrittenPort emission = Port(dtype_, 2);
    const WrittenPort there = Port(DataType::kBool, 1);
    return call_.Graph(
        {best, emission, there}, {best, Port(DataType::kInt64, 2)}, [&] {
          const OnnxName sums =
              call_.Node("Add", {Unsqueeze(call_, best.name, {2}), between_});
          const OnnxName from =
              call_.Node("ArgMax", {sums},
                         {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}});
          const OnnxName next = call_.Node(
              "Add",
              {Reduce(call_, "ReduceMax", sums, {1}, false), emission.name});
          const OnnxName kept = call_.Node(
              "Where", {Unsqueeze(call_, there.name, {1}), next, best.name});
          return std::vector<OnnxName>{kept, from};
        });
  }

  // The tag before, and the tag.
  std::shared_ptr<WrittenGraph> Back() {
    const WrittenPort tag = Port(DataType::kInt64, 2);
    const WrittenPort from = Port(DataType::kInt64, 2);
    const WrittenPort there = Port(DataType::kBool, 1);
    return call_.Graph(
        {tag, from, there}, {tag, Port(DataType::kInt64, 2)}, [&] {
          const OnnxName before = call_.Node(
              "GatherElements", {from.name, tag.name}, {{"axis", int64_t{1}}});
          const OnnxName kept = call_.Node(
              "Where", {Unsqueeze(call_, there.name, {1}), before, tag.name});
          return std::vector<OnnxName>{kept,
                                       call_.Node("Identity", {tag.name})};
        });
  }

  OutCall& call_;
  const SequenceRows rows_;
  const DataType dtype_;
  OnnxName between_;  // [1, tags, tags].
};

void CrfDecoding(OutCall& call) {
  if (call.Has("length") || call.Has("label")) {
    return call.Refuse("label and length");
  }
  BestPath path(call);
  if (call.ok()) path.Write();
}

constexpr OutForm kForms[] = {
    {"lstm", Lstm}, {"gru", Gru}, {"crf_decoding", CrfDecoding}};

}  // namespace

absl::Span<const OutForm> LodRecurrentOutForms() { return kForms; }

}  // namespace switchyard::static_graph
