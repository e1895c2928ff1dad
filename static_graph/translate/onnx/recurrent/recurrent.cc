// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/recurrent/recurrent.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/quantization/quantization.h"
#include "static_graph/translate/onnx/sequence/sequences.h"

namespace switchyard::static_graph {
namespace {

using Values = std::vector<ir::Value>;

// An activation with its parameters, which it may not need.
struct Activation {
  std::string name;
  double alpha = 0;
  double beta = 0;
  bool has_alpha = false;
  bool has_beta = false;
};

// The numbers that an activation has without a list.
Activation Plain(const std::string& name) {
  if (name == "Affine") return {name, 1, 0, true, true};
  if (name == "LeakyRelu") return {name, 0.01, 0, true, false};
  if (name == "ThresholdedRelu" || name == "Elu") {
    return {name, 1, 0, true, false};
  }
  if (name == "ScaledTanh") return {name, 1, 1, true, true};
  if (name == "HardSigmoid") return {name, 0.2, 0.5, true, true};
  Activation plain;
  plain.name = name;
  return plain;
}

ir::Value Apply(OnnxCall& call, const Activation& f, ir::Value x) {
  const auto number = [&](double value) { return NumberLike(call, x, value); };
  if (f.name == "Sigmoid") return call.Call("sigmoid", {x});
  if (f.name == "Tanh") return call.Call("tanh", {x});
  if (f.name == "Relu") return call.Call("relu", {x});
  if (f.name == "Softsign") return call.Call("softsign", {x});
  if (f.name == "Softplus") {
    return call.Call("softplus", {x}, {{"threshold", 40.0}});
  }
  if (f.name == "Elu") return call.Call("elu", {x}, {{"alpha", f.alpha}});
  if (f.name == "LeakyRelu") {
    return call.Call("leaky_relu", {x}, {{"negative_slope", f.alpha}});
  }
  if (f.name == "ThresholdedRelu") {
    return call.Call("thresholded_relu", {x}, {{"threshold", f.alpha}});
  }
  if (f.name == "HardSigmoid") {
    return call.Call("hardsigmoid", {x},
                     {{"slope", f.alpha}, {"offset", f.beta}});
  }
  if (f.name == "Affine") {
    return call.Call(
        "add", {call.Call("multiply", {x, number(f.alpha)}), number(f.beta)});
  }
  if (f.name == "ScaledTanh") {
    const ir::Value inner = call.Call("multiply", {x, number(f.beta)});
    return call.Call("multiply", {call.Call("tanh", {inner}), number(f.alpha)});
  }
  call.Refuse(absl::StrCat("no activation is named ", f.name));
  return ir::Value();
}

// The numbers that x stands for once it is bytes, with 0 among them: of all of
// x the range is one, in 255 steps.
ir::Value InBytes(OnnxCall& call, ir::Value given) {
  if (!call.ok()) return ir::Value();
  const Expression x(call, given);
  const Expression high = x.Of("max").With("maximum", 0);
  const Expression low = x.Of("min").With("minimum", 0);
  const Expression range = high - low;
  const Expression step = (range > 0.0).Where(range / 255.0, range.Number(1));
  const auto whole = [&](const Expression& y) {
    return Expression(call, RoundToEven(call, y));
  };
  const auto within = [](const Expression& y) {
    return y.With("maximum", 0).With("minimum", 255);
  };
  const Expression zero = whole(within(low.Minus() / step));
  return (within(whole(x / step) + zero) - zero) * step;
}

// x with zeros in the steps that no sequence has: as ONNX Runtime, a range is
// of those up to the longest one.
ir::Value UpToLongest(OnnxCall& call, ir::Value given, ir::Value lengths) {
  const Expression x(call, given);
  const Expression step(call, call.Call("arange", {},
                                        {{"start", IntegerList(call, {0})},
                                         {"end", Extent(call, x, 0)},
                                         {"step", IntegerList(call, {1})},
                                         {"dtype", DataType::kInt64}}));
  const Expression longest(call, call.Call("max", {lengths}));
  return (step < longest).Unsqueeze({1, 2}).Where(x, x.Of("zeros_like"));
}

// A layer in one direction.
class Layer {
 public:
  Layer(OnnxCall& call, CellKind kind, RecurrentWeights weights, int direction,
        int64_t size)
      : kind_(kind),
        quantized_(weights == RecurrentWeights::kQuantized),
        size_(size),
        direction_(direction) {
    clip_ = call.Float("clip", 0);
    forgets_ = call.Flag("input_forget", false);
    late_reset_ = call.Flag("linear_before_reset", false);
    backwards_ = direction == 1 || call.Text("direction", "") == "reverse";
    ReadActivations(call);
    ReadWeights(call);
  }

  // Returns Y of [steps, batch, size], then the last state, and cell.
  Values Run(OnnxCall& call, ir::Value x, ir::Value lengths, Values states);

 private:
  int64_t gates() const {
    return kind_ == CellKind::kRnn ? 1 : kind_ == CellKind::kGru ? 3 : 4;
  }
  void ReadActivations(OnnxCall& call);
  void ReadWeights(OnnxCall& call);
  // Returns one gate of a tensor with the gates along its last axis.
  ir::Value Gate(OnnxCall& call, ir::Value all, int64_t gate) const {
    return Slice(call, all, Rank(all) - 1, gate * size_, (gate + 1) * size_);
  }
  // Activation number `i`, of x within the bounds.
  ir::Value Active(OnnxCall& call, size_t i, ir::Value x) const {
    if (clip_ > 0) {
      x = call.Call("clip", {x},
                    {{"min", Scalar(-clip_)}, {"max", Scalar(clip_)}});
    }
    return Apply(call, activations_[i], x);
  }
  // The product of a state and the columns of gates [from, to).
  ir::Value Product(OnnxCall& call, ir::Value h, int64_t from,
                    int64_t to) const {
    const ir::Value rows =
        Slice(call, recurrence_, 0, from * size_, to * size_);
    return call.Call("matmul", {Operand(call, h), rows},
                     {{"transpose_y", true}});
  }
  // Returns what a product takes of x: the numbers that stand for its bytes.
  ir::Value Operand(OnnxCall& call, ir::Value x) const {
    return quantized_ ? InBytes(call, x) : x;
  }
  Values Next(OnnxCall& call, ir::Value x, const Values& states) const;
  Values NextGru(OnnxCall& call, ir::Value x, ir::Value h) const;
  Values NextLstm(OnnxCall& call, ir::Value x, const Values& states) const;

  CellKind kind_;
  bool quantized_;
  int64_t size_;
  int direction_;
  double clip_ = 0;
  bool forgets_ = false;
  bool late_reset_ = false;
  bool backwards_ = false;
  std::vector<Activation> activations_;
  ir::Value weights_, recurrence_;
  ir::Value bias_, recurrence_bias_;  // May be null.
  ir::Value peepholes_;               // May be null.
};

void Layer::ReadActivations(OnnxCall& call) {
  std::vector<std::string> names = {"Tanh"};
  if (kind_ == CellKind::kGru) names = {"Sigmoid", "Tanh"};
  if (kind_ == CellKind::kLstm) names = {"Sigmoid", "Tanh", "Tanh"};
  const size_t count = names.size();
  const size_t first = static_cast<size_t>(direction_) * count;
  if (const ForeignAttr* const given = call.op().attr("activations")) {
    if (given->texts().size() < first + count) {
      return call.Fail(ArgumentError("activations",
                                     "as many as all directions have",
                                     absl::StrCat(given->texts().size())));
    }
    names.assign(given->texts().begin(),
                 given->texts().begin() + static_cast<int64_t>(first + count));
  } else if (direction_ == 1) {
    const std::vector<std::string> each = names;
    names.insert(names.end(), each.begin(), each.end());
  }
  // The lists have numbers for those activations alone that take some.
  const std::vector<float> alphas = call.Floats("activation_alpha");
  const std::vector<float> betas = call.Floats("activation_beta");
  size_t alpha = 0, beta = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    Activation one = Plain(names[i]);
    if (one.has_alpha && alpha < alphas.size()) one.alpha = alphas[alpha++];
    if (one.has_beta && beta < betas.size()) one.beta = betas[beta++];
    if (i >= first) activations_.push_back(one);
  }
}

void Layer::ReadWeights(OnnxCall& call) {
  const auto part = [&](int input) {
    return Squeeze(
        call, Slice(call, call.In(input), 0, direction_, direction_ + 1), {0});
  };
  weights_ = part(1);
  recurrence_ = part(2);
  // Their columns have a scale together, or one each, and are rows here.
  const auto numbers = [&](ir::Value matrix, int scale) {
    return Transpose(call,
                     Dequantized(call, matrix, part(scale), part(scale + 1),
                                 DataType::kFloat32),
                     {1, 0});
  };
  if (quantized_) {
    weights_ = numbers(weights_, 8);
    recurrence_ = numbers(recurrence_, 10);
  }
  if (call.Has(3)) {
    const ir::Value both = part(3);
    bias_ = Slice(call, both, 0, 0, gates() * size_);
    recurrence_bias_ =
        Slice(call, both, 0, gates() * size_, 2 * gates() * size_);
  }
  if (kind_ == CellKind::kLstm && call.Has(7)) peepholes_ = part(7);
}

// Gates in the order update, reset, hidden.
Values Layer::NextGru(OnnxCall& call, ir::Value x, ir::Value h) const {
  ir::Value both = call.Call(
      "add", {Slice(call, x, 1, 0, 2 * size_), Product(call, h, 0, 2)});
  if (bias_) {
    both = call.Call("add",
                     {both, Slice(call, recurrence_bias_, 0, 0, 2 * size_)});
  }
  const ir::Value update = Active(call, 0, Gate(call, both, 0));
  const ir::Value reset = Active(call, 0, Gate(call, both, 1));
  const ir::Value bias = bias_ ? Gate(call, recurrence_bias_, 2) : ir::Value();
  const auto with_bias = [&](ir::Value value) {
    return bias ? call.Call("add", {value, bias}) : value;
  };
  ir::Value hidden;
  if (late_reset_) {
    hidden = call.Call("multiply", {reset, with_bias(Product(call, h, 2, 3))});
  } else {
    hidden = with_bias(Product(call, call.Call("multiply", {reset, h}), 2, 3));
  }
  hidden = Active(call, 1, call.Call("add", {Gate(call, x, 2), hidden}));
  const ir::Value rest = call.Call("subtract", {h, hidden});
  return {call.Call("add", {hidden, call.Call("multiply", {update, rest})})};
}

// Gates in the order input, output, forget, cell.
Values Layer::NextLstm(OnnxCall& call, ir::Value x,
                       const Values& states) const {
  const ir::Value h = states[0], c = states[1];
  ir::Value all = call.Call("add", {x, Product(call, h, 0, 4)});
  if (bias_) all = call.Call("add", {all, recurrence_bias_});
  const auto gate = [&](int64_t number, int64_t peephole, ir::Value cell) {
    ir::Value one = Gate(call, all, number);
    if (peepholes_) {
      one = call.Call(
          "add", {one, call.Call("multiply",
                                 {Gate(call, peepholes_, peephole), cell})});
    }
    return Active(call, 0, one);
  };
  const ir::Value in = gate(0, 0, c);
  const ir::Value forget =
      forgets_ ? call.Call("subtract", {NumberLike(call, in, 1), in})
               : gate(2, 2, c);
  const ir::Value made = Active(call, 1, Gate(call, all, 3));
  const ir::Value cell = call.Call("add", {call.Call("multiply", {forget, c}),
                                           call.Call("multiply", {in, made})});
  const ir::Value out = gate(1, 1, cell);
  return {call.Call("multiply", {out, Active(call, 2, cell)}), cell};
}

Values Layer::Next(OnnxCall& call, ir::Value x, const Values& states) const {
  if (kind_ == CellKind::kLstm) return NextLstm(call, x, states);
  if (kind_ == CellKind::kGru) return NextGru(call, x, states[0]);
  ir::Value sum = call.Call("add", {x, Product(call, states[0], 0, 1)});
  if (bias_) sum = call.Call("add", {sum, recurrence_bias_});
  return {Active(call, 0, sum)};
}

Values Layer::Run(OnnxCall& call, ir::Value x, ir::Value lengths,
                  Values states) {
  if (quantized_ && lengths) x = UpToLongest(call, x, lengths);
  ir::Value inputs = call.Call("matmul", {Operand(call, x), weights_},
                               {{"transpose_y", true}});
  if (bias_) inputs = call.Call("add", {inputs, bias_});
  if (backwards_) inputs = call.Call("flip", {inputs}, {{"axis", Integers{0}}});
  CountedLoop loop;
  loop.count = Reshape(call, Extent(call, x, 0), {});
  loop.carried = std::move(states);
  loop.collected = 1;
  loop.step =
      [&](OnnxCall& inside, ir::Value i,
          absl::Span<const ir::Value> carried) -> absl::StatusOr<Values> {
    const ir::Value row =
        Squeeze(inside,
                inside.Call("index_select", {inputs, Reshape(inside, i, {1})},
                            {{"axis", 0}}),
                {0});
    const Values old(carried.begin(), carried.end());
    Values next = Next(inside, row, old);
    ir::Value y = next.empty() ? ir::Value() : next[0];
    if (lengths && inside.ok()) {
      // A row whose sequence is over keeps its state, and gives zeros.
      ir::Value at = i;
      if (backwards_) {
        const ir::Value last = inside.Call(
            "subtract", {loop.count, NumberLike(inside, loop.count, 1)});
        at = inside.Call("subtract", {last, i});
      }
      const ir::Value goes_on =
          Unsqueeze(inside, inside.Call("less_than", {at, lengths}), {1});
      y = inside.Call("where", {goes_on, y, inside.Call("zeros_like", {y})});
      for (size_t k = 0; k < next.size(); ++k) {
        next[k] = inside.Call("where", {goes_on, next[k], old[k]});
      }
    }
    SY_RETURN_IF_ERROR(inside.status());
    next.push_back(y);
    return next;
  };
  Values results = Repeat(call, loop);
  if (!call.ok()) return {};
  ir::Value y = call.Call("array_to_tensor", {results.back()},
                          {{"axis", 0}, {"use_stack", true}});
  if (backwards_) y = call.Call("flip", {y}, {{"axis", Integers{0}}});
  results.pop_back();
  results.insert(results.begin(), y);
  return results;
}

// A state before the first step: that of a direction, or zeros.
ir::Value StateBefore(OnnxCall& call, int input, int direction, ir::Value x,
                      int64_t size, bool batch_first) {
  if (call.Has(input)) {
    const int axis = batch_first ? 1 : 0;
    return Squeeze(call,
                   Slice(call, call.In(input), axis, direction, direction + 1),
                   {axis});
  }
  const Values extents = {Extent(call, x, 1), IntegerList(call, {size})};
  return call.Call(
      "full", {},
      {{"shape", extents}, {"value", Scalar(0.0)}, {"dtype", DtypeOf(x)}});
}

}  // namespace

void RecurrentSteps(OnnxCall& call, CellKind kind, RecurrentWeights weights) {
  const bool batch_first = call.Int("layout", 0) != 0;
  const int directions =
      call.Text("direction", "forward") == "bidirectional" ? 2 : 1;
  ir::Value x = call.In(0);
  const ir::Value rows = call.In(2);
  if (!call.ok()) return;
  const bool turned = weights == RecurrentWeights::kQuantized;
  const Dim width = ShapeOf(rows)[Rank(rows) - (turned ? 2 : 1)];
  if (!width.known()) return call.Refuse("R must have a known shape");
  if (batch_first) x = Transpose(call, x, {1, 0, 2});
  const ir::Value lengths =
      call.Has(4) ? Cast(call, call.In(4), DataType::kInt64) : ir::Value();
  std::vector<Values> made(kind == CellKind::kLstm ? 3 : 2);
  for (int d = 0; d < directions && call.ok(); ++d) {
    Values states;
    for (size_t i = 1; i < made.size(); ++i) {
      states.push_back(StateBefore(call, static_cast<int>(4 + i), d, x,
                                   width.value(), batch_first));
    }
    Layer layer(call, kind, weights, d, width.value());
    const Values results = layer.Run(call, x, lengths, states);
    for (size_t i = 0; i < made.size() && call.ok(); ++i) {
      made[i].push_back(results[i]);
    }
  }
  for (size_t i = 0; i < made.size() && call.ok(); ++i) {
    // Y is [steps, directions, batch, size], a state [directions, batch, size].
    const int64_t axis = i == 0 ? (batch_first ? 2 : 1) : (batch_first ? 1 : 0);
    for (ir::Value& one : made[i]) {
      if (i == 0 && batch_first) one = Transpose(call, one, {1, 0, 2});
    }
    call.Out(static_cast<int>(i),
             call.Call("stack", {made[i]}, {{"axis", axis}}));
  }
}

}  // namespace switchyard::static_graph
