// SPDX-License-Identifier: Apache-2.0
// NonMaxSuppression: all batches and classes take their best box together, as
// often as one may take any.
#include <limits>
#include <vector>

#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/sequence/sequences.h"

namespace switchyard::static_graph {
namespace {

using Values = std::vector<ir::Value>;

// Edges of boxes, each [batch, boxes]: the lower and the upper of both axes.
struct Edges {
  Values all;
};

Edges ReadEdges(OnnxCall& call, ir::Value boxes) {
  std::vector<Expression> parts;
  for (int64_t i = 0; i < 4; ++i) {
    parts.emplace_back(call,
                       Squeeze(call, Slice(call, boxes, 2, i, i + 1), {2}));
  }
  Edges edges;
  for (size_t i = 0; i < 2; ++i) {
    if (call.Flag("center_point_box", false)) {
      const Expression half = parts[i + 2] * 0.5;
      edges.all.push_back(parts[i] - half);
      edges.all.push_back(parts[i] + half);
    } else {
      edges.all.push_back(parts[i].With("minimum", parts[i + 2]));
      edges.all.push_back(parts[i].With("maximum", parts[i + 2]));
    }
  }
  return edges;
}

// How much of the union of two boxes is common to them.
Expression Overlap(OnnxCall& call, const Values& a, const Values& b) {
  const auto at = [&](const Values& edges, size_t i) {
    return Expression(call, edges[i]);
  };
  const auto side = [&](size_t axis) {
    const Expression low = at(a, 2 * axis).With("maximum", at(b, 2 * axis));
    const Expression high =
        at(a, 2 * axis + 1).With("minimum", at(b, 2 * axis + 1));
    return (high - low).With("maximum", 0.0);
  };
  const auto area = [&](const Values& edges) {
    return (at(edges, 1) - at(edges, 0)) * (at(edges, 3) - at(edges, 2));
  };
  const Expression common = side(0) * side(1);
  const Expression whole = area(a) + area(b) - common;
  const Expression none = whole <= 0.0;
  return none.Where(common.Of("zeros_like"),
                    common / none.Where(whole.Of("ones_like"), whole));
}

// The rows and columns of a matrix of [batch, classes] at the places given, as
// [batch, classes, 1]: those of the boxes that are best.
Values EdgesAt(OnnxCall& call, const Edges& edges, ir::Value best) {
  Values all;
  for (const ir::Value edge : edges.all) {
    all.push_back(Unsqueeze(
        call, call.Call("take_along_axis", {edge, best}, {{"axis", 1}}), {2}));
  }
  return all;
}

struct Suppression {
  Edges edges;
  ir::Value threshold;  // Null: 0.
  ir::Value numbers;    // Of the boxes.
  ir::Value least;      // A score that none has.
};

// Removes the best box of each class and all that overlap it from the scores
// [batch, classes, boxes]. Returns the scores, the best boxes, and whether
// there was one.
absl::StatusOr<Values> TakeBest(OnnxCall& call, const Suppression& all,
                                ir::Value scores) {
  const Expression s(call, scores);
  const Expression best(call, call.Call("argmax", {scores}, {{"axis", 2}}));
  const Expression there =
      s.Of("max", {{"axis", Integers{2}}}) > Expression(call, all.least);
  Values beside;
  for (const ir::Value edge : all.edges.all) {
    beside.push_back(Unsqueeze(call, edge, {1}));
  }
  const Expression overlap =
      Overlap(call, EdgesAt(call, all.edges, best), beside);
  const Expression most =
      all.threshold ? Expression(call, all.threshold) : overlap.Number(0.0);
  const Expression itself =
      best.Unsqueeze({2}) == Expression(call, all.numbers);
  const Expression goes = (overlap > most).Or(itself);
  const Values results = {goes.Where(Expression(call, all.least), s), best,
                          there};
  SY_RETURN_IF_ERROR(call.status());
  return results;
}

// Repeats that until every class has as many as it may, or nothing is left:
// which were best and whether one was there, [steps, batch, classes].
Values TakeAll(OnnxCall& call, const Suppression& all, ir::Value scores,
               ir::Value most) {
  // A step that finds nothing comes first, so that there is one.
  const Expression none(call, call.Call("argmax", {scores}, {{"axis", 2}}));
  const ir::Value zero = Number(call, 0, DataType::kInt64);
  const Values first = {
      zero, scores,
      call.Call("array_write",
                {none, zero, EmptyArray(call, DataType::kInt64, 2)}),
      call.Call("array_write", {none.Of("zeros_like").As(DataType::kBool), zero,
                                EmptyArray(call, DataType::kBool, 2)})};
  if (!call.ok()) return {};
  const Values results = call.Checked(BuildWhile(
      call.builder(), first,
      [&](ir::Builder& builder,
          absl::Span<const ir::Value> values) -> absl::StatusOr<ir::Value> {
        OnnxCall inside = CallAt(call, builder);
        const Expression step(inside, values[0]);
        const Expression left =
            (Expression(inside, values[1]) > Expression(inside, all.least))
                .Of("any");
        const ir::Value more = (step < Expression(inside, most)).And(left);
        SY_RETURN_IF_ERROR(inside.status());
        return more;
      },
      [&](ir::Builder& builder,
          absl::Span<const ir::Value> values) -> absl::StatusOr<Values> {
        OnnxCall inside = CallAt(call, builder);
        SY_ASSIGN_OR_RETURN(const Values taken,
                            TakeBest(inside, all, values[1]));
        const Expression next = Expression(inside, values[0]) + 1.0;
        const Values result = {
            next, taken[0],
            inside.Call("array_write", {taken[1], next, values[2]}),
            inside.Call("array_write", {taken[2], next, values[3]})};
        SY_RETURN_IF_ERROR(inside.status());
        return result;
      }));
  if (!call.ok()) return {};
  Values stacked;
  for (size_t i = 2; i < 4; ++i) {
    stacked.push_back(Transpose(call,
                                call.Call("array_to_tensor", {results[i]},
                                          {{"axis", 0}, {"use_stack", true}}),
                                {1, 2, 0}));
  }
  return stacked;
}

void NonMaxSuppression(OnnxCall& call) {
  const ir::Value boxes = call.In(0);
  Expression scores(call, call.In(1));
  if (!call.ok()) return;
  Suppression all;
  all.edges = ReadEdges(call, boxes);
  all.numbers = Places(call, scores, 2);
  all.least = scores.Number(-std::numeric_limits<double>::infinity());
  const auto number = [&](int input, DataType dtype) {
    return Reshape(call, Cast(call, call.In(input), dtype), {});
  };
  if (call.Has(3)) all.threshold = number(3, scores.dtype());
  if (call.Has(4)) {
    const Expression least(call, number(4, scores.dtype()));
    scores = (scores > least).Where(scores, Expression(call, all.least));
  }
  const ir::Value most = call.Has(2) ? number(2, DataType::kInt64)
                                     : Number(call, 0, DataType::kInt64);
  const Values taken = TakeAll(call, all, scores, most);
  if (!call.ok()) return;
  const ir::Value places = call.Call("nonzero", {taken[1]});
  const ir::Value picked = call.Call("gather_nd", {taken[0], places});
  const Values columns = {Slice(call, places, 1, 0, 2),
                          Unsqueeze(call, picked, {1})};
  call.Out(0, call.Call("concat", {columns}, {{"axis", 1}}));
}

constexpr OnnxLowering kLowerings[] = {
    {"NonMaxSuppression", NonMaxSuppression}};

}  // namespace

absl::Span<const OnnxLowering> OnnxBoxLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
