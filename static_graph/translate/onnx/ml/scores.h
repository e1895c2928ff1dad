// SPDX-License-Identifier: Apache-2.0
// Scores of models of ai.onnx.ml: rows of one number for each class or target,
// and the labels of classes.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ML_SCORES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ML_SCORES_H_

#include <string>
#include <string_view>
#include <vector>

#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/onnx_call.h"

namespace switchyard::static_graph {

inline constexpr char kOnnxMl[] = "ai.onnx.ml";

// The values of attributes that are lists of numbers: floats, or a tensor, by
// the name that ends in `_as_tensor`, which wins. Fails for a tensor of no
// numbers.
std::vector<double> Numbers(OnnxCall& call, const std::string& name);
std::vector<double> TensorNumbers(OnnxCall& call, const ForeignAttr& attr);

// The elements of an attribute that is a list of floats.
std::vector<double> FloatsOf(OnnxCall& call, const char* name);
// A matrix of `rows` rows from such a list. Fails where they don't divide it.
ir::Value MatrixOf(OnnxCall& call, const char* name, int64_t rows,
                   DataType dtype);
// x times the rows of a matrix: [rows of x, rows].
Expression ProductOf(OnnxCall& call, ir::Value x, ir::Value rows);

// A matrix of rows of features: x, in a floating dtype. One of one axis is one
// row.
ir::Value Rows(OnnxCall& call, ir::Value x);
// [rows of x, width] of one number.
ir::Value Filled(OnnxCall& call, ir::Value x, int64_t width, double number,
                 DataType dtype);
// The elements of a list, or the rows of a matrix, at places of any shape.
ir::Value At(OnnxCall& call, ir::Value table, ir::Value places);

// The scores by a transform (NONE, LOGISTIC, SOFTMAX, SOFTMAX_ZERO, PROBIT),
// along the last axis. Refuses another one.
ir::Value Transformed(OnnxCall& call, ir::Value scores,
                      const std::string& transform);

// The labels of classes: integers, or texts.
struct ClassLabels {
  Integers integers;
  std::vector<std::string> texts;

  size_t size() const { return texts.empty() ? integers.size() : texts.size(); }
};

// Returns the elements of an attribute that is a list of texts.
std::vector<std::string> TextsOf(OnnxCall& call, std::string_view name);
// Returns the labels of the attributes of these names, one at least.
ClassLabels ReadLabels(OnnxCall& call, const char* integers, const char* texts);
// The labels of classes by their numbers.
ir::Value LabelsOf(OnnxCall& call, const ClassLabels& labels,
                   ir::Value classes);

// Sets the outputs of a classifier: the label of the greatest score of each
// row, the first of equal ones, and the scores after the transform.
void OutTopClass(OnnxCall& call, const ClassLabels& labels, ir::Value scores);
// Does so for two classes and one score [rows, 1], that of the second class,
// which is the label where the score is above `threshold`. The score of the
// first class is the negated one, but 1 minus it where the classes `share` and
// no transform, or PROBIT, follows.
void OutOneOfTwo(OnnxCall& call, const ClassLabels& labels,
                 const Expression& score, double threshold, bool share);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ML_SCORES_H_
