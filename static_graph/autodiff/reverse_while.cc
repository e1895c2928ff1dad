// SPDX-License-Identifier: Apache-2.0
// The backward of cf.while. A loop keeps none of its iterations' values, so the
// backward computes them again (recompute.h): it first counts the iterations,
// n, then runs backwards over segments of about sqrt(n) iterations. A segment's
// first values are computed from the loop's, and each of its iterations from
// the segment's first values. That is about n * sqrt(n) evaluations of the body
// and the memory of a handful of iterations, however many there are.
//
//   n = <the forward loop, counting>
//   stride = -ceil(sqrt(n))
//   while (1 < high), from high = n:              DifferentiateLoop
//     low = max(high + stride, 1)
//     first = <iterations 0 .. low of the loop>
//     while (low < k), from k = high:             DifferentiateSegment
//       values = <iterations low .. k - 1 from first>
//       <body on values, then backwards>          DifferentiateIteration
//   if (0 < n):                                   DifferentiateFirst
//     <body on the loop's first values, then backwards>
//
// The first iteration is apart since its values are those of the program: what
// else uses them adds to the same sums, in eager's order.
//
// The backward loops carry two kinds of sums: the gradients of the loop's own
// values (which each iteration replaces) and those of the values that the body
// captures (to which each iteration adds).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "static_graph/autodiff/recompute.h"
#include "static_graph/autodiff/reverse.h"
#include "static_graph/dialect/autodiff_ops.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/ir/block.h"

namespace switchyard::static_graph {

struct Reverse::Loop {
  const ir::Operation* op;
  // Positions of the loop's values whose gradients are carried back.
  std::vector<int> carried;
  std::vector<ir::Value> captured;
  std::vector<ir::Value> targets;  // The captured, and required first values.

  const ir::Block& body() const { return op->block(1); }
};

namespace {

using Values = std::vector<ir::Value>;
using Span = absl::Span<const ir::Value>;

absl::StatusOr<ir::Value> Number(ir::Builder& builder, int64_t number) {
  ir::Context* context = builder.context();
  const ir::TensorType type = context->GetTensorType(DataType::kInt64, {});
  SY_ASSIGN_OR_RETURN(
      const ir::Attribute constant,
      context->GetConstant(
          type, std::string_view(reinterpret_cast<const char*>(&number),
                                 sizeof(number))));
  return builder.Constant(constant);
}

absl::StatusOr<ir::Value> Add(ir::Builder& builder, ir::Value a, int64_t b) {
  SY_ASSIGN_OR_RETURN(const ir::Value number, Number(builder, b));
  return BuildSum(builder, a, number);
}

// Returns the operands of the block's terminator, in a copy of the block on
// `arguments`.
Values Recompute(const ir::Block& block, Span arguments, ir::Builder& builder) {
  ir::ValueMap map;
  for (int i = 0; i < block.num_arguments(); ++i) {
    map[block.argument(i)] = arguments[i];
  }
  CloneOperations(block, builder, &map);
  Values values;
  for (ir::Value value : block.terminator()->operands()) {
    values.push_back(Mapped(map, value));
  }
  return values;
}

Values Joined(ir::Value first, Span rest) {
  Values joined = {first};
  joined.insert(joined.end(), rest.begin(), rest.end());
  return joined;
}

// One more iteration on {a counter, the loop's values...}.
absl::StatusOr<Values> CountedIteration(const ir::Operation& loop, Span values,
                                        ir::Builder& builder) {
  const Values next = Recompute(loop.block(1), values.subspan(1), builder);
  SY_ASSIGN_OR_RETURN(const ir::Value count, Add(builder, values[0], 1));
  return Joined(count, next);
}

// How often the loop's body runs.
absl::StatusOr<ir::Value> CountIterations(const ir::Operation& loop,
                                          ir::Builder& builder) {
  SY_ASSIGN_OR_RETURN(const ir::Value zero, Number(builder, 0));
  SY_ASSIGN_OR_RETURN(
      const Values ends,
      BuildWhile(
          builder, Joined(zero, loop.operands()),
          [&](ir::Builder& inner, Span values) -> absl::StatusOr<ir::Value> {
            return Recompute(loop.block(0), values.subspan(1), inner)[0];
          },
          [&](ir::Builder& inner, Span values) {
            return CountedIteration(loop, values, inner);
          }));
  return ends[0];
}

// The loop's values after the iterations `from` to `to`, begun with `values`.
absl::StatusOr<Values> RunIterations(const ir::Operation& loop, ir::Value from,
                                     ir::Value to, Span values,
                                     ir::Builder& builder) {
  SY_ASSIGN_OR_RETURN(const Values ends,
                      BuildWhile(
                          builder, Joined(from, values),
                          [&](ir::Builder& inner, Span now) {
                            return BuildLess(inner, now[0], to);
                          },
                          [&](ir::Builder& inner, Span now) {
                            return CountedIteration(loop, now, inner);
                          }));
  return Values(ends.begin() + 1, ends.end());
}

// -ceil(sqrt(count)), at most -1: by trial, which takes as many steps.
absl::StatusOr<ir::Value> Stride(ir::Value count, ir::Builder& builder) {
  SY_ASSIGN_OR_RETURN(const ir::Value minus_one, Number(builder, -1));
  SY_ASSIGN_OR_RETURN(
      const Values ends,
      BuildWhile(
          builder, {minus_one},
          [&](ir::Builder& inner, Span now) -> absl::StatusOr<ir::Value> {
            SY_ASSIGN_OR_RETURN(const ir::Value square,
                                BuildProduct(inner, now[0], now[0]));
            return BuildLess(inner, square, count);
          },
          [&](ir::Builder& inner, Span now) -> absl::StatusOr<Values> {
            SY_ASSIGN_OR_RETURN(const ir::Value next, Add(inner, now[0], -1));
            return Values{next};
          }));
  return ends[0];
}

// max(high + stride, least).
absl::StatusOr<ir::Value> SegmentBegin(ir::Value high, ir::Value stride,
                                       ir::Value least, ir::Builder& builder) {
  SY_ASSIGN_OR_RETURN(const ir::Value begin, BuildSum(builder, high, stride));
  SY_ASSIGN_OR_RETURN(const ir::Value before, BuildLess(builder, begin, least));
  SY_ASSIGN_OR_RETURN(
      const Values chosen,
      BuildIf(
          builder, before, [&](ir::Builder&) { return Values{least}; },
          [&](ir::Builder&) { return Values{begin}; }));
  return chosen[0];
}

}  // namespace

// An iteration's values need a gradient if the first ones do, or if an earlier
// iteration made them from something that does.
void Reverse::MarkWhile(const ir::Operation& op) {
  const ir::Block& body = op.block(1);
  const ir::Operation& yield = *body.terminator();
  for (int i = 0; i < op.num_operands(); ++i) {
    if (required(op.operand(i))) MarkResult(body.argument(i));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const ir::Operation* inner : body) Mark(*inner);
    for (int i = 0; i < op.num_operands(); ++i) {
      if (!required(yield.operand(i)) || required(body.argument(i))) continue;
      MarkResult(body.argument(i));
      changed |= required(body.argument(i));
    }
  }
  for (int i = 0; i < op.num_results(); ++i) {
    if (required(body.argument(i))) MarkResult(op.result(i));
  }
}

// The loop's values to which a gradient can come: those of the results that
// have one, and what the body makes such values from.
std::vector<int> Reverse::CarriedBack(const ir::Operation& op) const {
  const ir::Block& body = op.block(1);
  const ir::Operation& yield = *body.terminator();
  const int count = op.num_results();
  // Indexed by argument: the yielded values that depend on it.
  std::vector<std::vector<int>> dependents(count);
  for (int i = 0; i < count; ++i) {
    if (!required(body.argument(i))) continue;
    Reverse probe(builder_);
    probe.Require({body.argument(i)});
    probe.stopped_ = stopped_;
    for (const ir::Operation* inner : body) probe.Mark(*inner);
    for (int k = 0; k < count; ++k) {
      if (probe.required(yield.operand(k))) dependents[i].push_back(k);
    }
  }
  std::vector<bool> carried(count, false);
  for (int i = 0; i < count; ++i) carried[i] = bool(gradient(op.result(i)));
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < count; ++i) {
      for (int k : dependents[i]) {
        if (carried[i] || !carried[k]) continue;
        carried[i] = changed = true;
      }
    }
  }
  std::vector<int> positions;
  for (int i = 0; i < count; ++i) {
    if (carried[i]) positions.push_back(i);
  }
  return positions;
}

// `values` are the loop's before this iteration; `sums` the gradients after it,
// of the carried values and of the captured ones; returned are those before it.
absl::StatusOr<std::vector<ir::Value>> Reverse::DifferentiateIteration(
    const Loop& loop, absl::Span<const ir::Value> values,
    absl::Span<const ir::Value> sums, ir::Builder& builder) const {
  ir::ValueMap map;
  Reverse inside(&builder);
  for (int i = 0; i < loop.body().num_arguments(); ++i) {
    map[loop.body().argument(i)] = values[i];
    if (required(loop.body().argument(i))) inside.required_.insert(values[i]);
  }
  const std::vector<ir::Operation*> copies =
      CloneOperations(loop.body(), builder, &map);
  inside.Require(loop.captured);
  for (ir::Value value : stopped_) inside.stopped_.insert(Mapped(map, value));
  for (const ir::Operation* copy : copies) inside.Mark(*copy);
  size_t next = loop.carried.size();
  for (ir::Value value : loop.captured) {
    inside.gradients_[value] = sums[next++];
  }
  const ir::Operation& yield = *loop.body().terminator();
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    SY_RETURN_IF_ERROR(inside.Accumulate(
        Mapped(map, yield.operand(loop.carried[i])), sums[i]));
  }
  for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) {
    SY_RETURN_IF_ERROR(inside.Visit(**copy));
  }
  std::vector<ir::Value> before;
  for (int i : loop.carried) {
    SY_ASSIGN_OR_RETURN(before.emplace_back(), inside.SumOrNothing(values[i]));
  }
  for (ir::Value value : loop.captured) {
    before.push_back(inside.gradient(value));
  }
  return before;
}

absl::StatusOr<std::vector<ir::Value>> Reverse::DifferentiateSegment(
    const Loop& loop, ir::Value high, ir::Value low,
    absl::Span<const ir::Value> sums, ir::Builder& builder) const {
  SY_ASSIGN_OR_RETURN(const ir::Value zero, Number(builder, 0));
  SY_ASSIGN_OR_RETURN(
      const Values first,
      RunIterations(*loop.op, zero, low, loop.op->operands(), builder));
  return BuildWhile(
      builder, Joined(high, sums),
      [&](ir::Builder& inner, Span now) {
        return BuildLess(inner, low, now[0]);
      },
      [&](ir::Builder& inner, Span now) -> absl::StatusOr<Values> {
        SY_ASSIGN_OR_RETURN(const ir::Value k, Add(inner, now[0], -1));
        SY_ASSIGN_OR_RETURN(const Values values,
                            RunIterations(*loop.op, low, k, first, inner));
        SY_ASSIGN_OR_RETURN(
            const Values before,
            DifferentiateIteration(loop, values, now.subspan(1), inner));
        return Joined(k, before);
      });
}

absl::StatusOr<std::vector<ir::Value>> Reverse::DifferentiateLoop(
    const Loop& loop, ir::Value count, absl::Span<const ir::Value> sums) const {
  SY_ASSIGN_OR_RETURN(const ir::Value stride, Stride(count, *builder_));
  SY_ASSIGN_OR_RETURN(const ir::Value one, Number(*builder_, 1));
  SY_ASSIGN_OR_RETURN(
      const Values ends,
      BuildWhile(
          *builder_, Joined(count, sums),
          [&](ir::Builder& inner, Span now) {
            return BuildLess(inner, one, now[0]);
          },
          [&](ir::Builder& inner, Span now) -> absl::StatusOr<Values> {
            SY_ASSIGN_OR_RETURN(const ir::Value low,
                                SegmentBegin(now[0], stride, one, inner));
            return DifferentiateSegment(loop, now[0], low, now.subspan(1),
                                        inner);
          }));
  return Values(ends.begin() + 1, ends.end());
}

// `sums` are the gradients after the first iteration, and those of the targets
// so far; returned are those of the targets.
absl::StatusOr<std::vector<ir::Value>> Reverse::DifferentiateFirst(
    const Loop& loop, absl::Span<const ir::Value> sums,
    ir::Builder& builder) const {
  ir::ValueMap map;
  for (int i = 0; i < loop.body().num_arguments(); ++i) {
    map[loop.body().argument(i)] = loop.op->operand(i);
  }
  Reverse inside(&builder);
  inside.Require(loop.targets);
  const std::vector<ir::Operation*> copies =
      CloneOperations(loop.body(), builder, &map);
  for (ir::Value value : stopped_) inside.stopped_.insert(Mapped(map, value));
  for (const ir::Operation* copy : copies) inside.Mark(*copy);
  size_t next = loop.carried.size();
  for (ir::Value value : loop.targets) inside.gradients_[value] = sums[next++];
  const ir::Operation& yield = *loop.body().terminator();
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    SY_RETURN_IF_ERROR(inside.Accumulate(
        Mapped(map, yield.operand(loop.carried[i])), sums[i]));
  }
  for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) {
    SY_RETURN_IF_ERROR(inside.Visit(**copy));
  }
  std::vector<ir::Value> before;
  for (ir::Value value : loop.targets) {
    SY_ASSIGN_OR_RETURN(before.emplace_back(), inside.SumOrNothing(value));
  }
  return before;
}

// Without iterations the results are the first values.
absl::StatusOr<std::vector<ir::Value>> Reverse::PassThrough(
    const Loop& loop, absl::Span<const ir::Value> sums,
    ir::Builder& builder) const {
  const size_t carried = loop.carried.size();
  std::vector<ir::Value> before(sums.begin() + carried, sums.end());
  for (size_t i = 0; i < carried; ++i) {
    for (size_t k = 0; k < loop.targets.size(); ++k) {
      if (loop.op->operand(loop.carried[i]) != loop.targets[k]) continue;
      SY_ASSIGN_OR_RETURN(before[k], BuildSum(builder, before[k], sums[i]));
    }
  }
  return before;
}

absl::Status Reverse::VisitWhile(const ir::Operation& op) {
  SY_RETURN_IF_ERROR(CheckRecomputable(op));
  Loop loop;
  loop.op = &op;
  loop.carried = CarriedBack(op);
  loop.captured = RequiredCaptures(op, {&loop.body()}, *this);
  std::vector<ir::Value> sums;
  for (int i : loop.carried) {
    SY_ASSIGN_OR_RETURN(sums.emplace_back(), SumOrNothing(op.result(i)));
  }
  for (ir::Value value : loop.captured) {
    SY_ASSIGN_OR_RETURN(sums.emplace_back(), SumOrNothing(value));
  }
  SY_ASSIGN_OR_RETURN(const ir::Value count, CountIterations(op, *builder_));
  SY_ASSIGN_OR_RETURN(std::vector<ir::Value> ends,
                      DifferentiateLoop(loop, count, sums));
  // The captured values, then those that the loop begins with.
  loop.targets = loop.captured;
  for (int i : loop.carried) {
    const ir::Value first = op.operand(i);
    if (!required(first) || std::find(loop.targets.begin(), loop.targets.end(),
                                      first) != loop.targets.end()) {
      continue;
    }
    loop.targets.push_back(first);
    SY_ASSIGN_OR_RETURN(ends.emplace_back(), SumOrNothing(first));
  }
  if (loop.targets.empty()) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const ir::Value zero, Number(*builder_, 0));
  SY_ASSIGN_OR_RETURN(const ir::Value any, BuildLess(*builder_, zero, count));
  SY_ASSIGN_OR_RETURN(
      const Values before,
      BuildIf(
          *builder_, any,
          [&](ir::Builder& inner) {
            return DifferentiateFirst(loop, ends, inner);
          },
          [&](ir::Builder& inner) { return PassThrough(loop, ends, inner); }));
  for (size_t k = 0; k < before.size(); ++k) {
    gradients_[First(loop.targets[k])] = before[k];
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
