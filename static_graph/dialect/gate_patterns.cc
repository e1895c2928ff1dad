// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/gate_patterns.h"

#include <algorithm>
#include <string_view>

#include "absl/types/span.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/named_call.h"
#include "static_graph/dialect/register_dialects.h"

namespace switchyard::static_graph {
namespace {

using Ints = absl::Span<const int>;

constexpr char kFused[] = "squeeze_excite";

// The operation that makes `value`, if nothing else uses it.
const ir::Operation* OwnMaker(ir::Value value) {
  return value && value.has_one_use() ? value.defining_op() : nullptr;
}

bool AllAre(Ints numbers, int expected) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [expected](int number) { return number == expected; });
}

// A fused convolution of 1 x 1, of images of one pixel, with nothing after its
// activation function.
std::optional<SqueezeExcitePattern::Layer> ReadLayer(const NamedCall& conv) {
  if (!conv.Is("conv2d_epilogue") || conv.input(3) || conv.input(4) ||
      conv.input(5)) {
    return std::nullopt;
  }
  const Shape& filter = conv.input(1).tensor_type().shape();
  if (filter.rank() != 4 || filter[2] != Dim(1) || filter[3] != Dim(1) ||
      conv.Get<int>("groups") != 1 || !AllAre(conv.Get<Ints>("strides"), 1) ||
      !AllAre(conv.Get<Ints>("paddings"), 0)) {
    return std::nullopt;
  }
  return SqueezeExcitePattern::Layer{
      conv.input(1),
      conv.input(2),
      {conv.Get<std::string_view>("activation"), conv.Get<float>("alpha"),
       conv.Get<float>("beta")}};
}

// Whether the call gives the mean of each channel of `x`.
bool IsMeanOfChannels(const NamedCall& pool, ir::Value x) {
  if (!pool.Is("pool2d") || pool.input(0) != x ||
      pool.Get<std::string_view>("pooling_type") != "avg" ||
      pool.Get<std::string_view>("data_format") != "NCHW") {
    return false;
  }
  if (pool.Get<bool>("global_pooling")) return true;
  if (!pool.Get<bool>("adaptive")) return false;
  const absl::Span<const int64_t> size =
      pool.Get<absl::Span<const int64_t>>("kernel_size");
  return std::all_of(size.begin(), size.end(),
                     [](int64_t extent) { return extent == 1; });
}

// Whether `op` adds a number to the gate that is its operand.
bool ReadShift(const ir::Operation& op, double* shift) {
  const NamedCall call(op, {"scale"});
  if (!call.known() || call.Get<Scalar>("scale").ToDouble() != 1) return false;
  *shift = call.Get<Scalar>("bias").ToDouble();
  return true;
}

// Reads x times a gate.
std::optional<SqueezeExcitePattern> ReadGate(ir::Value x, ir::Value gate) {
  const ir::Operation* last = OwnMaker(gate);
  double shift = 0;
  if (last != nullptr && ReadShift(*last, &shift)) {
    last = OwnMaker(last->operand(0));
  }
  if (last == nullptr) return std::nullopt;
  const NamedCall excite(*last);
  std::optional<SqueezeExcitePattern::Layer> second = ReadLayer(excite);
  if (!second.has_value()) return std::nullopt;
  const ir::Operation* const middle = OwnMaker(excite.input(0));
  if (middle == nullptr) return std::nullopt;
  const NamedCall squeeze(*middle);
  std::optional<SqueezeExcitePattern::Layer> first = ReadLayer(squeeze);
  if (!first.has_value()) return std::nullopt;
  const ir::Operation* const pool = OwnMaker(squeeze.input(0));
  if (pool == nullptr || !IsMeanOfChannels(NamedCall(*pool), x) ||
      first->filter.tensor_type().shape()[1] !=
          second->filter.tensor_type().shape()[0]) {
    return std::nullopt;
  }
  return SqueezeExcitePattern{x, *first, *second, shift};
}

}  // namespace

std::optional<SqueezeExcitePattern> ReadSqueezeExcite(const ir::Operation& op) {
  const NamedCall product(op, {"multiply"});
  if (!product.known()) return std::nullopt;
  for (const int i : {0, 1}) {
    const ir::Value x = product.input(i);
    if (op.result(0).type() != x.type()) continue;
    if (auto read = ReadGate(x, product.input(1 - i))) return read;
  }
  return std::nullopt;
}

absl::StatusOr<ir::Value> BuildSqueezeExcite(
    ir::Builder& builder, const SqueezeExcitePattern& pattern) {
  const DialectOp* const op = FindOperator(*builder.context(), kFused);
  if (op == nullptr) return absl::NotFoundError(kFused);
  const ActivationPattern &inner = pattern.squeeze.activation,
                          &gate = pattern.excite.activation;
  return BuildOp(
      builder, *op,
      {pattern.x, pattern.squeeze.filter, pattern.squeeze.bias,
       pattern.excite.filter, pattern.excite.bias},
      {AttrRef(inner.name), AttrRef(inner.alpha), AttrRef(inner.beta),
       AttrRef(gate.name), AttrRef(gate.alpha), AttrRef(gate.beta),
       AttrRef(static_cast<float>(pattern.shift))});
}

}  // namespace switchyard::static_graph
