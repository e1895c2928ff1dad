// SPDX-License-Identifier: Apache-2.0
// Operators of com.microsoft that stand for several of ONNX: ONNX Runtime's
// optimizer writes them into models.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/convolution.h"
#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/row_scale.h"

namespace switchyard::static_graph {
namespace {

// The activation that a fused operator ends with; none: x itself.
Expression Activated(OnnxCall& call, const Expression& x) {
  const std::string name = call.Text("activation", "");
  const std::vector<float> numbers = call.Floats("activation_params");
  const auto number = [&](size_t i, double none) {
    none = call.Float(i == 0 ? "activation_alpha" : "activation_beta", none);
    return i < numbers.size() ? double{numbers[i]} : none;
  };
  if (name.empty()) return x;
  if (name == "Relu") return x.Of("relu");
  if (name == "Tanh") return x.Of("tanh");
  if (name == "Sigmoid") return x.Of("sigmoid");
  if (name == "LeakyRelu") {
    return x.Of("leaky_relu", {{"negative_slope", number(0, 0.01)}});
  }
  if (name == "Clip") {
    return x.Of("clip", {{"min", Scalar(number(0, -3.4028235e38))},
                         {"max", Scalar(number(1, 3.4028235e38))}});
  }
  if (name == "HardSigmoid") {
    return x.Of("hardsigmoid",
                {{"slope", number(0, 0.2)}, {"offset", number(1, 0.5)}});
  }
  call.Refuse(absl::StrCat("no activation is named ", name));
  return x;
}

void FusedConv(OnnxCall& call) {
  Expression y(call, Convolve(call, call.In(0), call.In(1)));
  if (call.Has(2) && call.ok()) {
    Integers after;
    for (int i = 2; i < Rank(y); ++i) after.push_back(i - 1);
    y = y + Expression(call, call.In(2)).Unsqueeze(after);
  }
  if (call.Has(3)) y = y + Expression(call, call.In(3));
  call.Out(0, Activated(call, y));
}

void FusedGemm(OnnxCall& call) {
  Expression y(call, call.Call("matmul", {call.In(0), call.In(1)},
                               {{"transpose_x", call.Flag("transA", false)},
                                {"transpose_y", call.Flag("transB", false)}}));
  y = y * call.Float("alpha", 1.0);
  if (call.Has(2)) {
    y = y + Expression(call, call.In(2)) * call.Float("beta", 1.0);
  }
  call.Out(0, Activated(call, y));
}

void FusedMatMul(OnnxCall& call) {
  if (call.Flag("transBatchA", false) || call.Flag("transBatchB", false)) {
    return call.Refuse("transBatchA and transBatchB must be 0");
  }
  const Expression y(call,
                     call.Call("matmul", {call.In(0), call.In(1)},
                               {{"transpose_x", call.Flag("transA", false)},
                                {"transpose_y", call.Flag("transB", false)}}));
  call.Out(0, y * call.Float("alpha", 1.0));
}

void Gelu(OnnxCall& call) { call.Out(0, call.Call("gelu", {call.In(0)})); }

// With a bias, if there is one.
void FastGelu(OnnxCall& call) {
  Expression x(call, call.In(0));
  if (call.Has(1)) x = x + Expression(call, call.In(1));
  call.Out(0, x.Of("gelu", {{"approximate", true}}));
}

void BiasGelu(OnnxCall& call) {
  const Expression x(call, call.In(0));
  call.Out(0, (x + Expression(call, call.In(1))).Of("gelu"));
}

void QuickGelu(OnnxCall& call) {
  const Expression x(call, call.In(0));
  call.Out(0, x * (x * call.Float("alpha", 1.702)).Of("sigmoid"));
}

// y and 1 / size of the last axes, by the mean of their squares.
void OutNormalized(OnnxCall& call, const Expression& x, int scale, int axis,
                   double epsilon) {
  Integers axes;
  for (int i = axis; i < Rank(x); ++i) axes.push_back(i);
  if (!call.ok()) return;
  const RmsNormalized result = OverRootMeanSquare(x, axes, epsilon);
  call.Out(0, result.y * Expression(call, call.In(scale)));
  call.Out(1, result.inverse);
}

// In the domain of ONNX, though ONNX has no such operator.
void SimplifiedLayerNormalization(OnnxCall& call) {
  const Expression x(call, call.In(0));
  if (!call.ok()) return;
  const int axis = call.Axis(call.Int("axis", -1), Rank(x));
  OutNormalized(call, x, 1, axis, call.Float("epsilon", 1e-5));
}

// The sum of two tensors and perhaps a bias: output 3.
Expression Skipped(OnnxCall& call, int bias) {
  Expression x = Expression(call, call.In(0)) + Expression(call, call.In(1));
  if (call.Has(bias)) x = x + Expression(call, call.In(bias));
  call.Out(3, x);
  return x;
}

void SkipSimplifiedLayerNormalization(OnnxCall& call) {
  const Expression x = Skipped(call, 3);
  if (!call.ok()) return;
  if (call.Wants(1) || call.Wants(2)) {
    return call.Refuse("mean and inv_std_var must not be wanted");
  }
  OutNormalized(call, x, 2, Rank(x) - 1, call.Float("epsilon", 1e-12));
}

void SkipLayerNormalization(OnnxCall& call) {
  const Expression x = Skipped(call, 4);
  if (!call.ok()) return;
  if (call.Wants(1) || call.Wants(2)) {
    return call.Refuse("mean and inv_std_var must not be wanted");
  }
  const ir::Value shift = call.Has(3) ? call.In(3) : ir::Value();
  call.Out(0, call.Call("layer_norm", {x, call.In(2), shift},
                        {{"epsilon", call.Float("epsilon", 1e-12)},
                         {"begin_norm_axis", Rank(x) - 1}}));
}

// Words, positions and segments, summed and normalised.
void EmbedLayerNormalization(OnnxCall& call) {
  const ir::Value words = call.In(0);
  if (!call.ok()) return;
  const auto rows = [&](int table, ir::Value numbers) {
    return Expression(
        call, call.Call("embedding", {Cast(call, numbers, DataType::kInt64),
                                      call.In(table)}));
  };
  Expression sum = rows(2, words);
  if (call.Has(8)) {
    sum = sum + rows(3, call.In(8));
  } else {
    sum = sum + rows(3, Places(call, words, 1)).Unsqueeze({0});
  }
  if (call.Has(1) && call.Has(4)) sum = sum + rows(4, call.In(1));
  if (!call.ok()) return;
  if (call.Wants(1)) {
    ir::Value count = call.Call("zeros_like", {Places(call, words, 0)},
                                {{"dtype", DataType::kInt32}});
    if (call.Has(7)) {
      count = call.Call("sum", {Cast(call, call.In(7), DataType::kInt32)},
                        {{"axis", Integers{1}}, {"dtype", DataType::kInt32}});
    }
    call.Out(1, count);
  }
  call.Out(2, sum);
  call.Out(0, call.Call("layer_norm", {sum, call.In(5), call.In(6)},
                        {{"epsilon", call.Float("epsilon", 1e-12)},
                         {"begin_norm_axis", Rank(sum) - 1}}));
}

constexpr OnnxLowering kLowerings[] = {
    {"BiasGelu", BiasGelu, kMicrosoft},
    {"EmbedLayerNormalization", EmbedLayerNormalization, kMicrosoft},
    {"FastGelu", FastGelu, kMicrosoft},
    {"FusedConv", FusedConv, kMicrosoft},
    {"FusedGemm", FusedGemm, kMicrosoft},
    {"FusedMatMul", FusedMatMul, kMicrosoft},
    {"Gelu", Gelu, kMicrosoft},
    {"QuickGelu", QuickGelu, kMicrosoft},
    {"SimplifiedLayerNormalization", SimplifiedLayerNormalization},
    {"SkipLayerNormalization", SkipLayerNormalization, kMicrosoft},
    {"SkipSimplifiedLayerNormalization", SkipSimplifiedLayerNormalization,
     kMicrosoft},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxContributedLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
