// SPDX-License-Identifier: Apache-2.0
// If and Loop, as operations of the dialect `cf`. Results that a loop collects
// lie in an array until it ends.
#include <algorithm>
#include <string>

#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_block.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/sequence/sequences.h"

namespace switchyard::static_graph {
namespace {

using Values = std::vector<ir::Value>;

int BlockOf(OnnxCall& call, const char* name) {
  return static_cast<int>(call.Int(name, -1));
}

void If(OnnxCall& call) {
  const ir::Value condition = Reshape(call, call.In(0), {});
  if (!call.ok()) return;
  const auto branch = [&](const char* name) {
    return [&call, name](ir::Builder& builder) -> absl::StatusOr<Values> {
      builder.SetLocation(call.builder().location());
      return TranslateOnnxGraph(BlockOf(call, name), builder, call.scope(), {},
                                &call.translation());
    };
  };
  // A condition that is known leaves one branch: the other may even have no
  // meaning for these shapes.
  const auto known = call.KnownNumbers(condition);
  const Values results = call.Checked(
      known.has_value()
          ? branch((*known)[0] != 0 ? "then_branch"
                                    : "else_branch")(call.builder())
          : BuildIf(call.builder(), condition, branch("then_branch"),
                    branch("else_branch")));
  for (size_t i = 0; i < results.size(); ++i) {
    call.Out(static_cast<int>(i), results[i]);
  }
}

// A loop, its number of the iteration and its condition apart.
struct LoopParts {
  int body = -1;
  size_t carried = 0;
  size_t collected = 0;
  ir::Value most;  // The greatest number of iterations; null: there is none.
  std::vector<Shape> elements;  // Of collected values, as the body makes them.
};

// Returns the results of the body for `first`: a condition, the carried values,
// tensors.
std::vector<TensorSpec> SpecsOf(OnnxCall& call, const LoopParts& loop,
                                const Values& first) {
  return SpecsOfBody(
      call, first, [&](OnnxCall& inside, absl::Span<const ir::Value> values) {
        return TranslateOnnxGraph(loop.body, inside.builder(), inside.scope(),
                                  values, &inside.translation());
      });
}

// Returns whether the ranks of all collected values are known from the body and
// no sequence begins empty; otherwise a trial run tells.
bool SaysRanks(OnnxCall& call, const LoopParts& loop, const Values& first) {
  if (std::any_of(first.begin(), first.end(), TakesAnyElement)) return false;
  const OnnxBlock& body = call.translation().model.blocks(loop.body);
  for (size_t i = 0; i < loop.collected; ++i) {
    if (!body.OutputSpec(1 + loop.carried + i).ok()) return false;
  }
  return true;
}

// Adds an empty array for each collected result, and gives sequences that begin
// empty the element type that the body puts in.
void AddArrays(OnnxCall& call, const LoopParts& loop, Values* first) {
  const OnnxBlock& body = call.translation().model.blocks(loop.body);
  std::vector<TensorSpec> specs;
  const bool says = SaysRanks(call, loop, *first);
  if (!says) specs = SpecsOf(call, loop, *first);
  if (call.ok() && !says && specs.size() != 1 + loop.carried + loop.collected) {
    return call.Fail(ArgumentError("body", "of as many outputs as the loop has",
                                   std::to_string(specs.size())));
  }
  for (size_t i = 0; i < loop.carried && !says && call.ok(); ++i) {
    const TensorSpec& spec = specs[1 + i];
    ir::Value& value = (*first)[2 + i];
    if (value.tensor_type().kind() == TensorKind::kTensorArray &&
        spec.kind == TensorKind::kTensorArray && TakesAnyElement(value)) {
      value = EmptyArray(call, spec.dtype, spec.shape.rank() - 1);
    }
  }
  for (size_t i = 0; i < loop.collected && call.ok(); ++i) {
    const size_t at = 1 + loop.carried + i;
    const TensorSpec spec =
        says ? call.Checked(body.OutputSpec(at)) : specs[at];
    first->push_back(EmptyArray(call, spec.dtype, spec.shape.rank()));
  }
}

absl::StatusOr<ir::Value> GoesOn(OnnxCall call, const LoopParts& loop,
                                 absl::Span<const ir::Value> values) {
  if (!loop.most) return values[1];
  const ir::Value more = call.Call("less_than", {values[0], loop.most});
  const ir::Value result = call.Call("logical_and", {more, values[1]});
  SY_RETURN_IF_ERROR(call.status());
  return result;
}

absl::StatusOr<Values> Iterate(OnnxCall call, LoopParts* parts,
                               absl::Span<const ir::Value> values) {
  const LoopParts& loop = *parts;
  SY_ASSIGN_OR_RETURN(
      const Values outputs,
      TranslateOnnxGraph(loop.body, call.builder(), call.scope(),
                         values.first(2 + loop.carried), &call.translation()));
  if (outputs.size() != 1 + loop.carried + loop.collected) {
    return ArgumentError("body", "of as many outputs as the loop has",
                         std::to_string(outputs.size()));
  }
  const ir::Value one = Squeeze(call, IntegerList(call, {1}), {0});
  Values next = {call.Call("add", {values[0], one}),
                 Reshape(call, outputs[0], {})};
  next.insert(next.end(), outputs.begin() + 1,
              outputs.begin() + 1 + static_cast<int64_t>(loop.carried));
  parts->elements.clear();
  for (size_t i = 0; i < loop.collected; ++i) {
    parts->elements.push_back(ShapeOf(outputs[1 + loop.carried + i]));
    next.push_back(
        call.Call("array_write", {outputs[1 + loop.carried + i], values[0],
                                  values[2 + loop.carried + i]}));
  }
  SY_RETURN_IF_ERROR(call.status());
  return next;
}

void Loop(OnnxCall& call) {
  LoopParts loop;
  loop.body = BlockOf(call, "body");
  loop.carried = static_cast<size_t>(std::max(0, call.inputs() - 2));
  const size_t outputs = static_cast<size_t>(call.outputs());
  if (outputs < loop.carried) {
    return call.Fail(
        ArgumentError("outputs", "those that the loop carries", "fewer"));
  }
  loop.collected = outputs - loop.carried;
  if (call.Has(0)) loop.most = Reshape(call, call.In(0), {});
  Values first = {Squeeze(call, IntegerList(call, {0}), {0}),
                  call.Has(1) ? Reshape(call, call.In(1), {})
                              : Number(call, 1, DataType::kBool)};
  for (int i = 2; i < call.inputs() && call.ok(); ++i) {
    first.push_back(call.In(i));
  }
  if (call.ok()) AddArrays(call, loop, &first);
  if (!call.ok()) return;
  const Values results = call.Checked(BuildWhile(
      call.builder(), first,
      [&](ir::Builder& builder, absl::Span<const ir::Value> values) {
        return GoesOn(CallAt(call, builder), loop, values);
      },
      [&](ir::Builder& builder, absl::Span<const ir::Value> values) {
        return Iterate(CallAt(call, builder), &loop, values);
      }));
  for (size_t i = 0; i < outputs && call.ok(); ++i) {
    ir::Value value = results[2 + i];
    if (i >= loop.carried) {
      value = StackOf(call, value, 0, loop.elements[i - loop.carried]);
    }
    call.Out(static_cast<int>(i), value);
  }
}

constexpr OnnxLowering kLowerings[] = {{"If", If}, {"Loop", Loop}};

}  // namespace

absl::Span<const OnnxLowering> OnnxControlLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
