// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/attention/attention.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

// Heads of keys once for each head of queries that shares them.
ir::Value Shared(OnnxCall& call, ir::Value x, ir::Value q, int64_t shared) {
  if (!call.ok() || shared == 1) return x;
  if (shared > 1) {
    return call.Call("repeat_interleave", {x},
                     {{"repeats", shared}, {"axis", 1}});
  }
  const Dim have = ShapeOf(x)[1], need = ShapeOf(q)[1];
  if (have == need) return x;
  if (!have.known() || !need.known() || have.value() == 0 ||
      need.value() % have.value() != 0) {
    call.Fail(ArgumentError("heads of queries",
                            "a multiple of the heads of keys",
                            ToString(ShapeOf(q))));
    return x;
  }
  return call.Call("repeat_interleave", {x},
                   {{"repeats", need.value() / have.value()}, {"axis", 1}});
}

bool CheckHeads(OnnxCall& call, const AttentionInputs& inputs) {
  for (const ir::Value value : {inputs.q, inputs.k, inputs.v}) {
    if (call.ok() && Rank(value) != 4) {
      call.Fail(ArgumentError("queries, keys and values",
                              "of 4 axes, or of 3 and a number of heads",
                              ToString(ShapeOf(value))));
    }
  }
  return call.ok();
}

// 1 / sqrt of the size of a head.
Expression Scaled(OnnxCall& call, const Expression& q) {
  const Dim size = ShapeOf(q)[3];
  if (size.known()) {
    return q * (1 / std::sqrt(static_cast<double>(size.value())));
  }
  const Expression extent(call, Extent(call, q, 3));
  return q * extent.As(q.dtype()).Of("rsqrt");
}

}  // namespace

AttentionResults ScoredAttention(OnnxCall& call,
                                 const AttentionInputs& inputs) {
  AttentionResults results;
  if (!CheckHeads(call, inputs)) return results;
  const Expression q(call, inputs.q);
  const Expression k(call, Shared(call, inputs.k, inputs.q, inputs.shared));
  const Expression v(call, Shared(call, inputs.v, inputs.q, inputs.shared));
  const Expression scaled =
      inputs.scale == 0 ? Scaled(call, q) : q * inputs.scale;
  Expression scores(call,
                    call.Call("matmul", {scaled, k}, {{"transpose_y", true}}));
  results.scores = scores;
  if (inputs.softcap > 0) {
    scores = (scores / inputs.softcap).Of("tanh") * inputs.softcap;
  }
  results.capped = scores;
  if (inputs.bias) scores = scores + Expression(call, inputs.bias);
  results.biased = scores;
  const DataType dtype = q.dtype();
  if (inputs.precision != DataType::kUndefined) {
    scores = scores.As(inputs.precision);
  }
  Expression weights = scores.Of("softmax", {{"axis", -1}});
  if (inputs.bias) {
    const Expression most =
        Expression(call, inputs.bias)
            .Of("max", {{"axis", Integers{-1}}, {"keepdim", true}});
    const Expression sees_none =
        most == -std::numeric_limits<double>::infinity();
    weights = sees_none.Where(weights.Of("zeros_like"), weights);
  }
  weights = weights.As(dtype);
  results.weights = weights;
  results.y = weights.With("matmul", v);
  return results;
}

ir::Value SplitHeads(OnnxCall& call, ir::Value x, int64_t heads) {
  if (!call.ok()) return ir::Value();
  const Dim hidden = ShapeOf(x)[Rank(x) - 1];
  if (Rank(x) != 3 || heads < 1 ||
      (hidden.known() && hidden.value() % heads != 0)) {
    call.Fail(ArgumentError("input",
                            absl::StrCat("[batch, steps, ", heads, " * size]"),
                            ToString(ShapeOf(x))));
    return ir::Value();
  }
  const ir::Value size = IntegerList(
      call, {hidden.known() ? hidden.value() / heads : int64_t{-1}});
  x = ReshapeTo(call, x,
                {Extent(call, x, 0), Extent(call, x, 1),
                 IntegerList(call, {heads}), size});
  return Transpose(call, x, {0, 2, 1, 3});
}

ir::Value JoinHeads(OnnxCall& call, ir::Value x) {
  if (!call.ok()) return ir::Value();
  x = Transpose(call, x, {0, 2, 1, 3});
  return call.Call("flatten", {x}, {{"start_axis", 2}, {"stop_axis", 3}});
}

ir::Value Visible(OnnxCall& call, const VisibleKeys& keys) {
  if (!call.ok() || (!keys.causal && keys.left < 0 && keys.right < 0)) {
    return ir::Value();
  }
  Expression place(call, Unsqueeze(call, Places(call, keys.q, 2), {1}));
  if (keys.first) place = place + Expression(call, keys.first);
  const Expression key(call, Places(call, keys.k, 2));
  const Expression after = key - place;
  ir::Value seen;
  const auto also = [&](const Expression& condition) {
    seen = seen ? Expression(call, seen).And(condition) : condition;
  };
  if (keys.causal) also(after <= 0.0);
  if (keys.left >= 0) also(after >= -static_cast<double>(keys.left));
  if (keys.right >= 0) also(after <= static_cast<double>(keys.right));
  return seen;
}

ir::Value BiasOf(OnnxCall& call, ir::Value mask, DataType dtype) {
  if (!call.ok()) return ir::Value();
  return call.Call(
      "where", {mask, Number(call, 0, dtype),
                Number(call, -std::numeric_limits<double>::infinity(), dtype)});
}

ir::Value BothBiases(OnnxCall& call, ir::Value a, ir::Value b) {
  if (!a || !b) return a ? a : b;
  return call.Call("add", {a, b});
}

ir::Value Turned(OnnxCall& call, ir::Value x, ir::Value cosines,
                 ir::Value sines, bool interleaved) {
  if (!call.ok()) return ir::Value();
  const Dim pairs = ShapeOf(cosines)[Rank(cosines) - 1];
  const Dim size = ShapeOf(x)[3];
  if (!pairs.known() || !size.known() || 2 * pairs.value() > size.value()) {
    call.Refuse("the sizes of heads and of the turned part must be known");
    return ir::Value();
  }
  const int64_t half = pairs.value(), turned = 2 * half;
  const Expression c = Expression(call, cosines).Unsqueeze({2});
  const Expression s = Expression(call, sines).Unsqueeze({2});
  const int64_t step = interleaved ? 2 : 1;
  const Expression a(call,
                     Slice(call, x, 3, 0, interleaved ? turned : half, step));
  const Expression b(call,
                     Slice(call, x, 3, interleaved ? 1 : half, turned, step));
  std::vector<ir::Value> parts = {a * c - b * s, a * s + b * c};
  if (interleaved) {
    parts = {call.Call("flatten", {call.Call("stack", {parts}, {{"axis", 4}})},
                       {{"start_axis", 3}, {"stop_axis", 4}})};
  }
  if (turned < size.value()) {
    parts.push_back(Slice(call, x, 3, turned, size.value()));
  }
  if (parts.size() == 1) return parts[0];
  return call.Call("concat", {parts}, {{"axis", 3}});
}

}  // namespace switchyard::static_graph
