// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime's attention: whole layers, with projections, caches and rotary
// embeddings.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/attention/attention.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/quantization/quantization.h"

namespace switchyard::static_graph {
namespace {

using Values = std::vector<ir::Value>;

// Returns the sum that a mask of integers adds to scores: the filter's value
// where it is 0.
ir::Value FilterOf(OnnxCall& call, const Expression& kept, DataType dtype) {
  const double filter = call.Float("mask_filter_value", -10000.0);
  return kept.Where({call, Number(call, 0, dtype)},
                    {call, Number(call, filter, dtype)});
}

// The mask of keys: the number of keys of each text, a number for each key, or
// one for each key of each query.
ir::Value KeyMask(OnnxCall& call, int input, const AttentionInputs& inputs) {
  if (!call.Has(input)) return ir::Value();
  const DataType dtype = DtypeOf(inputs.q);
  const ir::Value mask = call.In(input);
  if (!call.ok()) return ir::Value();
  const int rank = Rank(mask);
  if (rank == 1) {
    if (ShapeOf(mask)[0] != ShapeOf(inputs.q)[0]) {
      call.Refuse("a mask of one axis must have a number for each text");
      return ir::Value();
    }
    const Expression places(call, Places(call, inputs.k, 2));
    const Expression counts(
        call, Reshape(call, Cast(call, mask, DataType::kInt64), {-1, 1, 1, 1}));
    return FilterOf(call, places < counts, dtype);
  }
  if (rank > 3) {
    call.Refuse("the mask must be of at most 3 axes");
    return ir::Value();
  }
  const Expression numbers(
      call, Unsqueeze(call, mask, rank == 2 ? Integers{1, 2} : Integers{1}));
  return FilterOf(call, numbers > 0.0, dtype);
}

// The bias of an order that sees no later key.
ir::Value OrderBias(OnnxCall& call, const AttentionInputs& inputs,
                    ir::Value past) {
  VisibleKeys keys;
  keys.q = inputs.q;
  keys.k = inputs.k;
  keys.causal = call.Flag("unidirectional", false);
  if (past) keys.first = Extent(call, past, 2);
  const ir::Value seen = Visible(call, keys);
  return seen ? BiasOf(call, seen, DtypeOf(inputs.q)) : ir::Value();
}

ir::Value Joined(OnnxCall& call, ir::Value past, ir::Value now) {
  const Values parts = {past, now};
  return call.Call("concat", {parts}, {{"axis", 2}});
}

// Part of a bias of queries, keys and values together.
ir::Value Biased(OnnxCall& call, ir::Value x, int input, int64_t from,
                 int64_t size) {
  if (!call.Has(input)) return x;
  return call.Call("add",
                   {x, Slice(call, call.In(input), 0, from, from + size)});
}

int64_t LastExtent(OnnxCall& call, ir::Value x) {
  if (!call.ok()) return 0;
  const Dim dim = ShapeOf(x)[Rank(x) - 1];
  if (!dim.known()) call.Refuse("the hidden size must be known");
  return dim.known() ? dim.value() : 0;
}

// One of the parts on axis 3 of [batch, steps, heads, parts, size].
ir::Value PartOf(OnnxCall& call, ir::Value packed, int64_t part) {
  return call.Call("flatten",
                   {Squeeze(call, Slice(call, packed, 3, part, part + 1), {3})},
                   {{"start_axis", 2}, {"stop_axis", 3}});
}

// Queries, keys and values of [batch, steps, hidden], which may be packed.
AttentionInputs ReadInputs(OnnxCall& call, int64_t heads) {
  AttentionInputs inputs;
  Values flat = {call.In(0)};
  if (!call.ok()) return inputs;
  if (Rank(flat[0]) == 5) {
    const ir::Value packed = flat[0];
    flat = {PartOf(call, packed, 0), PartOf(call, packed, 1),
            PartOf(call, packed, 2)};
  } else {
    const ir::Value key = call.In(1);
    if (call.ok() && Rank(key) == 5) {
      flat.push_back(PartOf(call, key, 0));
      flat.push_back(PartOf(call, key, 1));
    } else {
      flat.push_back(key);
      flat.push_back(call.In(2));
    }
  }
  int64_t from = 0;
  for (ir::Value& part : flat) {
    if (!call.ok()) return inputs;
    // Keys and values of another layer have heads already.
    if (Rank(part) == 4) continue;
    const int64_t size = LastExtent(call, part);
    part = SplitHeads(call, Biased(call, part, 3, from, size), heads);
    from += size;
  }
  inputs.q = flat[0];
  inputs.k = flat[1];
  inputs.v = flat[2];
  return inputs;
}

void MultiHeadAttention(OnnxCall& call) {
  if (call.Has(8) || call.Has(9)) {
    return call.Refuse(
        "past_sequence_length and cache_indirection are for "
        "buffers that are shared");
  }
  AttentionInputs inputs = ReadInputs(call, call.Int("num_heads", 0));
  inputs.scale = call.Float("scale", 0);
  ir::Value past;
  if (call.Has(6) && call.Has(7)) {
    past = call.In(6);
    inputs.k = Joined(call, past, inputs.k);
    inputs.v = Joined(call, call.In(7), inputs.v);
  }
  call.Out(1, inputs.k);
  call.Out(2, inputs.v);
  inputs.bias =
      BothBiases(call, KeyMask(call, 4, inputs), OrderBias(call, inputs, past));
  if (call.Has(5)) inputs.bias = BothBiases(call, inputs.bias, call.In(5));
  const AttentionResults results = ScoredAttention(call, inputs);
  call.Out(0, JoinHeads(call, results.y));
  call.Out(3, results.biased);
}

// Which inputs of attention of one text to itself are its mask, past keys and
// values, and a bias of its scores; one after the last where it has none.
struct SelfInputs {
  int mask, past, bias;
};

// `all` are queries, keys and values, one beside another; past keys and values
// are one tensor.
void SelfAttention(OnnxCall& call, ir::Value all, const SelfInputs& given) {
  if (call.Flag("do_rotary", false) ||
      call.Flag("past_present_share_buffer", false)) {
    return call.Refuse("do_rotary and past_present_share_buffer must be 0");
  }
  const int64_t heads = call.Int("num_heads", 0);
  const int64_t whole = LastExtent(call, all);
  const Integers sizes = call.Ints(
      "qkv_hidden_sizes", {whole / 3, whole / 3, whole - 2 * (whole / 3)});
  if (call.ok() && sizes.size() != 3) {
    return call.Fail(ArgumentError("qkv_hidden_sizes", "three numbers",
                                   absl::StrCat(sizes.size())));
  }
  int64_t from = 0;
  const auto part = [&](size_t i) {
    const ir::Value one = Slice(call, all, 2, from, from + sizes[i]);
    from += sizes[i];
    return SplitHeads(call, one, heads);
  };
  AttentionInputs inputs;
  inputs.q = part(0);
  inputs.k = part(1);
  inputs.v = part(2);
  inputs.scale = call.Float("scale", 0);
  ir::Value past;
  if (call.Has(given.past)) {
    const ir::Value both = call.In(given.past);
    past = Squeeze(call, Slice(call, both, 0, 0, 1), {0});
    inputs.k = Joined(call, past, inputs.k);
    inputs.v =
        Joined(call, Squeeze(call, Slice(call, both, 0, 1, 2), {0}), inputs.v);
  }
  if (call.Wants(1)) {
    const Values both = {inputs.k, inputs.v};
    call.Out(1, call.Call("stack", {both}, {{"axis", 0}}));
  }
  inputs.bias = BothBiases(call, KeyMask(call, given.mask, inputs),
                           OrderBias(call, inputs, past));
  if (call.Has(given.bias)) {
    inputs.bias = BothBiases(call, inputs.bias, call.In(given.bias));
  }
  call.Out(0, JoinHeads(call, ScoredAttention(call, inputs).y));
}

// The projections are one matrix.
void Attention(OnnxCall& call) {
  if (call.Has(6)) {
    return call.Refuse("past_sequence_length must not be given");
  }
  Expression all(call, call.Call("matmul", {call.In(0), call.In(1)}));
  if (call.Has(2)) all = all + Expression(call, call.In(2));
  SelfAttention(call, all, {3, 4, 5});
}

// The projections are a product of integers of eight bits.
void QAttention(OnnxCall& call) {
  const ir::Value sum = IntegerProduct(call, 0, 6, 1, 7);
  const Expression unit =
      Expression(call, call.In(3)) * Expression(call, call.In(4));
  if (!call.ok()) return;
  const Expression all = Expression(call, sum).As(unit.dtype()) * unit;
  SelfAttention(call, all + Expression(call, call.In(2)), {5, 8, 9});
}

// The places of queries and of angles in the caches of a text, [batch, steps].
ir::Value PlacesFrom(OnnxCall& call, ir::Value first, ir::Value x, int axis) {
  return Expression(call, Reshape(call, first, {-1, 1})) +
         Expression(call, Places(call, x, axis));
}

ir::Value Rotated(OnnxCall& call, ir::Value x, ir::Value places, int cosines,
                  bool interleaved) {
  const auto angles = [&](int input) {
    return call.Call("embedding", {places, call.In(input)});
  };
  const ir::Value y = Turned(call, Transpose(call, x, {0, 2, 1, 3}),
                             angles(cosines), angles(cosines + 1), interleaved);
  return Transpose(call, y, {0, 2, 1, 3});
}

// One place for all texts is that of their first step.
void RotaryEmbedding(OnnxCall& call) {
  ir::Value x = call.In(0);
  ir::Value places = Cast(call, call.In(1), DataType::kInt64);
  const ir::Value cosines = call.In(2);
  if (!call.ok()) return;
  if (call.Flag("is_packed_batching", false) || call.Float("scale", 1) != 1) {
    return call.Refuse("is_packed_batching must be 0 and scale 1");
  }
  const bool flat = Rank(x) == 3;
  if (flat) {
    int64_t heads = call.Int("num_heads", 0);
    if (heads == 0) {
      const int64_t size = 2 * LastExtent(call, cosines);
      heads = size == 0 ? 0 : LastExtent(call, x) / size;
    }
    x = SplitHeads(call, x, heads);
  }
  if (call.ok() && Rank(places) == 1) {
    places = PlacesFrom(call, places, x, 2);
  }
  const ir::Value y =
      Rotated(call, x, places, 2, call.Flag("interleaved", false));
  call.Out(0, flat ? JoinHeads(call, y) : y);
}

// A cache that has room for `total` keys, with the new ones from `first` of
// each text on.
ir::Value Written(OnnxCall& call, int cache, const Expression& now,
                  const Expression& first, const Expression& total) {
  if (!call.Has(cache)) return now;
  const ir::Value past = call.In(cache);
  const Expression have(call, Extent(call, past, 2));
  const Expression room = (total - have).With("maximum", 0.0);
  const Values pads = {IntegerList(call, Integers(5, 0)), room,
                       IntegerList(call, {0, 0})};
  const ir::Value wide =
      call.Call("pad", {past},
                {{"paddings", call.Call("concat", {pads}, {{"axis", 0}})}});
  const Expression steps(call, Unsqueeze(call, Places(call, now, 2), {1}));
  const Expression none(
      call, call.Call("zeros_like", {now}, {{"dtype", DataType::kInt64}}));
  const Expression places =
      Expression(call, Reshape(call, first, {-1, 1, 1, 1})) + steps + none;
  return call.Call("put_along_axis", {wide, places, now}, {{"axis", 2}});
}

// Queries, keys and values, of one tensor or of three.
AttentionInputs GroupedInputs(OnnxCall& call) {
  const int64_t heads = call.Int("num_heads", 0);
  const int64_t kv_heads = call.Int("kv_num_heads", heads);
  Values flat = {call.In(0)};
  if (call.Has(1)) {
    flat.push_back(call.In(1));
    flat.push_back(call.In(2));
  } else {
    const ir::Value packed = flat[0];
    const int64_t parts = heads + 2 * kv_heads;
    const int64_t size = parts < 1 ? 0 : LastExtent(call, packed) / parts;
    const int64_t q = heads * size, k = kv_heads * size;
    flat = {Slice(call, packed, 2, 0, q), Slice(call, packed, 2, q, q + k),
            Slice(call, packed, 2, q + k, q + 2 * k)};
  }
  AttentionInputs inputs;
  if (kv_heads < 1 || heads % kv_heads != 0) {
    call.Fail(ArgumentError("num_heads", "a multiple of kv_num_heads",
                            absl::StrCat(heads)));
    return inputs;
  }
  inputs.shared = heads / kv_heads;
  inputs.q = SplitHeads(call, flat[0], heads);
  inputs.k = SplitHeads(call, flat[1], kv_heads);
  inputs.v = SplitHeads(call, flat[2], kv_heads);
  return inputs;
}

// Each text has its own number of keys, less one in input 5; the last ones of
// them are the new ones. A prompt may be shorter than the others.
void GroupQueryAttention(OnnxCall& call) {
  if (call.Flag("smooth_softmax", false) || call.Has(11)) {
    return call.Refuse("smooth_softmax and head_sink must not be used");
  }
  AttentionInputs inputs = GroupedInputs(call);
  if (!call.ok()) return;
  const Expression last(
      call, Reshape(call, Cast(call, call.In(5), DataType::kInt64), {-1}));
  const Expression total(
      call, Reshape(call, Cast(call, call.In(6), DataType::kInt64), {1}));
  const Expression steps(call, Extent(call, inputs.q, 2));
  const Expression first = (last + 1.0 - steps).With("maximum", 0.0);
  if (call.Flag("do_rotary", false)) {
    ir::Value places = call.Has(9) ? Cast(call, call.In(9), DataType::kInt64)
                                   : PlacesFrom(call, first, inputs.q, 2);
    const bool beside = call.Flag("rotary_interleaved", false);
    inputs.q = Rotated(call, inputs.q, places, 7, beside);
    inputs.k = Rotated(call, inputs.k, places, 7, beside);
  }
  inputs.k = Written(call, 3, {call, inputs.k}, first, total);
  inputs.v = Written(call, 4, {call, inputs.v}, first, total);
  call.Out(1, inputs.k);
  call.Out(2, inputs.v);
  VisibleKeys keys;
  keys.q = inputs.q;
  keys.k = inputs.k;
  keys.first = Reshape(call, first, {-1, 1, 1, 1});
  keys.causal = true;
  const int64_t window = call.Int("local_window_size", -1);
  if (window > 0) keys.left = window - 1;
  inputs.scale = call.Float("scale", 0);
  inputs.softcap = call.Float("softcap", 0);
  inputs.bias = BiasOf(call, Visible(call, keys), DtypeOf(inputs.q));
  if (call.Has(10)) inputs.bias = BothBiases(call, inputs.bias, call.In(10));
  call.Out(0, JoinHeads(call, ScoredAttention(call, inputs).y));
}

constexpr OnnxLowering kLowerings[] = {
    {"Attention", Attention, kMicrosoft},
    {"GroupQueryAttention", GroupQueryAttention, kMicrosoft},
    {"MultiHeadAttention", MultiHeadAttention, kMicrosoft},
    {"QAttention", QAttention, kMicrosoft},
    {"RotaryEmbedding", RotaryEmbedding, kMicrosoft},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxFusedAttentionLowerings() {
  return kLowerings;
}

}  // namespace switchyard::static_graph
