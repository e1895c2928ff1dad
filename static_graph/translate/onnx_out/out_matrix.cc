// SPDX-License-Identifier: Apache-2.0
// Products of matrices.
#include <utility>

#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

// The operand with its last two axes exchanged; unchanged with one axis.
OnnxName Turned(OutCall& call, std::string_view input) {
  const int rank = call.Rank(input);
  const OnnxName x = call.In(input);
  if (rank < 2) return x;
  Integers perm;
  for (int i = 0; i < rank; ++i) perm.push_back(i);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return Transpose(call, x, perm);
}

void MatMul(OutCall& call) {
  const OnnxName x =
      call.Flag("transpose_x") ? Turned(call, "x") : call.In("x");
  const OnnxName y =
      call.Flag("transpose_y") ? Turned(call, "y") : call.In("y");
  call.Out("out", call.Node("MatMul", {x, y}));
}

void Linear(OutCall& call) {
  const OnnxName product =
      call.Node("MatMul", {call.In("x"), call.In("weight")});
  call.Out("out", call.Has("bias")
                      ? call.Node("Add", {product, call.In("bias")})
                      : product);
}

void Bmm(OutCall& call) {
  call.Out("out", call.Node("MatMul", {call.In("x"), call.In("y")}));
}

// The axes after the first ones of each operand are one.
void Mul(OutCall& call) {
  const auto rows = static_cast<int>(call.Int("x_num_col_dims"));
  const auto inner = static_cast<int>(call.Int("y_num_col_dims"));
  OnnxName x = call.In("x");
  OnnxName y = call.In("y");
  const Shape& shape = call.ShapeOf("y");
  int64_t height = 1;
  for (int i = 0; i < inner; ++i) height *= call.Extent("y", i);
  if (inner != 1 || shape.rank() != 2) y = Reshape(call, y, {height, -1});
  if (call.Rank("x") != rows + 1) {
    // Zeros repeat the extents of x.
    Integers flat(static_cast<size_t>(rows), 0);
    flat.push_back(height);
    x = Reshape(call, x, flat);
  }
  OnnxName out = call.Node("MatMul", {x, y});
  if (shape.rank() != inner + 1) {
    Integers split(static_cast<size_t>(rows), 0);
    for (int i = inner; i < shape.rank(); ++i) {
      split.push_back(call.Extent("y", i));
    }
    out = Reshape(call, out, split);
  }
  call.Out("out", out);
}

constexpr OutForm kForms[] = {
    {"matmul", MatMul},
    {"linear", Linear},
    {"bmm", Bmm},
    {"mul", Mul},
};

}  // namespace

absl::Span<const OutForm> MatrixOutForms() { return kForms; }

}  // namespace switchyard::static_graph
