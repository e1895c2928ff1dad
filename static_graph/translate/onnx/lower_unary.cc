// SPDX-License-Identifier: Apache-2.0
// Casts, and operators of one tensor that are several of ours.
#include "absl/strings/str_cat.h"
#include "static_graph/foreign/onnx/element_type.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/quantization/storage_casts.h"

namespace switchyard::static_graph {
namespace {

void Abs(OnnxCall& call) { call.Out(0, call.Call("abs", {call.In(0)})); }
void Neg(OnnxCall& call) { call.Out(0, call.Call("neg", {call.In(0)})); }
void Sign(OnnxCall& call) { call.Out(0, call.Call("sign", {call.In(0)})); }
void Reciprocal(OnnxCall& call) {
  call.Out(0, call.Call("reciprocal", {call.In(0)}));
}
void Round(OnnxCall& call) { call.Out(0, RoundToEven(call, call.In(0))); }

// Casts from and to texts too. A bool is the text of 0 or 1.
ir::Value CastAny(OnnxCall& call, ir::Value x, DataType to) {
  if (!call.ok()) return ir::Value();
  const DataType from = DtypeOf(x);
  if (to == DataType::kString && from != to) {
    if (from == DataType::kBool) x = Cast(call, x, DataType::kInt32);
    return call.Call("strings_from_number", {x});
  }
  if (from == DataType::kString && to == DataType::kBool) {
    x = call.Call("strings_to_number", {x}, {{"dtype", DataType::kFloat32}});
  } else if (from == DataType::kString && to != from) {
    return call.Call("strings_to_number", {x}, {{"dtype", to}});
  }
  return CastAsNodeSays(call, x, to);
}

// A number beyond the integer's range is undefined there; ours saturates.
void Cast(OnnxCall& call) {
  const DataType to = call.Checked(DataTypeOfOnnx(call.Int("to", 0)));
  if (call.ok()) call.Out(0, CastAny(call, call.In(0), to));
}

void CastLike(OnnxCall& call) {
  const ir::Value like = call.In(1);
  if (call.ok()) {
    call.Out(0, CastAny(call, call.In(0), DtypeOf(like)));
  }
}

// The bytes of x as another dtype as wide. A bool is whether its byte is not 0.
void BitCast(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const DataType to = call.Checked(DataTypeOfOnnx(call.Int("to", 0)));
  if (!call.ok()) return;
  const DataType from = DtypeOf(x);
  if (to == DataType::kString || from == DataType::kString) {
    return call.Refuse("texts have no bits");
  }
  if (ElementBits(from) != ElementBits(to)) {
    return call.Fail(TypeError(
        "to", absl::StrCat("of ", ElementBits(from), " bits, as the input is"),
        Name(to)));
  }
  const bool to_bool = to == DataType::kBool && from != to;
  const ir::Value bits = call.Call(
      "view_dtype", {x}, {{"dtype", to_bool ? DataType::kUInt8 : to}});
  call.Out(0, to_bool ? Cast(call, bits, to) : bits);
}

// Takes integers, too; our relu takes floating numbers alone.
void Relu(OnnxCall& call) {
  const ir::Value x = call.In(0);
  if (!IsInteger(DtypeOf(x))) {
    return call.Out(0, call.Call("relu", {x}));
  }
  call.Out(0, call.Call("maximum", {x, NumberLike(call, x, 0)}));
}

// Computes in float32, of x of another dtype.
void InFloat(OnnxCall& call, const char* ours) {
  const ir::Value x = call.In(0);
  const ir::Value y = call.Call(ours, {Cast(call, x, DataType::kFloat32)});
  call.Out(0, Cast(call, y, DtypeOf(x)));
}

void Erf(OnnxCall& call) { InFloat(call, "erf"); }
void Det(OnnxCall& call) { InFloat(call, "determinant"); }

// Negative and positive infinities may each count or not.
void IsInf(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const ir::Value infinite = call.Call("isinf", {x});
  const bool negative = call.Flag("detect_negative", true);
  const bool positive = call.Flag("detect_positive", true);
  if (negative && positive) return call.Out(0, infinite);
  const ir::Value zero = NumberLike(call, x, 0);
  ir::Value side =
      call.Call(negative ? "less_than" : "greater_than", {x, zero});
  if (!negative && !positive) {
    side = call.Call("logical_not", {infinite});
  }
  call.Out(0, call.Call("logical_and", {infinite, side}));
}

constexpr OnnxLowering kLowerings[] = {
    {"Abs", Abs},           {"BitCast", BitCast}, {"Cast", Cast},
    {"CastLike", CastLike}, {"Det", Det},         {"Erf", Erf},
    {"IsInf", IsInf},       {"Neg", Neg},         {"Reciprocal", Reciprocal},
    {"Relu", Relu},         {"Round", Round},     {"Sign", Sign},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxUnaryLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
