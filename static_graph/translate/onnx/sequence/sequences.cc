// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/sequence/sequences.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

using Values = std::vector<ir::Value>;

// Returns an int64 of no axes.
ir::Value Whole(OnnxCall& call, int64_t number) {
  return Number(call, static_cast<double>(number), DataType::kInt64);
}

// Ends a trial, whose result is known.
constexpr char kTrialEnds[] = "a trial of a loop's body ends";

}  // namespace

ir::Value EmptyArray(OnnxCall& call, DataType dtype, int rank) {
  return call.Call(
      "create_array", {},
      {{"dtype", dtype},
       {"element_shape", Integers(static_cast<size_t>(rank), -1)}});
}

bool TakesAnyElement(ir::Value array) {
  const Shape& shape = ShapeOf(array);
  return array.tensor_type().kind() == TensorKind::kTensorArray &&
         shape.rank() == 1 && shape[0] == Dim(0);
}

ir::Value Append(OnnxCall& call, ir::Value array, ir::Value tensor) {
  if (!call.ok()) return ir::Value();
  if (TakesAnyElement(array)) {
    array = EmptyArray(call, DtypeOf(tensor), Rank(tensor));
  }
  return call.Call("array_write", {tensor, LengthOf(call, array), array});
}

ir::Value ArrayOf(OnnxCall& call, const Values& values) {
  if (!call.ok()) return ir::Value();
  const int rank = Rank(values[0]);
  Integers extents(static_cast<size_t>(rank), -1);
  for (int i = 0; i < rank; ++i) {
    const Dim dim = ShapeOf(values[0])[i];
    const bool same =
        std::all_of(values.begin(), values.end(), [&](ir::Value value) {
          return Rank(value) == rank && ShapeOf(value)[i] == dim;
        });
    if (same && dim.known()) extents[static_cast<size_t>(i)] = dim.value();
  }
  ir::Value array =
      call.Call("create_array", {},
                {{"dtype", DtypeOf(values[0])}, {"element_shape", extents}});
  for (size_t i = 0; i < values.size() && call.ok(); ++i) {
    if (Rank(values[i]) != rank) {
      call.Refuse("the tensors of a sequence must be of one rank");
      return ir::Value();
    }
    array = call.Call("array_write",
                      {values[i], Whole(call, static_cast<int64_t>(i)), array});
  }
  return array;
}

ir::Value LengthOf(OnnxCall& call, ir::Value array) {
  return Reshape(call, call.Call("array_length", {array}), {});
}

ir::Value StackOf(OnnxCall& call, ir::Value array, int axis,
                  const Shape& element) {
  const ir::Value stack = call.Call("array_to_tensor", {array},
                                    {{"axis", axis}, {"use_stack", true}});
  Integers extents;
  bool says = call.ok();
  for (int i = 0; i < element.rank() && says; ++i) {
    says = element[i].known() && element[i].value() > 0;
    extents.push_back(says ? element[i].value() : 0);
  }
  if (!says || element.rank() == 0) return stack;
  extents.insert(extents.begin() + axis, -1);
  return Reshape(call, stack, extents);
}

OnnxCall CallAt(OnnxCall& call, ir::Builder& builder) {
  builder.SetLocation(call.builder().location());
  return OnnxCall(call.op(), call.version(), builder, &call.scope(),
                  &call.translation());
}

std::vector<TensorSpec> SpecsOfBody(OnnxCall& call, const Values& carried,
                                    const TrialBody& translate) {
  std::vector<TensorSpec> specs;
  bool ended = false;
  if (!call.ok()) return specs;
  const absl::StatusOr<Values> results = BuildWhile(
      call.builder(), carried,
      [&](ir::Builder& builder,
          absl::Span<const ir::Value>) -> absl::StatusOr<ir::Value> {
        OnnxCall inside = CallAt(call, builder);
        const ir::Value more = Number(inside, 1, DataType::kBool);
        SY_RETURN_IF_ERROR(inside.status());
        return more;
      },
      [&](ir::Builder& builder,
          absl::Span<const ir::Value> values) -> absl::StatusOr<Values> {
        OnnxCall inside = CallAt(call, builder);
        SY_ASSIGN_OR_RETURN(const Values made, translate(inside, values));
        for (const ir::Value value : made) {
          specs.push_back(value.tensor_type().spec());
        }
        ended = true;
        return absl::CancelledError(kTrialEnds);
      });
  if (!ended) call.Fail(results.status());
  return specs;
}

namespace {

// The values that a loop carries: the number of the iteration, those of the
// loop, the arrays.
Values FirstValues(OnnxCall& call, const CountedLoop& loop) {
  Values first = {Whole(call, 0)};
  first.insert(first.end(), loop.carried.begin(), loop.carried.end());
  if (loop.collected == 0) return first;
  const std::vector<TensorSpec> specs = SpecsOfBody(
      call, first, [&](OnnxCall& inside, absl::Span<const ir::Value> values) {
        return loop.step(inside, values[0], values.subspan(1));
      });
  for (size_t i = 0; i < loop.collected && call.ok(); ++i) {
    const TensorSpec& spec = specs[loop.carried.size() + i];
    first.push_back(EmptyArray(call, spec.dtype, spec.shape.rank()));
  }
  return first;
}

absl::StatusOr<Values> Once(OnnxCall call, const CountedLoop& loop,
                            absl::Span<const ir::Value> values) {
  const size_t carried = loop.carried.size();
  const ir::Value i = values[0];
  SY_ASSIGN_OR_RETURN(const Values made,
                      loop.step(call, i, values.subspan(1, carried)));
  Values next = {call.Call("add", {i, Whole(call, 1)})};
  next.insert(next.end(), made.begin(),
              made.begin() + static_cast<int64_t>(carried));
  for (size_t k = 0; k < loop.collected; ++k) {
    next.push_back(call.Call("array_write",
                             {made[carried + k], i, values[1 + carried + k]}));
  }
  SY_RETURN_IF_ERROR(call.status());
  return next;
}

}  // namespace

Values Repeat(OnnxCall& call, const CountedLoop& loop) {
  const Values first = FirstValues(call, loop);
  if (!call.ok()) return {};
  Values results = call.Checked(BuildWhile(
      call.builder(), first,
      [&](ir::Builder& builder,
          absl::Span<const ir::Value> values) -> absl::StatusOr<ir::Value> {
        OnnxCall inside = CallAt(call, builder);
        const ir::Value more =
            inside.Call("less_than", {values[0], loop.count});
        SY_RETURN_IF_ERROR(inside.status());
        return more;
      },
      [&](ir::Builder& builder, absl::Span<const ir::Value> values) {
        return Once(CallAt(call, builder), loop, values);
      }));
  if (!call.ok()) return {};
  results.erase(results.begin());
  return results;
}

}  // namespace switchyard::static_graph
