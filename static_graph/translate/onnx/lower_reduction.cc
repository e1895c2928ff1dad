// SPDX-License-Identifier: Apache-2.0
// Reductions, places of extrema, running sums.
#include "static_graph/translate/onnx/lowerings.h"

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
    axis = call.Axis(axis, OnnxCall::Rank(reduction.x));
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
  const DataType dtype = OnnxCall::DtypeOf(x);
  if (std::string_view(ours) == "sum") attributes.push_back({"dtype", dtype});
  return call.Cast(call.Call(ours, {x}, attributes), dtype);
}

void Plain(OnnxCall& call, const char* ours) {
  const Reduction reduction = Read(call);
  call.Out(0, Reduce(call, ours, reduction, reduction.x));
}

void ReduceSum(OnnxCall& call) { Plain(call, "sum"); }
void ReduceMean(OnnxCall& call) {
  const Reduction reduction = Read(call);
  const DataType dtype = OnnxCall::DtypeOf(reduction.x);
  if (!IsInteger(dtype)) {
    return call.Out(0, Reduce(call, "mean", reduction, reduction.x));
  }
  const ir::Value wide = call.Cast(reduction.x, DataType::kFloat64);
  const ir::Value mean = Reduce(call, "mean", reduction, wide);
  call.Out(0, call.Cast(call.Call("trunc", {mean}), dtype));
}
// The greatest and the least of bools are "any" and "all".
void ReduceMax(OnnxCall& call) {
  const Reduction reduction = Read(call);
  const bool flags = OnnxCall::DtypeOf(reduction.x) == DataType::kBool;
  call.Out(0, Reduce(call, flags ? "any" : "max", reduction, reduction.x));
}
void ReduceMin(OnnxCall& call) {
  const Reduction reduction = Read(call);
  const bool flags = OnnxCall::DtypeOf(reduction.x) == DataType::kBool;
  call.Out(0, Reduce(call, flags ? "all" : "min", reduction, reduction.x));
}
void ReduceProd(OnnxCall& call) { Plain(call, "prod"); }
void ReduceLogSumExp(OnnxCall& call) { Plain(call, "logsumexp"); }

void ReduceL1(OnnxCall& call) {
  const Reduction reduction = Read(call);
  const ir::Value size = call.Call("abs", {reduction.x});
  call.Out(0, Reduce(call, "sum", reduction, size));
}

void ReduceSumSquare(OnnxCall& call) {
  const Reduction reduction = Read(call);
  const ir::Value square = call.Call("multiply", {reduction.x, reduction.x});
  call.Out(0, Reduce(call, "sum", reduction, square));
}

void ReduceL2(OnnxCall& call) {
  const Reduction reduction = Read(call);
  const ir::Value square = call.Call("multiply", {reduction.x, reduction.x});
  call.Out(0, call.Call("sqrt", {Reduce(call, "sum", reduction, square)}));
}

void ReduceLogSum(OnnxCall& call) {
  const Reduction reduction = Read(call);
  call.Out(0, call.Call("log", {Reduce(call, "sum", reduction, reduction.x)}));
}

// The first place of an extremum, or the last.
void Arg(OnnxCall& call, const char* ours) {
  ir::Value x = call.In(0);
  if (!call.ok()) return;
  const int axis = call.Axis(call.Int("axis", 0), OnnxCall::Rank(x));
  const bool last = call.Flag("select_last_index", false);
  if (last) x = call.Call("flip", {x}, {{"axis", Integers{axis}}});
  ir::Value place = call.Call(
      ours, {x}, {{"axis", axis}, {"keepdims", call.Flag("keepdims", true)}});
  if (last) {
    const ir::Value end = call.Extent(x, axis);
    const ir::Value greatest =
        call.Call("subtract", {end, call.IntegerList({1})});
    place = call.Call("subtract", {call.Squeeze(greatest, {0}), place});
  }
  call.Out(0, place);
}

void ArgMax(OnnxCall& call) { Arg(call, "argmax"); }
void ArgMin(OnnxCall& call) { Arg(call, "argmin"); }

void Cumulative(OnnxCall& call, const char* ours, const char* axis_name) {
  const ir::Value x = call.In(0);
  const ir::Value axis = call.In(1);
  const DataType dtype = OnnxCall::DtypeOf(x);
  const std::optional<Integers> known = call.KnownIntegers(axis);
  if (known.has_value() && known->size() != 1) {
    return call.Fail(ArgumentError("axis", "one number", "others"));
  }
  const ir::Value sum =
      call.Call(ours, {x},
                {known.has_value() ? OnnxAttribute(axis_name, (*known)[0])
                                   : OnnxAttribute(axis_name, axis),
                 {"exclusive", call.Flag("exclusive", false)},
                 {"reverse", call.Flag("reverse", false)}});
  call.Out(0, call.Cast(sum, dtype));
}

void CumSum(OnnxCall& call) { Cumulative(call, "cumsum", "axis"); }
void CumProd(OnnxCall& call) { Cumulative(call, "cumprod", "dim"); }

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
  const std::vector<ir::Value> results = call.CallAll("topk", {x}, attributes);
  if (!call.ok()) return;
  call.Out(0, results[0]);
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
