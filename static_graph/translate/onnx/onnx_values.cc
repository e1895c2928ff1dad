// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/onnx_values.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "framework/types/float16.h"
#include "static_graph/dialect/rng_state.h"

namespace switchyard::static_graph {
namespace {

template <typename T>
void AppendAs(double number, std::string* bytes) {
  const T value = Scalar(number).to<T>();
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// Appends a number as an element of a dtype; false for one that holds none.
bool Append(double number, DataType dtype, std::string* bytes) {
  switch (dtype) {
    case DataType::kBool:
      AppendAs<bool>(number, bytes);
      return true;
    case DataType::kUInt8:
      AppendAs<uint8_t>(number, bytes);
      return true;
    case DataType::kInt8:
      AppendAs<int8_t>(number, bytes);
      return true;
    case DataType::kInt16:
      AppendAs<int16_t>(number, bytes);
      return true;
    case DataType::kInt32:
      AppendAs<int32_t>(number, bytes);
      return true;
    case DataType::kInt64:
      AppendAs<int64_t>(number, bytes);
      return true;
    case DataType::kUInt16:
      AppendAs<uint16_t>(number, bytes);
      return true;
    case DataType::kUInt32:
      AppendAs<uint32_t>(number, bytes);
      return true;
    case DataType::kUInt64:
      AppendAs<uint64_t>(number, bytes);
      return true;
    case DataType::kFloat16:
      AppendAs<float16>(number, bytes);
      return true;
    case DataType::kBFloat16:
      AppendAs<bfloat16>(number, bytes);
      return true;
    case DataType::kFloat32:
      AppendAs<float>(number, bytes);
      return true;
    case DataType::kFloat64:
      AppendAs<double>(number, bytes);
      return true;
    default:
      return false;
  }
}

}  // namespace

const Shape& ShapeOf(ir::Value value) {
  static const Shape none;
  return value ? value.tensor_type().shape() : none;
}

DataType DtypeOf(ir::Value value) {
  return value ? value.tensor_type().dtype() : DataType::kUndefined;
}

ir::Value IntegerList(OnnxCall& call, const Integers& elements) {
  const std::string_view bytes(reinterpret_cast<const char*>(elements.data()),
                               elements.size() * sizeof(int64_t));
  Shape shape;
  shape.push_back(Dim(static_cast<int64_t>(elements.size())));
  return call.Constant(DataType::kInt64, shape, bytes);
}

ir::Value FloatList(OnnxCall& call, absl::Span<const double> elements,
                    DataType dtype) {
  std::string bytes;
  for (const double number : elements) {
    if (!Append(number, dtype, &bytes)) {
      call.Refuse("numbers of this dtype are no constants here");
      return ir::Value();
    }
  }
  Shape shape;
  shape.push_back(Dim(static_cast<int64_t>(elements.size())));
  return call.Constant(dtype, shape, bytes);
}

ir::Value Number(OnnxCall& call, double number, DataType dtype) {
  std::string bytes;
  if (!Append(number, dtype, &bytes)) {
    call.Refuse("numbers of this dtype are no constants here");
    return ir::Value();
  }
  return call.Constant(dtype, Shape(), bytes);
}

ir::Value NumberLike(OnnxCall& call, ir::Value like, double number) {
  return call.ok() ? Number(call, number, DtypeOf(like)) : ir::Value();
}

OnnxDraw NextDraw(OnnxCall& call) {
  OnnxDraw draw;
  if (!call.ok()) return draw;
  if (const ForeignAttr* const seed = call.op().attr("seed")) {
    // Any float32 is a seed: its bits are.
    int64_t bits = seed->integer();
    if (seed->kind == ForeignKind::kFloat) {
      const auto number = static_cast<float>(seed->number());
      std::memcpy(&bits, &number, sizeof(number));
    }
    draw.rng = IntegerList(call, {bits, 0});
    return draw;
  }
  ir::Program* const program = call.translation().into;
  if (call.builder().block() != &program->entry()) {
    call.Refuse(
        "a random operator without a seed must not be in a graph inside");
    return draw;
  }
  ir::Value& rng = call.translation().rng;
  if (!rng) {
    if (program->FindArgument(ir::ArgumentRole::kState, kRngState) ||
        program->FindArgument(ir::ArgumentRole::kFeed, kRngState)) {
      call.Fail(
          ArgumentError(absl::StrCat("variable '", kRngState, "'"),
                        "of another name, since this is the random generator's",
                        absl::StrCat("'", kRngState, "'")));
      return draw;
    }
    rng = program->AddState(kRngState, call.builder().context()->GetTensorType(
                                           DataType::kInt64, Shape({2})));
  }
  return {rng, call.translation().streams++};
}

ir::Value Cast(OnnxCall& call, ir::Value value, DataType dtype) {
  if (!call.ok() || DtypeOf(value) == dtype) return value;
  return call.Call("cast", {value}, {{"dtype", dtype}});
}

// Ours rounds halves away from zero, and a half is halfway between an even
// number and an odd one.
ir::Value RoundToEven(OnnxCall& call, ir::Value value) {
  const ir::Value rest =
      call.Call("subtract", {value, call.Call("trunc", {value})});
  const ir::Value is_half = call.Call(
      "equal", {call.Call("abs", {rest}), NumberLike(call, value, 0.5)});
  const ir::Value two = NumberLike(call, value, 2);
  const ir::Value even =
      call.Call("multiply",
                {call.Call("round", {call.Call("divide", {value, two})}), two});
  return call.Call("where", {is_half, even, call.Call("round", {value})});
}

ir::Value Reshape(OnnxCall& call, ir::Value value, const Integers& extents) {
  return call.Call("reshape", {value}, {{"shape", extents}});
}

ir::Value ReshapeTo(OnnxCall& call, ir::Value value,
                    const std::vector<ir::Value>& extents) {
  if (!call.ok()) return ir::Value();
  Integers known;
  for (const ir::Value extent : extents) {
    const std::optional<Integers> number = call.KnownIntegers(extent);
    if (!number.has_value()) break;
    known.insert(known.end(), number->begin(), number->end());
  }
  if (known.size() == extents.size()) return Reshape(call, value, known);
  return call.Call("reshape", {value}, {{"shape", extents}});
}

ir::Value Extent(OnnxCall& call, ir::Value value, int axis) {
  if (!call.ok()) return ir::Value();
  const Dim dim = ShapeOf(value)[axis];
  if (dim.known()) return IntegerList(call, {dim.value()});
  const ir::Value extent = call.Call("extent", {value}, {{"axis", axis}});
  return Reshape(call, Cast(call, extent, DataType::kInt64), {1});
}

std::vector<ir::Value> ElementsOf(OnnxCall& call, ir::Value list) {
  if (!call.ok() || Rank(list) != 1 || DtypeOf(list) != DataType::kInt64) {
    return {};
  }
  std::vector<ir::Value> elements;
  if (const std::optional<Integers> known = call.KnownIntegers(list)) {
    for (const int64_t number : *known) {
      elements.push_back(IntegerList(call, {number}));
    }
    return elements;
  }
  if (ShapeOf(list)[0] == Dim(1)) return {list};
  const ir::Operation* const op = list.defining_op();
  if (op == nullptr || op->name() != "op.concat") return {};
  for (const ir::Value part : op->operands()) {
    const std::vector<ir::Value> of_part = ElementsOf(call, part);
    if (of_part.empty()) return {};
    elements.insert(elements.end(), of_part.begin(), of_part.end());
  }
  return elements;
}

std::vector<ir::Value> AllExtents(OnnxCall& call, ir::Value value) {
  std::vector<ir::Value> extents;
  for (int i = 0; i < Rank(value); ++i)
    extents.push_back(Extent(call, value, i));
  return extents;
}

ir::Value Places(OnnxCall& call, ir::Value value, int axis) {
  return call.Call("arange", {},
                   {{"start", IntegerList(call, {0})},
                    {"end", Extent(call, value, axis)},
                    {"step", IntegerList(call, {1})},
                    {"dtype", DataType::kInt64}});
}

ir::Value Transpose(OnnxCall& call, ir::Value value, const Integers& order) {
  Integers same(order.size());
  std::iota(same.begin(), same.end(), 0);
  if (order == same) return value;
  return call.Call("transpose", {value}, {{"perm", order}});
}

ir::Value Unsqueeze(OnnxCall& call, ir::Value value, const Integers& axes) {
  if (axes.empty()) return value;
  return call.Call("unsqueeze", {value}, {{"axis", axes}});
}

ir::Value Squeeze(OnnxCall& call, ir::Value value, const Integers& axes) {
  if (axes.empty()) return value;
  return call.Call("squeeze", {value}, {{"axis", axes}});
}

ir::Value Slice(OnnxCall& call, ir::Value value, int axis, int64_t start,
                int64_t end, int64_t step) {
  const Integers axes = {axis};
  if (step == 1) {
    return call.Call(
        "slice", {value},
        {{"axes", axes}, {"starts", Integers{start}}, {"ends", Integers{end}}});
  }
  return call.Call("strided_slice", {value},
                   {{"axes", axes},
                    {"starts", Integers{start}},
                    {"ends", Integers{end}},
                    {"strides", Integers{step}}});
}

}  // namespace switchyard::static_graph
