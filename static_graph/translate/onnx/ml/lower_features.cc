// SPDX-License-Identifier: Apache-2.0
// Features: scaling, filling in, choosing.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/ml/scores.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

Expression Features(OnnxCall& call) {
  const ir::Value x = call.In(0);
  if (!call.ok() || IsFloating(DtypeOf(x))) return {call, x};
  return Expression(call, x).As(DataType::kFloat32);
}

void Scaler(OnnxCall& call) {
  Expression x = Features(call);
  if (!call.ok()) return;
  const DataType dtype = x.dtype();
  const std::vector<double> offset = FloatsOf(call, "offset");
  const std::vector<double> scale = FloatsOf(call, "scale");
  if (!offset.empty()) x = x - Expression(call, FloatList(call, offset, dtype));
  if (!scale.empty()) x = x * Expression(call, FloatList(call, scale, dtype));
  call.Out(0, x.As(DataType::kFloat32));
}

void Binarizer(OnnxCall& call) {
  const Expression x(call, call.In(0));
  if (!call.ok()) return;
  call.Out(0, (x > x.Number(call.Float("threshold", 0.0))).As(x.dtype()));
}

// A row whose size is 0 stays as it is.
void Normalizer(OnnxCall& call) {
  const Expression x = Features(call).As(DataType::kFloat32);
  const std::string norm = call.Text("norm", "MAX");
  const OnnxAttributes along = {{"axis", Integers{-1}}, {"keepdim", true}};
  Expression size = x;
  if (norm == "MAX") {
    size = x.Of("max", along);
  } else if (norm == "L1") {
    size = x.Of("abs").Of("sum", along);
  } else if (norm == "L2") {
    size = (x * x).Of("sum", along).Of("sqrt");
  } else {
    return call.Refuse(
        absl::StrCat("norm must be MAX, L1 or L2, got '", norm, "'"));
  }
  call.Out(0, x / (size == 0.0).Where(size.Number(1.0), size));
}

void Imputer(OnnxCall& call) {
  const Expression x(call, call.In(0));
  if (!call.ok()) return;
  const bool floating = IsFloating(x.dtype());
  const Integers integers = call.Ints("imputed_value_int64s");
  const ir::Value with =
      floating
          ? FloatList(call, FloatsOf(call, "imputed_value_floats"), x.dtype())
          : Cast(call, IntegerList(call, integers), x.dtype());
  const double old = call.Float("replaced_value_float", 0.0);
  const auto old_integer =
      static_cast<double>(call.Int("replaced_value_int64", 0));
  const Expression missing = floating && std::isnan(old)
                                 ? x.Of("isnan")
                                 : x == (floating ? old : old_integer);
  call.Out(0, missing.Where({call, with}, x));
}

// The elements along the last axis at the places of all numbers of Y.
void ArrayFeatureExtractor(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const ir::Value places = Reshape(call, call.In(1), {-1});
  if (!call.ok()) return;
  const int last = std::max(Rank(x), 1) - 1;
  const ir::Value y = call.Call("index_select", {x, places}, {{"axis", last}});
  call.Out(0, Rank(x) == 1 ? Unsqueeze(call, y, {0}) : y);
}

// Columns of each input, as many as `inputdimensions` says: cut off or filled
// with zeros.
void FeatureVectorizer(OnnxCall& call) {
  const Integers widths = call.Ints("inputdimensions");
  std::vector<ir::Value> parts = call.AllInputs();
  for (size_t i = 0; i < parts.size() && call.ok(); ++i) {
    ir::Value part = Cast(call, parts[i], DataType::kFloat32);
    if (Rank(part) == 1) part = Unsqueeze(call, part, {1});
    if (i < widths.size()) {
      const Dim width = ShapeOf(part)[1];
      if (!width.known() || width.value() < widths[i]) {
        const std::vector<ir::Value> more = {
            part, Filled(call, part, widths[i], 0.0, DataType::kFloat32)};
        part = call.Call("concat", {more}, {{"axis", 1}});
      }
      part = Slice(call, part, 1, 0, widths[i]);
    }
    parts[i] = part;
  }
  if (!call.ok()) return;
  call.Out(0, call.Call("concat", {parts}, {{"axis", 1}}));
}

constexpr OnnxLowering kLowerings[] = {
    {"ArrayFeatureExtractor", ArrayFeatureExtractor, kOnnxMl},
    {"Binarizer", Binarizer, kOnnxMl},
    {"FeatureVectorizer", FeatureVectorizer, kOnnxMl},
    {"Imputer", Imputer, kOnnxMl},
    {"Normalizer", Normalizer, kOnnxMl},
    {"Scaler", Scaler, kOnnxMl},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxFeatureLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
