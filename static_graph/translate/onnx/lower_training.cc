// SPDX-License-Identifier: Apache-2.0
// ai.onnx.preview.training: gradients, and steps of optimizers, which take a
// rate, the number of the step, and then each kind of tensor, of all
// parameters.
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/autodiff/gradients.h"
#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

constexpr char kTraining[] = "ai.onnx.preview.training";

// The inputs of an optimizer: its rate, its step, tensors by kind and number.
struct Given {
  std::vector<std::vector<ir::Value>> kinds;
  ir::Value rate, step;

  size_t count() const { return kinds[0].size(); }
};

// Fails unless there are as many tensors of each of `kinds` kinds.
Given Read(OnnxCall& call, int kinds) {
  Given given;
  const int tensors = call.inputs() - 2;
  if (tensors < kinds || tensors % kinds != 0) {
    call.Fail(ArgumentError(
        "inputs",
        absl::StrCat("two and ", kinds, " kinds of equally many tensors"),
        absl::StrCat(call.inputs())));
    return given;
  }
  given.rate = Reshape(call, call.In(0), {});
  given.step = Reshape(call, call.In(1), {});
  const int each = tensors / kinds;
  for (int kind = 0; kind < kinds; ++kind) {
    std::vector<ir::Value>& list = given.kinds.emplace_back();
    for (int i = 0; i < each; ++i) list.push_back(call.In(2 + kind * each + i));
  }
  return given;
}

// The tensors of one parameter, and the shared ones in its dtype.
struct One {
  std::vector<Expression> x;
  Expression rate, step;
};

One Parameter(OnnxCall& call, const Given& given, size_t i) {
  std::vector<Expression> x;
  for (const std::vector<ir::Value>& kind : given.kinds) {
    x.emplace_back(call, kind[i]);
  }
  const DataType dtype = x[0].dtype();
  return {x, Expression(call, given.rate).As(dtype),
          Expression(call, given.step).As(dtype)};
}

// Sets output number `i` of a kind.
void Set(OnnxCall& call, const Given& given, size_t kind, size_t i,
         const Expression& value) {
  call.Out(static_cast<int>(kind * given.count() + i), value);
}

// The gradient and that of the squares of x.
Expression Gradient(OnnxCall& call, const One& one) {
  return one.x[1] + one.x[0] * call.Float("norm_coefficient", 0.0);
}

void Adagrad(OnnxCall& call) {
  const Given given = Read(call, 3);
  for (size_t i = 0; call.ok() && i < given.count(); ++i) {
    const One one = Parameter(call, given, i);
    const Expression rate =
        one.rate / (one.step * call.Float("decay_factor", 0.0) + 1.0);
    const Expression g = Gradient(call, one);
    const Expression squares = one.x[2] + g * g;
    const Expression size = squares.Of("sqrt") + call.Float("epsilon", 1e-6);
    Set(call, given, 0, i, one.x[0] - rate * g / size);
    Set(call, given, 1, i, squares);
  }
}

void Adam(OnnxCall& call) {
  const Given given = Read(call, 4);
  const double alpha = call.Float("alpha", 0.9);
  const double beta = call.Float("beta", 0.999);
  for (size_t i = 0; call.ok() && i < given.count(); ++i) {
    const One one = Parameter(call, given, i);
    const Expression g = Gradient(call, one);
    const Expression mean = one.x[2] * alpha + g * (1 - alpha);
    const Expression squares = one.x[3] * beta + g * g * (1 - beta);
    const auto rest = [&](double factor) {
      return one.step.Number(factor).With("elementwise_pow", one.step).Minus() +
             1.0;
    };
    const Expression started = one.step > 0.0;
    const Expression rate =
        started.Where(one.rate * rest(beta).Of("sqrt") / rest(alpha), one.rate);
    const Expression size = squares.Of("sqrt") + call.Float("epsilon", 1e-6);
    const Expression x = one.x[0] - rate * mean / size;
    Set(call, given, 0, i, x * (1 - call.Float("norm_coefficient_post", 0.0)));
    Set(call, given, 1, i, mean);
    Set(call, given, 2, i, squares);
  }
}

void Momentum(OnnxCall& call) {
  const Given given = Read(call, 3);
  const double alpha = call.Float("alpha", 0.0);
  const bool nesterov = call.Text("mode", "standard") == "nesterov";
  for (size_t i = 0; call.ok() && i < given.count(); ++i) {
    const One one = Parameter(call, given, i);
    const Expression g = Gradient(call, one);
    const Expression part = (one.step > 0.0)
                                .Where(one.step.Number(call.Float("beta", 1.0)),
                                       one.step.Number(1.0));
    const Expression moved = one.x[2] * alpha + g * part;
    const Expression way = nesterov ? g + moved * alpha : moved;
    Set(call, given, 0, i, one.x[0] - one.rate * way);
    Set(call, given, 1, i, moved);
  }
}

// The gradients of a tensor of the graph, by others of it. `zs` says what
// stays constant, which no gradient here depends on.
void GradientOf(OnnxCall& call) {
  const ForeignAttr* const names = call.op().attr("xs");
  if (names == nullptr ||
      static_cast<int>(names->texts().size()) != call.inputs()) {
    return call.Fail(ArgumentError(
        "xs", absl::StrCat(call.inputs(), " names, one for each input"),
        absl::StrCat(names == nullptr ? 0 : names->texts().size())));
  }
  const auto named = [&](const std::string& name) {
    return call.Checked(
        call.translation().Read(call.builder(), call.scope(), name));
  };
  std::vector<ir::Value> wrt;
  for (int i = 0; i < call.inputs() && call.ok(); ++i) {
    wrt.push_back(named(names->texts()[static_cast<size_t>(i)]));
    if (call.ok() && call.In(i) != wrt.back()) {
      call.Refuse("its inputs must be the tensors that xs names");
    }
  }
  if (!call.ok()) return;
  const ir::Value target = named(call.Text("y", ""));
  if (!call.ok()) return;
  const std::vector<ir::Value> gradients =
      call.Checked(BuildGradients(call.builder(), target, wrt));
  for (size_t i = 0; i < wrt.size() && call.ok(); ++i) {
    call.Out(static_cast<int>(i),
             gradients[i] ? gradients[i] : call.Call("zeros_like", {wrt[i]}));
  }
}

constexpr OnnxLowering kLowerings[] = {
    {"Adagrad", Adagrad, kTraining},
    {"Adam", Adam, kTraining},
    {"Gradient", GradientOf, kTraining},
    {"Momentum", Momentum, kTraining},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxTrainingLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
