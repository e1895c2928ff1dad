// SPDX-License-Identifier: Apache-2.0
// Composites of the operators that PaddlePaddle's passes make of several.
#ifndef SWITCHYARD_PHI_COMPOSITE_FUSED_H_
#define SWITCHYARD_PHI_COMPOSITE_FUSED_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/quoted.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/post_ops.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_fused.h"
#include "phi/composite/elements.h"
#include "phi/composite/fused_bytes.h"
#include "phi/composite/legacy.h"
#include "phi/composite/ops.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// v plus `bias`, a number a column, whatever axes of extent 1 that has. Part of
// the composites below; not an operator's composite itself.
inline Value WithColumnBias(Ops& ops, const Value& v, const Value& bias) {
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
  return op::add(ops, v, op::reshape(ops, bias, {int64_t{-1}}));
}

// input w + bias, and an activation function of it; of bytes in bytes.
inline void Fc(Ops& ops, const Value& input, const Value& w, const Value& bias,
               int in_num_col_dims, std::string_view activation_type,
               bool padding_weights, float scale_in, float scale_out,
               absl::Span<const float> scale_weights, bool force_fp32_output,
               Value* out) {
  if (out == nullptr) return;
  if (!activation_type.empty() && activation_type != "relu") {
    return ops.Fail(ArgumentError("activation_type", "\"\" or \"relu\"",
                                  Quoted(activation_type)));
  }
  if (ops.shape(w).rank() != 2) {
    return ops.Fail(ArgumentError("w", "of rank 2", ToString(ops.shape(w))));
  }
  Value weights = padding_weights ? op::slice(ops, w, {int64_t{0}, int64_t{1}},
                                              {int64_t{0}, int64_t{0}},
                                              {int64_t{-4}, int64_t{-4}})
                                  : w;
  const bool bytes = fused_bytes::AreBytes(ops, input);
  if (bytes) {
    weights = fused_bytes::WeightsOfBytes(ops, weights, 1, scale_weights);
  }
  *out = op::mul(ops, fused_bytes::Numbers(ops, input, "scale_in", scale_in),
                 weights, in_num_col_dims, 1);
  if (ops.defined(bias)) *out = WithColumnBias(ops, *out, bias);
  if (activation_type == "relu") *out = op::relu(ops, *out);
  if (!bytes || force_fp32_output) return;
  *out = fused_bytes::Bytes(ops, *out, scale_out,
                            fused_bytes::IsUnsigned(activation_type)
                                ? DataType::kUInt8
                                : DataType::kInt8);
}

// A function of the elements of v. Not an operator's composite itself.
inline Value WithPostOp(Ops& ops, const Value& v, PostOp step) {
  const float alpha = step.alpha, beta = step.beta;
  switch (step.kind) {
#define SY_POST_OP(enumerator, name, numbers, scalar, reference, vector, \
                   onednn, composite)                                    \
  case PostOpKind::k##enumerator:                                        \
    return composite;
#include "framework/types/post_ops.def"
#undef SY_POST_OP
  }
  return v;
}

// All of them, one after the other.
inline Value WithPostOps(Ops& ops, Value v, PostOps post_ops) {
  for (const PostOp& step : post_ops.steps()) v = WithPostOp(ops, v, step);
  return v;
}

// The activation function that fused_conv2d names, of v.
inline Value FusedActivation(Ops& ops, std::string_view name, const Value& v,
                             float alpha, float beta) {
  if (const std::optional<PostOpKind> kind = FindPostOpKind(name)) {
    return WithPostOp(ops, v, {*kind, alpha, beta});
  }
  // PaddlePaddle's, which no kernel here applies to its sums.
  if (name == "abs") return op::abs(ops, v);
  if (name == "sqrt") return op::sqrt(ops, v);
  if (name == "gelu_erf") return op::gelu(ops, v, false);
  if (name == "mish") return op::mish(ops, v, 20.0);
  ops.Fail(ArgumentError("fuse_activation",
                         "\"\" or the name of an activation function",
                         Quoted(name)));
}

// conv2d, plus a bias and a tensor, and an activation function of it; of bytes
// in bytes.
inline void FusedConv2d(
    Ops& ops, const Value& input, const Value& filter, const Value& bias,
    const Value& residual_param, absl::Span<const int> strides,
    absl::Span<const int> paddings, std::string_view padding_algorithm,
    absl::Span<const int> dilations, int groups, std::string_view data_format,
    std::string_view fuse_activation, bool fuse_residual_conn, float fuse_alpha,
    float fuse_beta, float scale_in, float scale_out,
    absl::Span<const float> scale_weights, float scale_in_eltwise,
    bool force_fp32_output, Value* out) {
  if (out == nullptr) return;
  const bool bytes = fused_bytes::AreBytes(ops, input);
  if (bytes && ops.shape(filter).rank() != 4) {
    return ops.Fail(
        ArgumentError("filter", "of rank 4", ToString(ops.shape(filter))));
  }
  const Value weights =
      bytes ? fused_bytes::WeightsOfBytes(ops, filter, 0, scale_weights)
            : filter;
  Value v = op::conv2d(
      ops, fused_bytes::Numbers(ops, input, "scale_in", scale_in), weights,
      strides, paddings, padding_algorithm, dilations, groups, data_format);
  if (ops.defined(bias)) {
    std::vector<int64_t> extents(4, 1);
    extents[data_format == "NHWC" ? 3 : 1] = -1;
    const Shape given = ops.shape(bias);
    const Dim channels = ops.shape(filter)[0];
    if (given.rank() != 1 || !MayEqual(given[0], channels)) {
      return ops.Fail(ArgumentError(
          "bias", "of shape " + ToString(Shape({channels})), ToString(given)));
    }
    v = op::add(ops, v, op::reshape(ops, bias, extents));
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
    v = op::add(ops, v,
                fused_bytes::Numbers(ops, residual_param, "scale_in_eltwise",
                                     scale_in_eltwise));
  }
  *out = FusedActivation(ops, fuse_activation, v, fuse_alpha, fuse_beta);
  if (!bytes || force_fp32_output) return;
  *out = fused_bytes::ConvolvedBytes(
      ops, *out, fuse_residual_conn ? residual_param : Value(), fuse_activation,
      scale_out);
}

// conv2d with what follows it: bias, residual, activation function, one affine
// map for all channels.
inline void Conv2dEpilogue(Ops& ops, const Value& input, const Value& filter,
                           const Value& bias, const Value& residual,
                           const Value& out_scale, const Value& out_shift,
                           absl::Span<const int> strides,
                           absl::Span<const int> paddings,
                           std::string_view padding_algorithm,
                           absl::Span<const int> dilations, int groups,
                           PostOps post_ops, Value* out) {
  if (out == nullptr) return;
  Value v = op::conv2d(ops, input, filter, strides, paddings, padding_algorithm,
                       dilations, groups, "NCHW");
  if (ops.defined(bias)) {
    v = op::add(ops, v,
                op::reshape(ops, bias, {int64_t{-1}, int64_t{1}, int64_t{1}}));
  }
  if (ops.defined(residual)) v = op::add(ops, v, residual);
  v = WithPostOps(ops, v, post_ops);
  const auto one = [&](const Value& x) {
    return op::reshape(ops, x, {int64_t{1}});
  };
  if (ops.defined(out_scale)) v = op::multiply(ops, v, one(out_scale));
  if (ops.defined(out_shift)) v = op::add(ops, v, one(out_shift));
  *out = v;
}

// conv2d_transpose with a bias and an activation function.
inline void Conv2dTransposeEpilogue(Ops& ops, const Value& x,
                                    const Value& filter, const Value& bias,
                                    absl::Span<const int> strides,
                                    absl::Span<const int> paddings,
                                    std::string_view padding_algorithm,
                                    int groups, absl::Span<const int> dilations,
                                    PostOps post_ops, Value* out) {
  if (out == nullptr) return;
  Value v = op::conv2d_transpose(ops, x, filter, strides, paddings,
                                 absl::Span<const int>(), {}, padding_algorithm,
                                 groups, dilations, "NCHW");
  if (ops.defined(bias)) {
    v = op::add(ops, v,
                op::reshape(ops, bias, {int64_t{-1}, int64_t{1}, int64_t{1}}));
  }
  *out = WithPostOps(ops, v, post_ops);
}

// mul with a bias of each column, an addend and an activation function.
inline void LinearEpilogue(Ops& ops, const Value& x, const Value& y,
                           const Value& bias, const Value& residual,
                           int x_num_col_dims, PostOps post_ops,
                           bool /*pack_y*/, Value* out) {
  if (out == nullptr) return;
  Value v = op::mul(ops, x, y, x_num_col_dims, 1);
  if (ops.defined(bias)) v = op::add(ops, v, bias);
  if (ops.defined(residual)) v = op::add(ops, v, residual);
  *out = WithPostOps(ops, v, post_ops);
}

// softmax(scale q k^T + mask) v.
inline void DotAttention(Ops& ops, const Value& q, const Value& k,
                         const Value& v, const Value& mask, float scale,
                         Value* out) {
  if (out == nullptr) return;
  // Halves are rounded once, at the end.
  Value scores = op::matmul(ops, Widened(ops, q), Widened(ops, k), false, true);
  if (scale != 1) {
    scores = Times(ops, scores, scale);
  }
  if (ops.defined(mask)) scores = op::add(ops, scores, Widened(ops, mask));
  const Value weights = op::softmax(ops, scores, -1);
  *out = Narrowed(ops, op::matmul(ops, weights, Widened(ops, v), false, false),
                  ops.dtype(q));
}

// Each channel of an image times a gate made of the means of all channels.
inline void SqueezeExcite(Ops& ops, const Value& x, const Value& squeeze,
                          const Value& squeeze_bias, const Value& excite,
                          const Value& excite_bias, PostOps activation,
                          PostOps gate, float gate_shift, Value* out) {
  if (out == nullptr) return;
  const auto layer = [&](const Value& v, const Value& filter, const Value& bias,
                         PostOps post_ops) {
    Value sums = op::conv2d(ops, v, filter, {1, 1}, {0, 0}, "EXPLICIT", {1, 1},
                            1, "NCHW");
    if (ops.defined(bias)) {
      sums = op::add(
          ops, sums,
          op::reshape(ops, bias, {int64_t{-1}, int64_t{1}, int64_t{1}}));
    }
    return WithPostOps(ops, sums, post_ops);
  };
  const Value means = op::mean(ops, x, {int64_t{2}, int64_t{3}}, true);
  const Value hidden = layer(means, squeeze, squeeze_bias, activation);
  Value gates = layer(hidden, excite, excite_bias, gate);
  if (gate_shift != 0) {
    gates = Linear(ops, gates, 1, gate_shift);
  }
  *out = op::multiply(ops, x, gates);
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
inline Value FusedUnary(Ops& ops, std::string_view name, const Value& v,
                        float factor) {
  if (name == "relu") return op::relu(ops, v);
  if (name == "tanh") return op::tanh(ops, v);
  if (name == "sigmoid") return op::sigmoid(ops, v);
  if (name == "gelu") return op::gelu(ops, v, true);
  return Times(ops, v, factor);
}
inline Value FusedBinary(Ops& ops, std::string_view name, const Value& x,
                         const Value& y, int axis) {
  return Aligned(ops, x, y, axis, [&](const Value& a, const Value& b) {
    if (name == "elementwise_add") return op::add(ops, a, b);
    if (name == "elementwise_sub") return op::subtract(ops, a, b);
    return op::multiply(ops, a, b);
  });
}

// f(x, g(y)) or g(f(x, y)), of a binary function f and a unary function g.
inline void FusedElemwiseActivation(Ops& ops, const Value& x, const Value& y,
                                    absl::Span<const std::string> functor_list,
                                    int axis, float scale,
                                    bool save_intermediate_out, Value* out,
                                    Value* intermediate_out) {
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
  const Value middle = binary_first ? FusedUnary(ops, inner, y, scale)
                                    : FusedBinary(ops, inner, x, y, axis);
  if (save_intermediate_out && intermediate_out != nullptr) {
    *intermediate_out = middle;
  }
  if (out == nullptr) return;
  *out = binary_first ? FusedBinary(ops, outer, x, middle, axis)
                      : FusedUnary(ops, outer, middle, scale);
}

// Layers relu(v w[i] + bias[i]), one after another, of which the first gets x.
inline void FusionRepeatedFcRelu(Ops& ops, const Value& x, const List& w,
                                 const List& bias, OutputList relu_out,
                                 Value* out) {
  if (w.size() == 0 || bias.size() != w.size()) {
    return ops.Fail(ArgumentError(
        "bias", "of as many tensors as w (" + std::to_string(w.size()) + ")",
        std::to_string(bias.size())));
  }
  Value v = x;
  for (size_t i = 0; i < w.size(); ++i) {
    v = op::relu(
        ops,
        WithColumnBias(ops, op::matmul(ops, v, w[i], false, false), bias[i]));
    if (relu_out[i] != nullptr) *relu_out[i] = v;
  }
  if (out != nullptr) *out = op::assign(ops, v);
}

// scalar * ((x y)^2 - x^2 y^2).
inline void FusionSquaredMatSub(Ops& ops, const Value& x, const Value& y,
                                float scalar, Value* squared_x,
                                Value* squared_y, Value* squared_xy,
                                Value* out) {
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
  const Value wide_x = Widened(ops, x), wide_y = Widened(ops, y);
  const Value x2 = op::square(ops, wide_x), y2 = op::square(ops, wide_y);
  const Value product =
      op::square(ops, op::matmul(ops, wide_x, wide_y, false, false));
  const DataType dtype = ops.dtype(x);
  if (squared_x != nullptr) *squared_x = Narrowed(ops, x2, dtype);
  if (squared_y != nullptr) *squared_y = Narrowed(ops, y2, dtype);
  if (squared_xy != nullptr) *squared_xy = Narrowed(ops, product, dtype);
  if (out == nullptr) return;
  const Value difference =
      op::subtract(ops, product, op::matmul(ops, x2, y2, false, false));
  *out = Narrowed(ops, Times(ops, difference, scalar), dtype);
}

// silu of one tensor, times another.
inline void Swiglu(Ops& ops, const Value& x, const Value& y, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  if (ops.defined(y)) {
    if (!MayEqual(ops.shape(y), shape)) {
      return ops.Fail(ArgumentError("y", "of shape " + ToString(shape),
                                    ToString(ops.shape(y))));
    }
    *out = op::multiply(ops, op::silu(ops, x), y);
    return;
  }
  const int last = shape.rank() - 1;
  if (last < 0 || !shape[last].known() || shape[last].value() % 2 != 0) {
    return ops.Fail(
        ArgumentError("x", "of an even last extent", ToString(shape)));
  }
  const int64_t half = shape[last].value() / 2;
  const std::vector<Value> halves =
      op::split(ops, x, std::vector<int64_t>{half, half}, last);
  *out = op::multiply(ops, op::silu(ops, halves[0]), halves[1]);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_FUSED_H_
