// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/conv_weights.h"

#include <string>

#include "static_graph/dialect/add.gen.h"
#include "static_graph/dialect/batch_norm.gen.h"
#include "static_graph/dialect/conv2d_epilogue.gen.h"
#include "static_graph/dialect/conv2d_transpose_epilogue.gen.h"
#include "static_graph/dialect/divide.gen.h"
#include "static_graph/dialect/expand.gen.h"
#include "static_graph/dialect/multiply.gen.h"
#include "static_graph/dialect/reshape.gen.h"
#include "static_graph/dialect/scale.gen.h"
#include "static_graph/dialect/sqrt.gen.h"
#include "static_graph/dialect/subtract.gen.h"
#include "static_graph/fusion/sum_pattern.h"

namespace switchyard::static_graph {
namespace {

constexpr int kImageRank = 4;
constexpr int kChannelAxis = 1;

// Returns true if `factor`, aligned to the image at `axis` (-1: at its last
// axes), has one number per channel or one for all.
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

// Reads a batch norm of images by its running statistics, which it leaves
// alone.
std::optional<BatchNormOp> ReadFixedNormalization(const ir::Operation& op) {
  std::optional<BatchNormOp> norm = BatchNormOp::Match(op);
  if (!norm.has_value() || !IsImage(norm->x()) ||
      norm->data_format() != "NCHW" ||
      (!norm->use_global_stats() &&
       (!norm->is_test() || norm->trainable_statistics()))) {
    return std::nullopt;
  }
  return norm;
}

// A sum, difference or product, and how it aligns its operands.
struct Aligned {
  ChannelPattern::Kind kind;
  ir::Value x, y;
  int axis = -1;
};
std::optional<Aligned> ReadAligned(const ir::Operation& op) {
  using Kind = ChannelPattern::Kind;
  if (const std::optional<SumPattern> sum = ReadSum(op)) {
    return Aligned{Kind::kAdd, sum->x, sum->y, sum->axis};
  }
  if (const auto difference = SubtractOp::Match(op)) {
    return Aligned{Kind::kSubtract, difference->x(), difference->y()};
  }
  if (const auto product = MultiplyOp::Match(op)) {
    return Aligned{Kind::kMultiply, product->x(), product->y()};
  }
  return std::nullopt;
}

}  // namespace

std::optional<ChannelPattern> ReadChannelStep(const ir::Operation& op,
                                              ir::Value x) {
  if (!IsImage(x)) return std::nullopt;
  ChannelPattern step;
  if (const auto norm = ReadFixedNormalization(op)) {
    if (norm->x() != x || !norm->scale() || !norm->bias()) return std::nullopt;
    step.kind = ChannelPattern::Kind::kNormalize;
    step.mean = norm->mean();
    step.variance = norm->variance();
    step.gamma = norm->scale();
    step.beta = norm->bias();
    step.epsilon = norm->epsilon();
    return step;
  }
  if (const auto scale = ScaleOp::Match(op)) {
    step.kind = ChannelPattern::Kind::kAffine;
    step.scale = scale->scale().ToDouble();
    step.bias = scale->bias().ToDouble();
    if (!scale->bias_after_scale()) step.bias *= step.scale;
    return step;
  }
  const std::optional<Aligned> aligned = ReadAligned(op);
  if (!aligned.has_value()) return std::nullopt;
  step.kind = aligned->kind;
  step.operand = aligned->x == x ? 0 : 1;
  step.factor = step.operand == 0 ? aligned->y : aligned->x;
  // A difference has the image first; an axis counts for the second operand.
  const bool first_alone =
      step.kind == ChannelPattern::Kind::kSubtract || aligned->axis >= 0;
  if (step.factor == x || (step.operand == 1 && first_alone) ||
      !IsChannelwise(step.factor, aligned->axis, x)) {
    return std::nullopt;
  }
  return step;
}

ir::Value UnchangedStatistic(const ir::Operation& op, int result) {
  const auto norm = ReadFixedNormalization(op);
  if (!norm.has_value()) return ir::Value();
  const ir::Value value = op.result(result);
  if (norm->mean_out() == value) return norm->mean();
  if (norm->variance_out() == value) return norm->variance();
  return ir::Value();
}

absl::StatusOr<ir::Value> ConvBuilder::Reshaped(
    ir::Value x, absl::Span<const int64_t> shape) {
  SY_ASSIGN_OR_RETURN(const ReshapeOp reshaped,
                      ReshapeOp::Build(builder_, x, shape));
  return reshaped.out();
}

absl::StatusOr<ir::Value> ConvBuilder::Product(ir::Value x, ir::Value y) {
  SY_ASSIGN_OR_RETURN(const MultiplyOp product,
                      MultiplyOp::Build(builder_, x, y));
  return product.out();
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
    SY_ASSIGN_OR_RETURN(scale_, Product(scale_, factor));
  } else {
    scale_ = factor;
  }
  if (shift_) {
    SY_ASSIGN_OR_RETURN(shift_, Product(shift_, factor));
  }
  return absl::OkStatus();
}

absl::Status ConvBuilder::Shift(ir::Value addend, bool subtract) {
  if (!shift_ && !subtract) {
    shift_ = addend;
  } else if (!shift_) {
    SY_ASSIGN_OR_RETURN(
        const ScaleOp negative,
        ScaleOp::Build(builder_, addend, Scalar(-1.0), Scalar(0.0)));
    shift_ = negative.out();
  } else if (subtract) {
    SY_ASSIGN_OR_RETURN(const SubtractOp difference,
                        SubtractOp::Build(builder_, shift_, addend));
    shift_ = difference.out();
  } else {
    SY_ASSIGN_OR_RETURN(const AddOp sum,
                        AddOp::Build(builder_, shift_, addend));
    shift_ = sum.out();
  }
  return absl::OkStatus();
}

absl::Status ConvBuilder::AddNormalization(const ChannelPattern& step) {
  SY_ASSIGN_OR_RETURN(const ScaleOp variance,
                      ScaleOp::Build(builder_, step.variance, Scalar(1.0),
                                     Scalar(step.epsilon)));
  SY_ASSIGN_OR_RETURN(const SqrtOp deviation,
                      SqrtOp::Build(builder_, variance.out()));
  SY_ASSIGN_OR_RETURN(const DivideOp factor,
                      DivideOp::Build(builder_, step.gamma, deviation.out()));
  SY_RETURN_IF_ERROR(Shift(step.mean, /*subtract=*/true));
  SY_RETURN_IF_ERROR(Scale(factor.out()));
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
    SY_ASSIGN_OR_RETURN(filter, Product(filter, factors));
  }
  const int64_t channels = conv.out_channels().value();
  if (shift_ && shift_.tensor_type().shape().numel() != channels) {
    SY_ASSIGN_OR_RETURN(const ExpandOp expanded,
                        ExpandOp::Build(builder_, shift_, {channels}));
    shift_ = expanded.out();
  }
  if (conv.transposed) {
    SY_ASSIGN_OR_RETURN(const Conv2dTransposeEpilogueOp fused,
                        Conv2dTransposeEpilogueOp::Build(
                            builder_, conv.input, filter, shift_, conv.strides,
                            conv.paddings, conv.padding_algorithm, conv.groups,
                            conv.dilations, epilogue.post_ops));
    return fused.out();
  }
  SY_ASSIGN_OR_RETURN(
      const Conv2dEpilogueOp fused,
      Conv2dEpilogueOp::Build(builder_, conv.input, filter, shift_,
                              epilogue.residual, epilogue.out_scale,
                              epilogue.out_shift, conv.strides, conv.paddings,
                              conv.padding_algorithm, conv.dilations,
                              conv.groups, epilogue.post_ops));
  return fused.out();
}

bool CanBuildConv(const ir::Context& context) {
  return AreRegistered<AddOp, Conv2dEpilogueOp, Conv2dTransposeEpilogueOp,
                       DivideOp, ExpandOp, MultiplyOp, ReshapeOp, ScaleOp,
                       SqrtOp, SubtractOp>(context);
}

}  // namespace switchyard::static_graph
