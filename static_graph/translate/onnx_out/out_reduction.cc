// SPDX-License-Identifier: Apache-2.0
// Reductions, running sums, orders.
#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

void Reduced(OutCall& call, std::string_view type) {
  OnnxName x = call.In("x");
  const DataType dtype = call.OutDtype("out");
  if (dtype != call.Dtype("x")) x = Cast(call, x, dtype);
  call.Out("out",
           Reduce(call, type, x, call.Ints("axis"), call.Flag("keepdim")));
}

void Sum(OutCall& call) { Reduced(call, "ReduceSum"); }
void Mean(OutCall& call) { Reduced(call, "ReduceMean"); }
void Max(OutCall& call) { Reduced(call, "ReduceMax"); }
void Min(OutCall& call) { Reduced(call, "ReduceMin"); }
void Prod(OutCall& call) { Reduced(call, "ReduceProd"); }

// Bools are reduced as integers.
void Truth(OutCall& call, std::string_view type) {
  OnnxName x = call.In("x");
  if (call.Dtype("x") != DataType::kBool) x = Cast(call, x, DataType::kBool);
  x = Cast(call, x, DataType::kInt32);
  x = Reduce(call, type, x, call.Ints("axis"), call.Flag("keepdim"));
  call.Out("out", Cast(call, x, DataType::kBool));
}

void Any(OutCall& call) { Truth(call, "ReduceMax"); }
void All(OutCall& call) { Truth(call, "ReduceMin"); }

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
  if (flat) x = Reshape(call, x, {-1});
  const int64_t axis = flat ? 0 : call.Axis("axis", call.Rank("x"));
  const OnnxName at = call.Scalar0(static_cast<double>(axis), DataType::kInt64);
  call.Out("out", call.Node("CumSum", {x, at},
                            {{"exclusive", int64_t{call.Flag("exclusive")}},
                             {"reverse", int64_t{call.Flag("reverse")}}}));
}

void TopK(OutCall& call) {
  const OnnxName k =
      Reshape(call, call.NumberTensor("k", DataType::kInt64), {1});
  const std::vector<OnnxName> results =
      call.Nodes("TopK", {call.In("x"), k}, 2,
                 {{"axis", call.Axis("axis", call.Rank("x"))},
                  {"largest", int64_t{call.Flag("largest")}},
                  {"sorted", int64_t{1}}});
  call.Out("out", results[0]);
  call.Out("indices", results[1]);
}

// All elements along the axis are the greatest ones there.
void ArgSort(OutCall& call) {
  const int64_t axis = call.Axis("axis", call.Rank("x"));
  if (call.Rank("x") == 0) return call.Refuse("x has no axis");
  const OnnxName x = call.In("x");
  const int at = static_cast<int>(axis);
  const std::vector<OnnxName> results =
      call.Nodes("TopK", {x, Extents(call, x, at, at + 1)}, 2,
                 {{"axis", axis},
                  {"largest", int64_t{call.Flag("descending")}},
                  {"sorted", int64_t{1}}});
  call.Out("out", results[0]);
  call.Out("indices", results[1]);
}

constexpr OutForm kForms[] = {
    {"sum", Sum},       {"mean", Mean},       {"max", Max},
    {"min", Min},       {"prod", Prod},       {"amax", Max},
    {"amin", Min},      {"any", Any},         {"all", All},
    {"argmax", ArgMax}, {"argmin", ArgMin},   {"cumsum", CumSum},
    {"topk", TopK},     {"argsort", ArgSort},
};

}  // namespace

absl::Span<const OutForm> ReductionOutForms() { return kForms; }

}  // namespace switchyard::static_graph
