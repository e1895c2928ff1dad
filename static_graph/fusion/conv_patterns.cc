// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/conv_patterns.h"

#include "static_graph/dialect/clip.gen.h"
#include "static_graph/dialect/conv2d.gen.h"
#include "static_graph/dialect/conv2d_epilogue.gen.h"
#include "static_graph/dialect/conv2d_transpose.gen.h"
#include "static_graph/dialect/depthwise_conv2d.gen.h"
#include "static_graph/dialect/hardsigmoid.gen.h"
#include "static_graph/dialect/hardswish.gen.h"
#include "static_graph/dialect/leaky_relu.gen.h"
#include "static_graph/dialect/multiply.gen.h"
#include "static_graph/dialect/pool2d.gen.h"
#include "static_graph/dialect/relu.gen.h"
#include "static_graph/dialect/relu6.gen.h"
#include "static_graph/dialect/sigmoid.gen.h"
#include "static_graph/dialect/silu.gen.h"
#include "static_graph/dialect/swish.gen.h"
#include "static_graph/dialect/tanh.gen.h"
#include "static_graph/fusion/sum_pattern.h"

namespace switchyard::static_graph {
namespace {

constexpr int kImageRank = 4;

// Reads the arguments that convolutions of all kinds have, of any class.
template <typename Conv>
ConvPattern ReadArguments(const Conv& conv, ir::Value input) {
  ConvPattern pattern;
  pattern.input = input;
  pattern.filter = conv.filter();
  pattern.strides = conv.strides();
  pattern.paddings = conv.paddings();
  pattern.dilations = conv.dilations();
  pattern.padding_algorithm = conv.padding_algorithm();
  pattern.groups = conv.groups();
  return pattern;
}

// Reads any convolution of images whose channels come first.
std::optional<ConvPattern> ReadAnyConv(const ir::Operation& op) {
  if (const auto conv = Conv2dOp::Match(op)) {
    if (conv->data_format() != "NCHW") return std::nullopt;
    return ReadArguments(*conv, conv->input());
  }
  if (const auto conv = DepthwiseConv2dOp::Match(op)) {
    if (conv->data_format() != "NCHW") return std::nullopt;
    return ReadArguments(*conv, conv->input());
  }
  if (const auto conv = Conv2dEpilogueOp::Match(op)) {
    ConvPattern pattern = ReadArguments(*conv, conv->input());
    pattern.fused = true;
    return pattern;
  }
  const auto conv = Conv2dTransposeOp::Match(op);
  if (!conv.has_value() || conv->data_format() != "NCHW" ||
      conv->groups() != 1 || !conv->output_padding().empty() ||
      !conv->output_size().empty()) {
    return std::nullopt;
  }
  ConvPattern pattern = ReadArguments(*conv, conv->x());
  pattern.transposed = true;
  return pattern;
}

}  // namespace

bool IsImage(ir::Value x) {
  const ir::TensorType type = x.tensor_type();
  return type && type.kind() == TensorKind::kDense && type.layout().strided() &&
         type.shape().rank() == kImageRank &&
         (type.dtype() == DataType::kFloat32 ||
          type.dtype() == DataType::kFloat64);
}

bool ConvPattern::keeps_extents() const {
  if (transposed) return false;
  const Shape& shape = filter.tensor_type().shape();
  if (padding_algorithm == "SAME") return strides[0] == 1 && strides[1] == 1;
  for (int axis = 0; axis < 2; ++axis) {
    const Dim extent = shape[2 + axis];
    if (!extent.known() || strides[axis] != 1) return false;
    int64_t padding = 0;
    if (padding_algorithm != "VALID") {
      padding = paddings.size() == 4
                    ? int64_t{paddings[2 * axis]} + paddings[2 * axis + 1]
                    : 2 * int64_t{paddings[axis]};
    }
    const int64_t dilation = dilations.empty() ? 1 : dilations[axis];
    if (padding != dilation * (extent.value() - 1)) return false;
  }
  return true;
}

std::optional<ConvPattern> ReadConv(const ir::Operation& op) {
  std::optional<ConvPattern> conv = ReadAnyConv(op);
  if (!conv.has_value() || !IsImage(conv->input) ||
      !conv->filter.tensor_type().shape().known()) {
    return std::nullopt;
  }
  return conv;
}

PostOps MakePostOps(PostOpKind kind, double alpha, double beta) {
  const PostOp step = {kind, static_cast<float>(alpha),
                       static_cast<float>(beta)};
  return *PostOps::Make("post_ops", absl::MakeConstSpan(&step, 1));
}

PostOps ReadActivation(const ir::Operation& op) {
  using Kind = PostOpKind;
  if (ReluOp::Match(op).has_value()) return MakePostOps(Kind::kRelu);
  if (Relu6Op::Match(op).has_value()) return MakePostOps(Kind::kRelu6);
  if (SigmoidOp::Match(op).has_value()) return MakePostOps(Kind::kSigmoid);
  if (TanhOp::Match(op).has_value()) return MakePostOps(Kind::kTanh);
  if (HardswishOp::Match(op).has_value()) {
    return MakePostOps(Kind::kHardSwish);
  }
  if (SiluOp::Match(op).has_value() || SwishOp::Match(op).has_value()) {
    return MakePostOps(Kind::kSwish, 1);
  }
  if (const auto leaky = LeakyReluOp::Match(op)) {
    return MakePostOps(Kind::kLeakyRelu, leaky->negative_slope());
  }
  if (const auto hard = HardsigmoidOp::Match(op)) {
    return MakePostOps(Kind::kHardSigmoid, hard->slope(), hard->offset());
  }
  if (const auto clip = ClipOp::Match(op)) {
    return MakePostOps(Kind::kClip, clip->min().ToDouble(),
                       clip->max().ToDouble());
  }
  return PostOps();
}

bool IsCheap(PostOps function) {
  using Kind = PostOpKind;
  const Kind kind = function.only().kind;
  return kind != Kind::kSigmoid && kind != Kind::kTanh && kind != Kind::kSwish;
}

ir::Value ReadAddend(const ir::Operation& op, ir::Value x) {
  const std::optional<SumPattern> sum = ReadSum(op);
  if (!sum.has_value()) return ir::Value();
  const ir::Value other = sum->other(x);
  return IsImage(other) && other.type() == x.type() ? other : ir::Value();
}

bool IsProduct(const ir::Operation& op) {
  return MultiplyOp::Match(op).has_value();
}

bool IsPooling(const ir::Operation& op) {
  return Pool2dOp::Match(op).has_value();
}

}  // namespace switchyard::static_graph
