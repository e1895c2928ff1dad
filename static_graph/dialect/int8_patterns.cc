// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/int8_patterns.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/named_call.h"
#include "static_graph/dialect/register_dialects.h"

namespace switchyard::static_graph {
namespace {

using Ints = absl::Span<const int>;

constexpr char kFloatConv[] = "conv2d_epilogue";
constexpr char kInt8Conv[] = "conv2d_int8";
constexpr char kQuantise[] = "quantize_int8";
constexpr const char* kOperators[] = {kInt8Conv,  kQuantise,    "expand",
                                      "multiply", "reciprocal", "reshape",
                                      "scale"};
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
  ir::Operation* const op = value.defining_op();
  if (op == nullptr) return std::nullopt;
  const NamedCall call(*op, {"quantize_dequantize"});
  if (!call.known() || call.Get<int>("bit_length") != 8 ||
      !IsFloat(call.input(0)) || !IsFloat(call.input(1))) {
    return std::nullopt;
  }
  return QuantisedPattern{op, call.input(0), call.input(1)};
}

// The steps of conv2d_epilogue that conv2d_int8 has too; false for others.
bool ReadEpilogue(const ir::Operation& op, Int8ConvPattern* pattern) {
  const NamedCall call(op, {kFloatConv});
  if (!call.known()) return true;  // None.
  if (call.input(4) || call.input(5)) return false;
  pattern->bias = call.input(2);
  pattern->residual = call.input(3);
  pattern->activation = {call.Get<std::string_view>("activation"),
                         call.Get<float>("alpha"), call.Get<float>("beta")};
  return true;
}

// The filter, with a factor for each channel that was multiplied into it.
bool ReadFilter(ir::Value filter, Int8ConvPattern* pattern) {
  std::optional<QuantisedPattern> weights = ReadQuantised(filter);
  if (!weights.has_value() && filter.defining_op() != nullptr) {
    const NamedCall call(*filter.defining_op(), {"multiply"});
    if (!call.known()) return false;
    weights = ReadQuantised(call.input(0));
    pattern->factor = call.input(1);
  }
  if (!weights.has_value()) return false;
  pattern->filter = *weights;
  const Dim channels = pattern->conv.out_channels();
  return IsOfSlices(weights->scale, channels) &&
         (!pattern->factor || IsOfSlices(pattern->factor, channels));
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

  absl::StatusOr<ir::Value> Call(const char* op,
                                 absl::Span<const ir::Value> inputs,
                                 absl::Span<const AttrRef> attrs = {}) {
    const DialectOp* const known = FindOperator(*builder_.context(), op);
    if (known == nullptr) return absl::NotFoundError(op);
    return BuildOp(builder_, *known, inputs, attrs);
  }
  // A list of the elements of x: one, or where it is to be expanded `count`.
  absl::StatusOr<ir::Value> List(ir::Value x, int64_t count = 1) {
    constexpr int64_t kFlat[] = {-1};
    SY_ASSIGN_OR_RETURN(x,
                        Call("reshape", {x}, {AttrRef(absl::MakeSpan(kFlat))}));
    if (x.tensor_type().shape().numel() == count) return x;
    return Call("expand", {x}, {AttrRef(absl::MakeConstSpan(&count, 1))});
  }
  absl::StatusOr<ir::Value> Times(ir::Value x, double number) {
    const Scalar factor(number), zero(0.0);
    return Call("scale", {x}, {AttrRef(factor), AttrRef(zero), AttrRef(true)});
  }
  // How many steps of a scale a number is.
  absl::StatusOr<ir::Value> FactorOf(ir::Value scale) {
    SY_ASSIGN_OR_RETURN(const ir::Value inverse, Call("reciprocal", {scale}));
    return Times(inverse, kLargest);
  }

 private:
  ir::Builder& builder_;
};

}  // namespace

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

absl::StatusOr<ir::Value> BuildQuantised(ir::Builder& builder,
                                         const QuantisedPattern& image) {
  Int8Builder make(&builder);
  SY_ASSIGN_OR_RETURN(const ir::Value scale, make.List(image.scale));
  SY_ASSIGN_OR_RETURN(const ir::Value factor, make.FactorOf(scale));
  return make.Call(kQuantise, {image.x, factor});
}

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
  SY_ASSIGN_OR_RETURN(const ir::Value steps, make.FactorOf(scales));
  SY_ASSIGN_OR_RETURN(const ir::Value filter,
                      make.Call(kQuantise, {pattern.filter.x, steps}));
  // The number that a product of two steps stands for.
  SY_ASSIGN_OR_RETURN(const ir::Value input_step,
                      make.Times(input_scale, 1 / kLargest));
  SY_ASSIGN_OR_RETURN(const ir::Value filter_steps,
                      make.Times(scales, 1 / kLargest));
  SY_ASSIGN_OR_RETURN(ir::Value multiplier,
                      make.Call("multiply", {filter_steps, input_step}));
  if (pattern.factor) {
    SY_ASSIGN_OR_RETURN(const ir::Value factor,
                        make.List(pattern.factor, channels));
    SY_ASSIGN_OR_RETURN(multiplier,
                        make.Call("multiply", {multiplier, factor}));
  }
  return make.Call(
      kInt8Conv,
      {image, filter, multiplier, pattern.bias, pattern.residual, ir::Value()},
      {AttrRef(conv.strides), AttrRef(conv.paddings),
       AttrRef(conv.padding_algorithm), AttrRef(conv.dilations),
       AttrRef(conv.groups), AttrRef(pattern.activation.name),
       AttrRef(pattern.activation.alpha), AttrRef(pattern.activation.beta)});
}

ir::Operation* FindRequantised(const ir::Operation& op) {
  const NamedCall call(op, {kQuantise});
  if (!call.known() || !call.input(0).has_one_use() ||
      !HasOneElement(call.input(1))) {
    return nullptr;
  }
  ir::Operation* const conv = call.input(0).defining_op();
  if (conv == nullptr || conv->parent() != op.parent()) return nullptr;
  const NamedCall made(*conv, {kInt8Conv});
  return made.known() && !made.input(5) ? conv : nullptr;
}

absl::StatusOr<ir::Value> BuildRequantised(ir::Builder& builder,
                                           const ir::Operation& conv,
                                           const ir::Operation& op) {
  const NamedCall made(conv), call(op);
  Int8Builder make(&builder);
  return make.Call(
      kInt8Conv,
      {made.input(0), made.input(1), made.input(2), made.input(3),
       made.input(4), call.input(1)},
      {AttrRef(made.Get<Ints>("strides")), AttrRef(made.Get<Ints>("paddings")),
       AttrRef(made.Get<std::string_view>("padding_algorithm")),
       AttrRef(made.Get<Ints>("dilations")), AttrRef(made.Get<int>("groups")),
       AttrRef(made.Get<std::string_view>("activation")),
       AttrRef(made.Get<float>("alpha")), AttrRef(made.Get<float>("beta"))});
}

bool CanBuildInt8(const ir::Context& context) {
  return std::all_of(
      std::begin(kOperators), std::end(kOperators),
      [&](const char* op) { return FindOperator(context, op) != nullptr; });
}

}  // namespace switchyard::static_graph
