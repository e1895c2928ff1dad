// SPDX-License-Identifier: Apache-2.0
// Activations with parameters, clipping, softmax and its like, dropout.
#include <limits>

#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

void Selu(OnnxCall& call) {
  constexpr double kAlpha = 1.67326319217681884765625;
  constexpr double kGamma = 1.05070102214813232421875;
  call.Out(0, call.Call("selu", {call.In(0)},
                        {{"scale", call.Float("gamma", kGamma)},
                         {"alpha", call.Float("alpha", kAlpha)}}));
}

void Softplus(OnnxCall& call) {
  // Beyond the threshold the result is x: no float32 tells it from the sum.
  call.Out(0, call.Call("softplus", {call.In(0)}, {{"threshold", 40.0}}));
}

void Gelu(OnnxCall& call) {
  const bool approximate = call.Text("approximate", "none") == "tanh";
  call.Out(0, call.Call("gelu", {call.In(0)}, {{"approximate", approximate}}));
}

// Numbers beyond `lambd` move by `bias` towards zero; the others are zero.
// Integers move by fractions, too; the result is truncated.
void Shrink(OnnxCall& call) {
  const DataType dtype = DtypeOf(call.In(0));
  const ir::Value x =
      Cast(call, call.In(0), IsInteger(dtype) ? DataType::kFloat64 : dtype);
  const double lambda = call.Float("lambd", 0.5);
  const ir::Value bias = NumberLike(call, x, call.Float("bias", 0.0));
  const ir::Value low =
      call.Call("less_than", {x, NumberLike(call, x, -lambda)});
  const ir::Value high =
      call.Call("greater_than", {x, NumberLike(call, x, lambda)});
  const ir::Value up = call.Call("add", {x, bias});
  const ir::Value down = call.Call("subtract", {x, bias});
  const ir::Value zero = call.Call("zeros_like", {x});
  const ir::Value y =
      call.Call("where", {low, up, call.Call("where", {high, down, zero})});
  call.Out(0, Cast(call, y, dtype));
}

ir::Value Swished(OnnxCall& call, ir::Value x) {
  const double alpha = call.Float("alpha", 1.0);
  const ir::Value scaled =
      alpha == 1.0 ? x : call.Call("multiply", {x, NumberLike(call, x, alpha)});
  return call.Call("multiply", {x, call.Call("sigmoid", {scaled})});
}

void Swish(OnnxCall& call) { call.Out(0, Swished(call, call.In(0))); }

void SwiGlu(OnnxCall& call) {
  call.Out(0, call.Call("multiply", {Swished(call, call.In(0)), call.In(1)}));
}

// Bounds are attributes before version 11, then optional inputs. Where they
// cross, the upper one holds.
void Clip(OnnxCall& call) {
  constexpr int64_t kBoundsAreInputs = 11;
  ir::Value x = call.In(0);
  const bool inputs = call.version() >= kBoundsAreInputs;
  if (inputs ? call.Has(1) : call.HasAttr("min")) {
    const ir::Value low =
        inputs ? call.In(1) : NumberLike(call, x, call.Float("min", 0));
    x = call.Call("maximum", {x, low});
  }
  if (inputs ? call.Has(2) : call.HasAttr("max")) {
    const ir::Value high =
        inputs ? call.In(2) : NumberLike(call, x, call.Float("max", 0));
    x = call.Call("minimum", {x, high});
  }
  call.Out(0, x);
}

// Applies `function` of one axis. Before version 13 it was that of the axes
// from `axis` on together.
template <typename Function>
void AlongAxis(OnnxCall& call, Function function) {
  constexpr int64_t kOneAxis = 13;
  const ir::Value x = call.In(0);
  if (!call.ok()) return;
  const int rank = Rank(x);
  const bool flattens = call.version() < kOneAxis;
  const int64_t given = call.Int("axis", flattens ? 1 : -1);
  if (flattens && given == rank) {  // Each element is one for itself.
    const ir::Value column = Reshape(call, x, {-1, 1});
    return call.Out(0,
                    ReshapeTo(call, function(column, 1), AllExtents(call, x)));
  }
  const int axis = call.Axis(given, rank);
  if (!call.ok()) return;
  if (!flattens || axis == rank - 1) return call.Out(0, function(x, axis));
  const ir::Value flat = call.Call(
      "flatten", {x}, {{"start_axis", axis}, {"stop_axis", rank - 1}});
  call.Out(0, ReshapeTo(call, function(flat, axis), AllExtents(call, x)));
}

void Softmax(OnnxCall& call) {
  AlongAxis(call, [&](ir::Value x, int axis) {
    return call.Call("softmax", {x}, {{"axis", axis}});
  });
}

void LogSoftmax(OnnxCall& call) {
  AlongAxis(call, [&](ir::Value x, int axis) {
    return call.Call("log_softmax", {x}, {{"axis", axis}});
  });
}

// 1 at the first maximum.
void Hardmax(OnnxCall& call) {
  AlongAxis(call, [&](ir::Value x, int axis) {
    if (ShapeOf(x)[axis] == Dim(0)) return x;
    const ir::Value first =
        call.Call("argmax", {x}, {{"axis", axis}, {"keepdims", true}});
    ir::Value numbers = Places(call, x, axis);
    Integers after;
    for (int i = axis + 1; i < Rank(x); ++i) {
      after.push_back(static_cast<int64_t>(after.size()) + 1);
    }
    numbers = Unsqueeze(call, numbers, after);
    const ir::Value hit = call.Call("equal", {first, numbers});
    return Cast(call, hit, DtypeOf(x));
  });
}

constexpr OnnxLowering kLowerings[] = {
    {"Clip", Clip},       {"Gelu", Gelu},
    {"Hardmax", Hardmax}, {"LogSoftmax", LogSoftmax},
    {"Selu", Selu},       {"Shrink", Shrink},
    {"Softmax", Softmax}, {"Softplus", Softplus},
    {"SwiGLU", SwiGlu},   {"Swish", Swish},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxActivationLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
