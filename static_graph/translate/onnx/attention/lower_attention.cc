// SPDX-License-Identifier: Apache-2.0
// ONNX's attention and the rest of a decoder: rotary embeddings, caches,
// attention with a state.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/foreign/onnx/element_type.h"
#include "static_graph/translate/onnx/attention/attention.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/sequence/sequences.h"

namespace switchyard::static_graph {
namespace {

using Values = std::vector<ir::Value>;

// A mask for keys that are more than it has: the others are not seen.
ir::Value PaddedMask(OnnxCall& call, ir::Value mask, ir::Value k) {
  if (!call.ok()) return ir::Value();
  const int last = Rank(mask) - 1;
  if (last < 0 || ShapeOf(mask)[last] == ShapeOf(k)[2]) {
    return mask;
  }
  const Expression missing = Expression(call, Extent(call, k, 2)) -
                             Expression(call, Extent(call, mask, last));
  const Values pads = {
      IntegerList(call, Integers(static_cast<size_t>(2 * last + 1), 0)),
      missing};
  return call.Call("pad", {mask},
                   {{"paddings", call.Call("concat", {pads}, {{"axis", 0}})},
                    {"pad_value", -std::numeric_limits<double>::infinity()}});
}

// Returns the sum that the mask, the order and the lengths add to the scores,
// or null.
ir::Value MaskBias(OnnxCall& call, const AttentionInputs& inputs) {
  const DataType dtype = DtypeOf(inputs.q);
  ir::Value bias, lengths;
  if (call.Has(3)) {
    bias = call.In(3);
    bias = DtypeOf(bias) == DataType::kBool ? BiasOf(call, bias, dtype)
                                            : Cast(call, bias, dtype);
    bias = PaddedMask(call, bias, inputs.k);
  }
  VisibleKeys keys;
  keys.q = inputs.q;
  keys.k = inputs.k;
  keys.causal = call.Flag("is_causal", false);
  keys.left = call.Int("left_window_size", -1);
  keys.right = call.Int("right_window_size", -1);
  if (call.Has(6)) {
    const Expression count(
        call,
        Reshape(call, Cast(call, call.In(6), DataType::kInt64), {-1, 1, 1, 1}));
    keys.first = count - Expression(call, Extent(call, inputs.q, 2));
    lengths = Expression(call, Places(call, inputs.k, 2)) < count;
  } else if (call.Has(4)) {
    keys.first = Extent(call, call.In(4), 2);
  }
  if (const ir::Value seen = Visible(call, keys)) {
    bias = BothBiases(call, bias, BiasOf(call, seen, dtype));
  }
  if (lengths) bias = BothBiases(call, bias, BiasOf(call, lengths, dtype));
  return bias;
}

void Attention(OnnxCall& call) {
  AttentionInputs inputs;
  inputs.q = call.In(0);
  inputs.k = call.In(1);
  inputs.v = call.In(2);
  const bool flat = Rank(inputs.q) == 3;
  if (flat) {
    inputs.q = SplitHeads(call, inputs.q, call.Int("q_num_heads", 0));
    inputs.k = SplitHeads(call, inputs.k, call.Int("kv_num_heads", 0));
    inputs.v = SplitHeads(call, inputs.v, call.Int("kv_num_heads", 0));
  }
  if (call.Has(4) != call.Has(5)) {
    return call.Fail(ArgumentError("past_key and past_value", "given together",
                                   "one of them"));
  }
  if (call.Has(4)) {
    const Values keys = {call.In(4), inputs.k};
    const Values values = {call.In(5), inputs.v};
    inputs.k = call.Call("concat", {keys}, {{"axis", 2}});
    inputs.v = call.Call("concat", {values}, {{"axis", 2}});
  }
  call.Out(1, inputs.k);
  call.Out(2, inputs.v);
  inputs.scale = call.Float("scale", 0);
  inputs.softcap = call.Float("softcap", 0);
  if (const int64_t precision = call.Int("softmax_precision", 0)) {
    inputs.precision = call.Checked(DataTypeOfOnnx(precision));
  }
  inputs.bias = MaskBias(call, inputs);
  const AttentionResults results = ScoredAttention(call, inputs);
  call.Out(0, flat ? JoinHeads(call, results.y) : results.y);
  const ir::Value scores[] = {results.scores, results.capped, results.biased,
                              results.weights};
  const int64_t mode = call.Int("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3) {
    return call.Fail(ArgumentError("qk_matmul_output_mode", "in [0, 3]",
                                   absl::StrCat(mode)));
  }
  call.Out(3, scores[mode]);
}

// Without places there are angles for each step of each text.
void RotaryEmbedding(OnnxCall& call) {
  ir::Value x = call.In(0);
  ir::Value cosines = call.In(1), sines = call.In(2);
  if (!call.ok()) return;
  const bool flat = Rank(x) == 3;
  if (flat) x = SplitHeads(call, x, call.Int("num_heads", 0));
  x = Transpose(call, x, {0, 2, 1, 3});
  if (call.Has(3)) {
    const ir::Value places = Cast(call, call.In(3), DataType::kInt64);
    cosines = call.Call("embedding", {places, cosines});
    sines = call.Call("embedding", {places, sines});
  }
  const ir::Value y =
      Turned(call, x, cosines, sines, call.Flag("interleaved", false));
  call.Out(
      0, flat ? call.Call("flatten", {y}, {{"start_axis", 2}, {"stop_axis", 3}})
              : Transpose(call, y, {0, 2, 1, 3}));
}

// New rows of a cache, from a place of each batch on, round and round in a
// circular one.
void TensorScatter(OnnxCall& call) {
  ir::Value cache = call.In(0);
  ir::Value update = call.In(1);
  if (!call.ok()) return;
  const int rank = Rank(cache);
  const int axis = call.Axis(call.Int("axis", -2), rank);
  const DataType dtype = DtypeOf(cache);
  if (dtype == DataType::kBool ||
      (IsInteger(dtype) && ElementSize(dtype) < sizeof(int32_t))) {
    cache = Cast(call, cache, DataType::kInt32);
    update = Cast(call, update, DataType::kInt32);
  }
  if (call.ok() && axis == 0) {
    return call.Fail(ArgumentError("axis", "another than the batches'", "0"));
  }
  Integers ones(static_cast<size_t>(rank), 1);
  const auto beside = [&](ir::Value list, int at) {
    Integers shape = ones;
    shape[static_cast<size_t>(at)] = -1;
    return Expression(call, Reshape(call, list, shape));
  };
  Expression places = beside(Places(call, update, axis), axis);
  if (call.Has(2)) places = places + beside(call.In(2), 0);
  const std::string mode = call.Text("mode", "linear");
  if (mode == "circular") {
    places =
        places.With("remainder", Expression(call, Extent(call, cache, axis)));
  } else if (mode != "linear") {
    return call.Fail(ArgumentError("mode", "linear or circular", mode));
  }
  places = places + Expression(call, call.Call("zeros_like", {update},
                                               {{"dtype", DataType::kInt64}}));
  call.Out(0, Cast(call,
                   call.Call("put_along_axis", {cache, places, update},
                             {{"axis", axis}}),
                   dtype));
}

// [batch, steps, heads * size] as [steps, batch, heads, size] of float32.
Expression BySteps(OnnxCall& call, ir::Value x, int64_t heads) {
  return {call,
          Transpose(call,
                    Cast(call, SplitHeads(call, x, heads), DataType::kFloat32),
                    {2, 0, 1, 3})};
}

// One step of a list of them.
Expression Step(OnnxCall& call, ir::Value list, ir::Value i) {
  return {call, Squeeze(call,
                        call.Call("index_select", {list, Reshape(call, i, {1})},
                                  {{"axis", 0}}),
                        {0})};
}

// Attention whose keys and values are summed up in a state of [batch, heads,
// size of keys, size of values].
void LinearAttention(OnnxCall& call) {
  const int64_t q_heads = call.Int("q_num_heads", 0);
  const int64_t heads = call.Int("kv_num_heads", 0);
  if (heads < 1 || q_heads < 1 || q_heads % heads != 0) {
    return call.Fail(ArgumentError("q_num_heads", "a multiple of kv_num_heads",
                                   absl::StrCat(q_heads)));
  }
  const std::string rule = call.Text("update_rule", "gated_delta");
  const bool gated = rule == "gated" || rule == "gated_delta";
  const bool corrects = rule == "delta" || rule == "gated_delta";
  if (!gated && !corrects && rule != "linear") {
    return call.Fail(ArgumentError(
        "update_rule", "linear, gated, delta or gated_delta", rule));
  }
  const DataType dtype = DtypeOf(call.In(0));
  const Expression q = BySteps(call, call.In(0), q_heads);
  const Expression k = BySteps(call, call.In(1), heads);
  const Expression v = BySteps(call, call.In(2), heads);
  if (!call.ok()) return;
  const Dim size = ShapeOf(q)[3];
  if (!size.known()) return call.Refuse("the size of heads must be known");
  double scale = call.Float("scale", 0);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(size.value()));
  ir::Value decay, beta;
  if (gated) decay = BySteps(call, call.In(4), heads).Of("exp");
  if (corrects) {
    const ir::Value given = call.In(5);
    const bool one = call.ok() && ShapeOf(given)[2] == Dim(1);
    beta = BySteps(call, given, one ? 1 : heads);
  }
  if (!call.ok()) return;
  DataType state_dtype = dtype;
  ir::Value state;
  if (call.Has(3)) {
    state_dtype = DtypeOf(call.In(3));
    state = Cast(call, call.In(3), DataType::kFloat32);
  } else {
    const ir::Value first = IntegerList(call, {0});
    const Expression none = Step(call, k, first).Unsqueeze({3}) *
                            Step(call, v, first).Unsqueeze({2});
    state = none.Of("zeros_like");
  }
  const auto group = static_cast<int64_t>(q_heads / heads);
  CountedLoop loop;
  loop.count = Reshape(call, Extent(call, q, 0), {});
  loop.carried = {state};
  loop.collected = 1;
  loop.step =
      [&](OnnxCall& inside, ir::Value i,
          absl::Span<const ir::Value> carried) -> absl::StatusOr<Values> {
    Expression s(inside, carried[0]);
    const Expression key = Step(inside, k, i);
    Expression value = Step(inside, v, i);
    if (decay) s = s * Step(inside, decay, i).Unsqueeze({3});
    if (beta) {
      const Expression known = (s * key.Unsqueeze({3}))
                                   .Of("sum", {{"axis", Integers{2}},
                                               {"dtype", DataType::kFloat32}});
      value = (value - known) * Step(inside, beta, i);
    }
    s = s + key.Unsqueeze({3}) * value.Unsqueeze({2});
    const Expression read =
        group == 1
            ? s
            : s.Of("repeat_interleave", {{"repeats", group}, {"axis", 1}});
    const Expression y =
        (read * Step(inside, q, i).Unsqueeze({3}))
            .Of("sum", {{"axis", Integers{2}}, {"dtype", DataType::kFloat32}}) *
        scale;
    SY_RETURN_IF_ERROR(inside.status());
    return Values{s, y};
  };
  const Values results = Repeat(call, loop);
  if (!call.ok()) return;
  ir::Value y = call.Call("array_to_tensor", {results[1]},
                          {{"axis", 1}, {"use_stack", true}});
  y = call.Call("flatten", {y}, {{"start_axis", 2}, {"stop_axis", 3}});
  call.Out(0, Cast(call, y, dtype));
  call.Out(1, Cast(call, results[0], state_dtype));
}

// A causal convolution of each channel. The state holds the steps before the
// first one of the input.
void CausalConvWithState(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const ir::Value weights = call.In(1);
  if (!call.ok()) return;
  const Dim channels = ShapeOf(weights)[0];
  const Dim width = ShapeOf(weights)[2];
  if (Rank(weights) != 3 || !channels.known() || !width.known()) {
    return call.Refuse("the weights must have a known shape of 3 axes");
  }
  const int64_t before = width.value() - 1;
  ir::Value padded;
  if (call.Has(3)) {
    const Values parts = {call.In(3), x};
    padded = call.Call("concat", {parts}, {{"axis", 2}});
  } else {
    padded =
        call.Call("pad", {x}, {{"paddings", Integers{0, 0, 0, 0, before, 0}}});
  }
  Expression y(call, Squeeze(call,
                             call.Call("conv2d",
                                       {Unsqueeze(call, padded, {2}),
                                        Unsqueeze(call, weights, {2})},
                                       {{"groups", channels.value()}}),
                             {2}));
  if (call.Has(2)) y = y + Expression(call, call.In(2)).Unsqueeze({1});
  const std::string activation = call.Text("activation", "none");
  if (activation == "silu" || activation == "swish") {
    y = y.Of("silu");
  } else if (activation != "none") {
    return call.Fail(
        ArgumentError("activation", "none, silu or swish", activation));
  }
  call.Out(0, y);
  const Expression steps(call, Extent(call, x, 2));
  call.Out(1, call.Call("slice", {padded},
                        {{"axes", Integers{2}},
                         {"starts", ir::Value(steps)},
                         {"ends", ir::Value(steps + double(before))}}));
}

constexpr OnnxLowering kLowerings[] = {
    {"Attention", Attention},
    {"CausalConvWithState", CausalConvWithState},
    {"LinearAttention", LinearAttention},
    {"RotaryEmbedding", RotaryEmbedding},
    {"TensorScatter", TensorScatter},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxAttentionLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
