// SPDX-License-Identifier: Apache-2.0
// Operators that draw random numbers: with a seed the same ones in every run,
// else from the program's state.
#include <utility>

#include "static_graph/foreign/onnx/element_type.h"
#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

// A random operator of ours, with the state that it draws from.
ir::Value Draw(OnnxCall& call, const char* name, OnnxAttributes attributes) {
  const OnnxDraw draw = NextDraw(call);
  if (!call.ok()) return ir::Value();
  attributes.push_back({"stream", draw.stream});
  return call.Call(name, {draw.rng}, attributes);
}

// Numbers of a distribution, in float64 if the node asks for it, else in
// float32.
ir::Value Numbers(OnnxCall& call, bool normal, const OnnxAttribute& shape,
                  DataType dtype) {
  OnnxAttributes attributes = {shape};
  const DataType drawn =
      dtype == DataType::kFloat64 ? dtype : DataType::kFloat32;
  attributes.push_back({"dtype", drawn});
  if (normal) {
    attributes.push_back({"mean", call.Float("mean", 0.0)});
    attributes.push_back({"std", call.Float("scale", 1.0)});
  } else {
    attributes.push_back({"min", call.Float("low", 0.0)});
    attributes.push_back({"max", call.Float("high", 1.0)});
  }
  return Cast(
      call, Draw(call, normal ? "gaussian" : "uniform", std::move(attributes)),
      dtype);
}

DataType DtypeIn(OnnxCall& call, DataType none) {
  if (!call.HasAttr("dtype")) return none;
  return call.Checked(DataTypeOfOnnx(call.Int("dtype", 0)));
}

OnnxAttribute ShapeLike(OnnxCall& call, ir::Value x) {
  // A list of no extents is known.
  if (call.ok() && Rank(x) == 0) return {"shape", Integers()};
  return {"shape", AllExtents(call, x)};
}

void OfShape(OnnxCall& call, bool normal) {
  const DataType dtype = DtypeIn(call, DataType::kFloat32);
  call.Out(0, Numbers(call, normal, {"shape", call.Ints("shape")}, dtype));
}
void RandomNormal(OnnxCall& call) { OfShape(call, true); }
void RandomUniform(OnnxCall& call) { OfShape(call, false); }

void Like(OnnxCall& call, bool normal) {
  const ir::Value x = call.In(0);
  if (!call.ok()) return;
  const DataType dtype = DtypeIn(call, DtypeOf(x));
  call.Out(0, Numbers(call, normal, ShapeLike(call, x), dtype));
}
void RandomNormalLike(OnnxCall& call) { Like(call, true); }
void RandomUniformLike(OnnxCall& call) { Like(call, false); }

// 1 with the probability that x says.
void Bernoulli(OnnxCall& call) {
  const ir::Value x = call.In(0);
  if (!call.ok()) return;
  const DataType dtype = DtypeIn(call, DtypeOf(x));
  const ir::Value chance = Draw(call, "uniform",
                                {ShapeLike(call, x),
                                 {"min", 0.0},
                                 {"max", 1.0},
                                 {"dtype", DataType::kFloat64}});
  const ir::Value hit =
      call.Call("less_than", {chance, Cast(call, x, DataType::kFloat64)});
  call.Out(0, Cast(call, hit, dtype));
}

// Classes by the logarithms of their probabilities: that of the greatest sum of
// a logarithm and Gumbel noise.
void Multinomial(OnnxCall& call) {
  const ir::Value x = Cast(call, call.In(0), DataType::kFloat64);
  if (!call.ok()) return;
  const DataType dtype = DtypeIn(call, DataType::kInt32);
  const std::vector<ir::Value> extents = {
      Extent(call, x, 0), IntegerList(call, {call.Int("sample_size", 1)}),
      Extent(call, x, 1)};
  const ir::Value chance = Draw(call, "uniform",
                                {{"shape", extents},
                                 {"min", 0.0},
                                 {"max", 1.0},
                                 {"dtype", DataType::kFloat64}});
  const ir::Value minus = NumberLike(call, x, -1);
  const auto logarithm_less = [&](ir::Value value) {
    return call.Call("multiply", {call.Call("log", {value}), minus});
  };
  const ir::Value noise = logarithm_less(logarithm_less(chance));
  const ir::Value sum = call.Call("add", {Unsqueeze(call, x, {1}), noise});
  call.Out(0, Cast(call, call.Call("argmax", {sum}, {{"axis", 2}}), dtype));
}

// Whether the elements are dropped: known, or for the run to say.
struct Training {
  bool never = true;
  ir::Value when;  // Null: always, unless never.
  ir::Value ratio;
};

Training ReadTraining(OnnxCall& call) {
  Training training;
  if (!call.Has(2)) return training;
  const ir::Value flag = call.In(2);
  const std::optional<Integers> on = call.KnownIntegers(flag);
  training.ratio =
      call.Has(1) ? call.In(1) : Number(call, 0.5, DataType::kFloat32);
  const std::optional<std::vector<double>> ratio =
      call.KnownNumbers(training.ratio);
  const bool known = on.has_value() && on->size() == 1;
  training.never =
      (known && (*on)[0] == 0) ||
      (ratio.has_value() && ratio->size() == 1 && (*ratio)[0] == 0);
  if (!known) training.when = Reshape(call, flag, {});
  return training;
}

// Before version 12 a model drops nothing; then it does while it trains.
void Dropout(OnnxCall& call) {
  const Expression x(call, call.In(0));
  const Training training = ReadTraining(call);
  if (!call.ok()) return;
  if (!training.never) {
    const Expression ratio(
        call,
        Reshape(call, Cast(call, training.ratio, DataType::kFloat32), {}));
    const Expression chance(call, Draw(call, "uniform",
                                       {ShapeLike(call, x),
                                        {"min", 0.0},
                                        {"max", 1.0},
                                        {"dtype", DataType::kFloat32}}));
    Expression kept = chance >= ratio;
    const Expression rest = ratio.Minus() + 1.0;
    Expression y = kept.Where(x / rest.As(x.dtype()), x.Of("zeros_like"));
    if (training.when) {
      const Expression when(call, training.when);
      y = when.Where(y, x);
      kept = kept.Or(when.Of("logical_not"));
    }
    call.Out(0, y);
    return call.Out(1, kept);
  }
  call.Out(0, x);
  if (!call.Wants(1)) return;
  // Before version 10 the mask had the dtype of the data.
  constexpr int64_t kMaskIsBool = 10;
  const DataType dtype =
      call.version() < kMaskIsBool ? x.dtype() : DataType::kBool;
  call.Out(1, x.Of("ones_like", {{"dtype", dtype}}));
}

constexpr OnnxLowering kLowerings[] = {
    {"Bernoulli", Bernoulli},
    {"Dropout", Dropout},
    {"Multinomial", Multinomial},
    {"RandomNormal", RandomNormal},
    {"RandomNormalLike", RandomNormalLike},
    {"RandomUniform", RandomUniform},
    {"RandomUniformLike", RandomUniformLike},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxRandomLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
