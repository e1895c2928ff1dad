// SPDX-License-Identifier: Apache-2.0
// Linear models.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/ml/scores.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

// [rows of x, rows of coefficients].
Expression Scores(OnnxCall& call, ir::Value x, int64_t rows) {
  const DataType dtype = DtypeOf(x);
  const Expression product =
      ProductOf(call, x, MatrixOf(call, "coefficients", rows, dtype));
  const std::vector<double> added = FloatsOf(call, "intercepts");
  if (added.empty() || !call.ok()) return product;
  return product + Expression(call, FloatList(call, added, dtype));
}

void LinearRegressor(OnnxCall& call) {
  const ir::Value x = Rows(call, call.In(0));
  const Expression scores = Scores(call, x, call.Int("targets", 1));
  call.Out(0, Transformed(call, scores.As(DataType::kFloat32),
                          call.Text("post_transform", "NONE")));
}

// One row of coefficients is that of the second of two classes.
void LinearClassifier(OnnxCall& call) {
  const ir::Value x = Rows(call, call.In(0));
  const ClassLabels labels =
      ReadLabels(call, "classlabels_ints", "classlabels_strings");
  if (!call.ok()) return;
  const auto coefficients =
      static_cast<int64_t>(call.Floats("coefficients").size());
  const Dim width = ShapeOf(x)[1];
  const size_t added = call.Floats("intercepts").size();
  const bool one = static_cast<int64_t>(labels.size()) == 2 &&
                   (added == 1 || (width.known() && added == 0 &&
                                   width.value() == coefficients));
  const Expression scores =
      Scores(call, x, one ? 1 : static_cast<int64_t>(labels.size()))
          .As(DataType::kFloat32);
  if (!one) return OutTopClass(call, labels, scores);
  OutOneOfTwo(call, labels, scores, 0.0, true);
}

constexpr OnnxLowering kLowerings[] = {
    {"LinearClassifier", LinearClassifier, kOnnxMl},
    {"LinearRegressor", LinearRegressor, kOnnxMl},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxLinearLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
