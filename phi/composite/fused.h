// SPDX-License-Identifier: Apache-2.0
// Composites of the operators that PaddlePaddle's passes make of several.
#ifndef SWITCHYARD_PHI_COMPOSITE_FUSED_H_
#define SWITCHYARD_PHI_COMPOSITE_FUSED_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/quoted.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/elements.h"
#include "phi/composite/legacy.h"

namespace switchyard::phi::composite {

// v plus `bias`, a number a column, whatever axes of extent 1 that has. Part of
// the composites below; not an operator's composite itself.
template <typename Ops, typename V>
V WithColumnBias(Ops& ops, const V& v, const V& bias) {
  const Shape shape = ops.shape(v), given = ops.shape(bias);
  Dim count(1);
  for (const Dim dim : given.dims()) {
    const auto product = Multiply(count, dim);
    if (!product.ok()) ops.Fail(product.status());
    count = *product;
  }
  const Dim columns = shape[shape.rank() - 1];
  if (!MayEqual(count, columns)) {
    ops.Fail(ArgumentError("bias", "of " + ToString(columns) + " elements",
                           ToString(given)));
  }
  return ops.add(v, ops.reshape(bias, {int64_t{-1}}));
}

// input w + bias, and an activation function of it.
template <typename Ops, typename V = typename Ops::Value>
void Fc(Ops& ops, const V& input, const V& w, const V& bias,
        int in_num_col_dims, std::string_view activation_type,
        bool padding_weights, V* out) {
  if (out == nullptr) return;
  if (!activation_type.empty() && activation_type != "relu") {
    return ops.Fail(ArgumentError("activation_type", "\"\" or \"relu\"",
                                  Quoted(activation_type)));
  }
  if (ops.shape(w).rank() != 2) {
    return ops.Fail(ArgumentError("w", "of rank 2", ToString(ops.shape(w))));
  }
  const V weights = padding_weights ? ops.slice(w, {int64_t{0}, int64_t{1}},
                                                {int64_t{0}, int64_t{0}},
                                                {int64_t{-4}, int64_t{-4}})
                                    : w;
  *out = ops.mul(input, weights, in_num_col_dims, 1);
  if (ops.defined(bias)) *out = WithColumnBias(ops, *out, bias);
  if (activation_type == "relu") *out = ops.relu(*out);
}

// The activation function that fused_conv2d names, of v. Part of FusedConv2d;
// not an operator's composite itself.
template <typename Ops, typename V>
V FusedActivation(Ops& ops, std::string_view name, const V& v, float alpha,
                  float beta) {
  if (name.empty()) return v;
  if (name == "relu") return ops.relu(v);
  if (name == "relu6") return ops.relu6(v);
  if (name == "leaky_relu") return ops.leaky_relu(v, double{alpha});
  if (name == "sigmoid") return ops.sigmoid(v);
  if (name == "tanh") return ops.tanh(v);
  if (name == "abs") return ops.abs(v);
  if (name == "sqrt") return ops.sqrt(v);
  if (name == "gelu" || name == "gelu_erf") return ops.gelu(v, false);
  if (name == "gelu_tanh") return ops.gelu(v, true);
  if (name == "mish") return ops.mish(v, 20.0);
  if (name == "hard_swish") return ops.hardswish(v);
  if (name == "hard_sigmoid") {
    return ops.hardsigmoid(v, double{alpha}, double{beta});
  }
  if (name == "clip") {
    return ops.clip(v, Scalar(double{alpha}), Scalar(double{beta}));
  }
  if (name == "swish") {
    return ops.multiply(v, ops.sigmoid(Times(ops, v, alpha)));
  }
  ops.Fail(ArgumentError("fuse_activation",
                         "\"\" or the name of an activation function",
                         Quoted(name)));
}

// conv2d, plus a bias and a tensor, and an activation function of it.
template <typename Ops, typename V = typename Ops::Value>
void FusedConv2d(Ops& ops, const V& input, const V& filter, const V& bias,
                 const V& residual_param, absl::Span<const int> strides,
                 absl::Span<const int> paddings,
                 std::string_view padding_algorithm,
                 absl::Span<const int> dilations, int groups,
                 std::string_view data_format, std::string_view fuse_activation,
                 bool fuse_residual_conn, float fuse_alpha, float fuse_beta,
                 V* out) {
  if (out == nullptr) return;
  V v = ops.conv2d(input, filter, strides, paddings, padding_algorithm,
                   dilations, groups, data_format);
  if (ops.defined(bias)) {
    std::vector<int64_t> extents(4, 1);
    extents[data_format == "NHWC" ? 3 : 1] = -1;
    const Shape given = ops.shape(bias);
    const Dim channels = ops.shape(filter)[0];
    if (given.rank() != 1 || !MayEqual(given[0], channels)) {
      return ops.Fail(ArgumentError(
          "bias", "of shape " + ToString(Shape({channels})), ToString(given)));
    }
    v = ops.add(v, ops.reshape(bias, extents));
  }
  if (fuse_residual_conn) {
    if (!ops.defined(residual_param)) {
      return ops.Fail(ArgumentError("residual_param",
                                    "given where it is to be added", "none"));
    }
    if (!MayEqual(ops.shape(residual_param), ops.shape(v))) {
      return ops.Fail(ArgumentError("residual_param",
                                    "of shape " + ToString(ops.shape(v)),
                                    ToString(ops.shape(residual_param))));
    }
    v = ops.add(v, residual_param);
  }
  *out = FusedActivation(ops, fuse_activation, v, fuse_alpha, fuse_beta);
}

// conv2d with what follows it: bias, residual, activation function, one affine
// map for all channels.
template <typename Ops, typename V = typename Ops::Value>
void Conv2dEpilogue(Ops& ops, const V& input, const V& filter, const V& bias,
                    const V& residual, const V& out_scale, const V& out_shift,
                    absl::Span<const int> strides,
                    absl::Span<const int> paddings,
                    std::string_view padding_algorithm,
                    absl::Span<const int> dilations, int groups,
                    std::string_view activation, float alpha, float beta,
                    V* out) {
  if (out == nullptr) return;
  V v = ops.conv2d(input, filter, strides, paddings, padding_algorithm,
                   dilations, groups, "NCHW");
  if (ops.defined(bias)) {
    v = ops.add(v, ops.reshape(bias, {int64_t{-1}, int64_t{1}, int64_t{1}}));
  }
  if (ops.defined(residual)) v = ops.add(v, residual);
  v = FusedActivation(ops, activation, v, alpha, beta);
  const auto one = [&](const V& x) { return ops.reshape(x, {int64_t{1}}); };
  if (ops.defined(out_scale)) v = ops.multiply(v, one(out_scale));
  if (ops.defined(out_shift)) v = ops.add(v, one(out_shift));
  *out = v;
}

// conv2d_transpose with a bias and an activation function.
template <typename Ops, typename V = typename Ops::Value>
void Conv2dTransposeEpilogue(Ops& ops, const V& x, const V& filter,
                             const V& bias, absl::Span<const int> strides,
                             absl::Span<const int> paddings,
                             std::string_view padding_algorithm, int groups,
                             absl::Span<const int> dilations,
                             std::string_view activation, float alpha,
                             float beta, V* out) {
  if (out == nullptr) return;
  V v = ops.conv2d_transpose(x, filter, strides, paddings,
                             absl::Span<const int>(), {}, padding_algorithm,
                             groups, dilations, "NCHW");
  if (ops.defined(bias)) {
    v = ops.add(v, ops.reshape(bias, {int64_t{-1}, int64_t{1}, int64_t{1}}));
  }
  *out = FusedActivation(ops, activation, v, alpha, beta);
}

// mul with a bias of each column, an addend and an activation function.
template <typename Ops, typename V = typename Ops::Value>
void LinearEpilogue(Ops& ops, const V& x, const V& y, const V& bias,
                    const V& residual, int x_num_col_dims,
                    std::string_view activation, float alpha, float beta,
                    bool /*pack_y*/, V* out) {
  if (out == nullptr) return;
  V v = ops.mul(x, y, x_num_col_dims, 1);
  if (ops.defined(bias)) v = ops.add(v, bias);
  if (ops.defined(residual)) v = ops.add(v, residual);
  *out = FusedActivation(ops, activation, v, alpha, beta);
}

// softmax(scale q k^T + mask) v.
template <typename Ops, typename V = typename Ops::Value>
void DotAttention(Ops& ops, const V& q, const V& k, const V& v, const V& mask,
                  float scale, V* out) {
  if (out == nullptr) return;
  V scores = ops.matmul(q, k, false, true);
  if (scale != 1) {
    scores = Times(ops, scores, scale);
  }
  if (ops.defined(mask)) scores = ops.add(scores, mask);
  *out = ops.matmul(ops.softmax(scores, -1), v, false, false);
}

// Each channel of an image times a gate made of the means of all channels.
template <typename Ops, typename V = typename Ops::Value>
void SqueezeExcite(Ops& ops, const V& x, const V& squeeze,
                   const V& squeeze_bias, const V& excite, const V& excite_bias,
                   std::string_view activation, float alpha, float beta,
                   std::string_view gate, float gate_alpha, float gate_beta,
                   float gate_shift, V* out) {
  if (out == nullptr) return;
  const auto layer = [&](const V& v, const V& filter, const V& bias,
                         std::string_view function, float a, float b) {
    V sums =
        ops.conv2d(v, filter, {1, 1}, {0, 0}, "EXPLICIT", {1, 1}, 1, "NCHW");
    if (ops.defined(bias)) {
      sums = ops.add(sums,
                     ops.reshape(bias, {int64_t{-1}, int64_t{1}, int64_t{1}}));
    }
    return FusedActivation(ops, function, sums, a, b);
  };
  const V means = ops.mean(x, {int64_t{2}, int64_t{3}}, true);
  const V hidden = layer(means, squeeze, squeeze_bias, activation, alpha, beta);
  V gates = layer(hidden, excite, excite_bias, gate, gate_alpha, gate_beta);
  if (gate_shift != 0) {
    gates = Linear(ops, gates, 1, gate_shift);
  }
  *out = ops.multiply(x, gates);
}

// The functions of fused_elemwise_activation. Not an operator's composite
// itself.
inline bool IsFusedBinary(std::string_view name) {
  return name == "elementwise_add" || name == "elementwise_mul" ||
         name == "elementwise_sub";
}
inline bool IsFusedUnary(std::string_view name) {
  return name == "relu" || name == "scale" || name == "tanh" ||
         name == "sigmoid" || name == "gelu";
}
template <typename Ops, typename V>
V FusedUnary(Ops& ops, std::string_view name, const V& v, float factor) {
  if (name == "relu") return ops.relu(v);
  if (name == "tanh") return ops.tanh(v);
  if (name == "sigmoid") return ops.sigmoid(v);
  if (name == "gelu") return ops.gelu(v, true);
  return Times(ops, v, factor);
}
template <typename Ops, typename V>
V FusedBinary(Ops& ops, std::string_view name, const V& x, const V& y,
              int axis) {
  return Aligned(ops, x, y, axis, [&](const V& a, const V& b) {
    if (name == "elementwise_add") return ops.add(a, b);
    if (name == "elementwise_sub") return ops.subtract(a, b);
    return ops.multiply(a, b);
  });
}

// f(x, g(y)) or g(f(x, y)), of a binary function f and a unary function g.
template <typename Ops, typename V = typename Ops::Value>
void FusedElemwiseActivation(Ops& ops, const V& x, const V& y,
                             absl::Span<const std::string> functor_list,
                             int axis, float scale, bool save_intermediate_out,
                             V* out, V* intermediate_out) {
  const bool two = functor_list.size() == 2;
  const std::string_view outer = two ? functor_list[0] : std::string_view();
  const std::string_view inner = two ? functor_list[1] : std::string_view();
  const bool binary_first = IsFusedBinary(outer) && IsFusedUnary(inner);
  if (!binary_first && !(IsFusedUnary(outer) && IsFusedBinary(inner))) {
    std::string names;
    for (const std::string& name : functor_list) {
      names += (names.empty() ? "" : ", ") + name;
    }
    return ops.Fail(
        ArgumentError("functor_list",
                      "an elementwise operator and a function, or the reverse",
                      "{" + names + "}"));
  }
  const V middle = binary_first ? FusedUnary(ops, inner, y, scale)
                                : FusedBinary(ops, inner, x, y, axis);
  if (save_intermediate_out && intermediate_out != nullptr) {
    *intermediate_out = middle;
  }
  if (out == nullptr) return;
  *out = binary_first ? FusedBinary(ops, outer, x, middle, axis)
                      : FusedUnary(ops, outer, middle, scale);
}

// Layers relu(v w[i] + bias[i]), one after another, of which the first gets x.
template <typename Ops, typename V = typename Ops::Value>
void FusionRepeatedFcRelu(Ops& ops, const V& x, const typename Ops::List& w,
                          const typename Ops::List& bias,
                          typename Ops::OutputList relu_out, V* out) {
  if (w.size() == 0 || bias.size() != w.size()) {
    return ops.Fail(ArgumentError(
        "bias", "of as many tensors as w (" + std::to_string(w.size()) + ")",
        std::to_string(bias.size())));
  }
  V v = x;
  for (size_t i = 0; i < w.size(); ++i) {
    v = ops.relu(
        WithColumnBias(ops, ops.matmul(v, w[i], false, false), bias[i]));
    if (relu_out[i] != nullptr) *relu_out[i] = v;
  }
  if (out != nullptr) *out = ops.assign(v);
}

// scalar * ((x y)^2 - x^2 y^2).
template <typename Ops, typename V = typename Ops::Value>
void FusionSquaredMatSub(Ops& ops, const V& x, const V& y, float scalar,
                         V* squared_x, V* squared_y, V* squared_xy, V* out) {
  const Shape left = ops.shape(x), right = ops.shape(y);
  if (left.rank() != 2 || right.rank() != 2) {
    return ops.Fail(ArgumentError("x and y", "of rank 2",
                                  ToString(left) + " and " + ToString(right)));
  }
  if (!MayEqual(left[1], right[0])) {
    return ops.Fail(
        ArgumentError("y", "of " + ToString(left[1]) + " rows (columns of x)",
                      ToString(right)));
  }
  const V x2 = ops.square(x), y2 = ops.square(y);
  const V product = ops.square(ops.matmul(x, y, false, false));
  if (squared_x != nullptr) *squared_x = x2;
  if (squared_y != nullptr) *squared_y = y2;
  if (squared_xy != nullptr) *squared_xy = product;
  if (out == nullptr) return;
  *out = Times(ops, ops.subtract(product, ops.matmul(x2, y2, false, false)),
               scalar);
}

// silu of one tensor, times another.
template <typename Ops, typename V = typename Ops::Value>
void Swiglu(Ops& ops, const V& x, const V& y, V* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  if (ops.defined(y)) {
    if (!MayEqual(ops.shape(y), shape)) {
      return ops.Fail(ArgumentError("y", "of shape " + ToString(shape),
                                    ToString(ops.shape(y))));
    }
    *out = ops.multiply(ops.silu(x), y);
    return;
  }
  const int last = shape.rank() - 1;
  if (last < 0 || !shape[last].known() || shape[last].value() % 2 != 0) {
    return ops.Fail(
        ArgumentError("x", "of an even last extent", ToString(shape)));
  }
  const int64_t half = shape[last].value() / 2;
  const std::vector<V> halves =
      ops.split(x, std::vector<int64_t>{half, half}, last);
  *out = ops.multiply(ops.silu(halves[0]), halves[1]);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_FUSED_H_
