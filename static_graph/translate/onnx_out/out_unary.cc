// SPDX-License-Identifier: Apache-2.0
// Operators of one tensor, element by element.
#include <cmath>

#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

// An operator of ONNX with one input and no attributes.
template <const char* const& kType>
void One(OutCall& call) {
  call.Out("out", call.Node(kType, {call.In("x")}));
}

constexpr const char* kAbs = "Abs";
constexpr const char* kSign = "Sign";
constexpr const char* kReciprocal = "Reciprocal";
constexpr const char* kIdentity = "Identity";

// Numbers without a sign wrap.
void Negative(OutCall& call) {
  const OnnxName x = call.In("x");
  if (!IsUnsigned(call.Dtype("x"))) {
    return call.Out("out", call.Node("Neg", {x}));
  }
  const OnnxName zero = call.Scalar0(0, call.Dtype("x"));
  call.Out("out", call.Node("Sub", {zero, x}));
}

void Square(OutCall& call) {
  call.Out("out", call.Node("Mul", {call.In("x"), call.In("x")}));
}

void Rsqrt(OutCall& call) {
  call.Out("out", call.Node("Reciprocal", {call.Node("Sqrt", {call.In("x")})}));
}

// The logarithm over another base.
void LogOf(OutCall& call, double base) {
  const OnnxName log = call.Node("Log", {call.In("x")});
  const OnnxName factor = call.Scalar0(1 / std::log(base), call.Dtype("x"));
  call.Out("out", call.Node("Mul", {log, factor}));
}

void Log2(OutCall& call) { LogOf(call, 2); }
void Log10(OutCall& call) { LogOf(call, 10); }

void Log1p(OutCall& call) {
  const OnnxName one = call.Scalar0(1, call.Dtype("x"));
  call.Out("out", call.Node("Log", {call.Node("Add", {call.In("x"), one})}));
}

void Expm1(OutCall& call) {
  const OnnxName one = call.Scalar0(1, call.Dtype("x"));
  call.Out("out", call.Node("Sub", {call.Node("Exp", {call.In("x")}), one}));
}

OnnxName Truncated(OutCall& call, const OnnxName& x) {
  const OnnxName size = call.Node("Floor", {call.Node("Abs", {x})});
  return call.Node("Mul", {call.Node("Sign", {x}), size});
}

void Trunc(OutCall& call) { call.Out("out", Truncated(call, call.In("x"))); }

// Beyond the digits that a number has, decimals change nothing.
void Round(OutCall& call) {
  constexpr int64_t kMostDecimals = 30;
  const int64_t decimals = call.Int("decimals");
  const DataType dtype = call.Dtype("x");
  OnnxName x = call.In("x");
  if (decimals > kMostDecimals) {
    return call.Out("out", call.Node("Identity", {x}));
  }
  const OnnxName factor =
      call.Scalar0(std::pow(10.0, static_cast<double>(decimals)), dtype);
  if (decimals != 0) x = call.Node("Mul", {x, factor});
  OnnxName y = RoundAway(call, x, dtype);
  if (decimals != 0) y = call.Node("Div", {y, factor});
  call.Out("out", y);
}

void Cast(OutCall& call) {
  call.Out("out", Cast(call, call.In("x"), call.OutDtype("out")));
}

// Whole numbers are none of infinity and NaN, and so is none of their floats.
OnnxName AsFloat(OutCall& call) {
  const OnnxName x = call.In("x");
  return IsFloating(call.Dtype("x")) ? x : Cast(call, x, DataType::kFloat32);
}

void IsInf(OutCall& call) {
  call.Out("out", call.Node("IsInf", {AsFloat(call)}));
}

void IsFinite(OutCall& call) {
  const OnnxName x = AsFloat(call);
  const OnnxName other =
      call.Node("Or", {call.Node("IsInf", {x}), call.Node("IsNaN", {x})});
  call.Out("out", call.Node("Not", {other}));
}

bool Is(OutCall& call, std::string_view attr, double number) {
  return call.Known(attr) && call.Float(attr) == number;
}

// scale * x + bias, or scale * (x + bias).
void Scale(OutCall& call) {
  const DataType dtype = call.Dtype("x");
  OnnxName x = call.In("x");
  const bool after = call.Flag("bias_after_scale");
  const auto add = [&] {
    if (Is(call, "bias", 0)) return;
    x = call.Node("Add", {x, call.NumberTensor("bias", dtype)});
  };
  if (!after) add();
  if (!Is(call, "scale", 1)) {
    x = call.Node("Mul", {x, call.NumberTensor("scale", dtype)});
  }
  if (after) add();
  if (x == call.In("x")) x = call.Node("Identity", {x});
  call.Out("out", x);
}

void Clip(OutCall& call) {
  const DataType dtype = call.Dtype("x");
  call.Out("out",
           call.Node("Clip", {call.In("x"), call.NumberTensor("min", dtype),
                              call.NumberTensor("max", dtype)}));
}

void Pow(OutCall& call) {
  const DataType dtype = call.Dtype("x");
  if (call.OutDtype("out") != dtype) {
    return call.Refuse("the power must be of the dtype of x");
  }
  call.Out("out",
           call.Node("Pow", {call.In("x"), call.NumberTensor("y", dtype)}));
}

constexpr OutForm kForms[] = {
    {"abs", One<kAbs>},
    {"neg", Negative},
    {"sign", One<kSign>},
    {"reciprocal", One<kReciprocal>},
    {"detach", One<kIdentity>},
    {"contiguous", One<kIdentity>},
    {"copy", One<kIdentity>},
    {"square", Square},
    {"rsqrt", Rsqrt},
    {"log2", Log2},
    {"log10", Log10},
    {"log1p", Log1p},
    {"expm1", Expm1},
    {"trunc", Trunc},
    {"round", Round},
    {"cast", Cast},
    {"isinf", IsInf},
    {"isfinite", IsFinite},
    {"scale", Scale},
    {"clip", Clip},
    {"pow", Pow},
};

}  // namespace

absl::Span<const OutForm> UnaryOutForms() { return kForms; }

}  // namespace switchyard::static_graph
