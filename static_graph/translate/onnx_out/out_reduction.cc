// SPDX-License-Identifier: Apache-2.0
// Reductions, running sums, orders.
#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

// A number has no axes: ours takes 0 and -1 for one.
Integers AxesOf(OutCall& call) {
  return call.Rank("x") == 0 ? Integers() : call.Ints("axis");
}

// The input with at least one axis, and results as they are without it.
OnnxName WithAxis(OutCall& call, const OnnxName& x) {
  return call.Rank("x") == 0 ? Reshape(call, x, {1}) : x;
}
OnnxName WithoutAxis(OutCall& call, const OnnxName& y) {
  return call.Rank("x") == 0 ? Reshape(call, y, {}) : y;
}

int64_t AxisOf(OutCall& call) {
  return call.Rank("x") == 0 ? 0 : call.Axis("axis", call.Rank("x"));
}

void Reduced(OutCall& call, std::string_view type) {
  OnnxName x = call.In("x");
  const DataType dtype = call.OutDtype("out");
  if (dtype != call.Dtype("x")) x = Cast(call, x, dtype);
  call.Out("out", Reduce(call, type, x, AxesOf(call), call.Flag("keepdim")));
}

void Sum(OutCall& call) { Reduced(call, "ReduceSum"); }
void Mean(OutCall& call) { Reduced(call, "ReduceMean"); }
void Max(OutCall& call) { Reduced(call, "ReduceMax"); }
void Min(OutCall& call) { Reduced(call, "ReduceMin"); }
void Prod(OutCall& call) { Reduced(call, "ReduceProd"); }

// Counts those that are `which`: there may be no elements.
OnnxName CountOf(OutCall& call, bool which) {
  OnnxName x = call.In("x");
  if (call.Dtype("x") != DataType::kBool) x = Cast(call, x, DataType::kBool);
  if (!which) x = call.Node("Not", {x});
  return Reduce(call, "ReduceSum", Cast(call, x, DataType::kInt64),
                AxesOf(call), call.Flag("keepdim"));
}

void Any(OutCall& call) {
  call.Out("out", Cast(call, CountOf(call, true), DataType::kBool));
}

void All(OutCall& call) {
  const OnnxName some = Cast(call, CountOf(call, false), DataType::kBool);
  call.Out("out", call.Node("Not", {some}));
}

void Place(OutCall& call, std::string_view type) {
  OnnxName x = call.In("x");
  const bool flat = call.Flag("flatten") || call.Rank("x") == 0;
  const bool keepdims = call.Flag("keepdims");
  if (flat) x = Reshape(call, x, {-1});
  const int64_t axis = flat ? 0 : call.Axis("axis", call.Rank("x"));
  OnnxName y = call.Node(
      type, {x}, {{"axis", axis}, {"keepdims", int64_t{!flat && keepdims}}});
  if (flat && keepdims) {
    y = Reshape(call, y, Integers(static_cast<size_t>(call.Rank("x")), 1));
  }
  if (call.OutDtype("out") != DataType::kInt64) {
    y = Cast(call, y, call.OutDtype("out"));
  }
  call.Out("out", y);
}

void ArgMax(OutCall& call) { Place(call, "ArgMax"); }
void ArgMin(OutCall& call) { Place(call, "ArgMin"); }

void CumSum(OutCall& call) {
  OnnxName x = call.In("x");
  const DataType dtype = call.OutDtype("out");
  if (dtype != call.Dtype("x")) x = Cast(call, x, dtype);
  const bool flat = call.Flag("flatten");
  x = flat ? Reshape(call, x, {-1}) : WithAxis(call, x);
  const int64_t axis = flat ? 0 : AxisOf(call);
  const OnnxName at = call.Scalar0(static_cast<double>(axis), DataType::kInt64);
  const OnnxName y = call.Node("CumSum", {x, at},
                               {{"exclusive", int64_t{call.Flag("exclusive")}},
                                {"reverse", int64_t{call.Flag("reverse")}}});
  call.Out("out", flat ? y : WithoutAxis(call, y));
}

void CumProd(OutCall& call) {
  const int rank = call.Rank("x");
  const OnnxName at =
      call.Scalar0(static_cast<double>(rank == 0 ? 0 : call.Axis("dim", rank)),
                   DataType::kInt64);
  const OnnxName y = call.Node("CumProd", {WithAxis(call, call.In("x")), at},
                               {{"exclusive", int64_t{call.Flag("exclusive")}},
                                {"reverse", int64_t{call.Flag("reverse")}}});
  call.Out("out", WithoutAxis(call, y));
}

void TopK(OutCall& call) {
  const OnnxName k =
      Reshape(call, call.NumberTensor("k", DataType::kInt64), {1});
  const std::vector<OnnxName> results =
      call.Nodes("TopK", {WithAxis(call, call.In("x")), k}, 2,
                 {{"axis", AxisOf(call)},
                  {"largest", int64_t{call.Flag("largest")}},
                  {"sorted", int64_t{1}}});
  call.Out("out", WithoutAxis(call, results[0]));
  call.Out("indices", WithoutAxis(call, results[1]));
}

// All elements along the axis are the greatest ones there.
void ArgSort(OutCall& call) {
  const int64_t axis = AxisOf(call);
  const OnnxName x = WithAxis(call, call.In("x"));
  const int at = static_cast<int>(axis);
  const std::vector<OnnxName> results =
      call.Nodes("TopK", {x, Extents(call, x, at, at + 1)}, 2,
                 {{"axis", axis},
                  {"largest", int64_t{call.Flag("descending")}},
                  {"sorted", int64_t{1}}});
  call.Out("out", WithoutAxis(call, results[0]));
  call.Out("indices", WithoutAxis(call, results[1]));
}

constexpr OutForm kForms[] = {
    {"sum", Sum},       {"mean", Mean},       {"max", Max},
    {"min", Min},       {"prod", Prod},       {"amax", Max},
    {"amin", Min},      {"any", Any},         {"all", All},
    {"argmax", ArgMax}, {"argmin", ArgMin},   {"cumsum", CumSum},
    {"topk", TopK},     {"argsort", ArgSort}, {"cumprod", CumProd},
};

}  // namespace

absl::Span<const OutForm> ReductionOutForms() { return kForms; }

}  // namespace switchyard::static_graph
