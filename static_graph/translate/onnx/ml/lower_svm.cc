// SPDX-License-Identifier: Apache-2.0
// Support vector machines.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/ml/scores.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

// The kernel of each row of x with each support vector.
ir::Value Kernel(OnnxCall& call, ir::Value x, ir::Value vectors) {
  const std::string type = call.Text("kernel_type", "LINEAR");
  const std::vector<double> given = FloatsOf(call, "kernel_params");
  const auto parameter = [&](size_t i) {
    return i < given.size() ? given[i] : 0.0;
  };
  const double gamma = parameter(0);
  if (type == "RBF") {
    const Expression apart =
        Expression(call, x).Unsqueeze({1}) - Expression(call, vectors);
    const Expression squares =
        (apart * apart).Of("sum", {{"axis", Integers{-1}}});
    return (squares * -gamma).Of("exp");
  }
  const Expression product = ProductOf(call, x, vectors);
  if (type == "LINEAR") return product;
  const Expression scaled = product * gamma + parameter(1);
  if (type == "SIGMOID") return scaled.Of("tanh");
  if (type == "POLY") return scaled.With("elementwise_pow", parameter(2));
  call.Refuse(absl::StrCat(
      "kernel_type must be LINEAR, POLY, RBF or SIGMOID, got '", type, "'"));
  return product;
}

// Fails unless there are as many numbers as are needed.
bool Enough(OnnxCall& call, const char* name, size_t count, size_t got) {
  if (got < count) {
    call.Fail(ArgumentError(name, absl::StrCat(count, " numbers"),
                            absl::StrCat(got)));
  }
  return call.ok();
}

void SvmRegressor(OnnxCall& call) {
  const ir::Value x = Rows(call, call.In(0));
  if (!call.ok()) return;
  const DataType dtype = DtypeOf(x);
  const std::vector<double> rho = FloatsOf(call, "rho");
  if (!Enough(call, "rho", 1, rho.size())) return;
  const int64_t supports = call.Int("n_supports", 0);
  // Without support vectors the coefficients are those of the features.
  const ir::Value features =
      supports == 0
          ? x
          : Kernel(call, x, MatrixOf(call, "support_vectors", supports, dtype));
  Expression y =
      ProductOf(call, features, MatrixOf(call, "coefficients", 1, dtype)) +
      rho[0];
  if (call.Flag("one_class", false)) {
    y = (y > 0.0).Where(y.Number(1.0), y.Number(-1.0));
  }
  call.Out(0, Transformed(call, y.As(DataType::kFloat32),
                          call.Text("post_transform", "NONE")));
}

// One classifier of each pair of classes: its weight of each kernel, and which
// classes it chooses between.
struct Pairs {
  std::vector<double> weights;        // [pairs, vectors]
  std::vector<double> first, second;  // [pairs, classes] of 0 and 1.
};

Pairs PairsOf(const Integers& vectors, const std::vector<double>& coefficients,
              int64_t total) {
  Pairs pairs;
  const auto classes = static_cast<int64_t>(vectors.size());
  Integers starts;
  int64_t at = 0;
  for (const int64_t count : vectors) {
    starts.push_back(at);
    at += count;
  }
  const auto add = [&](std::vector<double>* row, int64_t of, int64_t from) {
    const auto place = static_cast<size_t>(of);
    for (int64_t v = starts[place]; v < starts[place] + vectors[place]; ++v) {
      (*row)[static_cast<size_t>(v)] =
          coefficients[static_cast<size_t>(from * total + v)];
    }
  };
  for (int64_t i = 0; i < classes; ++i) {
    for (int64_t j = i + 1; j < classes; ++j) {
      std::vector<double> row(static_cast<size_t>(total));
      add(&row, i, j - 1);
      add(&row, j, i);
      pairs.weights.insert(pairs.weights.end(), row.begin(), row.end());
      for (int64_t k = 0; k < classes; ++k) {
        pairs.first.push_back(k == i ? 1 : 0);
        pairs.second.push_back(k == j ? 1 : 0);
      }
    }
  }
  return pairs;
}

// The labels of the classes that most pairs choose, and the pairs' scores; of
// one pair also the opposite one, before it.
void ByPairs(OnnxCall& call, const ClassLabels& labels, ir::Value x,
             const Integers& vectors) {
  int64_t total = 0;
  for (const int64_t count : vectors) total += std::max<int64_t>(count, 0);
  const auto classes = static_cast<int64_t>(vectors.size());
  const int64_t count = classes * (classes - 1) / 2;
  const DataType dtype = DtypeOf(x);
  const std::vector<double> coefficients = FloatsOf(call, "coefficients");
  const std::vector<double> rho = FloatsOf(call, "rho");
  if (classes < 2 || classes != static_cast<int64_t>(labels.size()) ||
      *std::min_element(vectors.begin(), vectors.end()) < 0) {
    return call.Fail(ArgumentError("vectors_per_class", "of each class",
                                   absl::StrCat(classes, " numbers")));
  }
  if (!Enough(call, "coefficients", static_cast<size_t>((classes - 1) * total),
              coefficients.size()) ||
      !Enough(call, "rho", static_cast<size_t>(count), rho.size())) {
    return;
  }
  const Pairs pairs = PairsOf(vectors, coefficients, total);
  const auto matrix = [&](const std::vector<double>& list) {
    return Reshape(call, FloatList(call, list, dtype), {count, -1});
  };
  const Expression scores =
      ProductOf(
          call,
          Kernel(call, x, MatrixOf(call, "support_vectors", total, dtype)),
          matrix(pairs.weights)) +
      Expression(call, FloatList(call, {rho.data(), static_cast<size_t>(count)},
                                 dtype));
  const Expression first = (scores > 0.0).As(dtype);
  const Expression votes =
      first.With("matmul", {call, matrix(pairs.first)}) +
      (first.Minus() + 1.0).With("matmul", {call, matrix(pairs.second)});
  call.Out(0, LabelsOf(call, labels,
                       votes.Of("argmax", {{"axis", int64_t{1}},
                                           {"dtype", DataType::kInt64}})));
  const Expression y = scores.As(DataType::kFloat32);
  const std::vector<ir::Value> both = {y.Minus(), y};
  call.Out(1,
           Transformed(call,
                       count == 1 ? call.Call("concat", {both}, {{"axis", 1}})
                                  : ir::Value(y),
                       call.Text("post_transform", "NONE")));
}

void SvmClassifier(OnnxCall& call) {
  const ir::Value x = Rows(call, call.In(0));
  const ClassLabels labels =
      ReadLabels(call, "classlabels_ints", "classlabels_strings");
  if (!call.ok()) return;
  if (!call.Floats("prob_a").empty()) {
    return call.Refuse("probabilities (prob_a) are not computed here");
  }
  const Integers vectors = call.Ints("vectors_per_class");
  if (!vectors.empty()) return ByPairs(call, labels, x, vectors);
  const std::vector<double> rho = FloatsOf(call, "rho");
  if (!Enough(call, "rho", 1, rho.size())) return;
  const Expression scores =
      ProductOf(call, x,
                MatrixOf(call, "coefficients",
                         static_cast<int64_t>(labels.size()), DtypeOf(x))) +
      rho[0];
  OutTopClass(call, labels, scores.As(DataType::kFloat32));
}

constexpr OnnxLowering kLowerings[] = {
    {"SVMClassifier", SvmClassifier, kOnnxMl},
    {"SVMRegressor", SvmRegressor, kOnnxMl},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxVectorMachineLowerings() {
  return kLowerings;
}

}  // namespace switchyard::static_graph
