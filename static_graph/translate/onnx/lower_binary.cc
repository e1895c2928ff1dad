// SPDX-License-Identifier: Apache-2.0
// Operators of two tensors or several that broadcast.
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/node_forms.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

// The version from which operands broadcast as NumPy's do.
constexpr int64_t kBroadcasts = 7;

// Gives the second operand of an old version the axes that its attributes say:
// they match those of the first from `axis` on.
ir::Value SecondOperand(OnnxCall& call, ir::Value x, ir::Value y) {
  if (!call.ok() || call.version() >= kBroadcasts || !call.HasAttr("axis")) {
    return y;
  }
  const int axis = call.Axis(call.Int("axis", 0), Rank(x));
  Integers axes;
  for (int i = axis + Rank(y); i < Rank(x); ++i) {
    axes.push_back(static_cast<int64_t>(Rank(y) + axes.size()));
  }
  return Unsqueeze(call, y, axes);
}

// Operators that are one of ours by another name once both operands broadcast.
void Broadcast(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const ir::Value y = SecondOperand(call, x, call.In(1));
  if (call.ok() && !CallByForm(call, kBroadcasts, {x, y})) {
    call.Refuse("no operator here takes operands of these dtypes");
  }
}

// Operators whose entries have no form.
void Named(OnnxCall& call, const char* ours) {
  const ir::Value x = call.In(0);
  const ir::Value y = SecondOperand(call, x, call.In(1));
  call.Out(0, call.Call(ours, {x, y}));
}

void Mul(OnnxCall& call) { Named(call, "multiply"); }
void Sub(OnnxCall& call) { Named(call, "subtract"); }

// Integers are divided towards zero.
void Div(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const ir::Value y = SecondOperand(call, x, call.In(1));
  if (!IsInteger(DtypeOf(x))) {
    return call.Out(0, call.Call("divide", {x, y}));
  }
  const ir::Value rest = call.Call("fmod", {x, y});
  const ir::Value whole = call.Call("subtract", {x, rest});
  call.Out(0, call.Call("floor_divide", {whole, y}));
}

void Mod(OnnxCall& call) {
  const char* const ours = call.Flag("fmod", false) ? "fmod" : "remainder";
  call.Out(0, call.Call(ours, {call.In(0), call.In(1)}));
}

// The result has the dtype of the base.
void Pow(OnnxCall& call) {
  const ir::Value x = call.In(0);
  ir::Value y = SecondOperand(call, x, call.In(1));
  const DataType dtype = DtypeOf(x);
  const DataType other = DtypeOf(y);
  if (!call.ok()) return;
  if (dtype == other || IsFloating(dtype)) {
    y = Cast(call, y, dtype);
    return call.Out(0, call.Call("elementwise_pow", {x, y}));
  }
  const DataType wide =
      IsFloating(other) ? DataType::kFloat64 : DataType::kInt64;
  const ir::Value power =
      call.Call("elementwise_pow", {Cast(call, x, wide), Cast(call, y, wide)});
  call.Out(0, Cast(call, power, dtype));
}

void BitShift(OnnxCall& call) {
  const bool left = call.Text("direction", "") == "LEFT";
  call.Out(0, call.Call(left ? "bitwise_left_shift" : "bitwise_right_shift",
                        {call.In(0), call.In(1)}));
}

// Several operands, one after the other.
ir::Value Chain(OnnxCall& call, const char* ours) {
  std::vector<ir::Value> values = call.AllInputs();
  if (!call.ok() || values.empty()) return ir::Value();
  ir::Value result = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    result = call.Call(ours, {result, values[i]});
  }
  return result;
}

void Max(OnnxCall& call) { call.Out(0, Chain(call, "maximum")); }
void Min(OnnxCall& call) { call.Out(0, Chain(call, "minimum")); }
void Sum(OnnxCall& call) { call.Out(0, Chain(call, "add")); }

void Mean(OnnxCall& call) {
  const ir::Value sum = Chain(call, "add");
  const ir::Value count = NumberLike(call, sum, call.inputs());
  call.Out(0, call.Call("divide", {sum, count}));
}

// The slope broadcasts from the right, as NumPy has it.
void PRelu(OnnxCall& call) {
  const ir::Value x = call.In(0);
  ir::Value slope = call.In(1);
  if (!call.ok()) return;
  const int rank = Rank(x);
  if (call.version() < kBroadcasts && Rank(slope) == 1 && rank > 2) {
    Integers axes;
    for (int i = 1; i < rank - 1; ++i) axes.push_back(i);
    slope = Unsqueeze(call, slope, axes);
  }
  const ir::Value below = call.Call("less_than", {x, NumberLike(call, x, 0)});
  const ir::Value scaled = call.Call("multiply", {x, slope});
  call.Out(0, call.Call("where", {below, scaled, x}));
}

constexpr OnnxLowering kLowerings[] = {
    {"Add", Broadcast},  {"And", Broadcast},   {"BitShift", BitShift},
    {"Div", Div},        {"Equal", Broadcast}, {"Greater", Broadcast},
    {"Less", Broadcast}, {"Max", Max},         {"Mean", Mean},
    {"Min", Min},        {"Mod", Mod},         {"Mul", Mul},
    {"Or", Broadcast},   {"PRelu", PRelu},     {"Pow", Pow},
    {"Sub", Sub},        {"Sum", Sum},         {"Xor", Broadcast},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxBinaryLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
