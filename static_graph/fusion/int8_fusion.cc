// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/int8_fusion.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/dialect/conv2d_epilogue.gen.h"
#include "static_graph/dialect/conv2d_int8.gen.h"
#include "static_graph/dialect/dequantize_weight.gen.h"
#include "static_graph/dialect/expand.gen.h"
#include "static_graph/dialect/multiply.gen.h"
#include "static_graph/dialect/quantize_dequantize.gen.h"
#include "static_graph/dialect/quantize_int8.gen.h"
#include "static_graph/dialect/reciprocal.gen.h"
#include "static_graph/dialect/reshape.gen.h"
#include "static_graph/dialect/scale.gen.h"
#include "static_graph/fusion/conv_patterns.h"
#include "static_graph/fusion/fixed_values.h"
#include "static_graph/fusion/replacement.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {
namespace {

// Numbers in whole steps of `scale` / 127: x as quantize_dequantize gives it.
struct QuantisedPattern {
  ir::Operation* op = nullptr;
  ir::Value x, scale;
};

// A convolution of a quantised image by a quantised filter, whose channels may
// be multiplied by `factor`, with the epilogue of conv2d_epilogue. `bias`,
// `residual` and `factor` are null where absent. The filter is `filter`, or
// `weight`, which has its integers, in steps of `filter.scale`.
struct Int8ConvPattern {
  ConvPattern conv;
  QuantisedPattern input, filter;
  ir::Value weight;
  ir::Value factor, bias, residual;
  PostOps post_ops;
};

constexpr double kLargest = 127;
constexpr int64_t kFewProducts = 256;

bool IsFloat(ir::Value x) {
  const ir::TensorType type = x.tensor_type();
  return type && type.kind() == TensorKind::kDense &&
         type.dtype() == DataType::kFloat32;
}

bool HasOneElement(ir::Value x) {
  const Shape& shape = x.tensor_type().shape();
  return shape.known() && shape.numel() == 1;
}

// Whether `x` has one element, or one for each slice along axis 0 of four.
bool IsOfSlices(ir::Value x, Dim slices) {
  if (HasOneElement(x)) return true;
  const Shape& shape = x.tensor_type().shape();
  return shape.rank() == 4 && shape[0] == slices && shape[1] == Dim(1) &&
         shape[2] == Dim(1) && shape[3] == Dim(1);
}

std::optional<QuantisedPattern> ReadQuantised(ir::Value value) {
  const auto quantised = QuantizeDequantizeOp::Match(value);
  if (!quantised.has_value() || quantised->bit_length() != 8 ||
      !IsFloat(quantised->x()) || !IsFloat(quantised->scale())) {
    return std::nullopt;
  }
  return QuantisedPattern{value.defining_op(), quantised->x(),
                          quantised->scale()};
}

// The steps of conv2d_epilogue that conv2d_int8 has too; false for others.
bool ReadEpilogue(const ir::Operation& op, Int8ConvPattern* pattern) {
  const auto conv = Conv2dEpilogueOp::Match(op);
  if (!conv.has_value()) return true;  // None.
  if (conv->out_scale() || conv->out_shift()) return false;
  pattern->bias = conv->bias();
  pattern->residual = conv->residual();
  // conv2d_int8 has no kernel for several, and is made of no others.
  if (conv->post_ops().steps().size() > 1) return false;
  pattern->post_ops = conv->post_ops();
  return true;
}

// A filter that is quantised, or that is held as integers of 8 bits.
bool ReadWeights(ir::Value filter, Int8ConvPattern* pattern) {
  if (const auto quantised = ReadQuantised(filter)) {
    pattern->filter = *quantised;
    return IsOfSlices(quantised->scale, pattern->conv.out_channels());
  }
  const auto held = DequantizeWeightOp::Match(filter);
  if (!held.has_value() || held->bits() != 8 || held->group() != 0) {
    return false;
  }
  pattern->weight = held->weight();
  pattern->filter.scale = held->scale();
  return true;
}

// The filter, with a factor for each channel that was multiplied into it.
bool ReadFilter(ir::Value filter, Int8ConvPattern* pattern) {
  if (ReadWeights(filter, pattern)) return true;
  const auto scaled = MultiplyOp::Match(filter);
  if (!scaled.has_value()) return false;
  pattern->factor = scaled->y();
  return ReadWeights(scaled->x(), pattern) &&
         IsOfSlices(pattern->factor, pattern->conv.out_channels());
}

// Whether integers are worth their conversion, in which an element takes about
// as long as some hundred products in float32; measured on a CPU with VNNI.
bool Pays(const ConvPattern& conv) {
  const Shape& image = conv.input.tensor_type().shape();
  if (image[2] == Dim(1) && image[3] == Dim(1)) return false;
  const Shape& filter = conv.filter.tensor_type().shape();
  return conv.groups == 1 && filter.numel(1, filter.rank()) >= kFewProducts;
}

// Creates the operations of a call.
class Int8Builder {
 public:
  explicit Int8Builder(ir::Builder* builder) : builder_(*builder) {}

  // A list of the elements of x: one, or where it is to be expanded `count`.
  absl::StatusOr<ir::Value> List(ir::Value x, int64_t count = 1) {
    SY_ASSIGN_OR_RETURN(const ReshapeOp list,
                        ReshapeOp::Build(builder_, x, {-1}));
    if (list.out().tensor_type().shape().numel() == count) return list.out();
    SY_ASSIGN_OR_RETURN(const ExpandOp expanded,
                        ExpandOp::Build(builder_, list.out(), {count}));
    return expanded.out();
  }
  absl::StatusOr<ir::Value> Times(ir::Value x, double number) {
    SY_ASSIGN_OR_RETURN(
        const ScaleOp scaled,
        ScaleOp::Build(builder_, x, Scalar(number), Scalar(0.0)));
    return scaled.out();
  }
  absl::StatusOr<ir::Value> Product(ir::Value x, ir::Value y) {
    SY_ASSIGN_OR_RETURN(const MultiplyOp product,
                        MultiplyOp::Build(builder_, x, y));
    return product.out();
  }
  // How many steps of a scale a number is.
  absl::StatusOr<ir::Value> FactorOf(ir::Value scale) {
    SY_ASSIGN_OR_RETURN(const ReciprocalOp inverse,
                        ReciprocalOp::Build(builder_, scale));
    return Times(inverse.out(), kLargest);
  }
  absl::StatusOr<ir::Value> Integers(ir::Value x, ir::Value factor) {
    SY_ASSIGN_OR_RETURN(const QuantizeInt8Op integers,
                        QuantizeInt8Op::Build(builder_, x, factor));
    return integers.out();
  }

 private:
  ir::Builder& builder_;
};

// Reads a convolution of float32 for which integers pay: of one group, of 256
// or more products for each sum, and not of single pixels. `is_fixed` says
// which values no run changes; the filter and all scales are of these. Nullopt
// for anything else.
std::optional<Int8ConvPattern> ReadInt8Conv(
    const ir::Operation& op, absl::FunctionRef<bool(ir::Value)> is_fixed) {
  const std::optional<ConvPattern> conv = ReadConv(op);
  if (!conv.has_value() || conv->transposed || !IsFloat(conv->input) ||
      !Pays(*conv)) {
    return std::nullopt;
  }
  Int8ConvPattern pattern;
  pattern.conv = *conv;
  const std::optional<QuantisedPattern> input = ReadQuantised(conv->input);
  if (!input.has_value() || !HasOneElement(input->scale) ||
      !ReadEpilogue(op, &pattern) || !ReadFilter(conv->filter, &pattern)) {
    return std::nullopt;
  }
  pattern.input = *input;
  if (!is_fixed(input->scale) || !is_fixed(conv->filter)) return std::nullopt;
  return pattern;
}

// Returns the integers of a quantised image, made at the insertion point.
absl::StatusOr<ir::Value> BuildQuantised(ir::Builder& builder,
                                         const QuantisedPattern& image) {
  Int8Builder make(&builder);
  SY_ASSIGN_OR_RETURN(const ir::Value scale, make.List(image.scale));
  SY_ASSIGN_OR_RETURN(const ir::Value factor, make.FactorOf(scale));
  return make.Integers(image.x, factor);
}

// Returns the integers of a filter, in steps of `scales`.
absl::StatusOr<ir::Value> BuildFilter(ir::Builder& builder,
                                      const Int8ConvPattern& pattern,
                                      ir::Value scales) {
  Int8Builder make(&builder);
  if (!pattern.weight) {
    SY_ASSIGN_OR_RETURN(const ir::Value steps, make.FactorOf(scales));
    return make.Integers(pattern.filter.x, steps);
  }
  const Shape& shape = pattern.conv.filter.tensor_type().shape();
  std::vector<int64_t> extents;
  for (int i = 0; i < shape.rank(); ++i) extents.push_back(shape.extent(i));
  SY_ASSIGN_OR_RETURN(const ReshapeOp filter,
                      ReshapeOp::Build(builder, pattern.weight, extents));
  return filter.out();
}

// Returns the float32 result of the convolution of `image`, which has the
// integers of its input.
absl::StatusOr<ir::Value> BuildInt8Conv(ir::Builder& builder,
                                        const Int8ConvPattern& pattern,
                                        ir::Value image) {
  Int8Builder make(&builder);
  const ConvPattern& conv = pattern.conv;
  const int64_t channels = conv.out_channels().value();
  SY_ASSIGN_OR_RETURN(const ir::Value input_scale,
                      make.List(pattern.input.scale));
  SY_ASSIGN_OR_RETURN(const ir::Value scales,
                      make.List(pattern.filter.scale, channels));
  SY_ASSIGN_OR_RETURN(const ir::Value filter,
                      BuildFilter(builder, pattern, scales));
  // The number that a product of two steps stands for.
  SY_ASSIGN_OR_RETURN(const ir::Value input_step,
                      make.Times(input_scale, 1 / kLargest));
  ir::Value filter_steps = scales;
  if (!pattern.weight) {
    SY_ASSIGN_OR_RETURN(filter_steps, make.Times(scales, 1 / kLargest));
  }
  SY_ASSIGN_OR_RETURN(ir::Value multiplier,
                      make.Product(filter_steps, input_step));
  if (pattern.factor) {
    SY_ASSIGN_OR_RETURN(const ir::Value factor,
                        make.List(pattern.factor, channels));
    SY_ASSIGN_OR_RETURN(multiplier, make.Product(multiplier, factor));
  }
  SY_ASSIGN_OR_RETURN(
      const Conv2dInt8Op made,
      Conv2dInt8Op::Build(builder, image, filter, multiplier, pattern.bias,
                          pattern.residual, ir::Value(), conv.strides,
                          conv.paddings, conv.padding_algorithm, conv.dilations,
                          conv.groups, pattern.post_ops));
  return made.out();
}

// Returns the convolution whose float32 result nothing but `op`, which makes
// integers of it by one factor, reads; null if there is none.
ir::Operation* FindRequantised(const ir::Operation& op) {
  const auto integers = QuantizeInt8Op::Match(op);
  if (!integers.has_value() || !integers->x().has_one_use() ||
      !HasOneElement(integers->factor())) {
    return nullptr;
  }
  ir::Operation* const conv = integers->x().defining_op();
  if (conv == nullptr || conv->parent() != op.parent()) return nullptr;
  const auto made = Conv2dInt8Op::Match(*conv);
  return made.has_value() && !made->out_factor() ? conv : nullptr;
}

// Builds the convolution so that it computes `op` of the result of `conv`.
absl::StatusOr<ir::Value> BuildRequantised(ir::Builder& builder,
                                           const ir::Operation& conv,
                                           const ir::Operation& op) {
  SY_ASSIGN_OR_RETURN(const Conv2dInt8Op made, Conv2dInt8Op::From(conv));
  SY_ASSIGN_OR_RETURN(const QuantizeInt8Op integers, QuantizeInt8Op::From(op));
  SY_ASSIGN_OR_RETURN(
      const Conv2dInt8Op fused,
      Conv2dInt8Op::Build(builder, made.input(), made.filter(),
                          made.multiplier(), made.bias(), made.residual(),
                          integers.factor(), made.strides(), made.paddings(),
                          made.padding_algorithm(), made.dilations(),
                          made.groups(), made.post_ops()));
  return fused.out();
}

bool CanBuildInt8(const ir::Context& context) {
  return AreRegistered<Conv2dInt8Op, ExpandOp, MultiplyOp, QuantizeInt8Op,
                       ReciprocalOp, ReshapeOp, ScaleOp>(context);
}

// The integers of each quantised image, which all its convolutions share, by
// the operation that quantises it.
using Images = HashMap<const ir::Operation*, ir::Value>;

absl::StatusOr<ir::Value> ImageOf(ir::Context* context,
                                  const QuantisedPattern& image,
                                  Images* images) {
  const auto found = images->find(image.op);
  if (found != images->end()) return found->second;
  ir::Builder builder(context);
  builder.SetInsertionPoint(image.op);
  SY_ASSIGN_OR_RETURN(const ir::Value made, BuildQuantised(builder, image));
  images->emplace(image.op, made);
  return made;
}

// Puts a convolution of integers in the place of `op`, if it may.
absl::Status Replace(ir::Context* context, const Int8ConvPattern& pattern,
                     const ReplaceRule& may_replace, ir::Operation* op,
                     Images* images) {
  SY_ASSIGN_OR_RETURN(const ir::Value image,
                      ImageOf(context, pattern.input, images));
  const Replacement replacement(may_replace, op);
  ir::Builder builder(context);
  builder.SetInsertionPoint(op);
  SY_ASSIGN_OR_RETURN(ir::Value result, BuildInt8Conv(builder, pattern, image));
  SY_ASSIGN_OR_RETURN(
      const bool allowed,
      replacement.Allowed({pattern.input.x, pattern.input.scale}));
  if (!allowed) return absl::OkStatus();
  result.SetHint(op->result(0).hint_attribute());
  op->result(0).ReplaceAllUsesWith(result);
  op->Erase();
  return absl::OkStatus();
}

// Lets convolutions yield the integers that the next one reads.
absl::Status Requantise(ir::Program& program, const ReplaceRule& may_replace) {
  for (ir::Operation* op : ir::AllOperations(program.entry())) {
    ir::Operation* const conv = FindRequantised(*op);
    if (conv == nullptr) continue;
    const Replacement replacement(may_replace, op);
    ir::Builder builder(program.context());
    builder.SetInsertionPoint(op);
    SY_ASSIGN_OR_RETURN(const ir::Value result,
                        BuildRequantised(builder, *conv, *op));
    SY_ASSIGN_OR_RETURN(const bool allowed, replacement.Allowed());
    if (!allowed) continue;
    op->result(0).ReplaceAllUsesWith(result);
    op->Erase();
    conv->Erase();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> Int8Fusion::Run(ir::Program& program) {
  ir::Context* const context = program.context();
  if (!CanBuildInt8(*context)) return false;
  const std::vector<ir::Operation*> all = ir::AllOperations(program.entry());
  FixedValues fixed(program);
  for (const ir::Operation* op : all) fixed.Add(*op);
  Images images;
  for (ir::Operation* op : all) {
    const std::optional<Int8ConvPattern> pattern = ReadInt8Conv(
        *op, [&fixed](ir::Value value) { return fixed.IsFixed(value); });
    if (!pattern.has_value()) continue;
    SY_RETURN_IF_ERROR(Replace(context, *pattern, may_replace_, op, &images));
  }
  if (images.empty()) return false;
  // An unused quantiser would count as a use of a convolution's result.
  for (ir::Operation* op : ir::AllOperations(program.entry())) {
    if (images.count(op) != 0 && !op->result(0).has_uses()) op->Erase();
  }
  SY_RETURN_IF_ERROR(Requantise(program, may_replace_));
  return true;
}

}  // namespace switchyard::static_graph
