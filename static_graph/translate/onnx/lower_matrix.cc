// SPDX-License-Identifier: Apache-2.0
// Products of matrices.
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/wide_integers.h"

namespace switchyard::static_graph {
namespace {

ir::Value Scaled(OnnxCall& call, ir::Value x, double factor) {
  if (factor == 1.0) return x;
  return call.Call("multiply", {x, NumberLike(call, x, factor)});
}

void Gemm(OnnxCall& call) {
  ir::Value product = call.Call("matmul", {call.In(0), call.In(1)},
                                {{"transpose_x", call.Flag("transA", false)},
                                 {"transpose_y", call.Flag("transB", false)}});
  product = Scaled(call, product, call.Float("alpha", 1.0));
  const double beta = call.Float("beta", 1.0);
  if (call.Has(2) && beta != 0) {
    product = call.Call("add", {product, Scaled(call, call.In(2), beta)});
  }
  call.Out(0, product);
}

// Ours has no spaces in its equations.
void Einsum(OnnxCall& call) {
  std::string equation;
  for (const char letter : call.Text("equation", "")) {
    if (letter != ' ') equation.push_back(letter);
  }
  std::vector<ir::Value> inputs = call.AllInputs();
  if (inputs.empty() || !call.ok()) return;
  const DataType dtype = DtypeOf(inputs[0]);
  for (ir::Value& x : inputs) x = WithBitsOf(call, x);
  const ir::Value y = call.Call("einsum", {inputs}, {{"equation", equation}});
  call.Out(0, Cast(call, y, dtype));
}

constexpr OnnxLowering kLowerings[] = {
    {"Einsum", Einsum},
    {"Gemm", Gemm},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxMatrixLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
