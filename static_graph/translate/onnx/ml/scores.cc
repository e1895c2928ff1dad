// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/ml/scores.h"

#include "absl/strings/str_cat.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "static_graph/foreign/onnx/onnx_program.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {

std::vector<double> Numbers(OnnxCall& call, const std::string& name) {
  const ForeignAttr* const tensor = call.op().attr(name + "_as_tensor");
  if (tensor == nullptr) {
    const std::vector<float> list = call.Floats(name);
    return {list.begin(), list.end()};
  }
  return TensorNumbers(call, *tensor);
}

std::vector<double> TensorNumbers(OnnxCall& call, const ForeignAttr& attr) {
  const DenseTensor tensor =
      call.Checked(call.translation().model.TensorOf(attr));
  std::vector<double> numbers;
  if (!call.ok()) return numbers;
  const auto count = static_cast<size_t>(tensor.numel());
  switch (tensor.dtype()) {
    case DataType::kFloat32:
      numbers.assign(tensor.data<float>(), tensor.data<float>() + count);
      break;
    case DataType::kFloat64:
      numbers.assign(tensor.data<double>(), tensor.data<double>() + count);
      break;
    case DataType::kFloat16:
      for (size_t i = 0; i < count; ++i) {
        numbers.push_back(
            static_cast<double>(static_cast<float>(tensor.data<float16>()[i])));
      }
      break;
    case DataType::kInt64:
      numbers.assign(tensor.data<int64_t>(), tensor.data<int64_t>() + count);
      break;
    case DataType::kInt32:
      numbers.assign(tensor.data<int32_t>(), tensor.data<int32_t>() + count);
      break;
    case DataType::kInt16:
      numbers.assign(tensor.data<int16_t>(), tensor.data<int16_t>() + count);
      break;
    case DataType::kUInt8:
      numbers.assign(tensor.data<uint8_t>(), tensor.data<uint8_t>() + count);
      break;
    default:
      call.Fail(
          TypeError(attr.name, "a tensor of numbers", Name(tensor.dtype())));
  }
  return numbers;
}

std::vector<double> FloatsOf(OnnxCall& call, const char* name) {
  const std::vector<float> list = call.Floats(name);
  return {list.begin(), list.end()};
}

ir::Value MatrixOf(OnnxCall& call, const char* name, int64_t rows,
                   DataType dtype) {
  const std::vector<double> list = FloatsOf(call, name);
  const auto size = static_cast<int64_t>(list.size());
  if (rows <= 0 || size == 0 || size % rows != 0) {
    call.Fail(ArgumentError(name, absl::StrCat("of ", rows, " equal rows"),
                            absl::StrCat(size, " numbers")));
    return ir::Value();
  }
  return Reshape(call, FloatList(call, list, dtype), {rows, size / rows});
}

Expression ProductOf(OnnxCall& call, ir::Value x, ir::Value rows) {
  return {call, call.Call("matmul", {x, rows}, {{"transpose_y", true}})};
}

ir::Value Rows(OnnxCall& call, ir::Value x) {
  if (!call.ok()) return x;
  if (!IsFloating(DtypeOf(x))) x = Cast(call, x, DataType::kFloat32);
  const int rank = Rank(x);
  if (call.ok() && rank != 1 && rank != 2) {
    call.Fail(ArgumentError("X", "of one or two axes", ToString(ShapeOf(x))));
  }
  return rank == 1 ? Unsqueeze(call, x, {0}) : x;
}

ir::Value Filled(OnnxCall& call, ir::Value x, int64_t width, double number,
                 DataType dtype) {
  const std::vector<ir::Value> extents = {Extent(call, x, 0),
                                          IntegerList(call, {width})};
  return call.Call(
      "full", {},
      {{"shape", extents}, {"value", Scalar(number)}, {"dtype", dtype}});
}

ir::Value At(OnnxCall& call, ir::Value table, ir::Value places) {
  if (!call.ok()) return ir::Value();
  return call.Call("gather_nd",
                   {table, Unsqueeze(call, places, {Rank(places)})});
}

namespace {

// Softmax, except of numbers within 1e-7 of zero.
ir::Value SoftmaxZero(const Expression& scores) {
  constexpr double kZero = 1e-7;
  const Expression most =
      scores.Of("max", {{"axis", Integers{-1}}, {"keepdim", true}});
  const Expression zero = scores.Of("abs") <= kZero;
  const Expression parts =
      zero.Where(scores * most.Minus().Of("exp"), (scores - most).Of("exp"));
  const Expression sum =
      parts.Of("sum", {{"axis", Integers{-1}}, {"keepdim", true}});
  return (sum == 0.0).Where(sum.Number(0.5), parts / sum);
}

}  // namespace

ir::Value Transformed(OnnxCall& call, ir::Value scores,
                      const std::string& transform) {
  if (!call.ok() || transform == "NONE") return scores;
  const Expression x(call, scores);
  if (transform == "LOGISTIC") return x.Of("sigmoid");
  if (transform == "SOFTMAX") return x.Of("softmax", {{"axis", -1}});
  if (transform == "SOFTMAX_ZERO") return SoftmaxZero(x);
  if (transform == "PROBIT") {
    constexpr double kRootOfTwo = 1.4142135623730951;
    return (x * 2.0 - 1.0).Of("erfinv") * kRootOfTwo;
  }
  call.Refuse(
      absl::StrCat("post_transform must be NONE, LOGISTIC, SOFTMAX, "
                   "SOFTMAX_ZERO or PROBIT, got '",
                   transform, "'"));
  return scores;
}

std::vector<std::string> TextsOf(OnnxCall& call, std::string_view name) {
  const ForeignAttr* const attr = call.op().attr(name);
  if (attr == nullptr) return {};
  return {attr->texts().begin(), attr->texts().end()};
}

ClassLabels ReadLabels(OnnxCall& call, const char* integers,
                       const char* texts) {
  ClassLabels labels = {call.Ints(integers), TextsOf(call, texts)};
  if (labels.size() == 0) {
    call.Fail(ArgumentError(integers, "one label at least", "none"));
  }
  return labels;
}

ir::Value LabelsOf(OnnxCall& call, const ClassLabels& labels,
                   ir::Value classes) {
  if (labels.texts.empty()) {
    return At(call, IntegerList(call, labels.integers), classes);
  }
  return call.Call("strings_take", {classes},
                   {{"texts", absl::MakeConstSpan(labels.texts)}});
}

void OutTopClass(OnnxCall& call, const ClassLabels& labels, ir::Value scores) {
  if (!call.ok()) return;
  const Dim width = ShapeOf(scores)[1];
  const auto count = static_cast<int64_t>(labels.size());
  if (width.known() && width.value() > count) {
    return call.Fail(ArgumentError("class labels",
                                   absl::StrCat("at least ", width.value()),
                                   absl::StrCat(count)));
  }
  const ir::Value top = call.Call(
      "argmax", {scores}, {{"axis", int64_t{1}}, {"dtype", DataType::kInt64}});
  call.Out(0, LabelsOf(call, labels, top));
  call.Out(1, Transformed(call, scores, call.Text("post_transform", "NONE")));
}

void OutOneOfTwo(OnnxCall& call, const ClassLabels& labels,
                 const Expression& score, double threshold, bool share) {
  const Expression second = (score > threshold).As(DataType::kInt64);
  call.Out(0, LabelsOf(call, labels, Squeeze(call, second, {1})));
  const std::string transform = call.Text("post_transform", "NONE");
  const bool part = share && (transform == "NONE" || transform == "PROBIT");
  const Expression first = part ? score.Minus() + 1.0 : score.Minus();
  const std::vector<ir::Value> both = {first, score};
  call.Out(1, Transformed(call, call.Call("concat", {both}, {{"axis", 1}}),
                          transform));
}

}  // namespace switchyard::static_graph
