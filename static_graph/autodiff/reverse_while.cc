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
#include "static_graph/autodiff/mark.h"
#include "static_graph/autodiff/recompute.h"
#include "static_graph/autodiff/reverse.h"
#include "static_graph/autodiff/reverse_regions.h"
#include "static_graph/dialect/autodiff_ops.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/ir/block.h"

namespace switchyard::static_graph {

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

// The backward of one loop.
class LoopReverse {
 public:
  LoopReverse(const ir::Operation& op, GradientSums* sums)
      : op_(op), body_(op.block(1)), sums_(*sums) {}

  absl::Status Run();

 private:
  std::vector<int> CarriedBack() const;
  // The body's copy `copies`, backwards: `ends` are the sums of what it yields
  // for the carried values, then those of `kept`.
  absl::Status DifferentiateCopy(const std::vector<ir::Operation*>& copies,
                                 const ir::ValueMap& map, Span ends, Span kept,
                                 Reverse* reverse) const;
  absl::StatusOr<Values> DifferentiateIteration(Span values, Span ends,
                                                ir::Builder& builder) const;
  absl::StatusOr<Values> DifferentiateSegment(ir::Value high, ir::Value low,
                                              Span ends,
                                              ir::Builder& builder) const;
  absl::StatusOr<Values> DifferentiateLoop(ir::Value count, Span ends) const;
  absl::StatusOr<Values> DifferentiateFirst(Span ends,
                                            ir::Builder& builder) const;
  absl::StatusOr<Values> PassThrough(Span ends, ir::Builder& builder) const;

  const ir::Operation& op_;
  const ir::Block& body_;
  GradientSums& sums_;
  // Positions of the loop's values whose gradients are carried back.
  std::vector<int> carried_;
  Values captured_;
  Values targets_;  // The captured, and required first values.
};

// The loop's values to which a gradient can come: those of the results that
// have one, and what the body makes such values from.
std::vector<int> LoopReverse::CarriedBack() const {
  const ir::Operation& yield = *body_.terminator();
  const int count = op_.num_results();
  // Indexed by argument: the yielded values that depend on it.
  std::vector<std::vector<int>> dependents(count);
  for (int i = 0; i < count; ++i) {
    if (!sums_.required(body_.argument(i))) continue;
    GradientSums probe(&sums_.builder());
    probe.Require({body_.argument(i)});
    probe.StopAs(sums_, {});
    for (const ir::Operation* inner : body_) Mark(*inner, &probe);
    for (int k = 0; k < count; ++k) {
      if (probe.required(yield.operand(k))) dependents[i].push_back(k);
    }
  }
  std::vector<bool> carried(count, false);
  for (int i = 0; i < count; ++i) {
    carried[i] = bool(sums_.gradient(op_.result(i)));
  }
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

absl::Status LoopReverse::DifferentiateCopy(
    const std::vector<ir::Operation*>& copies, const ir::ValueMap& map,
    Span ends, Span kept, Reverse* reverse) const {
  GradientSums& inside = reverse->sums();
  inside.StopAs(sums_, map);
  for (const ir::Operation* copy : copies) Mark(*copy, &inside);
  for (size_t i = 0; i < kept.size(); ++i) {
    inside.Replace(kept[i], ends[carried_.size() + i]);
  }
  const ir::Operation& yield = *body_.terminator();
  for (size_t i = 0; i < carried_.size(); ++i) {
    SY_RETURN_IF_ERROR(
        inside.Accumulate(Mapped(map, yield.operand(carried_[i])), ends[i]));
  }
  for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) {
    SY_RETURN_IF_ERROR(reverse->Visit(**copy));
  }
  return absl::OkStatus();
}

// `values` are the loop's before this iteration; `ends` the gradients after it,
// of the carried values and of the captured ones; returned are those before it.
absl::StatusOr<Values> LoopReverse::DifferentiateIteration(
    Span values, Span ends, ir::Builder& builder) const {
  ir::ValueMap map;
  Reverse reverse(&builder);
  GradientSums& inside = reverse.sums();
  for (int i = 0; i < body_.num_arguments(); ++i) {
    map[body_.argument(i)] = values[i];
    if (sums_.required(body_.argument(i))) inside.Require({values[i]});
  }
  inside.Require(captured_);
  const std::vector<ir::Operation*> copies =
      CloneOperations(body_, builder, &map);
  SY_RETURN_IF_ERROR(DifferentiateCopy(copies, map, ends, captured_, &reverse));
  Values before;
  for (int i : carried_) {
    SY_ASSIGN_OR_RETURN(before.emplace_back(), inside.SumOrNothing(values[i]));
  }
  for (ir::Value value : captured_) before.push_back(inside.gradient(value));
  return before;
}

absl::StatusOr<Values> LoopReverse::DifferentiateSegment(
    ir::Value high, ir::Value low, Span ends, ir::Builder& builder) const {
  SY_ASSIGN_OR_RETURN(const ir::Value zero, Number(builder, 0));
  SY_ASSIGN_OR_RETURN(const Values first,
                      RunIterations(op_, zero, low, op_.operands(), builder));
  return BuildWhile(
      builder, Joined(high, ends),
      [&](ir::Builder& inner, Span now) {
        return BuildLess(inner, low, now[0]);
      },
      [&](ir::Builder& inner, Span now) -> absl::StatusOr<Values> {
        SY_ASSIGN_OR_RETURN(const ir::Value k, Add(inner, now[0], -1));
        SY_ASSIGN_OR_RETURN(const Values values,
                            RunIterations(op_, low, k, first, inner));
        SY_ASSIGN_OR_RETURN(
            const Values before,
            DifferentiateIteration(values, now.subspan(1), inner));
        return Joined(k, before);
      });
}

absl::StatusOr<Values> LoopReverse::DifferentiateLoop(ir::Value count,
                                                      Span ends) const {
  ir::Builder& builder = sums_.builder();
  SY_ASSIGN_OR_RETURN(const ir::Value stride, Stride(count, builder));
  SY_ASSIGN_OR_RETURN(const ir::Value one, Number(builder, 1));
  SY_ASSIGN_OR_RETURN(
      const Values before,
      BuildWhile(
          builder, Joined(count, ends),
          [&](ir::Builder& inner, Span now) {
            return BuildLess(inner, one, now[0]);
          },
          [&](ir::Builder& inner, Span now) -> absl::StatusOr<Values> {
            SY_ASSIGN_OR_RETURN(const ir::Value low,
                                SegmentBegin(now[0], stride, one, inner));
            return DifferentiateSegment(now[0], low, now.subspan(1), inner);
          }));
  return Values(before.begin() + 1, before.end());
}

// `ends` are the gradients after the first iteration, and those of the targets
// so far; returned are those of the targets.
absl::StatusOr<Values> LoopReverse::DifferentiateFirst(
    Span ends, ir::Builder& builder) const {
  ir::ValueMap map;
  for (int i = 0; i < body_.num_arguments(); ++i) {
    map[body_.argument(i)] = op_.operand(i);
  }
  Reverse reverse(&builder);
  reverse.sums().Require(targets_);
  const std::vector<ir::Operation*> copies =
      CloneOperations(body_, builder, &map);
  SY_RETURN_IF_ERROR(DifferentiateCopy(copies, map, ends, targets_, &reverse));
  Values before;
  for (ir::Value value : targets_) {
    SY_ASSIGN_OR_RETURN(before.emplace_back(),
                        reverse.sums().SumOrNothing(value));
  }
  return before;
}

// Without iterations the results are the first values.
absl::StatusOr<Values> LoopReverse::PassThrough(Span ends,
                                                ir::Builder& builder) const {
  const size_t carried = carried_.size();
  Values before(ends.begin() + carried, ends.end());
  for (size_t i = 0; i < carried; ++i) {
    for (size_t k = 0; k < targets_.size(); ++k) {
      if (op_.operand(carried_[i]) != targets_[k]) continue;
      SY_ASSIGN_OR_RETURN(before[k], BuildSum(builder, before[k], ends[i]));
    }
  }
  return before;
}

absl::Status LoopReverse::Run() {
  ir::Builder& builder = sums_.builder();
  carried_ = CarriedBack();
  captured_ = RequiredCaptures(op_, {&body_}, sums_);
  Values ends;
  for (int i : carried_) {
    SY_ASSIGN_OR_RETURN(ends.emplace_back(), sums_.SumOrNothing(op_.result(i)));
  }
  for (ir::Value value : captured_) {
    SY_ASSIGN_OR_RETURN(ends.emplace_back(), sums_.SumOrNothing(value));
  }
  SY_ASSIGN_OR_RETURN(const ir::Value count, CountIterations(op_, builder));
  SY_ASSIGN_OR_RETURN(Values first, DifferentiateLoop(count, ends));
  // The captured values, then those that the loop begins with.
  targets_ = captured_;
  for (int i : carried_) {
    const ir::Value value = op_.operand(i);
    if (!sums_.required(value) ||
        std::find(targets_.begin(), targets_.end(), value) != targets_.end()) {
      continue;
    }
    targets_.push_back(value);
    SY_ASSIGN_OR_RETURN(first.emplace_back(), sums_.SumOrNothing(value));
  }
  if (targets_.empty()) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const ir::Value zero, Number(builder, 0));
  SY_ASSIGN_OR_RETURN(const ir::Value any, BuildLess(builder, zero, count));
  SY_ASSIGN_OR_RETURN(
      const Values before,
      BuildIf(
          builder, any,
          [&](ir::Builder& inner) { return DifferentiateFirst(first, inner); },
          [&](ir::Builder& inner) { return PassThrough(first, inner); }));
  for (size_t k = 0; k < before.size(); ++k) {
    sums_.Replace(targets_[k], before[k]);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReverseWhile(const ir::Operation& op, GradientSums* sums) {
  SY_RETURN_IF_ERROR(CheckRecomputable(op));
  return LoopReverse(op, sums).Run();
}

}  // namespace switchyard::static_graph
