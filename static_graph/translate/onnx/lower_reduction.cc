// SPDX-License-Identifier: Apache-2.0
// Reductions, places of extrema, running sums.
#include <algorithm>
#include <limits>

#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/wide_integers.h"

namespace switchyard::static_graph {
namespace {

// A reduction as a node says it: an empty list of axes is all of them.
struct Reduction {
  ir::Value x;
  Integers axes;
  ir::Value computed;  // The axes where they are not known.
  bool keeps = true;
  bool nothing = false;  // No axis at all: the result is x.
};

Reduction Read(OnnxCall& call) {
  Reduction reduction;
  reduction.x = call.In(0);
  reduction.keeps = call.Flag("keepdims", true);
  const OnnxAttribute axes = call.Supplied("axis", "axes", 1);
  if (!axes.supplied.empty()) {
    reduction.computed = axes.supplied[0];
  } else if (call.Has(1)) {
    reduction.axes = call.KnownIntegers(call.In(1)).value_or(Integers());
  } else {
    reduction.axes = call.Ints("axes");
  }
  if (reduction.computed) return reduction;
  reduction.nothing =
      reduction.axes.empty() && call.Flag("noop_with_empty_axes", false);
  for (int64_t& axis : reduction.axes) {
    axis = call.Axis(axis, Rank(reduction.x));
  }
  return reduction;
}

ir::Value Reduce(OnnxCall& call, const char* ours, const Reduction& reduction,
                 ir::Value x) {
  if (reduction.nothing) return x;
  OnnxAttributes attributes = {{"keepdim", reduction.keeps}};
  if (reduction.computed) {
    attributes.push_back({"axis", reduction.computed});
  } else {
    attributes.push_back({"axis", reduction.axes});
  }
  const DataType dtype = DtypeOf(x);
  if (std::string_view(ours) == "sum") attributes.push_back({"dtype", dtype});
  return Cast(call, call.Call(ours, {x}, attributes), dtype);
}

// The sum of x, of its dtype.
ir::Value Sum(OnnxCall& call, const Reduction& reduction, ir::Value x) {
  const ir::Value y = Reduce(call, "sum", reduction, WithBitsOf(call, x));
  return call.ok() ? Cast(call, y, DtypeOf(x)) : ir::Value();
}

// Roots and logarithms of integers are cut off.
ir::Value AsFloating(OnnxCall& call, ir::Value x) {
  return IsInteger(DtypeOf(x)) ? Cast(call, x, DataType::kFloat64) : x;
}

ir::Value Cut(OnnxCall& call, ir::Value y, DataType dtype) {
  if (IsInteger(dtype)) y = call.Call("trunc", {y});
  return Cast(call, y, dtype);
}

// The extremum of no elements: the number that any other one replaces. Null
// where there are elements, or there may be.
ir::Value OfNothing(OnnxCall& call, const Reduction& reduction, bool greatest) {
  if (!call.ok() || reduction.computed || reduction.nothing) return ir::Value();
  Integers shape;
  bool empty = false;
  for (int i = 0; i < Rank(reduction.x); ++i) {
    const Dim dim = ShapeOf(reduction.x)[i];
    const bool reduced = reduction.axes.empty() ||
                         std::find(reduction.axes.begin(), reduction.axes.end(),
                                   i) != reduction.axes.end();
    if (reduced) empty |= dim == Dim(0);
    if (!reduced && !dim.known()) return ir::Value();
    if (!reduced || reduction.keeps) shape.push_back(reduced ? 1 : dim.value());
  }
  if (!empty) return ir::Value();
  const DataType dtype = DtypeOf(reduction.x);
  Scalar number(greatest ? -std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::infinity());
  if (IsInteger(dtype)) {
    // The limits of the numbers that are compared: see InOrderOf.
    const int bits = static_cast<int>(8 * ElementSize(dtype));
    const bool from_0 = IsUnsigned(dtype) && dtype != DataType::kUInt64;
    const int64_t most =
        std::numeric_limits<int64_t>::max() >> (from_0 ? 63 - bits : 64 - bits);
    number = Scalar(!greatest ? most : from_0 ? int64_t{0} : -most - 1);
  }
  if (dtype == DataType::kBool) number = Scalar(!greatest);
  const DataType compared = IsInteger(dtype) ? DataType::kInt64 : dtype;
  const ir::Value none = call.Call(
      "full", {}, {{"shape", shape}, {"value", number}, {"dtype", compared}});
  return IsInteger(dtype) ? OutOfOrder(call, none, dtype) : none;
}

void Extremum(OnnxCall& call, bool greatest) {
  const Reduction reduction = Read(call);
  if (const ir::Value none = OfNothing(call, reduction, greatest)) {
    return call.Out(0, none);
  }
  const DataType dtype = DtypeOf(reduction.x);
  // The greatest and the least of bools are "any" and "all".
  const char* const ours = dtype == DataType::kBool ? greatest ? "any" : "all"
                           : greatest               ? "max"
                                                    : "min";
  if (dtype == DataType::kBool) {
    return call.Out(0, Reduce(call, ours, reduction, reduction.x));
  }
  const ir::Value x = InOrderOf(call, reduction.x);
  call.Out(0, OutOfOrder(call, Reduce(call, ours, reduction, x), dtype));
}

void Narrow(OnnxCall& call, const char* ours) {
  const Reduction reduction = Read(call);
  const ir::Value y =
      Reduce(call, ours, reduction, WithBitsOf(call, reduction.x));
  call.Out(0, Cast(call, y, DtypeOf(reduction.x)));
}

void ReduceSum(OnnxCall& call) { Narrow(call, "sum"); }
void ReduceMean(OnnxCall& call) {
  const Reduction reduction = Read(call);
  const DataType dtype = DtypeOf(reduction.x);
  if (!IsInteger(dtype)) {
    return call.Out(0, Reduce(call, "mean", reduction, reduction.x));
  }
  const ir::Value wide = Cast(call, reduction.x, DataType::kFloat64);
  const ir::Value mean = Reduce(call, "mean", reduction, wide);
  call.Out(0, Cast(call, call.Call("trunc", {mean}), dtype));
}
void ReduceMax(OnnxCall& call) { Extremum(call, true); }
void ReduceMin(OnnxCall& call) { Extremum(call, false); }
void ReduceProd(OnnxCall& call) { Narrow(call, "prod"); }
void ReduceLogSumExp(OnnxCall& call) {
  const Reduction reduction = Read(call);
  const ir::Value x = AsFloating(call, reduction.x);
  call.Out(0, Cut(call, Reduce(call, "logsumexp", reduction, x),
                  DtypeOf(reduction.x)));
}

void ReduceL1(OnnxCall& call) {
  const Reduction reduction = Read(call);
  call.Out(0, Sum(call, reduction, call.Call("abs", {reduction.x})));
}

void ReduceSumSquare(OnnxCall& call) {
  const Reduction reduction = Read(call);
  const ir::Value square = call.Call("multiply", {reduction.x, reduction.x});
  call.Out(0, Sum(call, reduction, square));
}

void ReduceL2(OnnxCall& call) {
  const Reduction reduction = Read(call);
  const ir::Value square = call.Call("multiply", {reduction.x, reduction.x});
  const ir::Value sum = AsFloating(call, Sum(call, reduction, square));
  call.Out(0, Cut(call, call.Call("sqrt", {sum}), DtypeOf(reduction.x)));
}

void ReduceLogSum(OnnxCall& call) {
  const Reduction reduction = Read(call);
  const ir::Value sum = AsFloating(call, Sum(call, reduction, reduction.x));
  call.Out(0, Cut(call, call.Call("log", {sum}), DtypeOf(reduction.x)));
}

// The first place of an extremum, or the last.
void Arg(OnnxCall& call, const char* ours) {
  ir::Value x = InOrderOf(call, call.In(0));
  if (!call.ok()) return;
  const int axis = call.Axis(call.Int("axis", 0), Rank(x));
  const bool last = call.Flag("select_last_index", false);
  if (last) x = call.Call("flip", {x}, {{"axis", Integers{axis}}});
  ir::Value place = call.Call(
      ours, {x}, {{"axis", axis}, {"keepdims", call.Flag("keepdims", true)}});
  if (last) {
    const ir::Value end = Extent(call, x, axis);
    const ir::Value greatest =
        call.Call("subtract", {end, IntegerList(call, {1})});
    place = call.Call("subtract", {Squeeze(call, greatest, {0}), place});
  }
  call.Out(0, place);
}

void ArgMax(OnnxCall& call) { Arg(call, "argmax"); }
void ArgMin(OnnxCall& call) { Arg(call, "argmin"); }

void Cumulative(OnnxCall& call, const char* ours, const char* axis_name) {
  const ir::Value x = call.In(0);
  const ir::Value axis = call.In(1);
  const DataType dtype = DtypeOf(x);
  const std::optional<Integers> known = call.KnownIntegers(axis);
  if (known.has_value() && known->size() != 1) {
    return call.Fail(ArgumentError("axis", "one number", "others"));
  }
  const ir::Value sum =
      call.Call(ours, {WithBitsOf(call, x)},
                {known.has_value() ? OnnxAttribute(axis_name, (*known)[0])
                                   : OnnxAttribute(axis_name, axis),
                 {"exclusive", call.Flag("exclusive", false)},
                 {"reverse", call.Flag("reverse", false)}});
  call.Out(0, Cast(call, sum, dtype));
}

void CumSum(OnnxCall& call) { Cumulative(call, "cumsum", "axis"); }

// Along an axis that the run decides, the products along each are there to
// choose from.
void CumProd(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const ir::Value given = Reshape(call, call.In(1), {});
  if (!call.ok() || call.KnownIntegers(given).has_value()) {
    return Cumulative(call, "cumprod", "dim");
  }
  const int rank = Rank(x);
  ir::Value chosen = x;
  for (int axis = 0; axis < rank && call.ok(); ++axis) {
    const ir::Value product =
        call.Call("cumprod", {WithBitsOf(call, x)},
                  {{"dim", axis},
                   {"exclusive", call.Flag("exclusive", false)},
                   {"reverse", call.Flag("reverse", false)}});
    const ir::Value asked = call.Call(
        "logical_or",
        {call.Call("equal", {given, NumberLike(call, given, axis)}),
         call.Call("equal", {given, NumberLike(call, given, axis - rank)})});
    chosen =
        call.Call("where", {asked, Cast(call, product, DtypeOf(x)), chosen});
  }
  call.Out(0, chosen);
}

// Before version 10 the number of elements is an attribute.
void TopK(OnnxCall& call) {
  const ir::Value x = call.In(0);
  OnnxAttributes attributes = {{"axis", call.Int("axis", -1)},
                               {"largest", call.Flag("largest", true)},
                               {"sorted", call.Flag("sorted", true)}};
  if (call.HasAttr("k")) {
    attributes.push_back({"k", call.Int("k", 1)});
  } else {
    attributes.push_back({"k", call.In(1)});
  }
  const std::vector<ir::Value> results =
      call.CallAll("topk", {InOrderOf(call, x)}, attributes);
  if (!call.ok()) return;
  call.Out(0, OutOfOrder(call, results[0], DtypeOf(x)));
  call.Out(1, results[1]);
}

constexpr OnnxLowering kLowerings[] = {
    {"ArgMax", ArgMax},
    {"ArgMin", ArgMin},
    {"CumProd", CumProd},
    {"CumSum", CumSum},
    {"ReduceL1", ReduceL1},
    {"ReduceL2", ReduceL2},
    {"ReduceLogSum", ReduceLogSum},
    {"ReduceLogSumExp", ReduceLogSumExp},
    {"ReduceMax", ReduceMax},
    {"ReduceMean", ReduceMean},
    {"ReduceMin", ReduceMin},
    {"ReduceProd", ReduceProd},
    {"ReduceSum", ReduceSum},
    {"ReduceSumSquare", ReduceSumSquare},
    {"TopK", TopK},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxReductionLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
