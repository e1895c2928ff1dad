// SPDX-License-Identifier: Apache-2.0
// Constants, shapes, ranges and other tensors that are made.
#include <algorithm>

#include "static_graph/foreign/onnx/element_type.h"
#include "static_graph/foreign/onnx/onnx_program.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

// Returns the tensor of an attribute as a constant.
ir::Value TensorAttribute(OnnxCall& call, const ForeignAttr& attr) {
  const OnnxProgram& model = call.translation().model;
  if (model.HoldsTexts(attr)) {
    return call.Checked(
        BuildTexts(call.builder(), call.Checked(model.TextsOf(attr))));
  }
  const DenseTensor tensor =
      call.Checked(call.translation().model.TensorOf(attr));
  if (!call.ok()) return ir::Value();
  return call.Constant(tensor.dtype(), tensor.shape(),
                       {tensor.data<char>(), tensor.byte_size()});
}

// Returns an attribute that is a list of texts as a vector.
OnnxTexts Listed(const ForeignAttr& attr) {
  OnnxTexts list;
  list.texts.assign(attr.texts().begin(), attr.texts().end());
  list.shape.push_back(Dim(static_cast<int64_t>(list.texts.size())));
  return list;
}

void Constant(OnnxCall& call) {
  const ForeignOperator& op = call.op();
  if (const ForeignAttr* const tensor = op.attr("value")) {
    const OnnxProgram& model = call.translation().model;
    const int number = call.Wants(0)
                           ? model.blocks(0).IndexOf(op.outputs[0].variables[0])
                           : -1;
    // A weight of the model's graph, which is read as an initializer is.
    if (number >= 0 && model.Holds(model.blocks(0).facts(number), *tensor)) {
      return;
    }
    return call.Out(0, TensorAttribute(call, *tensor));
  }
  if (const ForeignAttr* const tensor = op.attr("sparse_value")) {
    return call.Out(0, TensorAttribute(call, *tensor));
  }
  if (call.HasAttr("value_string")) {
    return call.Out(
        0, call.Checked(BuildTexts(
               call.builder(), {Shape(), {call.Text("value_string", "")}})));
  }
  if (const ForeignAttr* const texts = op.attr("value_strings")) {
    return call.Out(0,
                    call.Checked(BuildTexts(call.builder(), Listed(*texts))));
  }
  if (call.HasAttr("value_float")) {
    return call.Out(
        0, Number(call, call.Float("value_float", 0), DataType::kFloat32));
  }
  if (call.HasAttr("value_floats")) {
    const std::vector<float> floats = call.Floats("value_floats");
    const std::vector<double> numbers(floats.begin(), floats.end());
    return call.Out(0, FloatList(call, numbers, DataType::kFloat32));
  }
  if (call.HasAttr("value_int")) {
    const int64_t number = call.Int("value_int", 0);
    return call.Out(0, Squeeze(call, IntegerList(call, {number}), {0}));
  }
  if (call.HasAttr("value_ints")) {
    return call.Out(0, IntegerList(call, call.Ints("value_ints")));
  }
  call.Refuse("it must have a value");
}

// Yields the extents from `start` to `end`; the known ones are constants.
void ShapeOperator(OnnxCall& call) {
  const ir::Value x = call.In(0);
  if (!call.ok()) return;
  const int64_t rank = Rank(x);
  const auto clamped = [&](const char* name, int64_t none) {
    const int64_t at = call.Int(name, none);
    return static_cast<int>(
        std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank));
  };
  std::vector<ir::Value> extents;
  for (int i = clamped("start", 0); i < clamped("end", rank); ++i) {
    extents.push_back(Extent(call, x, i));
  }
  if (extents.empty()) return call.Out(0, IntegerList(call, {}));
  if (extents.size() == 1) return call.Out(0, extents[0]);
  call.Out(0, call.Call("concat", {extents}, {{"axis", 0}}));
}

void Size(OnnxCall& call) {
  const ir::Value x = call.In(0);
  if (!call.ok()) return;
  const absl::StatusOr<int64_t> count = ShapeOf(x).known()
                                            ? ShapeOf(x).NumElements()
                                            : absl::StatusOr<int64_t>(-1);
  if (count.ok() && *count >= 0) {
    return call.Out(0, Squeeze(call, IntegerList(call, {*count}), {0}));
  }
  call.Out(0, Cast(call, call.Call("numel", {x}), DataType::kInt64));
}

void ConstantOfShape(OnnxCall& call) {
  const ir::Value shape = call.In(0);
  Scalar fill(0.0);
  DataType dtype = DataType::kFloat32;
  if (const ForeignAttr* const value = call.op().attr("value")) {
    const ir::Value number = TensorAttribute(call, *value);
    const auto known = call.KnownNumbers(number);
    if (!known.has_value() || known->size() != 1) {
      return call.Fail(ArgumentError("value", "one number", "others"));
    }
    dtype = DtypeOf(number);
    const bool whole = dtype == DataType::kInt64;
    fill =
        whole ? Scalar(call.KnownIntegers(number)->at(0)) : Scalar((*known)[0]);
  }
  if (!call.ok()) return;
  const std::optional<Integers> known = call.KnownIntegers(shape);
  OnnxAttributes attributes = {{"value", fill}, {"dtype", dtype}};
  if (known.has_value()) {
    attributes.push_back({"shape", *known});
  } else {
    attributes.push_back({"shape", shape});
  }
  call.Out(0, call.Call("full", {}, attributes));
}

// The dtype is that of the numbers; those of 16 bits are counted in wider ones.
void Range(OnnxCall& call) {
  const ir::Value start = call.In(0);
  const DataType dtype = DtypeOf(start);
  DataType wide = dtype;
  if (dtype == DataType::kInt16) wide = DataType::kInt64;
  if (dtype == DataType::kFloat16 || dtype == DataType::kBFloat16) {
    wide = DataType::kFloat32;
  }
  OnnxAttributes attributes = {{"dtype", wide}};
  const char* const names[] = {"start", "end", "step"};
  std::vector<Integers> known;
  for (int i = 0; i < 3 && call.ok(); ++i) {
    const auto numbers = call.KnownIntegers(call.In(i));
    if (numbers.has_value()) known.push_back(*numbers);
  }
  // Known integers say the number of elements, too.
  const bool all = known.size() == 3 && dtype == DataType::kInt64;
  for (size_t i = 0; i < 3 && call.ok(); ++i) {
    if (all && known[i].size() == 1) {
      attributes.push_back({names[i], Scalar(known[i][0])});
    } else {
      const ir::Value number = call.In(static_cast<int>(i));
      attributes.push_back({names[i], Cast(call, number, wide)});
    }
  }
  call.Out(0, Cast(call, call.Call("arange", {}, attributes), dtype));
}

void EyeLike(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const Integers shape = call.Extents(x);
  if (!call.ok()) return;
  if (shape.size() != 2) {
    return call.Fail(
        ArgumentError("input", "of two axes", ToString(ShapeOf(x))));
  }
  const DataType dtype =
      call.HasAttr("dtype") ? call.Checked(DataTypeOfOnnx(call.Int("dtype", 0)))
                            : DtypeOf(x);
  // Ones on a diagonal are where a column is the row plus its number.
  const auto line = [&](int64_t count) {
    Integers numbers(static_cast<size_t>(count));
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<int64_t>(i);
    }
    return IntegerList(call, numbers);
  };
  const ir::Value rows = Unsqueeze(call, line(shape[0]), {1});
  const ir::Value shift =
      Squeeze(call, IntegerList(call, {call.Int("k", 0)}), {0});
  const ir::Value hit =
      call.Call("equal", {call.Call("add", {rows, shift}), line(shape[1])});
  call.Out(0, Cast(call, hit, dtype));
}

constexpr OnnxLowering kLowerings[] = {
    {"Constant", Constant},   {"ConstantOfShape", ConstantOfShape},
    {"EyeLike", EyeLike},     {"Range", Range},
    {"Shape", ShapeOperator}, {"Size", Size},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxCreationLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
