// SPDX-License-Identifier: Apache-2.0
// The part of static_graph/translate/onnx/onnx_call.h that makes constants,
// casts, reshapes and extents.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "framework/types/float16.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/rng_state.h"
#include "static_graph/translate/onnx/onnx_call.h"

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

ir::Value OnnxCall::Constant(DataType dtype, const Shape& shape,
                             std::string_view bytes) {
  if (!ok()) return ir::Value();
  const ir::Attribute constant = Checked(builder_.context()->GetConstant(
      builder_.context()->GetTensorType(dtype, shape), bytes));
  return ok() ? builder_.Constant(constant) : ir::Value();
}

ir::Value OnnxCall::IntegerList(const Integers& elements) {
  const std::string_view bytes(reinterpret_cast<const char*>(elements.data()),
                               elements.size() * sizeof(int64_t));
  Shape shape;
  shape.push_back(Dim(static_cast<int64_t>(elements.size())));
  return Constant(DataType::kInt64, shape, bytes);
}

ir::Value OnnxCall::FloatList(absl::Span<const double> elements,
                              DataType dtype) {
  std::string bytes;
  for (const double number : elements) {
    if (!Append(number, dtype, &bytes)) {
      Refuse("numbers of this dtype are no constants here");
      return ir::Value();
    }
  }
  Shape shape;
  shape.push_back(Dim(static_cast<int64_t>(elements.size())));
  return Constant(dtype, shape, bytes);
}

ir::Value OnnxCall::Number(double number, DataType dtype) {
  std::string bytes;
  if (!Append(number, dtype, &bytes)) {
    Refuse("numbers of this dtype are no constants here");
    return ir::Value();
  }
  return Constant(dtype, Shape(), bytes);
}

ir::Value OnnxCall::NumberLike(ir::Value like, double number) {
  return ok() ? Number(number, DtypeOf(like)) : ir::Value();
}

OnnxDraw OnnxCall::NextDraw() {
  OnnxDraw draw;
  if (!ok()) return draw;
  if (const ForeignAttr* const seed = op_.attr("seed")) {
    // Any float32 is a seed: its bits are.
    int64_t bits = seed->integer();
    if (seed->kind == ForeignKind::kFloat) {
      const auto number = static_cast<float>(seed->number());
      std::memcpy(&bits, &number, sizeof(number));
    }
    draw.rng = IntegerList({bits, 0});
    return draw;
  }
  ir::Program* const program = translation_.into;
  if (builder_.block() != &program->entry()) {
    Refuse("a random operator without a seed must not be in a graph inside");
    return draw;
  }
  ir::Value& rng = translation_.rng;
  if (!rng) {
    if (program->FindArgument(ir::ArgumentRole::kState, kRngState) ||
        program->FindArgument(ir::ArgumentRole::kFeed, kRngState)) {
      Fail(
          ArgumentError(absl::StrCat("variable '", kRngState, "'"),
                        "of another name, since this is the random generator's",
                        absl::StrCat("'", kRngState, "'")));
      return draw;
    }
    rng = program->AddState(kRngState, builder_.context()->GetTensorType(
                                           DataType::kInt64, Shape({2})));
  }
  return {rng, translation_.streams++};
}

ir::Value OnnxCall::Cast(ir::Value value, DataType dtype) {
  if (!ok() || DtypeOf(value) == dtype) return value;
  return Call("cast", {value}, {{"dtype", dtype}});
}

// Ours rounds halves away from zero, and a half is halfway between an even
// number and an odd one.
ir::Value OnnxCall::RoundToEven(ir::Value value) {
  const ir::Value rest = Call("subtract", {value, Call("trunc", {value})});
  const ir::Value is_half =
      Call("equal", {Call("abs", {rest}), NumberLike(value, 0.5)});
  const ir::Value two = NumberLike(value, 2);
  const ir::Value even =
      Call("multiply", {Call("round", {Call("divide", {value, two})}), two});
  return Call("where", {is_half, even, Call("round", {value})});
}

ir::Value OnnxCall::Reshape(ir::Value value, const Integers& extents) {
  return Call("reshape", {value}, {{"shape", extents}});
}

ir::Value OnnxCall::ReshapeTo(ir::Value value,
                              const std::vector<ir::Value>& extents) {
  if (!ok()) return ir::Value();
  Integers known;
  for (const ir::Value extent : extents) {
    const std::optional<Integers> number = KnownIntegers(extent);
    if (!number.has_value()) break;
    known.insert(known.end(), number->begin(), number->end());
  }
  if (known.size() == extents.size()) return Reshape(value, known);
  return Call("reshape", {value}, {{"shape", extents}});
}

ir::Value OnnxCall::Extent(ir::Value value, int axis) {
  if (!ok()) return ir::Value();
  const Dim dim = ShapeOf(value)[axis];
  if (dim.known()) return IntegerList({dim.value()});
  const ir::Value extent = Call("extent", {value}, {{"axis", axis}});
  return Reshape(Cast(extent, DataType::kInt64), {1});
}

std::vector<ir::Value> OnnxCall::AllExtents(ir::Value value) {
  std::vector<ir::Value> extents;
  for (int i = 0; i < Rank(value); ++i) extents.push_back(Extent(value, i));
  return extents;
}

ir::Value OnnxCall::Places(ir::Value value, int axis) {
  return Call("arange", {},
              {{"start", IntegerList({0})},
               {"end", Extent(value, axis)},
               {"step", IntegerList({1})},
               {"dtype", DataType::kInt64}});
}

ir::Value OnnxCall::Transpose(ir::Value value, const Integers& order) {
  Integers same(order.size());
  std::iota(same.begin(), same.end(), 0);
  if (order == same) return value;
  return Call("transpose", {value}, {{"perm", order}});
}

ir::Value OnnxCall::Unsqueeze(ir::Value value, const Integers& axes) {
  if (axes.empty()) return value;
  return Call("unsqueeze", {value}, {{"axis", axes}});
}

ir::Value OnnxCall::Squeeze(ir::Value value, const Integers& axes) {
  if (axes.empty()) return value;
  return Call("squeeze", {value}, {{"axis", axes}});
}

ir::Value OnnxCall::Slice(ir::Value value, int axis, int64_t start, int64_t end,
                          int64_t step) {
  const Integers axes = {axis};
  if (step == 1) {
    return Call(
        "slice", {value},
        {{"axes", axes}, {"starts", Integers{start}}, {"ends", Integers{end}}});
  }
  return Call("strided_slice", {value},
              {{"axes", axes},
               {"starts", Integers{start}},
               {"ends", Integers{end}},
               {"strides", Integers{step}}});
}

}  // namespace switchyard::static_graph
