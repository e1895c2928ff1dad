// SPDX-License-Identifier: Apache-2.0
// Operators of two tensors, element by element.
#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

void Two(OutCall& call, std::string_view type) {
  call.Out("out", call.Node(type, {call.In("x"), call.In("y")}));
}

void Subtract(OutCall& call) { Two(call, "Sub"); }
void Multiply(OutCall& call) { Two(call, "Mul"); }
void Maximum(OutCall& call) { Two(call, "Max"); }
void Minimum(OutCall& call) { Two(call, "Min"); }
void Power(OutCall& call) { Two(call, "Pow"); }

void NotEqual(OutCall& call) {
  call.Out(
      "out",
      call.Node("Not", {call.Node("Equal", {call.In("x"), call.In("y")})}));
}

// Numbers but 0 are true.
OnnxName Truth(OutCall& call, std::string_view input) {
  const OnnxName x = call.In(input);
  return call.Dtype(input) == DataType::kBool ? x
                                              : Cast(call, x, DataType::kBool);
}

template <const char* const& kType>
void Logical(OutCall& call) {
  call.Out("out", call.Node(kType, {Truth(call, "x"), Truth(call, "y")}));
}

void LogicalNot(OutCall& call) {
  call.Out("out", call.Node("Not", {Truth(call, "x")}));
}

constexpr const char* kAnd = "And";
constexpr const char* kOr = "Or";
constexpr const char* kXor = "Xor";

// The bits of bools; those of integers have forms.
template <const char* const& kType>
void BitsOfBools(OutCall& call) {
  if (call.Dtype("x") != DataType::kBool) return call.Refuse("no bools");
  Logical<kType>(call);
}

void NotOfBools(OutCall& call) {
  if (call.Dtype("x") != DataType::kBool) return call.Refuse("no bools");
  LogicalNot(call);
}

// The other operand for NaN.
void Extreme(OutCall& call, std::string_view type) {
  const OnnxName x = call.In("x");
  const OnnxName y = call.In("y");
  OnnxName out = call.Node(type, {x, y});
  if (IsFloating(call.Dtype("x"))) {
    out = call.Node("Where", {call.Node("IsNaN", {x}), y, out});
    out = call.Node("Where", {call.Node("IsNaN", {y}), x, out});
  }
  call.Out("out", out);
}

void Fmax(OutCall& call) { Extreme(call, "Max"); }
void Fmin(OutCall& call) { Extreme(call, "Min"); }

// Tensors of different shapes are not equal.
void EqualAll(OutCall& call) {
  const Shape& x = call.ShapeOf("x");
  if (!x.known() || x != call.ShapeOf("y")) {
    return call.Refuse("shapes must be known, and the same");
  }
  const OnnxName same = call.Node("Equal", {call.In("x"), call.In("y")});
  const OnnxName apart = Cast(call, call.Node("Not", {same}), DataType::kInt64);
  const OnnxName count = Reduce(call, "ReduceSum", apart, {}, false);
  call.Out("out", call.Node("Not", {Cast(call, count, DataType::kBool)}));
}

// Whether the remainder is not 0 and has another sign than the divisor.
OnnxName OtherSide(OutCall& call, const OnnxName& rest, const OnnxName& y) {
  const OnnxName zero = call.Scalar0(0, call.Dtype("x"));
  const OnnxName differ = call.Node(
      "Xor", {call.Node("Less", {rest, zero}), call.Node("Less", {y, zero})});
  const OnnxName left = call.Node("Not", {call.Node("Equal", {rest, zero})});
  return call.Node("And", {left, differ});
}

// The rest of a division that is cut towards 0.
OnnxName Rest(OutCall& call) {
  return call.Node("Mod", {call.In("x"), call.In("y")}, {{"fmod", int64_t{1}}});
}

void Fmod(OutCall& call) { call.Out("out", Rest(call)); }

void Remainder(OutCall& call) {
  const OnnxName y = call.In("y");
  if (!IsFloating(call.Dtype("x"))) {
    return call.Out("out", call.Node("Mod", {call.In("x"), y}));
  }
  const OnnxName rest = Rest(call);
  call.Out("out", call.Node("Where", {OtherSide(call, rest, y),
                                      call.Node("Add", {rest, y}), rest}));
}

void FloorDivide(OutCall& call) {
  const OnnxName x = call.In("x");
  const OnnxName y = call.In("y");
  const OnnxName rest = Rest(call);
  const OnnxName whole = call.Node("Div", {call.Node("Sub", {x, rest}), y});
  const OnnxName low =
      call.Node("Sub", {whole, call.Scalar0(1, call.Dtype("x"))});
  OnnxName out = call.Node("Where", {OtherSide(call, rest, y), low, whole});
  // The quotient is whole up to a rounding.
  if (IsFloating(call.Dtype("x"))) out = call.Node("Round", {out});
  call.Out("out", out);
}

void Lerp(OutCall& call) {
  const OnnxName x = call.In("x");
  const OnnxName way = call.Node("Sub", {call.In("y"), x});
  call.Out("out",
           call.Node("Add", {x, call.Node("Mul", {call.In("weight"), way})}));
}

void Heaviside(OutCall& call) {
  const DataType dtype = call.Dtype("x");
  const OnnxName x = call.In("x");
  const OnnxName zero = call.Scalar0(0, dtype);
  OnnxName side = Cast(call, call.Node("Greater", {x, zero}), dtype);
  if (IsFloating(dtype)) {
    side = call.Node("Where", {call.Node("IsNaN", {x}), x, side});
  }
  call.Out("out", call.Node("Where", {call.Node("Equal", {x, zero}),
                                      call.In("y"), side}));
}

// The axes of the operand of smaller rank stand at `axis` of the other.
void ElementwiseAdd(OutCall& call) {
  const int x_rank = call.Rank("x");
  const int y_rank = call.Rank("y");
  OnnxName x = call.In("x");
  OnnxName y = call.In("y");
  const int64_t axis = call.Int("axis");
  const int smaller = x_rank < y_rank ? x_rank : y_rank;
  const int larger = x_rank + y_rank - smaller;
  if (axis >= 0 && smaller < larger) {
    Integers after;
    for (int64_t i = axis + smaller; i < larger; ++i) {
      after.push_back(smaller + static_cast<int64_t>(after.size()));
    }
    OnnxName& small = x_rank < y_rank ? x : y;
    small = Unsqueeze(call, small, after);
  }
  if (call.Dtype("x") != call.Dtype("y")) {
    return call.Refuse("operands of different dtypes");
  }
  call.Out("out", call.Node("Add", {x, y}));
}

constexpr OutForm kForms[] = {
    {"subtract", Subtract},
    {"multiply", Multiply},
    {"maximum", Maximum},
    {"minimum", Minimum},
    {"elementwise_pow", Power},
    {"not_equal", NotEqual},
    {"fmod", Fmod},
    {"remainder", Remainder},
    {"floor_divide", FloorDivide},
    {"lerp", Lerp},
    {"heaviside", Heaviside},
    {"elementwise_add", ElementwiseAdd},
    {"logical_and", Logical<kAnd>},
    {"logical_or", Logical<kOr>},
    {"logical_xor", Logical<kXor>},
    {"logical_not", LogicalNot},
    {"bitwise_and", BitsOfBools<kAnd>},
    {"bitwise_or", BitsOfBools<kOr>},
    {"bitwise_xor", BitsOfBools<kXor>},
    {"bitwise_not", NotOfBools},
    {"fmax", Fmax},
    {"fmin", Fmin},
    {"equal_all", EqualAll},
};

}  // namespace

absl::Span<const OutForm> BinaryOutForms() { return kForms; }

}  // namespace switchyard::static_graph
