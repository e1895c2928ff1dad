// SPDX-License-Identifier: Apache-2.0
// A plugin with operators, for python/tests/plugin_operators_test.py.
#include "phi/capi/plugin_cc.h"

namespace {

using sy::plugin::Body;
using sy::plugin::Call;
using sy::plugin::Inference;
using sy::plugin::Input;
using sy::plugin::Kernel;
using sy::plugin::Operator;
using sy::plugin::Registry;
using sy::plugin::Run;
using sy::plugin::Value;

void Square(Call& call) {
  const Input x = call.input(0);
  float* const out = call.output<float>(0);
  const float* const from = x.data<float>();
  for (int64_t i = 0; i < x.numel(); ++i) out[i] = from[i] * from[i];
}

void SquareGrad(Body& body) {
  if (!body.wanted(0)) return;
  body.Yield(
      0,
      body.Scale(body.Compute("multiply", {body.input(0), body.input(1)}), 2));
}

void RowSums(Call& call) {
  const Input x = call.input(0);
  float* const out = call.output<float>(0);
  const float* const from = x.data<float>();
  const int64_t columns = x.extent(1);
  for (int64_t row = 0; row < x.extent(0); ++row) {
    out[row] = 0;
    for (int64_t i = 0; i < columns; ++i) out[row] += from[row * columns + i];
  }
}

void InferRowSums(Inference& inference) {
  if (inference.rank(0) != 2) {
    throw sy::plugin::Error(SY_INVALID_ARGUMENT, "x must have 2 axes");
  }
  inference.Set(0, /*like=*/0, {inference.extent(0, 0)});
}

void Blend(Body& body) {
  const double weight = body.attr_float(0);
  const Value x = body.Scale(body.input(0), weight);
  const Value y = body.Scale(body.input(1), 1 - weight);
  body.Yield(0, body.Compute(body.attr_int(1) ? "subtract" : "add", {x, y}));
}

void CallsNothing(Body& body) { body.Compute("no_such_op", {body.input(0)}); }

void CallsWrongly(Body& body) {
  body.Compute("softmax", {body.input(0)}, "axis=9");
}

void Silent(Inference&) {}

void Confused(Inference& inference) { inference.Set(3, 0, {1}); }

void AddAll(Registry& registry) {
  registry.AddBackend({"tested", /*rank=*/120});
  registry.Add(Operator("tested_square(Tensor x) -> (Tensor out)", "x * x.")
                   .Gradient("x, out_grad", Run<&SquareGrad>));
  registry.Add(Kernel("tested_square", "tested", "float32", Run<&Square>));
  registry.Add(Operator("tested_row_sums(Tensor x) -> (Tensor out)",
                        "The sum of each row.")
                   .Infer(Run<&InferRowSums>));
  registry.Add(Kernel("tested_row_sums", "tested", "float32", Run<&RowSums>));
  registry.Add(Operator("tested_blend(Tensor x, Tensor y, double weight = 0.5, "
                        "bool minus = false) -> (Tensor out)",
                        "A weighted sum, or difference.")
                   .Body(Run<&Blend>));
  registry.Add(
      Operator("tested_calls_nothing(Tensor x) -> (Tensor out)", "Fails.")
          .Body(Run<&CallsNothing>));
  registry.Add(
      Operator("tested_calls_wrongly(Tensor x) -> (Tensor out)", "Fails.")
          .Body(Run<&CallsWrongly>));
  registry.Add(Operator("tested_silent(Tensor x) -> (Tensor out)", "Fails.")
                   .Infer(Run<&Silent>));
  registry.Add(Operator("tested_confused(Tensor x) -> (Tensor out)", "Fails.")
                   .Infer(Run<&Confused>));
}

}  // namespace

SY_PLUGIN("operators", "1.0", AddAll)
