// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/conv_patterns.h"

#include <algorithm>
#include <string>
#include <vector>

#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/named_call.h"
#include "static_graph/dialect/register_dialects.h"

namespace switchyard::static_graph {
namespace {

using Ints = absl::Span<const int>;

constexpr int kImageRank = 4;
constexpr int kChannelAxis = 1;
constexpr char kFused[] = "conv2d_epilogue";
constexpr char kFusedTranspose[] = "conv2d_transpose_epilogue";
// The operators that weights are computed by.
constexpr const char* kWeightOperators[] = {"add",     "subtract", "multiply",
                                            "divide",  "sqrt",     "scale",
                                            "reshape", "expand"};

// Whether `x` is an image of a dtype in which the fused operators have kernels.
bool IsImage(ir::Value x) {
  const ir::TensorType type = x.tensor_type();
  return type && type.kind() == TensorKind::kDense && type.layout().strided() &&
         type.shape().rank() == kImageRank &&
         (type.dtype() == DataType::kFloat32 ||
          type.dtype() == DataType::kFloat64);
}

// Whether `factor`, whose axes stand at `axis` and after it in an image's (-1:
// they are the last ones), is a number for each channel or one for all.
bool IsChannelwise(ir::Value factor, int axis, ir::Value image) {
  const ir::TensorType type = factor.tensor_type();
  if (!type || !type.shape().known() ||
      type.dtype() != image.tensor_type().dtype()) {
    return false;
  }
  const Shape& shape = type.shape();
  if (shape.rank() > kImageRank) return false;
  if (shape.numel() == 1) return true;
  const int first = axis < 0 ? kImageRank - shape.rank() : axis;
  const Dim channels = image.tensor_type().shape()[kChannelAxis];
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == Dim(1)) continue;
    if (first + i != kChannelAxis || shape[i] != channels) return false;
  }
  return true;
}

// A batch norm of images by its running statistics, which it leaves alone.
bool IsFixedNormalization(const NamedCall& call) {
  return call.Is("batch_norm") && IsImage(call.input(0)) &&
         call.Get<std::string_view>("data_format") == "NCHW" &&
         (call.Get<bool>("use_global_stats") ||
          (call.Get<bool>("is_test") &&
           !call.Get<bool>("trainable_statistics")));
}

// How a sum, difference or product aligns its operands; nullopt for any other.
struct Aligned {
  ChannelPattern::Kind kind;
  int axis;
};
std::optional<Aligned> ReadAligned(const NamedCall& call) {
  using Kind = ChannelPattern::Kind;
  if (call.Is("add")) return Aligned{Kind::kAdd, -1};
  if (call.Is("subtract")) return Aligned{Kind::kSubtract, -1};
  if (call.Is("multiply")) return Aligned{Kind::kMultiply, -1};
  if (call.Is("elementwise_add")) {
    return Aligned{Kind::kAdd, call.Get<int>("axis")};
  }
  return std::nullopt;
}

}  // namespace

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
  const NamedCall call(
      op, {"conv2d_transpose", "conv2d", "depthwise_conv2d", kFused});
  ConvPattern conv;
  conv.transposed = call.Is("conv2d_transpose");
  const bool plain =
      conv.transposed || call.Is("conv2d") || call.Is("depthwise_conv2d");
  if (!plain && !call.Is(kFused)) return std::nullopt;
  conv.input = call.input(0);
  conv.filter = call.input(1);
  if (!IsImage(conv.input) || !conv.filter.tensor_type().shape().known() ||
      (plain && call.Get<std::string_view>("data_format") != "NCHW")) {
    return std::nullopt;
  }
  conv.strides = call.Get<Ints>("strides");
  conv.paddings = call.Get<Ints>("paddings");
  conv.dilations = call.Get<Ints>("dilations");
  conv.padding_algorithm = call.Get<std::string_view>("padding_algorithm");
  conv.groups = call.Get<int>("groups");
  conv.fused = !plain;
  if (conv.transposed &&
      (conv.groups != 1 || !call.Get<Ints>("output_padding").empty() ||
       !call.Get<absl::Span<const int64_t>>("output_size").empty())) {
    return std::nullopt;
  }
  return conv;
}

std::optional<ChannelPattern> ReadChannelStep(const ir::Operation& op,
                                              ir::Value x) {
  if (!IsImage(x)) return std::nullopt;
  const NamedCall call(op, {"batch_norm", "scale", "add", "subtract",
                            "multiply", "elementwise_add"});
  if (!call.known()) return std::nullopt;
  ChannelPattern step;
  if (IsFixedNormalization(call)) {
    if (call.input(0) != x || !call.input(3) || !call.input(4)) {
      return std::nullopt;
    }
    step.kind = ChannelPattern::Kind::kNormalize;
    step.mean = call.input(1);
    step.variance = call.input(2);
    step.gamma = call.input(3);
    step.beta = call.input(4);
    step.epsilon = call.Get<double>("epsilon");
    return step;
  }
  if (call.Is("scale")) {
    step.kind = ChannelPattern::Kind::kAffine;
    step.scale = call.Get<Scalar>("scale").ToDouble();
    step.bias = call.Get<Scalar>("bias").ToDouble();
    if (!call.Get<bool>("bias_after_scale")) step.bias *= step.scale;
    return step;
  }
  const std::optional<Aligned> aligned = ReadAligned(call);
  if (!aligned.has_value()) return std::nullopt;
  step.kind = aligned->kind;
  step.operand = call.input(0) == x ? 0 : 1;
  step.factor = call.input(1 - step.operand);
  // A difference has the image first; an axis counts for the second operand.
  const bool first_alone =
      step.kind == ChannelPattern::Kind::kSubtract || aligned->axis >= 0;
  if (step.factor == x || (step.operand == 1 && first_alone) ||
      !IsChannelwise(step.factor, aligned->axis, x)) {
    return std::nullopt;
  }
  return step;
}

std::optional<ActivationPattern> ReadActivation(const ir::Operation& op) {
  const NamedCall call(
      op, {"relu", "relu6", "sigmoid", "tanh", "hardswish", "silu", "swish",
           "leaky_relu", "hardsigmoid", "clip"});
  if (call.Is("relu")) return ActivationPattern{"relu"};
  if (call.Is("relu6")) return ActivationPattern{"relu6"};
  if (call.Is("sigmoid")) return ActivationPattern{"sigmoid"};
  if (call.Is("tanh")) return ActivationPattern{"tanh"};
  if (call.Is("hardswish")) return ActivationPattern{"hard_swish"};
  if (call.Is("silu") || call.Is("swish")) {
    return ActivationPattern{"swish", 1};
  }
  if (call.Is("leaky_relu")) {
    return ActivationPattern{
        "leaky_relu", static_cast<float>(call.Get<double>("negative_slope"))};
  }
  if (call.Is("hardsigmoid")) {
    return ActivationPattern{"hard_sigmoid",
                             static_cast<float>(call.Get<double>("slope")),
                             static_cast<float>(call.Get<double>("offset"))};
  }
  if (call.Is("clip")) {
    return ActivationPattern{
        "clip", static_cast<float>(call.Get<Scalar>("min").ToDouble()),
        static_cast<float>(call.Get<Scalar>("max").ToDouble())};
  }
  return std::nullopt;
}

bool IsCheap(const ActivationPattern& activation) {
  return activation.name != "sigmoid" && activation.name != "tanh" &&
         activation.name != "swish";
}

ir::Value ReadAddend(const ir::Operation& op, ir::Value x) {
  const NamedCall call(op, {"add", "elementwise_add"});
  const std::optional<Aligned> aligned = ReadAligned(call);
  if (!aligned.has_value() || aligned->kind != ChannelPattern::Kind::kAdd) {
    return ir::Value();
  }
  const ir::Value other = call.input(call.input(0) == x ? 1 : 0);
  return IsImage(other) && other.type() == x.type() ? other : ir::Value();
}

bool IsProduct(const ir::Operation& op) {
  const std::optional<Aligned> aligned =
      ReadAligned(NamedCall(op, {"multiply"}));
  return aligned.has_value() &&
         aligned->kind == ChannelPattern::Kind::kMultiply;
}

bool IsPooling(const ir::Operation& op) {
  return NamedCall(op, {"pool2d"}).Is("pool2d");
}

ir::Value UnchangedStatistic(const ir::Operation& op, int result) {
  const NamedCall call(op, {"batch_norm"});
  if (!call.known() || !IsFixedNormalization(call)) return ir::Value();
  const ir::Value value = op.result(result);
  if (call.output(1) == value) return call.input(1);
  if (call.output(2) == value) return call.input(2);
  return ir::Value();
}

absl::StatusOr<ir::Value> ConvBuilder::Call(const char* op,
                                            absl::Span<const ir::Value> inputs,
                                            absl::Span<const AttrRef> attrs) {
  const DialectOp* const known = FindOperator(*builder_.context(), op);
  if (known == nullptr) return absl::NotFoundError(op);
  return BuildOp(builder_, *known, inputs, attrs);
}

absl::StatusOr<ir::Value> ConvBuilder::Reshaped(
    ir::Value x, absl::Span<const int64_t> shape) {
  return Call("reshape", {x}, {AttrRef(shape)});
}

absl::StatusOr<ir::Value> ConvBuilder::Number(double number) {
  ir::Context* const context = builder_.context();
  const ir::TensorType type = context->GetTensorType(dtype_, Shape({1}));
  std::string bytes;
  if (dtype_ == DataType::kFloat32) {
    const float narrow = static_cast<float>(number);
    bytes.assign(reinterpret_cast<const char*>(&narrow), sizeof(narrow));
  } else {
    bytes.assign(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  SY_ASSIGN_OR_RETURN(const ir::Attribute constant,
                      context->GetConstant(type, bytes));
  return builder_.Constant(constant);
}

absl::Status ConvBuilder::Scale(ir::Value factor) {
  if (scale_) {
    SY_ASSIGN_OR_RETURN(scale_, Call("multiply", {scale_, factor}));
  } else {
    scale_ = factor;
  }
  if (shift_) {
    SY_ASSIGN_OR_RETURN(shift_, Call("multiply", {shift_, factor}));
  }
  return absl::OkStatus();
}

absl::Status ConvBuilder::Shift(ir::Value addend, bool subtract) {
  if (shift_) {
    SY_ASSIGN_OR_RETURN(shift_,
                        Call(subtract ? "subtract" : "add", {shift_, addend}));
    return absl::OkStatus();
  }
  shift_ = addend;
  if (!subtract) return absl::OkStatus();
  const Scalar minus(-1.0), zero(0.0);
  SY_ASSIGN_OR_RETURN(
      shift_,
      Call("scale", {addend}, {AttrRef(minus), AttrRef(zero), AttrRef(true)}));
  return absl::OkStatus();
}

absl::Status ConvBuilder::AddNormalization(const ChannelPattern& step) {
  const Scalar one(1.0), epsilon(step.epsilon);
  SY_ASSIGN_OR_RETURN(const ir::Value variance,
                      Call("scale", {step.variance},
                           {AttrRef(one), AttrRef(epsilon), AttrRef(true)}));
  SY_ASSIGN_OR_RETURN(const ir::Value deviation, Call("sqrt", {variance}));
  SY_ASSIGN_OR_RETURN(const ir::Value factor,
                      Call("divide", {step.gamma, deviation}));
  SY_RETURN_IF_ERROR(Shift(step.mean, /*subtract=*/true));
  SY_RETURN_IF_ERROR(Scale(factor));
  return Shift(step.beta, /*subtract=*/false);
}

absl::Status ConvBuilder::Add(const ChannelPattern& step) {
  using Kind = ChannelPattern::Kind;
  if (step.kind == Kind::kNormalize) return AddNormalization(step);
  if (step.kind == Kind::kAffine) {
    SY_ASSIGN_OR_RETURN(const ir::Value factor, Number(step.scale));
    SY_RETURN_IF_ERROR(Scale(factor));
    if (step.bias == 0) return absl::OkStatus();
    SY_ASSIGN_OR_RETURN(const ir::Value addend, Number(step.bias));
    return Shift(addend, /*subtract=*/false);
  }
  ir::Value factor = step.factor;
  if (factor.tensor_type().shape().rank() != 1) {
    SY_ASSIGN_OR_RETURN(factor, Reshaped(factor, {-1}));
  }
  if (step.kind == Kind::kMultiply) return Scale(factor);
  return Shift(factor, step.kind == Kind::kSubtract);
}

absl::StatusOr<ir::Value> ConvBuilder::Build(const ConvPattern& conv,
                                             const Epilogue& epilogue) {
  ir::Value filter = conv.filter;
  if (scale_) {
    SY_ASSIGN_OR_RETURN(const ir::Value factors,
                        conv.transposed ? Reshaped(scale_, {1, -1, 1, 1})
                                        : Reshaped(scale_, {-1, 1, 1, 1}));
    SY_ASSIGN_OR_RETURN(filter, Call("multiply", {filter, factors}));
  }
  const int64_t channels = conv.out_channels().value();
  if (shift_ && shift_.tensor_type().shape().numel() != channels) {
    SY_ASSIGN_OR_RETURN(
        shift_,
        Call("expand", {shift_}, {AttrRef(absl::MakeConstSpan(&channels, 1))}));
  }
  if (conv.transposed) {
    return Call(kFusedTranspose, {conv.input, filter, shift_},
                {AttrRef(conv.strides), AttrRef(conv.paddings),
                 AttrRef(conv.padding_algorithm), AttrRef(conv.groups),
                 AttrRef(conv.dilations), AttrRef(epilogue.activation.name),
                 AttrRef(epilogue.activation.alpha),
                 AttrRef(epilogue.activation.beta)});
  }
  return Call(
      kFused,
      {conv.input, filter, shift_, epilogue.residual, epilogue.out_scale,
       epilogue.out_shift},
      {AttrRef(conv.strides), AttrRef(conv.paddings),
       AttrRef(conv.padding_algorithm), AttrRef(conv.dilations),
       AttrRef(conv.groups), AttrRef(epilogue.activation.name),
       AttrRef(epilogue.activation.alpha), AttrRef(epilogue.activation.beta)});
}

bool CanBuildConv(const ir::Context& context) {
  return FindOperator(context, kFused) != nullptr &&
         FindOperator(context, kFusedTranspose) != nullptr &&
         std::all_of(std::begin(kWeightOperators), std::end(kWeightOperators),
                     [&](const char* op) {
                       return FindOperator(context, op) != nullptr;
                     });
}

}  // namespace switchyard::static_graph
